"""The engine's own housekeeping. Every worker does it; the database lets each thing be done once.

Short statements with short locks, each skipping what another janitor holds. Nothing here is
needed for safety: a late janitor makes things late, never wrong.
"""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial

from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.engine import metrics
from handfast.engine.faults import PASSING, put_off
from handfast.engine.lease import Promoted

PROMOTE_BATCH = 5000
RESCUE_BATCH = 500
RESCUE_SECONDS = 1.0
ESCALATE_SECONDS = 10.0
PARTITION_SECONDS = 3600.0
PARTITION_DAYS_AHEAD = 3
RETENTION_SECONDS = 60.0
DROP_LOCK_TIMEOUT = "200ms"  # everybody who finishes a job would queue up behind us
PRUNE_BATCH = 5000
WALK_BATCH = 20000
HISTORY = timedelta(days=14)  # how long attempts can be looked at
DUE_SECONDS_MAX = 1.0  # the longest that a due job waits to be noticed
SETTLED_SECONDS = 3.0  # a worker that has just started wants to work, and not to sweep

_PROMOTE = statement("engine.promote", row=Promoted)
_RESCUE = statement("engine.rescue", row=int)
_ESCALATE = statement("engine.escalate", row=int)
_PARTITIONS = statement("engine.make_partitions", row=int)
_DROP_HISTORY = statement("engine.drop_history", row=str)
_PRUNE = statement("engine.prune", row=int)
_FORGET = statement("engine.forget_identities", row=int)

log = get_logger(__name__)


# A name, what to do (it answers how soon to do it again, if sooner) and every how many seconds.
Chore = tuple[str, Callable[[], Awaitable[float | None]], float]


class Janitor:
    def __init__(
        self, database: Database, *, history: timedelta = HISTORY, chores: Sequence[Chore] = ()
    ) -> None:
        self._database = database
        self._history = history
        self._chores = chores
        self._tasks: list[asyncio.Task[None]] = []
        self._walked_to = 0

    def start(self) -> None:
        """What puts jobs before the workers begins at once, the rest a moment later: not all
        workers that start together, and not with every connection that the pool can open."""
        at_once: Sequence[Chore] = (
            ("promote", self.promote, DUE_SECONDS_MAX),
            ("rescue", self.rescue, RESCUE_SECONDS),
        )
        later: Sequence[Chore] = (
            ("escalate", self.escalate, ESCALATE_SECONDS),
            ("partitions", self.make_partitions, PARTITION_SECONDS),
            ("retention", self.forget, RETENTION_SECONDS),
            *self._chores,
        )
        for chores, latest in ((at_once, 0.0), (later, SETTLED_SECONDS)):
            for name, work, every in chores:
                first = random.uniform(latest / 3, latest)  # noqa: S311 - not a secret
                repeat = partial(self._repeat, name, work, every, first)
                self._tasks.append(supervise.start(name, repeat))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()

    async def _repeat(
        self, name: str, work: Callable[[], Awaitable[float | None]], every: float, first: float
    ) -> None:
        await asyncio.sleep(first)
        while True:
            wait: float | None = None
            try:
                wait = await work()
            except PASSING as why:
                put_off(log, "housekeeping_failed", why, what=name)
            await asyncio.sleep(every if wait is None else min(every, wait))

    async def promote(self) -> float | None:
        """Due jobs become ready. Sleeps until the next one is due, or a second."""
        async with self._database.connection() as connection:
            found = await _PROMOTE.one(connection, PROMOTE_BATCH)
        if found.promoted == PROMOTE_BATCH:
            return 0.0
        return None if found.wait is None else max(0.001, found.wait)

    async def rescue(self) -> float | None:
        async with self._database.connection() as connection:
            rescued = await _RESCUE.one(connection, RESCUE_BATCH)
        if rescued:
            metrics.RESCUED.inc(rescued)
            log.warning("jobs_rescued", jobs=rescued)
        return 0.0 if rescued >= RESCUE_BATCH else None

    async def escalate(self) -> float | None:
        async with self._database.connection() as connection:
            await _ESCALATE.one(connection, 1000)
        return None

    async def make_partitions(self) -> float | None:
        async with self._database.connection() as connection:
            await _PARTITIONS.one(connection, PARTITION_DAYS_AHEAD)
        return None

    async def forget(self) -> float | None:
        """Old history goes by whole days, odds and ends in batches, identities by a walk."""
        async with self._database.transaction() as tx:
            await tx.execute(f"SET LOCAL lock_timeout = '{DROP_LOCK_TIMEOUT}'")
            dropped = await _DROP_HISTORY.maybe(tx, self._history)
        if dropped:
            log.info("history_dropped", partition=dropped)
        async with self._database.connection() as connection:
            pruned = await _PRUNE.one(connection, self._history, PRUNE_BATCH)
            walked = await _FORGET.maybe(connection, self._walked_to, WALK_BATCH)
        self._walked_to = walked or 0
        return 0.0 if dropped or pruned >= PRUNE_BATCH else None
