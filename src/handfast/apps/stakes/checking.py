"""Whether tickets, sessions and holds agree: what the database's own rules cannot say across
tables."""

import msgspec

from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable


class Inconsistency(msgspec.Struct, frozen=True, rename="camel"):
    what: str
    id: int
    problem: str


_FOUND = statement("stakes.inconsistencies", row=Inconsistency, seconds=BULK_SECONDS_MAX)


async def check_stakes(on: Queryable) -> list[Inconsistency]:
    """Nothing, or up to a hundred things that are wrong, seen in one moment."""
    return await _FOUND.all(on)
