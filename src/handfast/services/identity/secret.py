"""What only this installation can compute: keyed hashes, and encryption.

One secret in the settings; every purpose has a key of its own, derived from it, so that a hash made
for one thing is worth nothing for another. Several secrets during a rotation: the first makes, any
of them recognises.
"""

import hashlib
import hmac
from collections.abc import Sequence
from enum import StrEnum

from handfast.services.idempotency.stores.encryption import Encryption

_SEALING = b"handfast identity 1"
FINGERPRINT_BYTES = 8  # enough to tell a handful of secrets apart


class Purpose(StrEnum):
    CODE = "code"  # which code a request gets
    CODE_CHECK = "code check"  # what is stored of it
    ASKER = "asker"
    DEVICE = "device"
    ADDRESS = "address"
    PHONE = "phone"
    FINGERPRINT = "fingerprint"


class IdentitySecret:
    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = [secret.encode() for secret in secrets]
        self._sealing = Encryption(list(secrets), purpose=_SEALING)

    def digest(self, purpose: Purpose, *parts: str) -> bytes:
        return _hmac(self._secrets[0], purpose, parts)

    def digests(self, purpose: Purpose, *parts: str) -> list[bytes]:
        """Under each of the secrets, the first first: to be compared with what was stored under any
        of them."""
        return [_hmac(secret, purpose, parts) for secret in self._secrets]

    def fingerprints(self) -> list[bytes]:
        """What names each of the secrets, the first first, and tells nothing of it."""
        return [mark[:FINGERPRINT_BYTES] for mark in self.digests(Purpose.FINGERPRINT)]

    def seal(self, text: bytes, bound_to: bytes) -> bytes:
        return self._sealing.close(text, bound_to)

    def open(self, sealed: bytes, bound_to: bytes) -> bytes | None:
        """None if none of the secrets opens it."""
        return self._sealing.open(sealed, bound_to)


def _hmac(secret: bytes, purpose: Purpose, parts: Sequence[str]) -> bytes:
    """Parts carry their length: two lists of parts are never the same bytes."""
    key = hmac.digest(secret, f"handfast identity {purpose}".encode(), hashlib.sha256)
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    text = b"".join(len(part).to_bytes(4, "big") + part for part in encoded)
    return hmac.digest(key, text, hashlib.sha256)
