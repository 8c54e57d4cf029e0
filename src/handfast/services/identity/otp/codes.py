"""Which code a request gets, and what is stored of it.

A code is computed from the request's id, the number of the message and the secret: whoever sends it
later computes it again, and it is stored nowhere. What is stored is a keyed hash of request and
code. Not a slow hash: six digits are protected by the three tries and by the key, and the database
compares.
"""

from uuid import UUID

from handfast.services.identity.secret import IdentitySecret, Purpose

DIGITS = 6


def code_of(secret: IdentitySecret, request: UUID, number: int) -> str:
    """Of the ``number``-th message of a request. 256 bits modulo a million are as good as even."""
    digest = secret.digest(Purpose.CODE, str(request), str(number))
    return str(int.from_bytes(digest, "big") % 10**DIGITS).zfill(DIGITS)


def stored(secret: IdentitySecret, request: UUID, code: str) -> bytes:
    return secret.digest(Purpose.CODE_CHECK, str(request), code)


def comparable(secret: IdentitySecret, request: UUID, code: str) -> list[bytes]:
    """What may be stored of it, also from before the secret was rotated."""
    return secret.digests(Purpose.CODE_CHECK, str(request), code)
