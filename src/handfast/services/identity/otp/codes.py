"""Which code a request gets, and what is stored of it.

A code is computed from the request's id, the number of the message and the secret: whoever sends it
later computes it again, under the secret that fits, and it is stored nowhere. What is stored is a
keyed hash of request and code. Not a slow hash: six digits are protected by the three tries and by
the key, and the database compares.
"""

from uuid import UUID

from handfast.services.identity.secret import IdentitySecret, Purpose

DIGITS = 6


def code_of(secret: IdentitySecret, request: UUID, number: int) -> str:
    """Of the ``number``-th message of a request. 256 bits modulo a million are as good as even."""
    return _in_digits(secret.digest(Purpose.CODE, str(request), str(number)))


def code_again(secret: IdentitySecret, request: UUID, number: int, hashed: bytes) -> str | None:
    """The code of which this is stored. None if it was made under a secret that is not known here:
    while secrets change, whoever sends it may have others than whoever stored it."""
    codes = map(_in_digits, secret.digests(Purpose.CODE, str(request), str(number)))
    return next((code for code in codes if hashed in comparable(secret, request, code)), None)


def stored(secret: IdentitySecret, request: UUID, code: str) -> bytes:
    return secret.digest(Purpose.CODE_CHECK, str(request), code)


def comparable(secret: IdentitySecret, request: UUID, code: str) -> list[bytes]:
    """What may be stored of it, also from before the secret was rotated."""
    return secret.digests(Purpose.CODE_CHECK, str(request), code)


def _in_digits(digest: bytes) -> str:
    return str(int.from_bytes(digest, "big") % 10**DIGITS).zfill(DIGITS)
