"""Runs as they change, for many who wait at once.

One look for all of them, and only while somebody waits: a hundred browsers cost one small query ten
times a second. The end of a run is an event, and events are notified, so the end is seen at once.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from uuid import UUID

from handfast.apps.runs.records import MatchRun, runs_of
from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.db.listen import Listener
from handfast.db.pool import Database
from handfast.engine.host import Host
from handfast.engine.jobs.faults import PASSING, put_off
from handfast.engine.system import System

EVENTS_CHANNEL = "handfast_event"
LOOK_SECONDS = 0.1
AWAY_SECONDS = 1.0

log = get_logger(__name__)


class _Waiting:
    """One who waits, and the newest that is known of the run."""

    def __init__(self, run_id: UUID) -> None:
        self.run_id = run_id
        self.run: MatchRun | None = None
        self.changed = asyncio.Event()


class Watch:
    """``listener`` is that of the process: it is subscribed to only while somebody waits."""

    def __init__(self, database: Database, listener: Listener) -> None:
        self._database = database
        self._listener = listener
        self._waiting: set[_Waiting] = set()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def follow(
        self, run: MatchRun, *, silence: float = 1.0
    ) -> AsyncGenerator[MatchRun | None, None]:
        """The run as it is, then each change of status or step, until it has ended. None after each
        ``silence`` in which nothing happened."""
        yield run
        one = _Waiting(run.run_id)
        one.run = run
        self._waiting.add(one)
        self._wake.set()
        if self._task is None or self._task.done():
            self._task = supervise.start("watch-runs", self._look)
        try:
            while not run.ended:
                try:
                    await asyncio.wait_for(one.changed.wait(), silence)
                except TimeoutError:
                    yield None
                    continue
                one.changed.clear()
                run = one.run
                yield run
        finally:
            self._waiting.discard(one)
            self._wake.set()

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _look(self) -> None:
        unsubscribe = self._listener.subscribe(EVENTS_CHANNEL, self._hear)
        try:
            while self._waiting:
                self._wake.clear()
                try:
                    await self._compare()
                except PASSING as away:
                    put_off(log, "watch_failed", away)
                    await asyncio.sleep(AWAY_SECONDS)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        await self._wake.wait()
        finally:
            unsubscribe()

    def _hear(self, event: str) -> None:
        if event.startswith("run.") or not event:
            self._wake.set()

    async def _compare(self) -> None:
        async with self._database.connection() as connection:
            found = await runs_of(connection, list({one.run_id for one in self._waiting}))
        known = {run.run_id: run for run in found}
        for one in self._waiting:
            run = known.get(one.run_id)
            if run is not None and (one.run is None or _shown(run) != _shown(one.run)):
                one.run = run
                one.changed.set()


def _shown(run: MatchRun) -> tuple[str, str]:
    return run.status, run.step


def watch_of(system: System, host: Host) -> Watch:
    """For the API of a process, with the listener that it has already."""
    return Watch(system.database, host.listener)
