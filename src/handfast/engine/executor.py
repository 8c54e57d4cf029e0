"""Running claimed jobs, many at once, whatever their handlers do.

Jobs wait in one buffer; each *slot* is a task that takes the next job, runs it and takes another,
so that a job costs no task of its own. A slot whose job has to wait for something wakes the next
one: jobs that never wait are all run by the first, without a change of tasks. Successes are
collected and finished in batches: while one batch is being written, the next is being gathered. A
handler may raise anything, never return, or block the loop; the slot turns what it did into an
outcome and goes on.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Sequence
from functools import partial
from types import coroutine
from typing import Any

from handfast.base import supervise
from handfast.base.errors import LeaseLost
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.engine import metrics
from handfast.engine.batch import BatchJob, run_batch
from handfast.engine.context import Context
from handfast.engine.faults import describe
from handfast.engine.kinds import Kind, Kinds, caller
from handfast.engine.lease import Claimed
from handfast.engine.outcomes import Outcomes
from handfast.engine.retry import FailureClass, RetryAt
from handfast.engine.threads import in_thread

BREATH = 100  # jobs that never wait would otherwise keep the loop to themselves
WATCH_SECONDS = 0.25  # how exactly timeouts are kept
ABANDON_SECONDS = 5.0  # for handlers that clean up when they are cancelled
ASKED_MAX = 5  # a handler that swallows its cancellation this often, a second apart, is left behind

log = get_logger(__name__)


class Slot:
    """One place in which a job can run."""

    __slots__ = (
        "asked",
        "cancelled_for",
        "deadline",
        "handling",
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
        self.cancelled_for: str | None = None
        self.handling = False  # the handler has the floor; only then may the task be cancelled
        self.asked = 0
        self.left = False  # its handler would not stop: the job is another's, nobody waits for it


class Executor:
    """The slots of one worker."""

    def __init__(self, database: Database, kinds: Kinds, *, concurrency: int) -> None:
        self._database = database
        self._kinds = kinds
        self._callers = {kind.name: caller(kind) for kind in kinds}
        self._buffer: deque[Claimed] = deque()
        self.waiting_bytes = 0  # of payloads in the buffer
        self._slots = [Slot() for _ in range(concurrency)]
        self._idle: deque[asyncio.Future[None]] = deque()
        self._outcomes = Outcomes(database)
        self._finisher = self._outcomes.finisher
        self._watcher: asyncio.Task[None] | None = None
        # Attempts whose threads have not returned, by job and token.
        self._in_threads: set[tuple[int, int]] = set()
        self._stopping = False
        self._since_breath = 0
        self._breathing = False
        self.on_room: Callable[[], None] = lambda: None  # somebody may claim more

    # --- in and out ---------------------------------------------------------------------------

    def start(self) -> None:
        self._finisher.start()
        for number, slot in enumerate(self._slots):
            slot.task = asyncio.create_task(self._serve(slot), name=f"handfast-slot-{number}")
        self._watcher = supervise.start("watch", self._watch)

    def add(self, jobs: Sequence[Claimed]) -> None:
        self._buffer.extend(jobs)
        self.waiting_bytes += sum(len(job.payload) for job in jobs)
        self._wake_another()

    def _wake_another(self) -> None:
        """One more slot, if there is work for it; it wakes the next when its job has to wait."""
        while self._buffer and self._idle:
            waiter = self._idle.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return

    def _drop_waiting(self) -> None:
        self._buffer.clear()
        self.waiting_bytes = 0

    @property
    def waiting(self) -> int:
        return len(self._buffer)

    @property
    def running(self) -> list[Claimed]:
        return [job for slot in self._slots for job in slot.jobs]

    @property
    def running_since(self) -> list[tuple[float, Claimed]]:
        return [(slot.started, job) for slot in self._slots for job in slot.jobs]

    @property
    def known(self) -> list[int]:
        """Every job that something here will still decide about."""
        return [
            *(job.id for job in self._buffer),
            *(job.id for job in self.running),
            *self._finisher.known,
        ]

    async def stop(
        self, grace: float, at_once: asyncio.Event
    ) -> tuple[list[Claimed], list[Claimed]]:
        """Let what runs finish within ``grace`` seconds, or until ``at_once`` is set. Answers what
        must be handed back, and what would not stop, and may not be."""
        self._stopping = True
        left = list(self._buffer)
        self._drop_waiting()
        busy = [slot.task for slot in self._slots if slot.jobs and slot.task is not None]
        if busy:  # a slot ends by itself after its present job
            await _all_or(busy, at_once, grace)
        left += self.running
        await self.abandon()
        await self._finisher.stop()
        stuck = self._still_at_work
        return [j for j in left if j.id not in stuck], [j for j in left if j.id in stuck]

    @property
    def _still_at_work(self) -> set[int]:
        """Jobs whose handlers go on although they were told to stop: in a slot, or in a thread."""
        slots = (slot for slot in self._slots if slot.task is not None and not slot.task.done())
        return {job.id for slot in slots for job in slot.jobs} | {
            job for job, _ in self._in_threads
        }

    async def abandon(self) -> None:
        """Stop every slot at once, writing nothing for what runs in it."""
        self._stopping = True
        self._drop_waiting()
        tasks = [slot.task for slot in self._slots if slot.task is not None]
        if self._watcher is not None:
            tasks.append(self._watcher)
        for slot in self._slots:
            slot.cancelled_for = "stop"
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=ABANDON_SECONDS)

    async def give_up(self) -> None:
        """Nothing here is ours any more: stop at once, and write nothing of what has ended."""
        await self.abandon()
        await self._finisher.cancel()

    def forget_all(self) -> None:
        """The worker has lost its lease: none of these jobs is ours, so stop working on them."""
        self._drop_waiting()
        for slot in self._slots:
            if slot.jobs:
                self._interrupt(slot, "lost")

    def cancel(self, ids: Sequence[int]) -> None:
        """Stop these jobs: an operator asked for it."""
        wanted = set(ids)
        for slot in self._slots:
            if any(job.id in wanted for job in slot.jobs):
                self._interrupt(slot, "cancel")

    # --- running ------------------------------------------------------------------------------

    async def _serve(self, slot: Slot) -> None:
        while not (self._stopping or slot.left):
            while self._breathing or not self._buffer:
                waiter = asyncio.get_running_loop().create_future()
                self._idle.append(waiter)
                self.on_room()
                await waiter
            job = self._buffer.popleft()
            self.waiting_bytes -= len(job.payload)
            kind = self._kinds.get(job.kind)
            if kind is not None and job.version > kind.version:
                kind = None  # of a newer program: as unknown here as a new kind
            if kind is not None and kind.batch is not None and not job.alone:
                running = self._run_batch(slot, kind, [job, *self._more_of(kind)])
            else:
                running = self._run(slot, kind, job)
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

    def _more_of(self, kind: Kind) -> list[Claimed]:
        """Other jobs of the kind that wait here, to share one call."""
        taken: list[Claimed] = []
        left: list[Claimed] = []
        while self._buffer and len(taken) < (kind.batch or 1) - 1:
            job = self._buffer.popleft()
            fits = job.kind == kind.name and not job.alone and job.version <= kind.version
            (taken if fits else left).append(job)
        self._buffer.extendleft(reversed(left))
        self.waiting_bytes -= sum(len(job.payload) for job in taken)
        return taken

    async def _run(self, slot: Slot, kind: Kind | None, job: Claimed) -> None:
        context = Context(self._database, job)
        self._occupy(slot, (job,), kind)
        try:
            if kind is None:
                raise UnknownKind(f"no handler here for {job.kind}, version {job.version}")
            payload = kind.decode(job.payload, job.version)
            call = self._callers[job.kind]
            if kind.batch is not None:
                result = _alone(await run_batch(kind, [job]))
            elif kind.is_async:
                result = await call(context, payload)
            else:
                self._in_threads.add((job.id, job.token))
                result = await in_thread(self._noting_its_end(job, call), context, payload)
            if not (context.finished or slot.left):
                elsewhere = context.completing_elsewhere
                self._outcomes.succeeded(job, result, slot.started, maybe_done=elsewhere)
        except BaseException as error:
            await self._after(slot, kind, job, error, context)
        finally:
            self._vacate(slot)

    def _noting_its_end(self, job: Claimed, call: Callable[..., Any]) -> Callable[..., Any]:
        """A thread cannot be cancelled: while it goes on, its job is nobody else's."""

        def work(*args: Any) -> Any:
            try:
                return call(*args)
            finally:
                self._in_threads.discard((job.id, job.token))

        return work

    async def _run_batch(self, slot: Slot, kind: Kind, jobs: list[Claimed]) -> None:
        self._occupy(slot, jobs, kind)
        try:
            outcomes = await run_batch(kind, jobs)
        except BaseException as error:
            slot.handling = False
            if slot.left or slot.cancelled_for == "lost":
                return
            if self._stopping:
                raise
            self._settle_interrupt(slot)
            text = f"the batch call failed: {describe(error)}"
            for job in jobs:
                await self._outcomes.failed(job, FailureClass.BATCH, text, error)
        else:
            slot.handling = False  # the call has ended: no timeout may undo what it said
            if not slot.left:
                await self._end_each(slot, kind, outcomes)
        finally:
            self._vacate(slot)

    async def _end_each(self, slot: Slot, kind: Kind, outcomes: Sequence[BatchJob]) -> None:
        """Each by itself: what cannot be written of one changes nothing for the others."""
        for said in outcomes:
            error, job = said.error, said.claimed
            if error is None and said.retry_time is None:
                try:
                    self._outcomes.succeeded(job, said.result, slot.started)
                    continue
                except TypeError as unstorable:
                    error = unstorable
            if error is None:
                await self._outcomes.failed(
                    job, FailureClass.TRANSIENT, "asked to run later", None, said.retry_time
                )
            else:
                failure = kind.retry.classify(error)
                await self._outcomes.failed(job, failure, describe(error), error)

    def _occupy(self, slot: Slot, jobs: Sequence[Claimed], kind: Kind | None) -> None:
        slot.jobs = jobs
        slot.started = time.monotonic()
        slot.cancelled_for = None
        slot.asked = 0
        slot.handling = True
        timeout = kind.timeout if kind is not None else None
        slot.deadline = None if timeout is None else slot.started + timeout

    def _vacate(self, slot: Slot) -> None:
        slot.handling = False
        slot.jobs = ()
        if slot.cancelled_for is not None:
            self._settle_interrupt(slot)  # also when the handler swallowed it

    async def _after(
        self, slot: Slot, kind: Kind | None, job: Claimed, error: BaseException, context: Context
    ) -> None:
        """Turn what the handler did into an outcome."""
        slot.handling = False
        if slot.left:
            return
        if isinstance(error, asyncio.CancelledError) and (
            self._stopping or slot.cancelled_for == "stop"
        ):
            raise error  # the worker hands the job back
        reason = self._settle_interrupt(slot)
        if isinstance(error, LeaseLost) or reason == "lost":
            metrics.LEASES_LOST.labels(job.kind).inc()
            log.warning(
                "lease_lost", job_id=job.id, kind=job.kind, key=job.key, attempt=job.attempt
            )
            return
        if context.finished:
            # It finished its job and failed afterwards; what is committed stays.
            log.error(
                "handler_failed_after_finishing",
                job_id=job.id,
                kind=job.kind,
                key=job.key,
                exc_info=error,
            )
            return
        if reason == "cancel":
            await self._outcomes.cancelled(job)
            return
        if reason == "timeout":
            error = TimeoutError(f"ran longer than {kind.timeout if kind else 0:g} s")
        if isinstance(error, RetryAt):
            await self._outcomes.failed(
                job, FailureClass.TRANSIENT, describe(error), None, error.at
            )
            return
        if isinstance(error, UnknownKind):
            # Kept for a worker that knows it: not a failure, only not here.
            await self._outcomes.failed(job, FailureClass.UNKNOWN, str(error), None)
            return
        failure = FailureClass.TRANSIENT if kind is None else kind.retry.classify(error)
        if isinstance(error, asyncio.CancelledError):
            failure = FailureClass.TRANSIENT  # the handler cancelled itself: odd, but no stop
        await self._outcomes.failed(job, failure, describe(error), error)

    # --- interrupting -------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Keep the timeouts, with one timer for all slots; and keep the slots."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            now = time.monotonic()
            for slot in self._slots:
                if slot.task is not None and slot.task.done() and not self._stopping:
                    # A handler kept its task, which is ours, and cancelled it later.
                    log.error("slot_ended", reason=_end_of(slot.task))
                    self._replace(slot)
                elif slot.handling and slot.deadline is not None and now > slot.deadline:
                    slot.deadline = now + 1.0  # a handler that swallows it is asked again
                    self._interrupt(slot, "timeout")
                    slot.asked += 1
                    if slot.asked > ASKED_MAX:
                        await self._leave_behind(slot)

    async def _leave_behind(self, slot: Slot) -> None:
        """Its handler will not stop. Take the job from it, and give its place to another task."""
        slot.left = True
        log.error("handler_will_not_stop", kinds=sorted({job.kind for job in slot.jobs}))
        self._replace(slot)
        failure = FailureClass.TIMEOUT if len(slot.jobs) == 1 else FailureClass.BATCH
        for job in slot.jobs:
            await self._outcomes.failed(
                job, failure, "ran too long and ignored being cancelled", None
            )

    def _replace(self, slot: Slot) -> None:
        fresh = Slot()
        self._slots[self._slots.index(slot)] = fresh
        fresh.task = asyncio.create_task(self._serve(fresh), name="handfast-slot")

    def _interrupt(self, slot: Slot, reason: str) -> None:
        if slot.handling and slot.task is not None and slot.cancelled_for in (None, reason):
            slot.cancelled_for = reason
            slot.task.cancel()

    def _settle_interrupt(self, slot: Slot) -> str | None:
        """The slot's task was cancelled for one job, not for good: let it go on."""
        reason, slot.cancelled_for = slot.cancelled_for, None
        if reason is not None and slot.task is not None:
            while slot.task.uncancel():
                pass
        return reason


def _alone(outcomes: Sequence[BatchJob]) -> Any:
    """What a batch of one came to, as any other handler would say it."""
    [said] = outcomes
    if said.error is not None:
        raise said.error
    if said.retry_time is not None:
        raise RetryAt(said.retry_time)
    return said.result


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


class UnknownKind(Exception):
    """No handler for this kind in this program."""
