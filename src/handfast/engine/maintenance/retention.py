"""How long the history of jobs is kept, and the room that is made for it.

Attempts are kept in a table for each day. Days are made ahead; old ones go whole, what no day took
goes in batches. Identities whose kind gives them a horizon, and aggregates of which nothing was
heard for as long, go by a walk along the key.
"""

from collections.abc import Sequence
from datetime import timedelta
from types import NoneType

import asyncpg

from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.engine.maintenance.chores import Chore

HISTORY = timedelta(days=14)  # how long attempts can be looked at
FIGURES = timedelta(days=14)  # by the minute; also if the history is kept for less
DAYS_AHEAD = 3
PARTITIONS_EVERY = timedelta(hours=1)
PARTITIONS_AGAIN_SECONDS = 60.0  # while somebody reads the history
RETENTION_EVERY = timedelta(minutes=1)
LOCK_TIMEOUT = "200ms"  # everybody who finishes a job would queue up behind us
PRUNE_BATCH = 5000
WALK_BATCH = 20000

_PARTITIONS = statement("engine.make_partitions", row=int)
_DROP_HISTORY = statement("engine.drop_history", row=str)
_PRUNE = statement("engine.prune", row=int)
_PRUNE_FIGURES = statement("engine.prune_figures", row=int)
_PRUNE_SESSIONS = statement("engine.prune_sessions", row=NoneType)
_FORGET = statement("engine.forget_identities", row=int)
_FORGET_AGGREGATES = statement("engine.forget_aggregates", row=str)

log = get_logger(__name__)


class Retention:
    """Remembers how far its walks along identities and aggregates have come."""

    def __init__(self, database: Database, *, history: timedelta = HISTORY) -> None:
        self._database = database
        self._history = history
        self._walked_to = 0
        self._named_to = ""

    @property
    def chores(self) -> Sequence[Chore]:
        return (
            Chore("partitions", self.make_partitions, PARTITIONS_EVERY, once_per_fleet=False),
            Chore("retention", self.forget, RETENTION_EVERY),
        )

    async def make_partitions(self) -> float | None:
        try:
            async with self._database.transaction() as tx:
                await tx.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
                await _PARTITIONS.one(tx, DAYS_AHEAD)
        except asyncpg.LockNotAvailableError:  # there are days left, and what no day takes is kept
            log.info("history_in_use", hint="The days to come are made by a later pass.")
            return PARTITIONS_AGAIN_SECONDS
        return None

    async def forget(self) -> float | None:
        """Old history goes by whole days, odds and ends in batches, identities by a walk."""
        dropped = await self._drop_history()
        async with self._database.connection() as connection:
            pruned = await _PRUNE.one(connection, self._history, PRUNE_BATCH)
            await _PRUNE_FIGURES.one(connection, FIGURES, PRUNE_BATCH)
            await _PRUNE_SESSIONS.run(connection)
            walked = await _FORGET.maybe(connection, self._walked_to, WALK_BATCH)
            named = await _FORGET_AGGREGATES.maybe(
                connection, self._named_to, self._history, WALK_BATCH
            )
        self._walked_to = walked or 0
        self._named_to = named or ""
        return 0.0 if dropped or pruned >= PRUNE_BATCH else None

    async def _drop_history(self) -> str | None:
        """The oldest day whose time is over, unless somebody reads the history at this moment:
        then it is left for the next pass. A dump reads for hours, and all else is pruned."""
        try:
            async with self._database.transaction() as tx:
                await tx.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
                dropped = await _DROP_HISTORY.maybe(tx, self._history)
        except asyncpg.LockNotAvailableError:
            log.info("history_in_use", hint="Its oldest day is dropped by a later pass.")
            return None
        if dropped:
            log.info("history_dropped", partition=dropped)
        return dropped
