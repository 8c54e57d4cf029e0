"""Signing secrets, in the form that Standard Webhooks gives them: ``whsec_`` and base64.

A ``Secret`` never shows itself: its ``repr`` is a mask, so that neither a log line nor a
traceback gives it away.
"""

import base64
import binascii
import secrets as randomness
from dataclasses import dataclass, field
from typing import Self

from handfast.services.webhooks.errors import WebhookSecretInvalid

PREFIX = "whsec_"
# What the standard allows. Fewer could be guessed; HMAC-SHA256 has no use for more.
KEY_BYTES_MIN = 24
KEY_BYTES_MAX = 64
NEW_KEY_BYTES = 32  # the width of SHA-256

_HINT = (
    f"A secret is {PREFIX!r} and then base64 of {KEY_BYTES_MIN} to {KEY_BYTES_MAX} bytes. Copy it "
    "whole, as it was shown when the endpoint was made or its secret rotated."
)


@dataclass(frozen=True, slots=True)
class SigningSecret:
    """A key that signs and verifies."""

    key: bytes = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``whsec_…``. The prefix may be missing; other systems leave it out."""
        encoded = text.strip().removeprefix(PREFIX).rstrip("=")
        try:
            padded = encoded + "=" * (-len(encoded) % 4)
            key = base64.b64decode(padded.encode("ascii"), validate=True)
        except (UnicodeEncodeError, binascii.Error):
            # Neither the text nor the cause is named: a nearly right secret is still a secret.
            raise WebhookSecretInvalid("The secret is not base64.", hint=_HINT) from None
        if not KEY_BYTES_MIN <= len(key) <= KEY_BYTES_MAX:
            raise WebhookSecretInvalid(f"The secret has {len(key)} bytes.", hint=_HINT)
        return cls(key)


def new_secret() -> str:
    """A new secret, as it is shown and stored."""
    return PREFIX + base64.b64encode(randomness.token_bytes(NEW_KEY_BYTES)).decode("ascii")
