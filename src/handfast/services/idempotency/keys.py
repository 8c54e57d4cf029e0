"""The key of a request: a UUID version 4 in its canonical form, either case, and nothing else.

``uuid.UUID`` is of no use for checking: it takes braces, URNs and missing hyphens, and with
``version=4`` it rewrites the bits of any other UUID instead of refusing it.
"""

import re
from collections.abc import Iterable
from uuid import UUID

from asyncpg.pgproto import pgproto

from handfast.services.idempotency.errors import IdempotencyKeyMalformed

HEADER = b"idempotency-key"
PATTERN = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"
_CANONICAL = re.compile(PATTERN.encode())
_HINT = (
    "Send one header Idempotency-Key with a new random UUID (version 4) for each operation, such "
    "as 5f0c9c1e-6d4e-4a53-9a3f-0e8f8c5b7d21, and the same one when you repeat it."
)


def sent_keys(headers: Iterable[tuple[bytes, bytes]]) -> list[bytes]:
    """What was sent as a key, among ASGI headers, whose names are in lower case."""
    return [value for name, value in headers if name == HEADER]


def read_key(sent: list[bytes]) -> UUID | None:
    """The one key that was sent; None if there is none."""
    if not sent:
        return None
    if len(sent) > 1:
        raise IdempotencyKeyMalformed(
            f"The header Idempotency-Key was sent {len(sent)} times.", hint=_HINT
        )
    return parse_key(sent[0])


def parse_key(value: bytes) -> UUID:
    # Never echoed: it may be a megabyte long, or somebody's secret pasted into the wrong place.
    if _CANONICAL.fullmatch(value) is None:
        raise IdempotencyKeyMalformed(
            "The header Idempotency-Key is empty."
            if not value
            else f"The header Idempotency-Key ({len(value)} bytes) is not a UUID of version 4 in "
            "its canonical form.",
            hint=_HINT,
        )
    key: UUID = pgproto.UUID(value.decode("ascii"))  # the driver's: made in a tenth of the time
    return key
