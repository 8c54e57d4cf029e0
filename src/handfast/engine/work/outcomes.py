"""What the end of an attempt means, and how it is written: one way for all of them.

Writing an outcome may fail like any other write, and must never change another job's outcome, nor
the worker. While the database is away the job stays ours by its books; the worker compares them
with what it knows once the database is back, and returns it.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import asyncpg

from handfast.base.errors import HandfastError
from handfast.base.logs import get_logger
from handfast.db.errors import ConstraintViolated
from handfast.db.pool import Database
from handfast.db.transaction import constraints_named
from handfast.engine.errors import LeaseLost, PayloadInvalid
from handfast.engine.jobs import metrics
from handfast.engine.jobs.faults import clean, describe, trace_of
from handfast.engine.jobs.kinds import Kind
from handfast.engine.jobs.retry import FailureClass, RetryAt
from handfast.engine.jobs.states import JobState
from handfast.engine.work import lease
from handfast.engine.work.attempt import Ending, encode_result
from handfast.engine.work.batch import LATER, BatchJob
from handfast.engine.work.finisher import Finisher, Success
from handfast.engine.work.lease import Claimed
from handfast.engine.work.slots import Interruption
from handfast.engine.work.tally import Tally

# Whatever was in the way: what was to be written is not, as far as we know.
NOT_WRITTEN = (
    HandfastError,
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
REFUSED = (ConstraintViolated, asyncpg.DataError)  # and would be again

WITHOUT_FAILURE = (JobState.CANCELLED, JobState.SKIPPED)  # counted as what they are

log = get_logger(__name__)


class Outcomes:
    def __init__(self, database: Database, tally: Tally) -> None:
        self._database = database
        self._tally = tally
        self.finisher = Finisher(
            database, written=self._count_written, refused=self._result_refused
        )

    def succeeded(
        self, job: Claimed, result: Any, started: float, *, maybe_done: bool = False
    ) -> None:
        """Written soon, together with others. Raises TypeError if the result cannot be stored."""
        stored = None if result is None else encode_result(result)
        self.finisher.add(job, stored, started, maybe_done=maybe_done)

    def ended(self, job: Claimed, ending: Ending, started: float) -> None:
        """Its handler has written the outcome by itself (``Context.end``): it only counts here."""
        if ending.state is JobState.SUCCEEDED:
            self._count_succeeded(job.kind, [time.monotonic() - started])
        else:
            self._count(job, ending.state, ending.error, ending.failure)

    async def raised(
        self, job: Claimed, kind: Kind, error: BaseException, reason: Interruption | None
    ) -> None:
        """The handler raised this, by itself or because it was interrupted."""
        if reason is Interruption.LOST or isinstance(error, LeaseLost):
            _count_lost(job)  # another attempt has taken the job over: there is nothing to write
            return
        if reason is Interruption.CANCEL:
            await self.cancelled(job)
            return
        if reason is Interruption.TIMEOUT:
            error = TimeoutError(f"ran longer than {kind.timeout or 0:g} s")
        if isinstance(error, RetryAt):
            await self.failed(job, FailureClass.TRANSIENT, describe(error), None, error.at)
            return
        failure = kind.retry.classify(error)
        if isinstance(error, asyncio.CancelledError):
            failure = FailureClass.TRANSIENT  # the handler cancelled itself: odd, but no stop
        await self.failed(job, failure, describe(error), error)

    async def left_behind(self, jobs: Sequence[Claimed]) -> None:
        """Their handler would not stop."""
        failure = FailureClass.TIMEOUT if len(jobs) == 1 else FailureClass.BATCH
        for job in jobs:
            await self.failed(job, failure, "ran too long and ignored being cancelled")

    def ended_together(self, kind: str, jobs: Sequence[BatchJob], started: float) -> None:
        """Those of a batch that its handler has ended (``Batch.completing``), or found lost: they
        only count here."""
        seconds = time.monotonic() - started
        well = 0
        for job in jobs:
            if job.lost:
                _count_lost(job.claimed)
            elif job.ending is not None and job.ending.state is JobState.SUCCEEDED:
                well += 1
            elif job.ending is not None:
                self._count(job.claimed, job.ending.state, job.ending.error, job.ending.failure)
        if well:
            self._count_succeeded(kind, [seconds] * well)

    async def batch_raised(
        self,
        jobs: Sequence[BatchJob],
        error: BaseException,
        reason: Interruption | None,
        cancelled: Collection[int] = (),
    ) -> None:
        """The call itself failed: each that it has not ended runs again by itself."""
        left = [job.claimed for job in jobs if job.open]
        if len(left) < len(jobs):
            log.error("batch_failed_after_ending", ended=len(jobs) - len(left), exc_info=error)
        if reason is Interruption.LOST:
            for job in left:
                _count_lost(job)
        elif reason is Interruption.CANCEL:
            await self._batch_cancelled(left, cancelled)
        else:
            text = f"the batch call failed: {describe(error)}"
            for job in left:
                await self.failed(job, FailureClass.BATCH, text, error)

    async def _batch_cancelled(self, jobs: Sequence[Claimed], asked: Collection[int]) -> None:
        """Somebody wants some of them stopped; nothing is wrong with the others, which go back and
        run again together."""
        try:
            async with self._database.connection() as connection:
                ours = await lease.hand_back(connection, jobs)
        except NOT_WRITTEN as away:
            log.error("batch_cancel_not_recorded", jobs=len(jobs), reason=str(away))
            return
        for job in jobs:
            if job.id not in ours:
                _count_lost(job)
            elif job.id in asked:
                self._count(job, JobState.CANCELLED)

    async def batch_ended(self, kind: Kind, jobs: Sequence[BatchJob], started: float) -> None:
        """Each by itself: what cannot be written of one changes nothing for the others."""
        for job in jobs:
            if job.open:
                await self._ended_in_batch(kind, job, started)

    async def _ended_in_batch(self, kind: Kind, job: BatchJob, started: float) -> None:
        error, at = job.error, job.retry_time
        if error is None and at is None:
            try:
                self.succeeded(job.claimed, job.result, started)
                return
            except TypeError as unstorable:
                error = unstorable
        if error is None:
            await self.failed(job.claimed, FailureClass.TRANSIENT, LATER, None, at)
        else:
            await self.failed(job.claimed, kind.retry.classify(error), describe(error), error)

    async def failed(
        self,
        job: Claimed,
        failure: FailureClass,
        text: str,
        error: BaseException | None = None,
        retry_at: datetime | None = None,
    ) -> None:
        trace = None if error is None or isinstance(error, PayloadInvalid) else trace_of(error)
        try:
            try:
                state = await self._fail(job, failure, text, trace, retry_at)
            except REFUSED as refused:
                # The database has no place for this outcome (a retry in the year 10000, say). It
                # would be refused for ever, and the job run for ever: then it is this failure.
                text = f"{text} (which could not be recorded as it was: {describe(refused)})"
                state = await self._fail(job, FailureClass.LOGIC, text, None, None)
        except NOT_WRITTEN as away:
            log.error("failure_not_recorded", **_named(job), reason=str(away))
            return
        self._count(job, state, text, failure, counts=retry_at is None)

    async def cancelled(self, job: Claimed) -> None:
        try:
            async with self._database.connection() as connection:
                acknowledged = await lease.acknowledge_cancel(connection, job)
        except NOT_WRITTEN as away:
            log.error("cancel_not_recorded", **_named(job), reason=str(away))
            return
        self._count(job, JobState.CANCELLED if acknowledged else None)

    async def _fail(
        self,
        job: Claimed,
        failure: FailureClass,
        text: str,
        trace: str | None,
        retry_at: datetime | None,
    ) -> str | None:
        with constraints_named():
            async with self._database.connection() as connection:
                return await lease.fail(
                    connection, job, failure, clean(text), trace=trace, retry_at=retry_at
                )

    async def _result_refused(self, job: Claimed, refused: Exception) -> None:
        text = f"the result cannot be stored: {describe(refused)}"
        await self.failed(job, FailureClass.LOGIC, text)

    def _count_written(self, batch: list[Success], accepted: frozenset[int], *, sure: bool) -> None:
        durations: dict[str, list[float]] = defaultdict(list)
        for success in batch:
            job = success.job
            # What was not accepted any more, its handler has completed in a transaction of its own.
            if job.id in accepted or success.maybe_done:
                durations[job.kind].append(success.seconds)
            elif sure:
                _count_lost(job)
        for kind, seconds in durations.items():
            self._count_succeeded(kind, seconds)

    def _count_succeeded(self, kind: str, seconds: Sequence[float]) -> None:
        metrics.ATTEMPTS.labels(kind, "succeeded").inc(len(seconds))
        metrics.DURATION.observe(kind, seconds)
        self._tally.succeeded(kind, seconds)

    def _count(
        self,
        job: Claimed,
        state: str | None,
        error: str | None = None,
        failure: FailureClass | None = None,
        *,
        counts: bool = True,
    ) -> None:
        """An attempt without success has left its job in this state; None: it was not ours. Unless
        it ``counts``, it was the handler's own wish to come again."""
        if state is not None and state not in WITHOUT_FAILURE and counts:
            self._tally.failed(job.kind, died=state == JobState.DEAD)
        _count(job, state, error, failure)


def _count(
    job: Claimed, state: str | None, error: str | None = None, failure: FailureClass | None = None
) -> None:
    """An attempt without success has left its job in this state; None: it was not ours."""
    if state is None:
        _count_lost(job)
        return
    metrics.ATTEMPTS.labels(job.kind, state if state in WITHOUT_FAILURE else "failed").inc()
    about = {**_named(job), "attempt": job.attempt, "error": error, "failure": failure}
    if state == JobState.DEAD:
        metrics.EXHAUSTED.labels(job.kind).inc()
        log.error("job_dead", **about)
    elif state not in WITHOUT_FAILURE:
        log.warning("attempt_failed", **about)
    elif error is not None:
        log.warning(f"job_{state}", **about)


def _count_lost(job: Claimed) -> None:
    metrics.LEASES_LOST.labels(job.kind).inc()
    log.warning("lease_lost", **_named(job), attempt=job.attempt)


def _named(job: Claimed) -> dict[str, Any]:
    return {"job_id": job.id, "kind": job.kind, "key": job.key}
