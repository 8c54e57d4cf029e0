"""Why a job does not run, and one identity whole."""

from typing import Annotated, Any

from litestar import get
from litestar.datastructures import State
from litestar.params import QueryParameter
from msgspec.structs import replace

from handfast.base.errors import InvalidRequest
from handfast.edge.api.bounds import ID_MAX
from handfast.edge.api.identities import JobWhy, identity_for_viewers, why_for_viewers
from handfast.edge.http.policies import OPERATOR, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_jobs import without_pruned
from handfast.edge.http.routes.admin_problems import INVALID, NO_SUCH_JOB, JobId, text_parameter
from handfast.engine.operating.identity_view import IdentityView, view_identity
from handfast.engine.operating.jobs_view import id_of
from handfast.engine.operating.why import why
from handfast.engine.system import System

NOT_NAMED = {422: problem_spec("Which job is not said")}


@policy(OPERATOR, viewer=why_for_viewers)
@get(
    "/jobs/{job_id:int}/why",
    summary="Why a job does not run",
    operation_id="adminJobWhy",
    responses=INVALID | NO_SUCH_JOB,
)
async def job_why(state: State, job_id: JobId) -> JobWhy:
    """What it waits for, when it is due, whether its group is full, its lane or kind is paused or
    has no worker, or its worker was lost. Every reason that holds now, the first to deal with
    first."""
    system: System = state.system
    async with system.database.connection() as connection:
        return JobWhy(job_id, await why(connection, job_id))


@policy(OPERATOR, viewer=identity_for_viewers)
@get(
    "/identity",
    summary="One identity whole",
    operation_id="adminIdentity",
    responses=INVALID | NO_SUCH_JOB | NOT_NAMED,
)
async def identity(
    state: State,
    *,
    job: Annotated[
        int | None, QueryParameter(ge=1, le=ID_MAX, description="The job's id; or name it:")
    ] = None,
    kind: Annotated[str | None, text_parameter("The job's kind, with its key.")] = None,
    key: Annotated[str | None, text_parameter("The job's key.")] = None,
) -> IdentityView:
    """The job with its attempts and their traces, its chain, why it does not run, its events, what
    was sent of them, and its run, fixture, delivery or money."""
    system: System = state.system
    async with system.database.connection() as connection:
        if job is None and (kind is None or key is None):
            raise InvalidRequest(
                "Which job is not said.", hint="Name it by its id (job), or by its kind and key."
            )
        job_id = job if job is not None else await id_of(connection, kind or "", key or "")
        view = await view_identity(connection, system.capabilities, job_id)
    return replace(view, job=without_pruned(view.job))


HANDLERS: list[Any] = [job_why, identity]
