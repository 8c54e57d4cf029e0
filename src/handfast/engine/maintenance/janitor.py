"""What time does to jobs: due ones become ready, those of dead workers come back, deadlines press.

Every process with workers does it; the database lets each thing be done once. Short statements with
short locks, each skipping what another janitor holds. Nothing here is needed for safety: a late
janitor makes things late, never wrong.

The look for due jobs is also the one poll of the process: it finds lanes that have something ready
for workers that sleep and were not told. While all is calm the janitor sleeps until something is
due. It says so in the database first, and then looks once more: whoever makes something due earlier
now knows that there is somebody to tell.
"""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from types import NoneType
from typing import Protocol

import msgspec

from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.jobs import metrics
from handfast.engine.maintenance.chores import Chore
from handfast.engine.maintenance.pace import SLEEP_SECONDS, Pace

PROMOTE_BATCH = 5000
RESCUE_BATCH = 500
ESCALATE_BATCH = 1000
EVERY = timedelta(seconds=1)  # for who does not know better, and after a failure
RESCUE_SECONDS = 1.0
ESCALATE_EVERY = timedelta(seconds=10)
# Behind a transaction that is held open a look may step over millions of dead entries, as a claim
# does; then lanes are looked into only for one part in fifty of the time.
SHARE = 50
SLOW_SECONDS = 0.05


class Looked(msgspec.Struct, frozen=True):
    promoted: int
    wait: float | None  # seconds until the next one is due
    ready: list[str]  # lanes


class Rescued(msgspec.Struct, frozen=True):
    rescued: int
    wait: float | None  # seconds until the next lease ends


_LOOK = statement("engine.look", row=Looked)
_SLEEP = statement("engine.sleep", row=NoneType)
_RESCUE = statement("engine.rescue", row=Rescued)
_ESCALATE = statement("engine.escalate", row=int)

log = get_logger(__name__)


class Sleepers(Protocol):
    """The workers of the process, as the janitor sees them."""

    @property
    def worker(self) -> int | None:
        """One that is registered: its row says whether the process sleeps."""

    @property
    def sleeping_lanes(self) -> list[str]:
        """Of workers that wait to be woken."""

    def wake_lanes(self, lanes: Sequence[str]) -> None: ...


class Janitor:
    def __init__(self, database: Database, pace: Pace, sleepers: Sleepers) -> None:
        self._database = database
        self._pace = pace
        self._sleepers = sleepers
        self._asleep: int | None = None  # the worker whose row says so
        self._lanes_after = 0.0
        self.on_waking: Callable[[], None] = lambda: None

    @property
    def at_once(self) -> Sequence[Chore]:
        """What puts jobs before the workers."""
        return (
            Chore("promote", self.promote, EVERY, once_per_fleet=False),
            Chore("rescue", self.rescue, EVERY, once_per_fleet=False),
        )

    @property
    def later(self) -> Sequence[Chore]:
        return (Chore("escalate", self.escalate, ESCALATE_EVERY, once_per_fleet=False),)

    async def promote(self) -> float:
        """Due jobs become ready, and workers that sleep are woken for what is. Again when the next
        one is due, or as soon as the pace wants it."""
        lanes = self._sleepers.sleeping_lanes if time.monotonic() >= self._lanes_after else []
        async with self._database.connection() as connection:
            await self._say_whether_asleep(connection)
            began = time.monotonic()
            found = await _LOOK.one(connection, lanes, PROMOTE_BATCH)
        self._afford(time.monotonic() - began)
        if found.promoted or found.ready:
            self._pace.noticed()
            self._sleepers.wake_lanes(found.ready)
        if found.promoted == PROMOTE_BATCH:
            return 0.0
        most = SLEEP_SECONDS if self._asleep is not None else self._pace.poll
        return most if found.wait is None else max(0.001, min(found.wait, most))

    async def rescue(self) -> float:
        async with self._database.connection() as connection:
            found = await _RESCUE.one(connection, RESCUE_BATCH)
        if found.rescued:
            self._pace.noticed()
            metrics.RESCUED.inc(found.rescued)
            log.warning("jobs_rescued", jobs=found.rescued)
        if found.rescued >= RESCUE_BATCH:
            return 0.0
        if self._asleep is None:
            return RESCUE_SECONDS
        wait = SLEEP_SECONDS if found.wait is None else found.wait
        return min(max(wait, RESCUE_SECONDS), SLEEP_SECONDS)

    async def escalate(self) -> None:
        async with self._database.connection() as connection:
            await _ESCALATE.one(connection, ESCALATE_BATCH)

    async def _say_whether_asleep(self, on: Queryable) -> None:
        """In a statement of its own, before the look: else who enqueues meanwhile is missed."""
        wanted = self._sleepers.worker if self._pace.calm else None
        if wanted == self._asleep:
            return
        if self._asleep is not None:
            await _SLEEP.run(on, self._asleep, False)
            self._asleep = None
            self.on_waking()  # who counted on being told looks for itself again
        if wanted is not None:
            await _SLEEP.run(on, wanted, True)
            self._asleep = wanted

    def _afford(self, took: float) -> None:
        if took > SLOW_SECONDS:
            self._lanes_after = time.monotonic() + took * SHARE
