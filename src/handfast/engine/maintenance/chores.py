"""What has to be done now and then, as long as a process runs, and the one loop that does it.

A ``Chore`` is a value: a name, the work, how often, and whether one of all processes does it or
each of them. One loop knows when each is due next and sleeps until the first of them is. Those that
one of the fleet does are asked for together, in one statement: the database says whose turn it is,
and the others when to ask again.

Chores go one after the other, so that a process whose jobs rest needs one connection for all of
them. But work that takes long keeps nobody waiting: who has been patient for a while goes ahead.
What a chore wants to go on with (the next batch of a walk) it says itself, by how soon; the turn
stays with it.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import msgspec

from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.jobs.faults import PASSING, put_off

SETTLED_SECONDS = 3.0  # a process that has just started wants to work, and not to sweep
TOGETHER_SECONDS = 1.0  # turns that are due so soon are asked for in the same statement
AGAIN_SECONDS = 60.0  # after a failure, at the latest: a turn that was taken is not given back
PATIENCE_SECONDS = 5.0  # how long a chore waits for the one before it
HASTE_SECONDS = 0.02  # and one that puts jobs before the workers
BATCH_PAUSE_SECONDS = 0.1  # between two batches of one walk: others want the disk too

log = get_logger(__name__)

# Answers in how many seconds it wants to go on; None when it is done until the next time.
Work = Callable[[], Awaitable[float | None]]


@dataclass(frozen=True)
class Chore:
    """``once_per_fleet``: one of all processes does it every ``every``, else each of them.
    ``at_start``: the first time in a process, unless one of the fleet has within so long."""

    name: str
    work: Work
    every: timedelta
    once_per_fleet: bool = True
    at_start: timedelta | None = None


class Turn(msgspec.Struct, frozen=True):
    name: str
    ours: bool
    wait: float  # seconds, until it is somebody's turn again


_TAKE = statement("engine.take_chores", row=Turn)


async def take_turns(on: Queryable, intervals: dict[str, timedelta]) -> dict[str, Turn]:
    """For each of these chores: is it our turn? True for one of all callers in each interval."""
    turns = await _TAKE.all(on, list(intervals), list(intervals.values()))
    return {turn.name: turn for turn in turns}


def in_batches(database: Database, batch: Callable[[Queryable], Awaitable[bool]]) -> Work:
    """Work that goes a batch at a time, each in a transaction of its own, and answers whether there
    is more: then the next comes soon."""

    async def work() -> float | None:
        async with database.connection() as connection:
            more = await batch(connection)
        return BATCH_PAUSE_SECONDS if more else None

    return work


class _ChoreInLoop:
    """A chore in the loop."""

    def __init__(self, chore: Chore, due: float, patience: float) -> None:
        self.chore = chore
        self.due = due
        self.patience = patience
        self.asked = False
        self.ours = not chore.once_per_fleet
        self.task: asyncio.Task[None] | None = None
        self._hurried = False

    @property
    def interval(self) -> timedelta:
        first = self.chore.at_start if not self.asked else None
        return self.chore.every if first is None else first

    def answered(self, turn: Turn, now: float) -> None:
        # It waits by the interval that was asked for, which may be that of the start.
        self.asked = True
        self.ours = turn.ours
        self.due = now if turn.ours else now + max(turn.wait, TOGETHER_SECONDS)

    def hurry(self) -> None:
        self.due = 0.0
        # What runs may have looked already, before there was something to see.
        self._hurried = self.task is not None

    def done(self, wait: float | None) -> None:
        """With a ``wait`` the turn is still ours: there is more to do."""
        every = self.chore.every.total_seconds()
        wanted = time.monotonic() + (every if wait is None else wait)
        self.due = 0.0 if self._hurried else wanted
        self._hurried = False
        self.ours = wait is not None or not self.chore.once_per_fleet
        self.task = None


class ChoreLoop:
    """Does chores until it is stopped. Those in ``at_once`` begin with it, the others a moment
    later: not all processes that start together, and not with every connection of the pool."""

    def __init__(
        self, database: Database, chores: Iterable[Chore], *, at_once: Sequence[Chore] = ()
    ) -> None:
        self._database = database
        now = time.monotonic()
        later = now + random.uniform(SETTLED_SECONDS / 3, SETTLED_SECONDS)  # noqa: S311
        self._kept = [_ChoreInLoop(chore, now, HASTE_SECONDS) for chore in at_once]
        self._kept += [_ChoreInLoop(chore, later, PATIENCE_SECONDS) for chore in chores]
        self._at_work = asyncio.Lock()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = supervise.start("chores", self._run)

    async def stop(self) -> None:
        tasks = [self._task, *(kept.task for kept in self._kept)]
        running = [task for task in tasks if task is not None]
        for task in running:
            task.cancel()
        for task in running:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def hurry(self, name: str) -> None:
        """It is due now: somebody knows that there is something to do."""
        for kept in self._kept:
            if kept.chore.name == name:
                kept.hurry()
        self._wake.set()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            await self._begin_due()
            waiting = [kept.due for kept in self._kept if kept.task is None]
            wait = min(waiting) - time.monotonic() if waiting else None
            # Not wait_for, which may swallow that we are cancelled just when we are woken.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if wait is None else max(0.0, wait)):
                    await self._wake.wait()

    async def _begin_due(self) -> None:
        now = time.monotonic()
        idle = [kept for kept in self._kept if kept.task is None]
        if any(not kept.ours and kept.due <= now for kept in idle):
            await self._ask_for(
                [kept for kept in idle if not kept.ours and kept.due <= now + TOGETHER_SECONDS]
            )
        now = time.monotonic()
        for kept in idle:
            if kept.ours and kept.due <= now:
                kept.task = supervise.start(kept.chore.name, partial(self._do, kept))

    async def _ask_for(self, wanted: Sequence[_ChoreInLoop]) -> None:
        try:
            async with self._database.connection() as connection:
                turns = await take_turns(
                    connection, {kept.chore.name: kept.interval for kept in wanted}
                )
        except PASSING as away:
            put_off(log, "turns_not_asked_for", away)
            for kept in wanted:
                kept.due = time.monotonic() + TOGETHER_SECONDS
            return
        for kept in wanted:
            kept.answered(turns[kept.chore.name], time.monotonic())

    async def _do(self, kept: _ChoreInLoop) -> None:
        wait: float | None
        try:
            async with self._one_after_another(kept.patience):
                wait = await kept.chore.work()
        except PASSING as why:
            put_off(log, "chore_failed", why, chore=kept.chore.name)
            wait = min(AGAIN_SECONDS, kept.chore.every.total_seconds())
        kept.done(wait)
        self._wake.set()

    @asynccontextmanager
    async def _one_after_another(self, patience: float) -> AsyncIterator[None]:
        """Not for ever: what takes long may go on beside us."""
        ours = False
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                ours = await self._at_work.acquire()
        try:
            yield
        finally:
            if ours:
                self._at_work.release()
