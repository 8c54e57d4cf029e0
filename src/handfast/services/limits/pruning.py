"""Rows of subjects that have not been seen for a while mean nothing and go, a batch at a time.

A walk along the key, since an index on the time would make every request more expensive than the
whole walk. Any number of processes may walk at once: each skips what another holds.
"""

from datetime import timedelta

import msgspec

from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.engine.maintenance.chores import Chore
from handfast.services.limits import metrics

BATCH = 5000
EVERY = timedelta(minutes=1)  # between two walks
NEXT_SECONDS = 1.0  # between two batches of one walk


class _PrunedBuckets(msgspec.Struct, frozen=True):
    looked_at: int
    pruned: int
    last_name: str | None
    last_subject: str | None


_PRUNE = statement("limits.prune", row=_PrunedBuckets)


class Pruning:
    """Remembers how far its walk has come."""

    def __init__(self, database: Database, *, batch: int = BATCH) -> None:
        self._database = database
        self._batch = batch
        self._after = ("", "")

    async def prune(self) -> float | None:
        """One batch; answers how soon the next is wanted, None at the end of a walk."""
        async with self._database.connection() as connection:
            done = await _PRUNE.one(connection, *self._after, self._batch)
        metrics.PRUNED.inc(done.pruned)
        if done.looked_at < self._batch:
            self._after = ("", "")
            return None
        self._after = (done.last_name or "", done.last_subject or "")
        return NEXT_SECONDS


def chores(database: Database) -> list[Chore]:
    return [pruning(database)]


def pruning(database: Database) -> Chore:
    """For one of the fleet, whose turn lasts until its walk has come to its end."""
    return Chore("limits", Pruning(database).prune, EVERY)
