"""The places in which jobs run: how they are given out, and taken back.

Jobs wait in one buffer; each *slot* is a task that takes the next job, runs it and takes another,
so that a job costs no task of its own. A slot whose job has to wait for something wakes the next
one: jobs that never wait are all run by the first, without a change of tasks. What a job is and
how it is run is not known here: that is a function that the slots are given.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Sequence
from enum import Enum
from functools import partial
from types import coroutine
from typing import Any

from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.engine.jobs.faults import describe
from handfast.engine.work.lease import Claimed

BREATH = 100  # jobs that never wait would otherwise keep the loop to themselves
WATCH_SECONDS = 0.25  # how exactly timeouts are kept
ABANDON_SECONDS = 5.0  # for handlers that clean up when they are cancelled
ASKED_MAX = 5  # a handler that swallows its cancellation this often, a second apart, is left behind

log = get_logger(__name__)


class Interruption(Enum):
    """Why a handler was cancelled."""

    TIMEOUT = "timeout"
    CANCEL = "cancel"  # an operator asked for it
    LOST = "lost"  # the worker's lease: the job is another's
    STOP = "stop"  # the worker's own end: the job is handed back


class Slot:
    """One place in which a job can run, or a batch of them."""

    __slots__ = (
        "asked",
        "cancelled",
        "deadline",
        "handling",
        "interrupted",
        "jobs",
        "left",
        "started",
        "task",
    )

    def __init__(self) -> None:
        self.task: asyncio.Task[None] | None = None
        self.jobs: Sequence[Claimed] = ()
        self.started = 0.0
        self.deadline: float | None = None
        self.interrupted: Interruption | None = None
        self.cancelled: set[int] = set()  # those of its jobs that an operator wants stopped
        self.handling = False  # the handler has the floor; only then may the task be cancelled
        self.asked = 0
        self.left = False  # its handler would not stop: the job is another's, nobody waits for it

    def occupy(self, jobs: Sequence[Claimed], timeout: float | None) -> None:
        self.jobs = jobs
        self.started = time.monotonic()
        self.interrupted = None
        self.cancelled.clear()
        self.asked = 0
        self.handling = True
        self.deadline = None if timeout is None else self.started + timeout

    def vacate(self) -> None:
        self.handling = False
        self.jobs = ()
        if self.interrupted is not None:
            self.settle_interruption()  # also when the handler swallowed it

    def interrupt(self, reason: Interruption) -> None:
        if self.handling and self.task is not None and self.interrupted in (None, reason):
            self.interrupted = reason
            self.task.cancel()

    def settle_interruption(self) -> Interruption | None:
        """The task was cancelled for one job, not for good: let it go on."""
        reason, self.interrupted = self.interrupted, None
        if reason is not None and self.task is not None:
            while self.task.uncancel():
                pass
        return reason


class Slots:
    """Those of one executor. ``run`` makes a job's coroutine, which occupies and vacates the slot;
    ``left_behind`` is told of jobs whose handler would not stop."""

    def __init__(
        self,
        count: int,
        run: Callable[[Slot, Claimed], Coroutine[Any, Any, None]],
        *,
        left_behind: Callable[[Sequence[Claimed]], Awaitable[None]],
    ) -> None:
        self._run = run
        self._left_behind = left_behind
        self.on_room: Callable[[], None] = lambda: None  # somebody may claim more
        self._slots = [Slot() for _ in range(count)]
        self._buffer: deque[Claimed] = deque()
        self.waiting_bytes = 0  # of payloads in the buffer
        self._idle: deque[asyncio.Future[None]] = deque()
        self._watcher: asyncio.Task[None] | None = None
        self.stopping = False
        self._since_breath = 0
        self._breathing = False

    # --- jobs in ------------------------------------------------------------------------------

    def start(self) -> None:
        for number, slot in enumerate(self._slots):
            slot.task = asyncio.create_task(self._serve(slot), name=f"handfast-slot-{number}")
        self._watcher = supervise.start("watch", self._watch)

    def add(self, jobs: Sequence[Claimed]) -> None:
        self._buffer.extend(jobs)
        self.waiting_bytes += sum(len(job.payload) for job in jobs)
        self._wake_another()

    def take(self, most: int, fits: Callable[[Claimed], bool]) -> list[Claimed]:
        """Jobs that wait here and fit, to share one call with one that was given out."""
        taken: list[Claimed] = []
        others: list[Claimed] = []
        while self._buffer and len(taken) < most:
            job = self._buffer.popleft()
            (taken if fits(job) else others).append(job)
        self._buffer.extendleft(reversed(others))
        self.waiting_bytes -= sum(len(job.payload) for job in taken)
        return taken

    def drop_waiting(self) -> list[Claimed]:
        dropped = list(self._buffer)
        self._buffer.clear()
        self.waiting_bytes = 0
        return dropped

    @property
    def waiting(self) -> int:
        return len(self._buffer)

    @property
    def running(self) -> list[tuple[float, Claimed]]:
        """Since when, by the monotonic clock. Also for other threads."""
        return [(slot.started, job) for slot in self._slots for job in slot.jobs]

    @property
    def known(self) -> list[int]:
        """The jobs that wait, and those that run."""
        return [*(job.id for job in self._buffer), *(job.id for _, job in self.running)]

    @property
    def stuck(self) -> set[int]:
        """After the end: jobs whose handlers go on although they were told to stop."""
        at_work = (slot for slot in self._slots if slot.task is not None and not slot.task.done())
        return {job.id for slot in at_work for job in slot.jobs}

    # --- giving places out --------------------------------------------------------------------

    async def _serve(self, slot: Slot) -> None:
        while not (self.stopping or slot.left):
            while self._breathing or not self._buffer:
                waiter = asyncio.get_running_loop().create_future()
                self._idle.append(waiter)
                self.on_room()
                await waiter
            job = self._buffer.popleft()
            self.waiting_bytes -= len(job.payload)
            running = self._run(slot, job)
            try:
                waits_for = running.send(None)
            except StopIteration:
                pass  # done, and it never had to wait
            else:
                self._wake_another()
                await resume(running, waits_for)
            self._since_breath += 1
            if self._since_breath >= BREATH:
                await self._breathe()
        self._wake_another()  # who was sent back to sleep while this one breathed, and it was left

    def _wake_another(self) -> None:
        """One more slot, if there is work for it; it wakes the next when its job has to wait."""
        while self._buffer and self._idle:
            waiter = self._idle.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return

    async def _breathe(self) -> None:
        """Let the loop look at its connections: what was claimed and what was finished meanwhile.

        Another slot would go on at once: whoever wants to, meanwhile, is idle until it is woken.
        """
        self._breathing = True
        self.on_room()
        try:
            await asyncio.sleep(0)
        finally:
            self._breathing = False
            self._since_breath = 0

    # --- taking them back ---------------------------------------------------------------------

    def interrupt(self, reason: Interruption, ids: Iterable[int] | None = None) -> None:
        """Cancel the handlers of these jobs, or of all that run."""
        wanted = None if ids is None else set(ids)
        for slot in self._slots:
            meant = [job.id for job in slot.jobs if wanted is None or job.id in wanted]
            if meant and reason is Interruption.CANCEL:
                slot.cancelled.update(meant)
            if meant:
                slot.interrupt(reason)

    async def _watch(self) -> None:
        """Keep the timeouts, with one timer for all slots; and keep the slots."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            now = time.monotonic()
            for slot in self._slots:
                if slot.task is not None and slot.task.done() and not self.stopping:
                    # A handler kept its task, which is ours, and cancelled it later.
                    log.error("slot_ended", reason=_end_of(slot.task))
                    self._replace(slot)
                elif slot.handling and slot.deadline is not None and now > slot.deadline:
                    slot.deadline = now + 1.0  # a handler that swallows it is asked again
                    slot.interrupt(Interruption.TIMEOUT)
                    slot.asked += 1
                    if slot.asked > ASKED_MAX:
                        await self._leave_behind(slot)

    async def _leave_behind(self, slot: Slot) -> None:
        """Its handler will not stop. Take the job from it, and give its place to another task."""
        slot.left = True
        log.error("handler_will_not_stop", kinds=sorted({job.kind for job in slot.jobs}))
        self._replace(slot)
        await self._left_behind(slot.jobs)

    def _replace(self, slot: Slot) -> None:
        fresh = Slot()
        self._slots[self._slots.index(slot)] = fresh
        fresh.task = asyncio.create_task(self._serve(fresh), name="handfast-slot")

    # --- the end ------------------------------------------------------------------------------

    async def stop(self, grace: float, at_once: asyncio.Event) -> list[Claimed]:
        """Let what runs finish within ``grace`` seconds, or until ``at_once`` is set. Answers what
        has not ended."""
        self.stopping = True
        unfinished = self.drop_waiting()
        busy = [slot.task for slot in self._slots if slot.jobs and slot.task is not None]
        if busy:  # a slot ends by itself after its present job
            await _all_or(busy, at_once, grace)
        unfinished += [job for _, job in self.running]
        await self.abandon()
        return unfinished

    async def abandon(self) -> None:
        """Stop every slot at once."""
        self.stopping = True
        self.drop_waiting()
        tasks = [slot.task for slot in self._slots if slot.task is not None]
        if self._watcher is not None:
            tasks.append(self._watcher)
        for slot in self._slots:
            slot.interrupted = Interruption.STOP
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=ABANDON_SECONDS)


@coroutine
def resume(running: Coroutine[Any, Any, None], waits_for: Any) -> Generator[Any, Any, None]:
    """Go on with a coroutine that was started by hand, and waits for this."""
    while True:
        try:
            answer = yield waits_for
        except BaseException as error:
            go_on = partial(running.throw, error)
        else:
            go_on = partial(running.send, answer)
        try:
            waits_for = go_on()
        except StopIteration:
            return


async def _all_or(
    tasks: Sequence[asyncio.Task[None]], event: asyncio.Event, seconds: float
) -> None:
    """Until all of them have ended, the event is set, or the time is over."""
    told, ended = asyncio.ensure_future(event.wait()), asyncio.ensure_future(asyncio.wait(tasks))
    await asyncio.wait((told, ended), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    ended.cancel()


def _end_of(task: asyncio.Task[None]) -> str:
    error = None if task.cancelled() else task.exception()
    return "cancelled" if error is None else describe(error)
