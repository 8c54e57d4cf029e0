"""Expired records are deleted: a walk through the table, some pages in each transaction.

There is no index to find them by. It would be written by every request, and all that it saves is
a walk that may take as long as it likes.
"""

from datetime import timedelta

import msgspec

from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.services.idempotency import metrics

SERVERS_KEPT = timedelta(hours=1)  # nobody waits for them; merely so that idle ones stay
PAGES = 200  # of 8 KiB, some thousand records; locks are held for milliseconds


class _PrunedRecords(msgspec.Struct):
    gone: int
    next_page: int | None


_PRUNE = statement("idempotency.prune", row=_PrunedRecords)
_PRUNE_SERVERS = statement("idempotency.prune_servers", row=int)


async def prune(database: Database) -> int:
    """Delete what has expired; answers how many records went."""
    gone, page = 0, 0
    while True:
        async with database.connection() as connection:
            pruned = await _PRUNE.one(connection, page, PAGES)
        gone += pruned.gone
        if pruned.next_page is None:
            break
        page = pruned.next_page
    async with database.connection() as connection:
        await _PRUNE_SERVERS.one(connection, SERVERS_KEPT)
    metrics.PRUNED.inc(gone)
    return gone
