"""The scheduler: finds due ticks and fires them. Any number may run.

No scheduler leads. Each computes what is due since the stored cursor and asks the database to
fire it; the database lets every tick happen once (``handfast_engine.fire_ticks``). So a
scheduler may be
killed anywhere: either a tick, its job and the cursor were stored together, or the next scheduler
finds the tick still due.

Every scheduler follows the *stored* specification, by the database's clock. While an old and a new
program run side by side, the one that declared last decides when a schedule ticks, for both.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import asyncpg
import msgspec

from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.crew import Crew
from handfast.engine.jobs import metrics
from handfast.engine.jobs.faults import PASSING, put_off
from handfast.engine.jobs.kinds import declare
from handfast.engine.maintenance.chores import Chore, in_batches
from handfast.engine.schedules.declared import Schedule
from handfast.engine.schedules.due import Due, Look
from handfast.engine.schedules.guard import ANSWER_SECONDS_MAX, ScheduleFailed, failed, theirs
from handfast.engine.schedules.store import (
    SEEN_EVERY,
    Fired,
    declare_schedules,
    read_schedules,
    see_schedules,
)
from handfast.engine.schedules.ticks import DailySpec, check_instant, next_moment

POLL_SECONDS = 15.0  # notifications are hints; zones that a query answers may change without one
RETRY_SECONDS = 0.5
PRUNE_EVERY = timedelta(hours=1)
PRUNE_BATCH = 10_000
TICKS_KEPT = timedelta(days=90)

_FIRE = statement("engine.fire_ticks", row=Fired)
_PRUNE = statement("engine.prune_ticks", row=int)

# Of firing: a key or a payload that cannot be stored. It is this schedule's, as all else is ours.
_REFUSED = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError)

Job = tuple[str | None, str | None]  # key and payload; neither for a tick that is skipped

log = get_logger(__name__)


@dataclass
class Round:
    """What one look at the schedules did."""

    fired: int = 0
    skipped: int = 0
    conflicts: int = 0
    failed: int = 0
    wait: float = POLL_SECONDS  # until the next tick, or the next look

    def add(self, fired: Fired) -> None:
        self.fired += fired.fired
        self.skipped += fired.skipped
        self.conflicts += fired.conflicts
        if fired.refused:  # paused or changed meanwhile: look again at once
            self.wait = 0.0


class Scheduler:
    """Fires ticks until it is stopped."""

    def __init__(
        self,
        database: Database,
        crews: Sequence[Crew],
        *,
        poll: float = POLL_SECONDS,
        answer_within: float = ANSWER_SECONDS_MAX,
    ) -> None:
        """``answer_within``: how many seconds a schedule's own zones may take."""
        self._database = database
        self._crews = crews
        self._poll = poll
        self._answer_within = answer_within
        self._declared: set[str] = set()
        self._followed: set[str] = set()
        self._wake = asyncio.Event()
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Fire ticks as they come due, until ``stop`` is called."""
        log.info("scheduler_started", schedules=self.follows)
        await supervise.keep("scheduler", self._tick, stopping=self._stop)
        log.info("scheduler_stopped")

    @property
    def follows(self) -> int:
        """How many schedules."""
        return len(self._schedules)

    @property
    def _schedules(self) -> dict[str, Schedule]:
        """By name, also those that were declared after we began."""
        return {schedule.name: schedule for crew in self._crews for schedule in crew.schedules}

    async def _tick(self) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            await self._sleep(await self._look())

    @property
    def pruning(self) -> Chore:
        """Ticks of last season are forgotten."""

        async def batch(on: Queryable) -> bool:
            return await _PRUNE.one(on, TICKS_KEPT, PRUNE_BATCH) == PRUNE_BATCH

        return Chore("prune_ticks", in_batches(self._database, batch), PRUNE_EVERY)

    def wake(self) -> None:
        """A schedule was declared, changed, paused or resumed."""
        self._wake.set()

    def stop(self) -> None:
        """Finish the present look and leave. Safe to call from a signal."""
        self._stop.set()
        self._wake.set()

    async def run_once(self, now: datetime | None = None) -> Round:
        """Look once and fire what is due at ``now``, by default the database's time."""
        if now is not None:
            now = check_instant(now)
        await self._declare_new()
        done = Round(wait=self._poll)
        schedules = self._schedules
        names = list(schedules)
        async with self._database.connection() as connection:
            rows = await read_schedules(connection, names)
        for row in rows:
            schedule = schedules.get(row.name)
            if schedule is not None and row.paused_at is None:
                first = row.name not in self._followed
                await self._guarded(Look(schedule, row, now or row.now, first), done)
        if any(row.now - row.seen_at > SEEN_EVERY for row in rows):
            async with self._database.connection() as connection:
                await see_schedules(connection, names)
        return done

    # --- one schedule -------------------------------------------------------------------------

    async def _guarded(self, look: Look, done: Round) -> None:
        """One schedule that cannot be followed must not stop the others. Its cursor stays, so
        nothing is lost; it is tried again at the next look. What our own statements raise ends the
        round: it would be the same for the others."""
        try:
            await self._follow(look, done)
        except ScheduleFailed as why:
            done.failed += 1
            metrics.SCHEDULES_FAILED.labels(look.row.name).inc()
            log.error("schedule_failed", schedule=look.row.name, reason=str(why))

    async def _follow(self, look: Look, done: Round) -> None:
        next_at = look.row.next_at
        with theirs():  # a newer program may have stored what this one cannot read
            worth_it, asks = look.worth_it, look.asks
        if worth_it:
            zones = await self._zones(look) if asks else []
            with theirs():
                lines = look.spec.lines(zones)
                due = look.due(lines)
                upcoming = next_moment(lines, max(look.now, look.row.cursor))
                jobs = _jobs(look.schedule, due)
            next_at = None if upcoming is None else upcoming.at
            if due or next_at != look.row.next_at:
                done.add(await self._fire(look, due, jobs, next_at))
        self._followed.add(look.row.name)
        if next_at is not None:
            done.wait = min(done.wait, max(0.0, (next_at - look.now).total_seconds()))

    async def _zones(self, look: Look) -> list[str]:
        """On a connection of its own: whatever the program leaves it in, it is nobody else's."""
        async with self._database.connection() as connection:
            with theirs(connection):
                return await look.zones(connection, self._answer_within)

    async def _fire(
        self, look: Look, due: list[Due], jobs: list[Job], next_at: datetime | None
    ) -> Fired:
        schedule, name = look.schedule, look.row.name
        daily = isinstance(look.spec, DailySpec)
        async with self._database.connection() as connection:
            try:
                fired = await _FIRE.one(
                    connection,
                    name,
                    look.row.revision,
                    [tick.at for tick, _ in due],
                    [tick.zone if daily else "" for tick, _ in due],
                    [tick.day if daily else None for tick, _ in due],
                    [key for key, _ in jobs],
                    [payload for _, payload in jobs],
                    [decision.caught_up for _, decision in due],
                    [decision.skipped for _, decision in due],
                    look.now,
                    next_at,
                    msgspec.json.encode({"version": schedule.kind.version}).decode(),
                )
            except _REFUSED as refused:
                raise failed(refused) from refused
        metrics.TICKS.labels(name, "fired").inc(fired.fired)
        metrics.TICKS.labels(name, "skipped").inc(fired.skipped)
        metrics.CONFLICTS.labels(schedule.kind.name).inc(fired.conflicts)
        if fired.skipped:
            log.warning("ticks_skipped", schedule=name, ticks=fired.skipped)
        return fired

    # --- the loop -----------------------------------------------------------------------------

    async def _look(self) -> float:
        try:
            return (await self.run_once()).wait
        except PASSING as away:
            put_off(log, "scheduler_cannot_look", away)
            return RETRY_SECONDS

    async def _declare_new(self) -> None:
        """Kinds too: a tick's job takes its lane and priority from what is stored of its kind."""
        for crew in self._crews:
            new = [schedule for schedule in crew.schedules if schedule.name not in self._declared]
            if new:
                await declare(self._database, list(crew.kinds))
                async with self._database.connection() as connection:
                    await declare_schedules(connection, new)
                self._declared |= {schedule.name for schedule in new}

    async def _sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.001, seconds)):
                await self._wake.wait()


def _jobs(schedule: Schedule, due: list[Due]) -> list[Job]:
    """What the program makes of each tick."""
    return [
        (schedule.key_at(tick), schedule.payload_at(tick))
        if decision.skipped is None
        else (None, None)
        for tick, decision in due
    ]
