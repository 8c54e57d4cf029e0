"""Expired records are deleted in small batches, each with locks for a moment only."""

from collections.abc import Awaitable, Callable

from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.services.idempotency import metrics

BATCH = 1000
BATCHES_MAX = 100  # then it is somebody else's turn; the next round goes on

CHORE_SECONDS = 60.0

_PRUNE = statement("idempotency.prune", row=int)


async def prune(database: Database) -> int:
    """Delete what has expired; answers how many records went."""
    gone = 0
    for _ in range(BATCHES_MAX):
        async with database.connection() as connection:
            batch = await _PRUNE.one(connection, BATCH)
        gone += batch
        if batch < BATCH:
            break
    metrics.PRUNED.inc(gone)
    return gone


def chore(database: Database) -> tuple[str, Callable[[], Awaitable[None]], float]:
    """For the engine's janitor, so that what no request visits any more is deleted too."""

    async def work() -> None:
        await prune(database)

    return "idempotency", work, CHORE_SECONDS
