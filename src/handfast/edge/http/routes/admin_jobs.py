"""Jobs, one by one and in lists."""

from typing import Annotated, Any

import msgspec
from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import QueryParameter

from handfast.base.errors import Conflict
from handfast.edge.api.bounds import ID_MAX
from handfast.edge.api.jobs import JobChanged, job_for_viewers, jobs_for_viewers
from handfast.edge.http.changes import changing
from handfast.edge.http.policies import OPERATOR, OPTIONAL, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import (
    CONFLICT,
    INVALID,
    NO_SUCH_JOB,
    JobId,
    Limit,
    text_parameter,
)
from handfast.engine.jobs.enqueue import PRUNED
from handfast.engine.jobs.states import JobState
from handfast.engine.operating import operations
from handfast.engine.operating.jobs_view import JobDetail, JobFilter, JobPage, get_job, list_jobs
from handfast.engine.system import System

NO_PAYLOAD = {422: problem_spec("Its history has been dropped, and its payload with it")}


@policy(OPERATOR, viewer=jobs_for_viewers)
@get(
    "/jobs",
    summary="List jobs",
    operation_id="adminJobs",
    responses=INVALID,
)
async def jobs(
    state: State,
    *,
    kind: Annotated[str | None, text_parameter("Only this kind, in the order of keys.")] = None,
    lane: Annotated[str | None, text_parameter("Only live jobs of this lane.")] = None,
    job_state: Annotated[
        JobState | None, QueryParameter(name="state", description="Only jobs in this state.")
    ] = None,
    key: Annotated[str | None, text_parameter("Only keys that begin so.")] = None,
    after: Annotated[
        int | None, QueryParameter(ge=1, le=ID_MAX, description="The `next` of the page before.")
    ] = None,
    limit: Limit = 100,
) -> JobPage:
    """Newest first; by kind or key in the order of keys.

    A page looks at a bounded number of jobs: it may be short, even empty, and still have a `next`.
    The last page has none. The lane is known of live jobs only.
    """
    system: System = state.system
    where = JobFilter(kind=kind, lane=lane, state=job_state, key=key)
    async with system.database.connection() as connection:
        return await list_jobs(connection, where, after=after, limit=limit)


@policy(OPERATOR, viewer=job_for_viewers)
@get(
    "/jobs/{job_id:int}",
    summary="One job whole",
    operation_id="adminJob",
    responses=INVALID | NO_SUCH_JOB,
)
async def job(state: State, job_id: JobId) -> JobDetail:
    """Payload, progress, prerequisites, who waits for it, every attempt, the result. `pruned` says
    that the history, and with it payload and result, has been dropped."""
    system: System = state.system
    async with system.database.connection() as connection:
        return without_pruned(await get_job(connection, job_id))


def without_pruned(job: JobDetail) -> JobDetail:
    """As JSON can say it: ``pruned`` tells it, and there is no result."""
    return msgspec.structs.replace(job, result=None) if job.result is PRUNED else job


@policy(OPERATOR, key=OPTIONAL, audit="job.retry")
@post(
    "/jobs/{job_id:int}/retry",
    summary="Run a job now",
    operation_id="adminJobRetry",
    status_code=200,
    responses=INVALID | NO_SUCH_JOB | CONFLICT,
)
async def retry(request: Request[Any, Any, State], job_id: JobId) -> JobChanged:
    """A dead letter is requeued, a scheduled job does not wait for its time."""
    async with changing(request, f"job:{job_id}") as change:
        return JobChanged(job_id, await operations.retry(change.tx, job_id))


@policy(OPERATOR, key=OPTIONAL, audit="job.cancel")
@post(
    "/jobs/{job_id:int}/cancel",
    summary="Cancel a job",
    operation_id="adminJobCancel",
    status_code=200,
    responses=INVALID | NO_SUCH_JOB | CONFLICT,
)
async def cancel(
    request: Request[Any, Any, State],
    job_id: JobId,
    reason: Annotated[str, text_parameter("Why; kept with the job.")] = operations.REASON,
) -> JobChanged:
    """A waiting job is cancelled at once, a running one at its worker's next heartbeat."""
    async with changing(request, f"job:{job_id}", reason=reason) as change:
        return JobChanged(job_id, await operations.cancel(change.tx, job_id, reason))


@policy(OPERATOR, key=OPTIONAL, audit="job.revive")
@post(
    "/jobs/{job_id:int}/revive",
    summary="Run an ended job again",
    operation_id="adminJobRevive",
    status_code=200,
    responses=INVALID | NO_SUCH_JOB | CONFLICT | NO_PAYLOAD,
)
async def revive(request: Request[Any, Any, State], job_id: JobId) -> JobChanged:
    """One that has succeeded, was cancelled or was skipped, under its own identity, now."""
    async with changing(request, f"job:{job_id}") as change:
        before = await get_job(change.tx, job_id)
        if not await operations.revive(change.tx, job_id):
            raise Conflict(
                f"Job {job_id} is {before.state}.",
                hint="A dead letter is requeued: POST /admin/jobs/{id}/retry. What has not ended "
                "needs no reviving.",
            )
        return JobChanged(job_id, (await get_job(change.tx, job_id)).state)


HANDLERS: list[Any] = [jobs, job, retry, cancel, revive]
