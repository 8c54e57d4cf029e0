"""Signatures as Standard Webhooks v1 writes them, made and verified.

What is signed is ``id.timestamp.body``. Several secrets give several signatures in one header,
so that a receiver can change from the old to the new one at a moment of its own choosing.
"""

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from handfast.services.webhooks.errors import WebhookSignatureInvalid
from handfast.services.webhooks.signing.secrets import SigningSecret

ID_HEADER = "webhook-id"
TIMESTAMP_HEADER = "webhook-timestamp"
SIGNATURE_HEADER = "webhook-signature"

TOLERANCE_SECONDS = 300.0  # the standard's five minutes: for clocks that differ, and slow networks
HEADER_LENGTH_MAX = 4096  # more than fifty signatures; a longer header only costs us time

# The full stop separates the three signed parts, so an id that contains one is ambiguous.
_ID = re.compile(r"[!-\-/-~]{1,256}")
_TIMESTAMP = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Verified:
    """What a valid signature vouches for."""

    message_id: str
    timestamp: int


def sign(
    secrets: Sequence[SigningSecret], message_id: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """The three headers that go with this body."""
    if not secrets:
        raise ValueError("a webhook is signed by at least one secret")
    if not _ID.fullmatch(message_id):
        raise ValueError(f"{message_id!r} cannot be a message id: printable ASCII without '.'")
    if timestamp < 0:
        raise ValueError(f"{timestamp} is not a Unix time")
    made = (_digest(secret, message_id, timestamp, body) for secret in secrets)
    return {
        ID_HEADER: message_id,
        TIMESTAMP_HEADER: str(timestamp),
        SIGNATURE_HEADER: " ".join(f"v1,{base64.b64encode(one).decode('ascii')}" for one in made),
    }


def verify(
    secrets: Sequence[SigningSecret],
    headers: Mapping[str, str],
    body: bytes,
    *,
    now: float,
    tolerance: float = TOLERANCE_SECONDS,
) -> Verified:
    """Prove that a holder of one of the secrets sent this body, lately.

    ``body`` must be the bytes as they arrived: parsed and written again they are other bytes.
    """
    if not secrets:
        raise ValueError("a webhook is verified with at least one secret")
    given = {name.lower(): value for name, value in headers.items()}
    message_id = _header(given, ID_HEADER)
    timestamp = _timely(_header(given, TIMESTAMP_HEADER), now, tolerance)
    offered = list(_signatures(_header(given, SIGNATURE_HEADER)))
    matched = False
    for secret in secrets:
        expected = _digest(secret, message_id, timestamp, body)
        for one in offered:  # to the end, whichever matches: time tells nothing
            matched |= hmac.compare_digest(expected, one)
    if not matched:
        raise WebhookSignatureInvalid(
            f"None of the {len(offered)} v1 signatures fits.",
            hint="Verify the body's bytes as they arrived, with this endpoint's secret.",
        )
    return Verified(message_id, timestamp)


def _digest(secret: SigningSecret, message_id: str, timestamp: int, body: bytes) -> bytes:
    signed = b"%s.%d.%s" % (message_id.encode("utf-8", "surrogateescape"), timestamp, body)
    return hmac.digest(secret.key, signed, hashlib.sha256)


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name, "").strip()
    if not value:
        raise WebhookSignatureInvalid(
            f"There is no {name} header.",
            hint="Was it sent by Handfast, and does a proxy between keep the webhook-* headers?",
        )
    if len(value) > HEADER_LENGTH_MAX:
        raise WebhookSignatureInvalid(f"The {name} header has {len(value)} characters.")
    return value


def _timely(text: str, now: float, tolerance: float) -> int:
    if not _TIMESTAMP.fullmatch(text):
        raise WebhookSignatureInvalid(f"{TIMESTAMP_HEADER} is not a Unix time in whole seconds.")
    timestamp = int(text)
    if abs(now - timestamp) > tolerance:
        age = "old" if timestamp < now else "far in the future"
        raise WebhookSignatureInvalid(
            f"It was sent {abs(now - timestamp):.0f} s from now, which is too {age}; at most "
            f"{tolerance:.0f} s are allowed.",
            hint="If it is not a replay by a stranger, one of the two clocks is wrong.",
        )
    return timestamp


def _signatures(header: str) -> Iterator[bytes]:
    """The v1 signatures. Other versions belong to others; what is no base64 cannot match."""
    for one in header.split():
        version, _, encoded = one.partition(",")
        if version != "v1":
            continue
        try:
            yield base64.b64decode(encoded.encode("ascii", "replace"), validate=True)
        except binascii.Error:
            continue
