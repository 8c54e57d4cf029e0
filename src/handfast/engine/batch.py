"""Handlers that take many jobs in one call, and report an outcome for each.

If the call itself raises, nothing is decided: its jobs run again one by one, so that one bad job
cannot take the others down.
"""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from handfast.base.errors import PayloadInvalid
from handfast.db.pool import Database
from handfast.engine import lease, metrics
from handfast.engine.context import encode_result
from handfast.engine.faults import clean, describe
from handfast.engine.finisher import Finisher
from handfast.engine.kinds import Kind
from handfast.engine.lease import Claimed
from handfast.engine.retry import FailureClass


class BatchJob:
    """One job of a batch. What the handler says nothing about has succeeded."""

    __slots__ = ("_claimed", "error", "payload", "result", "retry_time")

    def __init__(self, claimed: Claimed, payload: msgspec.Struct) -> None:
        self._claimed = claimed
        self.payload: Any = payload
        self.result: Any = None
        self.error: BaseException | None = None
        self.retry_time: datetime | None = None

    @property
    def key(self) -> str:
        return self._claimed.key

    @property
    def attempt(self) -> int:
        return self._claimed.attempt

    @property
    def due_at(self) -> datetime:
        return self._claimed.due_at

    def succeed(self, result: Any = None) -> None:
        self.result = result

    def fail(self, error: BaseException) -> None:
        self.error = error

    def retry_at(self, at: datetime) -> None:
        self.retry_time = at


async def run_batch(
    database: Database,
    kind: Kind,
    claimed: Sequence[Claimed],
    finisher: Finisher,
    *,
    alone: bool = False,
) -> None:
    """Call the handler with all of them. When ``alone``, an exception is that job's own."""
    started = time.monotonic()
    jobs: list[BatchJob] = []
    for job in claimed:
        try:
            jobs.append(BatchJob(job, kind.decode(job.payload, job.version)))
        except PayloadInvalid as unreadable:
            if alone:
                raise
            await _record(database, job, FailureClass.PAYLOAD, str(unreadable))
    if not jobs:
        return
    await kind.handler(jobs)
    for outcome in jobs:
        job = outcome._claimed
        if outcome.error is not None:
            if alone:
                raise outcome.error
            await _record(
                database, job, kind.retry.classify(outcome.error), describe(outcome.error)
            )
        elif outcome.retry_time is not None:
            await _record(
                database, job, FailureClass.TRANSIENT, "asked to run later", outcome.retry_time
            )
        else:
            finisher.add(job, encode_result(outcome.result), started)


async def _record(
    database: Database,
    job: Claimed,
    failure: FailureClass,
    text: str,
    retry_at: datetime | None = None,
) -> None:
    async with database.connection() as connection:
        state = await lease.fail(connection, job, failure, clean(text), retry_at=retry_at)
    if state is None:
        metrics.LEASES_LOST.labels(job.kind).inc()
    else:
        metrics.ATTEMPTS.labels(job.kind, "failed").inc()
        if state == "dead":
            metrics.EXHAUSTED.labels(job.kind).inc()
