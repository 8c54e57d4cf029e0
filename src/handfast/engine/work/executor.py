"""Running claimed jobs, many at once, whatever their handlers do.

A handler may raise anything, never return, or block the loop: what it did becomes an outcome, and
its slot goes on.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.engine.jobs.kinds import Kind, Kinds, caller
from handfast.engine.work.attempt import RunningAttempt
from handfast.engine.work.batch import Batch, result_alone
from handfast.engine.work.context import Context
from handfast.engine.work.lease import Claimed
from handfast.engine.work.outcomes import Outcomes
from handfast.engine.work.slots import Interruption, Slot, Slots
from handfast.engine.work.tally import Tally
from handfast.engine.work.threads import Threads

log = get_logger(__name__)


class Executor:
    """What one worker runs."""

    def __init__(self, database: Database, kinds: Kinds, *, concurrency: int, tally: Tally) -> None:
        self._database = database
        self._kinds = {kind.name: kind for kind in kinds}  # all that may come: claims name them
        self._callers = {kind.name: caller(kind) for kind in kinds}
        self._outcomes = Outcomes(database, tally)
        self._finisher = self._outcomes.finisher
        self._threads = Threads()
        self._slots = Slots(concurrency, self._begin, left_behind=self._outcomes.left_behind)

    # --- in and out ---------------------------------------------------------------------------

    def start(self) -> None:
        self._finisher.start()
        self._slots.start()

    def add(self, jobs: Sequence[Claimed]) -> None:
        self._slots.add(jobs)

    def take(self, fits: Callable[[Claimed], bool]) -> list[Claimed]:
        """Out of what waits here, and is nobody's business here any more."""
        return self._slots.take(self.waiting, fits)

    @property
    def on_room(self) -> Callable[[], None]:
        """Called when there is room for more: somebody may claim."""
        return self._slots.on_room

    @on_room.setter
    def on_room(self, tell: Callable[[], None]) -> None:
        self._slots.on_room = tell

    @property
    def waiting(self) -> int:
        return self._slots.waiting

    @property
    def waiting_bytes(self) -> int:
        return self._slots.waiting_bytes

    @property
    def running_since(self) -> list[tuple[float, Claimed]]:
        return self._slots.running

    @property
    def known(self) -> list[int]:
        """Every job that something here will still decide about."""
        return [*self._slots.known, *self._finisher.known]

    async def stop(
        self, grace: float, at_once: asyncio.Event
    ) -> tuple[list[Claimed], list[Claimed]]:
        """Let what runs finish within ``grace`` seconds, or until ``at_once`` is set. Answers what
        must be handed back, and what would not stop, and may not be."""
        unfinished = await self._slots.stop(grace, at_once)
        await self._finisher.stop()
        stuck = self._slots.stuck | self._threads.jobs
        return (
            [job for job in unfinished if job.id not in stuck],
            [job for job in unfinished if job.id in stuck],
        )

    async def give_up(self) -> None:
        """Nothing here is ours any more: stop at once, and write nothing of what has ended."""
        await self._slots.abandon()
        await self._finisher.cancel()

    def forget_all(self) -> None:
        """The worker has lost its lease: none of these jobs is ours, so stop working on them."""
        self._slots.drop_waiting()
        self._slots.interrupt(Interruption.LOST)

    def cancel(self, ids: Sequence[int]) -> None:
        """Stop these jobs: an operator asked for it."""
        self._slots.interrupt(Interruption.CANCEL, ids)

    # --- running ------------------------------------------------------------------------------

    def _begin(self, slot: Slot, job: Claimed) -> Coroutine[Any, Any, None]:
        kind = self._kinds[job.kind]
        if kind.batch is None:
            return self._run(slot, kind, job)
        if job.alone:
            return self._run_alone(slot, kind, job)
        return self._run_batch(slot, kind, [job, *self._more_of(kind)])

    async def _run(self, slot: Slot, kind: Kind, job: Claimed) -> None:
        context = Context(self._database, job)
        slot.occupy((job,), kind.timeout)
        try:
            payload = kind.decode(job.payload, job.version)
            call = self._callers[job.kind]
            if kind.is_async:
                result = await call(context, payload)
            else:
                result = await self._threads.run(job, call, context, payload)
            if context.ending is None and not slot.left:
                elsewhere = context.completing_elsewhere
                self._outcomes.succeeded(job, result, slot.started, maybe_done=elsewhere)
        except BaseException as error:
            await self._after(slot, kind, context, error)
        finally:
            if context.ending is not None:
                self._outcomes.ended(job, context.ending, slot.started)
            slot.vacate()

    async def _run_alone(self, slot: Slot, kind: Kind, job: Claimed) -> None:
        """A job of a batch kind that ran with others, whose call failed."""
        batch = Batch(self._database, kind, [job])
        [only] = batch.all
        slot.occupy((job,), kind.timeout)
        try:
            if batch:
                await kind.handler(batch)
            if only.ending is None and not slot.left:
                self._outcomes.succeeded(job, result_alone(only), slot.started)
        except BaseException as error:
            await self._after(slot, kind, only, error)
        finally:
            if only.ending is not None:
                self._outcomes.ended(job, only.ending, slot.started)
            slot.vacate()

    async def _after(
        self, slot: Slot, kind: Kind, attempt: RunningAttempt, error: BaseException
    ) -> None:
        """Turn what the handler raised into an outcome."""
        slot.handling = False
        if slot.left:
            return
        if isinstance(error, asyncio.CancelledError) and (
            self._slots.stopping or slot.interrupted is Interruption.STOP
        ):
            raise error  # the worker hands the job back
        reason = slot.settle_interruption()
        if attempt.ending is not None:
            # It ended its job and failed afterwards; what is committed stays.
            log.error(
                "handler_failed_after_ending",
                job_id=attempt.job_id,
                kind=kind.name,
                key=attempt.key,
                exc_info=error,
            )
            return
        await self._outcomes.raised(attempt.claimed, kind, error, reason)

    def _more_of(self, kind: Kind) -> list[Claimed]:
        """Other jobs of the kind that wait here, to share one call."""
        return self._slots.take(
            (kind.batch or 1) - 1,
            lambda job: job.kind == kind.name and not job.alone and job.version <= kind.version,
        )

    async def _run_batch(self, slot: Slot, kind: Kind, jobs: list[Claimed]) -> None:
        batch = Batch(self._database, kind, jobs)
        slot.occupy(jobs, kind.timeout)
        try:
            if batch:
                await kind.handler(batch)
        except BaseException as error:
            slot.handling = False
            if slot.left:
                return
            if self._slots.stopping and slot.interrupted is not Interruption.LOST:
                raise  # the worker hands the jobs back
            cancelled = frozenset(slot.cancelled)
            reason = slot.settle_interruption()
            await self._outcomes.batch_raised(batch.all, error, reason, cancelled)
        else:
            slot.handling = False  # the call has ended: no timeout may undo what it said
            if not slot.left:
                await self._outcomes.batch_ended(kind, batch.all, slot.started)
        finally:
            self._outcomes.ended_together(kind.name, batch.all, slot.started)
            slot.vacate()
