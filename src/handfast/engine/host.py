"""The host of a process: everything of the engine that goes on in it, once.

``up``, ``api``, ``worker``, ``scheduler`` and ``hf.worker()`` are the same host with different
crews. However many crews there are, they share one heartbeat, one listening connection, one
janitor, one scheduler, one loop of chores and one hub; each has places of its own for its jobs. So
what an idle process costs the database does not grow with what it could do.

Each part is kept going by ``base/supervise``: one that dies is logged, counted, begun again, and
seen in ``/ready`` meanwhile.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.db.connect import Target
from handfast.db.listen import Listener
from handfast.db.pool import Database
from handfast.engine.crew import Crew, CrewLoop
from handfast.engine.jobs.enqueue import READY_CHANNEL
from handfast.engine.jobs.faults import PASSING, put_off
from handfast.engine.jobs.kinds import declare
from handfast.engine.maintenance.chores import Chore, ChoreLoop
from handfast.engine.maintenance.janitor import Janitor
from handfast.engine.maintenance.pace import Pace
from handfast.engine.maintenance.retention import HISTORY, Retention
from handfast.engine.outbox import RelayLoop
from handfast.engine.schedules.scheduler import Scheduler
from handfast.engine.schedules.store import SCHEDULES_CHANNEL
from handfast.engine.streams.hub import Hub
from handfast.engine.work import wakeups
from handfast.engine.work.heartbeat import Heartbeat
from handfast.engine.work.lease import Claimed
from handfast.engine.work.worker import Worker

DUE_CHANNEL = "handfast_due"  # something is due, or a lease ends, before a sleeper would look
RETRY_SECONDS = 0.5

log = get_logger(__name__)


@dataclass(frozen=True)
class HostOptions:
    grace: float = 20.0  # seconds for what runs when the process is told to stop
    poll: float = 1.0  # seconds between looks of its own, unless all is calm and it hears
    notifications: bool = True
    history: timedelta = HISTORY


class Host:
    """Works until it is stopped: ``run`` is its whole life."""

    def __init__(
        self,
        database: Database,
        direct: Target,
        crews: Iterable[Crew] = (),
        options: HostOptions | None = None,
    ) -> None:
        self._database = database
        self._direct = direct
        self.crews = list(crews)
        self.options = options or HostOptions()
        self.listener = Listener(direct, through=database)
        hub_listener = self.listener if self.options.notifications else None
        self.hub = Hub(database, hub_listener, poll=self.options.poll)
        self._pace = Pace(self.options.poll, lambda: self.listener.hears)
        self._retention = Retention(database, history=self.options.history)
        self._chores: ChoreLoop | None = None
        self._prepared = False
        self._stop = asyncio.Event()
        self._hurry = False
        self.workers: list[Worker] = []
        self.scheduler = Scheduler(database, self.crews)

    # --- from outside -------------------------------------------------------------------------

    @property
    def lanes(self) -> list[str]:
        return [lane for crew in self.crews for lane in crew.lanes]

    @property
    def working(self) -> bool:
        """Every crew with lanes is registered, and not given up by others."""
        wanted = [crew for crew in self.crews if crew.lanes]
        return len(self.workers) == len(wanted) and all(one.working for one in self.workers)

    @property
    def running(self) -> list[tuple[float, Claimed]]:
        """What runs here, and since when by the monotonic clock. Also for other threads."""
        return [one for worker in self.workers for one in worker.running]

    def stop(self, *, at_once: bool = False) -> None:
        """Stop claiming and firing, finish or hand back what runs, leave; ``at_once`` without
        waiting for it. Safe to call from a signal."""
        self._stop.set()
        self._hurry = self._hurry or at_once
        self.scheduler.stop()
        for worker in self.workers:
            worker.stop(at_once=at_once)

    def wake(self) -> None:
        """Look now, as after a notification."""
        self.wake_lanes(self.lanes)

    async def prepare(self) -> None:
        """What comes before the first claim: the kinds are declared, and there is room for their
        history. ``run`` does it, unless it was done before."""
        if self._prepared or not self.crews:
            return
        await self._until_it_passes("kinds_not_declared", self._declare)
        if self.lanes:
            with contextlib.suppress(*PASSING):
                await self._retention.make_partitions()
        self._prepared = True

    async def run(self) -> None:
        """Work until ``stop`` is called; then hand back what is left and leave."""
        async with AsyncExitStack() as stack:
            for crew in self.crews:
                if crew.around is not None:
                    await stack.enter_async_context(crew.around())
            await self.prepare()
            for crew in self.crews:
                if crew.begin is not None:
                    await self._until_it_passes("crew_cannot_begin", crew.begin)
            async with self._listening(), self._beating() as heartbeat:
                await self._work(heartbeat)

    # --- inside -------------------------------------------------------------------------------

    async def _declare(self) -> None:
        for crew in self.crews:
            await declare(self._database, list(crew.kinds), crew.groups)

    async def _until_it_passes(self, event: str, work: Callable[[], Awaitable[Any]]) -> None:
        """However often the connection is cut meanwhile."""
        while not self._stop.is_set():
            try:
                await work()
            except PASSING as away:
                put_off(log, event, away)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(RETRY_SECONDS):
                        await self._stop.wait()
            else:
                return

    @asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        """Also without crews: others in the process may subscribe."""
        ends = []
        if self.options.notifications and self.crews:
            ends = [
                self.listener.subscribe(READY_CHANNEL, self._hear_ready),
                self.listener.subscribe(DUE_CHANNEL, self._hear_due),
                self.listener.subscribe(SCHEDULES_CHANNEL, lambda _: self.scheduler.wake()),
            ]
        try:
            async with self.listener:
                yield
        finally:
            for end in ends:
                end()

    @asynccontextmanager
    async def _beating(self) -> AsyncIterator[Heartbeat | None]:
        if not self.lanes:
            yield None
            return
        heartbeat = Heartbeat(self._direct)
        heartbeat.start()
        try:
            yield heartbeat
        finally:
            await heartbeat.stop()

    async def _work(self, heartbeat: Heartbeat | None) -> None:
        if heartbeat is not None:
            self.workers = [
                Worker(self._database, crew, heartbeat, self._pace, grace=self.options.grace)
                for crew in self.crews
                if crew.lanes
            ]
        self._chores = self._chore_loop()
        self._chores.start()
        relays = [supervise.start(f"relay-{name}", one.run) for name, one in self._relays()]
        relays += [supervise.start(one.name, partial(one.run, *self._heard)) for one in self._loops]
        try:
            async with asyncio.TaskGroup() as tasks:
                if self._stop.is_set():  # while we began
                    self.stop(at_once=self._hurry)
                for worker in self.workers:
                    tasks.create_task(worker.run())
                if self._schedules:
                    tasks.create_task(self.scheduler.run())
                await self._stop.wait()
        finally:
            await supervise.cancel(relays)
            await self._chores.stop()

    @property
    def _heard(self) -> tuple[Listener | None, float]:
        return self.listener if self.options.notifications else None, self.options.poll

    @property
    def _loops(self) -> list[CrewLoop]:
        return [loop for crew in self.crews if crew.lanes for loop in crew.loops]

    def _relays(self) -> Iterator[tuple[str, RelayLoop]]:
        """Each once, of the crews that work here."""
        found = {
            relay.consumer: relay for crew in self.crews if crew.lanes for relay in crew.relays
        }
        for name, relay in found.items():
            yield name, RelayLoop(self._database, relay, *self._heard)

    def _chore_loop(self) -> ChoreLoop:
        later: list[Chore] = [self.scheduler.pruning] if self._schedules else []
        if not self.workers:
            return ChoreLoop(self._database, later)
        janitor = Janitor(self._database, self._pace, self)
        janitor.on_waking = lambda: self._hurry_chore("rescue")
        later += [*janitor.later, *self._retention.chores]
        later += [chore for crew in self.crews if crew.lanes for chore in crew.chores]
        each_once = {chore.name: chore for chore in later}.values()
        return ChoreLoop(self._database, each_once, at_once=janitor.at_once)

    @property
    def _schedules(self) -> bool:
        """Whether there are ticks to fire: also if a crew is here for nothing else, and declares
        its schedules later."""
        return self.scheduler.follows > 0 or any(not crew.lanes for crew in self.crews)

    def _hurry_chore(self, name: str) -> None:
        if self._chores is not None:
            self._chores.hurry(name)

    def _hear_ready(self, told: str) -> None:
        for one in self.workers:
            if wakeups.concerns(told, one.crew.lanes, one.crew.kinds):
                one.wake()

    def _hear_due(self, _: str) -> None:
        self._pace.noticed()
        self._hurry_chore("promote")
        self._hurry_chore("rescue")

    # --- as the janitor sees it ---------------------------------------------------------------

    @property
    def worker(self) -> int | None:
        return next((one.id for one in self.workers if one.working), None)

    @property
    def sleeping_lanes(self) -> list[str]:
        return [lane for one in self.workers if one.sleeping for lane in one.crew.lanes]

    def wake_lanes(self, lanes: Sequence[str]) -> None:
        for one in self.workers:
            if not set(lanes).isdisjoint(one.crew.lanes):
                one.wake()
