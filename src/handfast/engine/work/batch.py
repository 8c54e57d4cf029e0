"""Handlers that take many jobs in one call.

They report an outcome for each, or end them all in a transaction of their own (``completing``). If
the call itself raises, nothing is decided of what it has not ended: those run again one by one, so
that one bad job cannot take the others down.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from typing import Any, overload

from handfast.base.errors import EngineError
from handfast.db.pool import Database
from handfast.db.transaction import Transaction
from handfast.engine.errors import LeaseLost, PayloadInvalid
from handfast.engine.jobs.faults import describe, trace_of
from handfast.engine.jobs.kinds import Kind
from handfast.engine.jobs.retry import RetryAt
from handfast.engine.work import lease
from handfast.engine.work.attempt import RunningAttempt, check_fraction, encode_result
from handfast.engine.work.lease import AttemptOutcome, Claimed

LATER = "asked to run later"


class BatchJob(RunningAttempt):
    """One job of a batch. What the handler says nothing about has succeeded."""

    __slots__ = ("completing", "error", "lost", "payload", "result", "retry_time")

    def __init__(self, database: Database, claimed: Claimed) -> None:
        super().__init__(database, claimed)
        self.payload: Any = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.retry_time: datetime | None = None
        self.lost = False  # its lease: somebody else has the job by now
        self.completing = False  # by a block that is open

    def succeed(self, result: Any = None) -> None:
        self.result = result

    def fail(self, error: BaseException) -> None:
        self.error = error

    def retry_at(self, at: datetime) -> None:
        self.retry_time = at

    @property
    def open(self) -> bool:
        """Ours, and not ended yet."""
        return self.ending is None and not self.lost


class Batch(Sequence[BatchJob]):
    """The jobs of one call, of one kind."""

    def __init__(self, database: Database, kind: Kind, claimed: Iterable[Claimed]) -> None:
        self._database = database
        self._kind = kind
        self.all = [BatchJob(database, job) for job in claimed]
        for job in self.all:
            try:
                job.payload = kind.decode(job.claimed.payload, job.claimed.version)
            except PayloadInvalid as unreadable:
                job.fail(unreadable)
        # What cannot be read is not shown to the handler, and has failed.
        self._jobs = [job for job in self.all if job.error is None]

    @overload
    def __getitem__(self, index: int) -> BatchJob: ...
    @overload
    def __getitem__(self, index: slice) -> list[BatchJob]: ...
    def __getitem__(self, index: int | slice) -> BatchJob | list[BatchJob]:
        return self._jobs[index]

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[BatchJob]:
        return iter(self._jobs)

    @property
    def kind(self) -> str:
        return self._kind.name

    @property
    def held(self) -> list[BatchJob]:
        """Those that are still ours, as far as we know, and not ended."""
        return [job for job in self._jobs if job.open]

    @property
    def lost(self) -> list[BatchJob]:
        """Those whose lease was lost, as ``completing`` has found out. They are another's."""
        return [job for job in self._jobs if job.lost]

    @asynccontextmanager
    async def completing(
        self, jobs: Iterable[BatchJob] | None = None
    ) -> AsyncIterator[Transaction]:
        """A transaction that also ends these jobs, or all that are held: work and completion commit
        or vanish together.

        At its beginning each job is looked up by its token and kept from everybody else until the
        end. Those that are not ours any more are ``lost`` from then on, and nothing is written of
        them: leave their rows out. If none is left, this raises ``LeaseLost``.

        At its end each of the others ends as the handler has said, in the block or before: with its
        result, as failed, or to run later.
        """
        named = self.held if jobs is None else list(dict.fromkeys(jobs))
        if not named:
            raise EngineError("There is no job to complete: all of them have ended.")
        with _taken(named):
            async with self._database.transaction() as tx:
                await self._hold(tx, named)
                held = [job for job in named if not job.lost]
                yield tx
                outcomes = [self._outcome(job) for job in held]
                states = await lease.end_attempts(tx, [job.claimed for job in held], outcomes)
                if len(states) < len(held):
                    raise EngineError("Jobs that this transaction holds were ended by others.")
            for job, outcome in zip(held, outcomes, strict=True):
                job.end(states[job.job_id], outcome.error, outcome.failure)

    async def progress(self, fraction: float, message: str | None = None) -> None:
        """Say how far the call is, from 0 to 1: of all jobs that are held."""
        check_fraction(fraction)
        held = [job.claimed for job in self.held]
        if held:
            async with self._database.connection() as connection:
                await lease.report_progress(connection, held, fraction, message)

    async def _hold(self, tx: Transaction, jobs: list[BatchJob]) -> None:
        ours = await lease.hold(tx, [job.claimed for job in jobs])
        for job in jobs:
            job.lost = job.job_id not in ours
        if not ours:
            raise LeaseLost(
                f"None of {len(jobs)} jobs of {self.kind} is held any more.",
                hint="Other attempts have taken them over; nothing was written.",
            )

    def _outcome(self, job: BatchJob) -> AttemptOutcome:
        """In the database's words."""
        if job.error is not None:
            return AttemptOutcome(
                "failed",
                failure=self._kind.retry.classify(job.error),
                error=describe(job.error),
                trace=trace_of(job.error),
            )
        if job.retry_time is not None:
            return AttemptOutcome("failed", error=LATER, retry_at=job.retry_time)
        return AttemptOutcome("succeeded", result=encode_result(job.result))


@contextmanager
def _taken(jobs: Sequence[BatchJob]) -> Iterator[None]:
    """By one block at a time: a second would wait for the first one's locks, and a nested one for
    ever."""
    for job in jobs:
        job.check_not_ended()
        if job.completing:
            raise EngineError(
                f"{job.kind} {job.key} is being completed by a block that is still open.",
                hint="Write in that block's transaction, or give completing() other jobs.",
            )
    for job in jobs:
        job.completing = True
    try:
        yield
    finally:
        for job in jobs:
            job.completing = False


def result_alone(job: BatchJob) -> Any:
    """What a batch of one came to, as any other handler would say it."""
    if job.lost:
        raise job.lease_lost()
    if job.error is not None:
        raise job.error
    if job.retry_time is not None:
        raise RetryAt(job.retry_time)
    return job.result
