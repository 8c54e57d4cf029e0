"""The store that always holds: one statement, one row for each limit and subject."""

from collections.abc import Sequence

import asyncpg
import msgspec

from handfast.db.errors import DatabaseUnreachable
from handfast.db.pool import BROKEN, Database
from handfast.db.statements import statement
from handfast.services.limits.limit import Ask, LimitVerdict


class _Taken(msgspec.Struct, frozen=True):
    admitted: bool
    remaining: int
    reset_us: int
    retry_after_us: int


_BROKEN = (
    *BROKEN,
    DatabaseUnreachable,
    asyncpg.OperatorInterventionError,  # the server is being stopped
)
_TAKE = statement("limits.take", row=_Taken)


async def take(database: Database, asks: Sequence[Ask]) -> list[LimitVerdict]:
    """All of it or none, in one round trip and a transaction of its own.

    A connection that breaks on the way is tried once more. If the first try was committed all the
    same, the subject has paid twice: the limit holds.
    """
    try:
        return await _take(database, asks)
    except _BROKEN:
        pass
    try:
        return await _take(database, asks)
    except _BROKEN as away:
        raise DatabaseUnreachable(f"The limits cannot be counted: {away}.") from away


async def _take(database: Database, asks: Sequence[Ask]) -> list[LimitVerdict]:
    async with database.connection() as connection:
        taken = await _TAKE.all(
            connection,
            [ask.limit.name for ask in asks],
            [ask.subject for ask in asks],
            [ask.limit.quota for ask in asks],
            [ask.limit.period for ask in asks],
            [ask.cost for ask in asks],
            any(ask.limit.durable for ask in asks),
        )
    return [
        LimitVerdict(ask, row.admitted, row.remaining, row.reset_us / 1e6, row.retry_after_us / 1e6)
        for ask, row in zip(asks, taken, strict=True)
    ]
