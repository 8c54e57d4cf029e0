"""How attempts end: one way for all that the executor runs, alone or in a batch.

Writing an outcome may fail like any other write, and must never change another job's outcome, nor
the worker. While the database is away the job stays ours by its books; the worker compares them
with what it knows once the database is back, and returns it.
"""

from datetime import datetime
from typing import Any

import asyncpg

from handfast.base.errors import ConstraintViolated, HandfastError, PayloadInvalid
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.engine import lease, metrics
from handfast.engine.context import encode_result
from handfast.engine.faults import clean, describe, trace_of
from handfast.engine.finisher import Finisher
from handfast.engine.lease import Claimed
from handfast.engine.retry import FailureClass

# Whatever was in the way: what was to be written is not, as far as we know.
NOT_WRITTEN = (
    HandfastError,
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
REFUSED = (ConstraintViolated, asyncpg.DataError)  # and would be again

log = get_logger(__name__)


class Outcomes:
    def __init__(self, database: Database) -> None:
        self._database = database
        self.finisher = Finisher(database, refused=self._result_refused)

    def succeeded(
        self, job: Claimed, result: Any, started: float, *, maybe_done: bool = False
    ) -> None:
        """Written soon, together with others. Raises TypeError if the result cannot be stored."""
        stored = None if result is None else encode_result(result)
        self.finisher.add(job, stored, started, maybe_done=maybe_done)

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
        _tell(job, failure, text, state)

    async def cancelled(self, job: Claimed) -> None:
        try:
            async with self._database.connection() as connection:
                if not await lease.acknowledge_cancel(connection, job):
                    metrics.LEASES_LOST.labels(job.kind).inc()
        except NOT_WRITTEN as away:
            log.error("cancel_not_recorded", **_named(job), reason=str(away))
            return
        metrics.ATTEMPTS.labels(job.kind, "cancelled").inc()

    async def _fail(
        self,
        job: Claimed,
        failure: FailureClass,
        text: str,
        trace: str | None,
        retry_at: datetime | None,
    ) -> str | None:
        async with self._database.connection() as connection:
            return await lease.fail(
                connection, job, failure, clean(text), trace=trace, retry_at=retry_at
            )

    async def _result_refused(self, job: Claimed, refused: Exception) -> None:
        text = f"the result cannot be stored: {describe(refused)}"
        await self.failed(job, FailureClass.LOGIC, text)


def _tell(job: Claimed, failure: FailureClass, text: str, state: str | None) -> None:
    if state is None:
        metrics.LEASES_LOST.labels(job.kind).inc()
        return
    metrics.ATTEMPTS.labels(job.kind, "failed").inc()
    said = {**_named(job), "attempt": job.attempt, "error": text, "failure": failure}
    if state == "dead":
        metrics.EXHAUSTED.labels(job.kind).inc()
        log.error("job_dead", **said)
    else:
        log.warning("attempt_failed", **said)


def _named(job: Claimed) -> dict[str, Any]:
    return {"job_id": job.id, "kind": job.kind, "key": job.key}
