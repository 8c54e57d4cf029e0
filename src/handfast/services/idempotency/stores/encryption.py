"""Encryption of kept responses, for routes that ask for it: tokens must not lie in a table.

AES-256-GCM, a random nonce for each response, bound to whose key it was kept under: a response
that is copied to another row does not open. The secret is in the settings, never in the database.
"""

import os
from collections.abc import Sequence

from handfast.base.errors import SettingsError
from handfast.base.extras import extra
from handfast.base.ids import SECRET_LENGTH_MIN

_NONCE_BYTES = 12
_PURPOSE = b"handfast idempotency responses 1"


class Encryption:
    """Several secrets during a rotation: the first one seals, any of them opens."""

    def __init__(self, secrets: str | Sequence[str], *, purpose: bytes = _PURPOSE) -> None:
        given = [secrets] if isinstance(secrets, str) else list(secrets)
        if not given or any(len(secret) < SECRET_LENGTH_MIN for secret in given):
            raise SettingsError(
                f"A secret for kept responses has at least {SECRET_LENGTH_MIN} characters.",
                hint="Make one: python -c 'import secrets; print(secrets.token_urlsafe(32))'.",
            )
        # Imported when somebody has a secret: most programs keep nothing encrypted.
        with extra("encryption"):
            from cryptography.exceptions import InvalidTag  # noqa: PLC0415
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        self._wrong = (InvalidTag, ValueError)
        self._keys = [AESGCM(_derived(secret, purpose)) for secret in given]

    def close(self, text: bytes, bound_to: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._keys[0].encrypt(nonce, text, bound_to)

    def open(self, sealed: bytes, bound_to: bytes) -> bytes | None:
        """The text; None if none of the secrets opens it."""
        nonce, text = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        for key in self._keys:
            try:
                return key.decrypt(nonce, text, bound_to)
            except self._wrong:
                continue
        return None


def _derived(secret: str, purpose: bytes) -> bytes:
    with extra("encryption"):
        from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

    return HKDF(SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
