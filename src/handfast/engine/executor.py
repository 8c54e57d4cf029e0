"""Running claimed jobs, many at once, whatever their handlers do.

Jobs wait in one buffer; each *slot* is a task that takes the next job, runs it and takes another,
so that a job costs no task of its own. Successes are collected and finished in batches: while one
batch is being written, the next is being gathered. A handler may raise anything, never return, or
block the loop; the slot turns what it did into an outcome and goes on.
"""

import asyncio
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from handfast.base.errors import HandfastError, LeaseLost, PayloadInvalid
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.engine import lease, metrics
from handfast.engine.batch import run_batch
from handfast.engine.context import Context, encode_result
from handfast.engine.finisher import Finisher
from handfast.engine.kinds import Kind, Kinds, caller
from handfast.engine.lease import Claimed
from handfast.engine.retry import FailureClass, RetryAt

YIELD_EVERY = 200  # jobs that never wait would otherwise keep the loop to themselves
WATCH_SECONDS = 0.25  # how exactly timeouts are kept
ERROR_LENGTH_MAX = 4000

log = get_logger(__name__)


class Slot:
    """One place in which a job can run."""

    __slots__ = ("cancelled_for", "deadline", "jobs", "started", "task")

    def __init__(self) -> None:
        self.task: asyncio.Task[None] | None = None
        self.jobs: Sequence[Claimed] = ()
        self.started = 0.0
        self.deadline: float | None = None
        self.cancelled_for: str | None = None


class Executor:
    """The slots of one worker."""

    def __init__(self, database: Database, kinds: Kinds, *, concurrency: int) -> None:
        self._database = database
        self._kinds = kinds
        self._callers = {kind.name: caller(kind) for kind in kinds}
        self._buffer: deque[Claimed] = deque()
        self._slots = [Slot() for _ in range(concurrency)]
        self._idle: deque[asyncio.Future[None]] = deque()
        self._finisher = Finisher(database)
        self._watcher: asyncio.Task[None] | None = None
        self._stopping = False
        self.on_room: Callable[[], None] = lambda: None  # somebody may claim more

    # --- in and out ---------------------------------------------------------------------------

    def start(self) -> None:
        self._finisher.start()
        for number, slot in enumerate(self._slots):
            slot.task = asyncio.create_task(self._serve(slot), name=f"handfast-slot-{number}")
        self._watcher = asyncio.create_task(self._watch(), name="handfast-watch")

    def add(self, jobs: Sequence[Claimed]) -> None:
        self._buffer.extend(jobs)
        for _ in range(min(len(jobs), len(self._idle))):
            waiter = self._idle.popleft()
            if not waiter.done():
                waiter.set_result(None)

    @property
    def waiting(self) -> int:
        return len(self._buffer)

    @property
    def running(self) -> list[Claimed]:
        return [job for slot in self._slots for job in slot.jobs]

    @property
    def free_slots(self) -> int:
        return len(self._idle)

    async def stop(self, grace: float) -> list[Claimed]:
        """Let what runs finish within ``grace`` seconds; answers what must be handed back."""
        self._stopping = True
        unstarted = list(self._buffer)
        self._buffer.clear()
        busy = [slot.task for slot in self._slots if slot.jobs and slot.task is not None]
        if busy:  # a slot ends by itself after its present job
            await asyncio.wait(busy, timeout=grace)
        unfinished = self.running
        await self.abandon()
        await self._finisher.stop()
        return unstarted + unfinished

    async def abandon(self) -> None:
        """Stop every slot at once, writing nothing for what runs in it."""
        self._stopping = True
        self._buffer.clear()
        tasks = [slot.task for slot in self._slots if slot.task is not None]
        if self._watcher is not None:
            tasks.append(self._watcher)
        for slot in self._slots:
            slot.cancelled_for = "stop"
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=5)

    def forget_all(self) -> None:
        """The worker has lost its lease: none of these jobs is ours, so stop working on them."""
        self._buffer.clear()
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
        served = 0
        while not self._stopping:
            while not self._buffer:
                waiter = asyncio.get_running_loop().create_future()
                self._idle.append(waiter)
                self.on_room()
                await waiter
            job = self._buffer.popleft()
            kind = self._kinds.get(job.kind)
            if kind is not None and kind.batch is not None and not job.alone:
                await self._run_batch(slot, kind, [job, *self._more_of(kind)])
            else:
                await self._run(slot, kind, job)
            served += 1
            if served % YIELD_EVERY == 0:
                self.on_room()
                await asyncio.sleep(0)

    def _more_of(self, kind: Kind) -> list[Claimed]:
        """Other jobs of the kind that wait here, to share one call."""
        taken: list[Claimed] = []
        left: list[Claimed] = []
        while self._buffer and len(taken) < (kind.batch or 1) - 1:
            job = self._buffer.popleft()
            (taken if job.kind == kind.name and not job.alone else left).append(job)
        self._buffer.extendleft(reversed(left))
        return taken

    async def _run(self, slot: Slot, kind: Kind | None, job: Claimed) -> None:
        context = Context(self._database, job)
        self._occupy(slot, (job,), kind)
        try:
            if kind is None:
                raise UnknownKind(f"no worker here knows the kind {job.kind!r}")
            payload = kind.decode(job.payload, job.version)
            if kind.batch is not None:
                await run_batch(self._database, kind, [job], self._finisher, alone=True)
            elif kind.is_async:
                result = await self._callers[job.kind](context, payload)
                if not context.finished:
                    self._finisher.add(job, encode_result(result), slot.started)
            else:
                result = await asyncio.to_thread(self._callers[job.kind], context, payload)
                if not context.finished:
                    self._finisher.add(job, encode_result(result), slot.started)
        except BaseException as error:
            await self._after(slot, kind, job, error, context)
        finally:
            slot.jobs = ()

    async def _run_batch(self, slot: Slot, kind: Kind, jobs: list[Claimed]) -> None:
        self._occupy(slot, jobs, kind)
        try:
            await run_batch(self._database, kind, jobs, self._finisher)
        except BaseException as error:
            if self._stopping or slot.cancelled_for == "lost":
                self._settle_interrupt(slot)
                if self._stopping:
                    raise
                return
            self._settle_interrupt(slot)
            for job in jobs:
                await self._record(
                    job, FailureClass.BATCH, f"the batch call failed: {describe(error)}", error
                )
        finally:
            slot.jobs = ()

    def _occupy(self, slot: Slot, jobs: Sequence[Claimed], kind: Kind | None) -> None:
        slot.jobs = jobs
        slot.started = time.monotonic()
        slot.cancelled_for = None
        timeout = kind.timeout if kind is not None else None
        slot.deadline = None if timeout is None else slot.started + timeout

    async def _after(
        self, slot: Slot, kind: Kind | None, job: Claimed, error: BaseException, context: Context
    ) -> None:
        """Turn what the handler did into an outcome."""
        if isinstance(error, asyncio.CancelledError) and (
            self._stopping or slot.cancelled_for == "stop"
        ):
            raise error  # the worker hands the job back
        reason = self._settle_interrupt(slot)
        if isinstance(error, LeaseLost) or reason == "lost":
            metrics.LEASES_LOST.labels(job.kind).inc()
            log.warning("lease_lost", kind=job.kind, key=job.key, attempt=job.attempt)
            return
        if context.finished:
            # It finished its job and failed afterwards; what is committed stays.
            log.error("handler_failed_after_finishing", kind=job.kind, key=job.key, exc_info=error)
            return
        if reason == "cancel":
            async with self._database.connection() as connection:
                if not await lease.acknowledge_cancel(connection, job):
                    metrics.LEASES_LOST.labels(job.kind).inc()
            metrics.ATTEMPTS.labels(job.kind, "cancelled").inc()
            return
        if reason == "timeout":
            error = TimeoutError(f"ran longer than {kind.timeout if kind else 0:g} s")
        if isinstance(error, RetryAt):
            await self._record(job, FailureClass.TRANSIENT, str(error), None, error.at)
            return
        if isinstance(error, UnknownKind):
            # Kept for a worker that knows it: not a failure, only not here.
            await self._record(job, FailureClass.BATCH, str(error), None)
            return
        failure = FailureClass.TRANSIENT if kind is None else kind.retry.classify(error)
        if isinstance(error, asyncio.CancelledError):
            failure = FailureClass.TRANSIENT  # the handler cancelled itself: odd, but no stop
        await self._record(job, failure, describe(error), error)

    async def _record(
        self,
        job: Claimed,
        failure: FailureClass,
        text: str,
        error: BaseException | None,
        retry_at: Any = None,
    ) -> None:
        known = error is None or isinstance(error, PayloadInvalid)
        trace = None if known else clean(trace_of(error))
        try:
            async with self._database.connection() as connection:
                state = await lease.fail(
                    connection, job, failure, clean(text), trace=trace, retry_at=retry_at
                )
        except (HandfastError, OSError) as lost:
            # The database is away. The job stays ours until the lease ends; then it is rescued.
            log.error("failure_not_recorded", kind=job.kind, key=job.key, reason=str(lost))
            return
        if state is None:
            metrics.LEASES_LOST.labels(job.kind).inc()
            return
        metrics.ATTEMPTS.labels(job.kind, "failed").inc()
        if state == "dead":
            metrics.EXHAUSTED.labels(job.kind).inc()
            log.error("job_dead", kind=job.kind, key=job.key, error=text, failure=failure)
        else:
            log.warning("attempt_failed", kind=job.kind, key=job.key, error=text, failure=failure)

    # --- interrupting -------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Keep the timeouts, with one timer for all slots."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            now = time.monotonic()
            for slot in self._slots:
                if slot.jobs and slot.deadline is not None and now > slot.deadline:
                    slot.deadline = now + 1.0  # a handler that swallows it is asked again
                    self._interrupt(slot, "timeout")

    def _interrupt(self, slot: Slot, reason: str) -> None:
        if slot.task is not None and slot.cancelled_for in (None, reason):
            slot.cancelled_for = reason
            slot.task.cancel()

    def _settle_interrupt(self, slot: Slot) -> str | None:
        """The slot's task was cancelled for one job, not for good: let it go on."""
        reason, slot.cancelled_for = slot.cancelled_for, None
        if reason is not None and slot.task is not None:
            while slot.task.uncancel():
                pass
        return reason


class UnknownKind(Exception):
    """No handler for this kind in this program."""


def describe(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def clean(text: str) -> str:
    """As PostgreSQL can store it: no NUL, no lone surrogate, not endless."""
    return text[:ERROR_LENGTH_MAX].replace("\x00", "\\0").encode("utf-8", "replace").decode()


def trace_of(error: BaseException | None) -> str:
    return "".join(traceback.format_exception(error))[-ERROR_LENGTH_MAX:]
