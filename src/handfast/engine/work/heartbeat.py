"""The thread that keeps the leases of a process, whatever its handlers do to the event loop.

It has a loop and a connection of its own, and says for all workers of the process in one statement
that they live: those that run something every few seconds, since that is how a job learns that it
is cancelled, the others as often as their lease needs it. A handler that computes for a minute does
not starve it; one that blocks the loop for longer than a worker's lease is no longer believed in:
the beats of that worker stop, and another process takes over.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import asyncpg

from handfast.base import supervise
from handfast.base.errors import DatabaseError
from handfast.base.logs import get_logger
from handfast.db.connect import Target, connect
from handfast.engine.jobs import metrics
from handfast.engine.jobs.faults import put_off
from handfast.engine.work import lease
from handfast.engine.work.tally import Tally, note_figures

BEAT_SECONDS_MAX = 5.0  # also how soon a running job learns that it is cancelled
LEASE_PARTS = 3  # of a lease, after each of which an idle worker is due to beat
BLOCKED_SECONDS_WARN = 5.0
STOP_SECONDS_MAX = 10.0

_BROKEN = (
    DatabaseError,
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)

log = get_logger(__name__)


@dataclass
class Leaseholder:
    """A worker whose lease is kept. Its callbacks are called on the loop of the process."""

    worker: int
    lease: timedelta
    busy: Callable[[], bool]  # asked by the thread
    on_cancel: Callable[[list[int]], None]
    on_lost: Callable[[], None]
    beaten_at: float = 0.0

    @property
    def often(self) -> float:
        return self.lease.total_seconds() / LEASE_PARTS

    def wants_beat(self, now: float) -> bool:
        return self.busy() or now - self.beaten_at > self.often

    def is_over(self, now: float) -> bool:
        """The lease may have ended, and nobody could tell us."""
        return now - self.beaten_at > self.lease.total_seconds()


class Heartbeat:
    """Beats for those who have joined, until stopped."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._loop = asyncio.get_running_loop()
        self._holders: dict[int, Leaseholder] = {}  # replaced, never changed: two threads read it
        self._replacing = threading.Lock()  # and both replace it: workers join and leave, we lose
        self._stop = threading.Event()
        self._changed = threading.Event()
        self._asked_at = self._turned_at = time.monotonic()
        self._warned = False
        self.tally = Tally()  # what the workers of the process have done
        self._connection: asyncpg.Connection | None = None
        self._thread = threading.Thread(
            target=lambda: asyncio.run(supervise.keep("heartbeat", self._run)),
            name="handfast-heartbeat",
            daemon=True,
        )

    def start(self) -> None:
        self._thread.start()

    def join(self, holder: Leaseholder) -> None:
        holder.beaten_at = time.monotonic() - holder.often  # it was registered just now, and is due
        with self._replacing:
            self._holders = {**self._holders, holder.worker: holder}
        self._changed.set()

    def leave(self, worker: int) -> None:
        with self._replacing:
            self._holders = {one: holder for one, holder in self._holders.items() if one != worker}

    async def stop(self) -> None:
        self._stop.set()
        self._changed.set()
        deadline = time.monotonic() + STOP_SECONDS_MAX
        while self._thread.is_alive() and time.monotonic() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    async def _run(self) -> None:
        try:
            while True:
                self._changed.clear()
                every = self._every
                if self._stop.is_set():
                    await self._note_figures(every)
                    return
                await self._beat(self._due(self._blocked(every)), every)
                await self._note_figures(every)
                for holder in self._holders.values():
                    if holder.is_over(time.monotonic()):
                        self._lose(holder)
                await asyncio.to_thread(self._changed.wait, every)
        finally:
            self._hang_up()

    @property
    def _every(self) -> float:
        return min([BEAT_SECONDS_MAX, *(holder.often for holder in self._holders.values())])

    def _due(self, blocked: float) -> list[Leaseholder]:
        now = time.monotonic()
        believed = (one for one in self._holders.values() if blocked < one.lease.total_seconds())
        return [holder for holder in believed if holder.wants_beat(now)]

    async def _beat(self, holders: Sequence[Leaseholder], every: float) -> None:
        if not holders:
            return
        try:
            answers = await self._say_alive(holders, every)
        except _BROKEN as away:
            put_off(log, "heartbeat_missed", away, workers=[one.worker for one in holders])
            self._hang_up()
            return
        for holder, cancelled in zip(holders, answers, strict=True):
            if cancelled is None:
                self._lose(holder)
                continue
            holder.beaten_at = time.monotonic()
            if cancelled:
                self._loop.call_soon_threadsafe(holder.on_cancel, cancelled)

    async def _note_figures(self, every: float) -> None:
        """After the beat, and apart from it: whoever holds a row of the figures keeps no lease from
        being prolonged. Nothing is said while nothing was done."""
        if not (taken := self.tally.take()):
            return
        try:
            connection = await self._connected(every)
            await asyncio.wait_for(note_figures(connection, taken), every)
        except _BROKEN as away:
            put_off(log, "figures_not_noted", away)
            self._hang_up()
            self.tally.put_back(taken)

    async def _connected(self, every: float) -> asyncpg.Connection:
        if self._connection is None or self._connection.is_closed():
            self._connection = await connect(
                self._target,
                server_settings={"application_name": "handfast-heartbeat"},
                timeout=every,
            )
        return self._connection

    async def _say_alive(
        self, holders: Sequence[Leaseholder], every: float
    ) -> list[list[int] | None]:
        connection = await self._connected(every)
        leases = {holder.worker: holder.lease for holder in holders}
        # Not for ever: a server that went silent must not hide that time passes.
        return await asyncio.wait_for(lease.beat(connection, leases), every)

    def _lose(self, holder: Leaseholder) -> None:
        self.leave(holder.worker)
        self._loop.call_soon_threadsafe(holder.on_lost)

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    def _blocked(self, every: float) -> float:
        """For how long the loop of the process has not turned; asks it to report again."""
        now = time.monotonic()
        # Since it was asked, and not since it answered: a beat may take long by itself.
        blocked = now - self._asked_at if self._turned_at < self._asked_at else 0.0
        if not blocked:
            self._asked_at = now
            self._loop.call_soon_threadsafe(self._turned)
        if blocked > BLOCKED_SECONDS_WARN:
            metrics.LOOP_BLOCKED.inc(every)
            if not self._warned:
                log.error("handler_blocks_the_loop", seconds=round(blocked, 1))
        self._warned = blocked > BLOCKED_SECONDS_WARN
        return blocked

    def _turned(self) -> None:
        self._turned_at = time.monotonic()
