"""Jobs one by one, and the workers."""

from typing import TypeVar

import msgspec
from msgspec.structs import replace

from handfast.edge.api.viewing import masked, shown_fields
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.jobs_view import (
    AttemptView,
    JobDetail,
    JobPage,
    JobSummary,
    WorkerView,
)


class JobChanged(msgspec.Struct, rename="camel"):
    """``running`` after a cancel: it is told to stop, and does at its worker's next heartbeat."""

    id: int
    state: JobState


class Workers(msgspec.Struct, rename="camel"):
    workers: list[WorkerView]


# --- as viewers see them --------------------------------------------------------------------------

J = TypeVar("J", JobSummary, JobDetail)


def jobs_for_viewers(page: JobPage) -> JobPage:
    return replace(page, jobs=[_words_masked(job) for job in page.jobs])


def job_for_viewers(job: JobDetail) -> JobDetail:
    return replace(
        _words_masked(job),
        discard_reason=masked(job.discard_reason),
        payload=shown_fields(job.payload),
        result=shown_fields(job.result),
        attempts=[_attempt(attempt) for attempt in job.attempts],
    )


def _words_masked(job: J) -> J:
    return replace(job, message=masked(job.message), reason=masked(job.reason))


def _attempt(attempt: AttemptView) -> AttemptView:
    return replace(attempt, error=masked(attempt.error), trace=masked(attempt.trace))
