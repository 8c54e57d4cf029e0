"""Handlers that take many jobs in one call, and report an outcome for each.

If the call itself raises, nothing is decided: its jobs run again one by one, so that one bad job
cannot take the others down.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from handfast.engine.errors import PayloadInvalid
from handfast.engine.jobs.kinds import Kind
from handfast.engine.jobs.retry import RetryAt
from handfast.engine.work.lease import Claimed


class BatchJob:
    """One job of a batch. What the handler says nothing about has succeeded."""

    __slots__ = ("claimed", "error", "payload", "result", "retry_time")

    def __init__(self, claimed: Claimed) -> None:
        self.claimed = claimed
        self.payload: Any = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.retry_time: datetime | None = None

    @property
    def key(self) -> str:
        return self.claimed.key

    @property
    def attempt(self) -> int:
        return self.claimed.attempt

    @property
    def due_at(self) -> datetime:
        return self.claimed.due_at

    def succeed(self, result: Any = None) -> None:
        self.result = result

    def fail(self, error: BaseException) -> None:
        self.error = error

    def retry_at(self, at: datetime) -> None:
        self.retry_time = at


async def run_batch(kind: Kind, claimed: Sequence[Claimed]) -> list[BatchJob]:
    """Call the handler with all of them; answers what it said of each. What cannot be read is not
    shown to it, and has failed."""
    jobs = [BatchJob(job) for job in claimed]
    for job in jobs:
        try:
            job.payload = kind.decode(job.claimed.payload, job.claimed.version)
        except PayloadInvalid as unreadable:
            job.fail(unreadable)
    readable = [job for job in jobs if job.error is None]
    if readable:
        await kind.handler(readable)
    return jobs


def result_alone(outcomes: Sequence[BatchJob]) -> Any:
    """What a batch of one came to, as any other handler would say it."""
    [job] = outcomes
    if job.error is not None:
        raise job.error
    if job.retry_time is not None:
        raise RetryAt(job.retry_time)
    return job.result
