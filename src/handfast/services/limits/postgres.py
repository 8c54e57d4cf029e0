"""The store that always holds: one statement, one row for each limit and subject."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import asyncpg
import msgspec

from handfast.db.errors import DatabaseUnreachable
from handfast.db.pool import BROKEN, Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.services.limits.limit import Ask, LimitVerdict


class _Taken(msgspec.Struct, frozen=True):
    admitted: bool
    remaining: int
    reset_us: int
    retry_after_us: int


class _TakenExactly(_Taken, frozen=True):
    behind: bool


class TakenIn(NamedTuple):
    """What was taken in somebody's transaction. ``behind``: the clock was set back, and what that
    changes is kept only if the transaction is committed."""

    verdicts: list[LimitVerdict]
    behind: bool


_BROKEN = (
    *BROKEN,
    DatabaseUnreachable,
    asyncpg.OperatorInterventionError,  # the server is being stopped
)
_TAKE = statement("limits.take", row=_Taken)
_TAKE_EXACT = statement("limits.take_exact", row=_TakenExactly)


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


async def take_in(tx: Transaction, asks: Sequence[Ask]) -> TakenIn:
    """All of it or none, in the caller's transaction; a commit that is waited for, whatever kind
    of limits these are."""
    taken = await _exactly(tx, asks)
    return TakenIn(_verdicts(asks, taken), any(row.behind for row in taken))


async def _take(database: Database, asks: Sequence[Ask]) -> list[LimitVerdict]:
    async with database.connection() as connection:
        if any(ask.limit.exact for ask in asks):
            return _verdicts(asks, await _exactly(connection, asks))
        taken = await _TAKE.all(connection, *_columns(asks), any(ask.limit.durable for ask in asks))
        return _verdicts(asks, taken)


async def _exactly(on: Queryable, asks: Sequence[Ask]) -> list[_TakenExactly]:
    return await _TAKE_EXACT.all(on, *_columns(asks), [ask.limit.is_window for ask in asks])


def _columns(asks: Sequence[Ask]) -> tuple[list[Any], ...]:
    return (
        [ask.limit.name for ask in asks],
        [ask.subject for ask in asks],
        [ask.limit.at_once for ask in asks],
        [ask.limit.refill for ask in asks],
        [ask.cost for ask in asks],
    )


def _verdicts(asks: Sequence[Ask], taken: Sequence[_Taken]) -> list[LimitVerdict]:
    return [
        LimitVerdict(ask, row.admitted, row.remaining, row.reset_us / 1e6, row.retry_after_us / 1e6)
        for ask, row in zip(asks, taken, strict=True)
    ]
