"""Match runs and the corpus, for operators: one run's steps, and every version with the guardian's
verdict."""

from typing import Annotated, Any
from uuid import UUID

from litestar import get
from litestar.datastructures import State
from litestar.params import PathParameter

from handfast.apps.runs.corpus.versions.versions import list_versions
from handfast.apps.runs.records import debug_run, get_run
from handfast.edge.api.runs import (
    CorpusVersions,
    RunTold,
    corpus_for_viewers,
    corpus_versions,
    run_for_viewers,
    run_told,
)
from handfast.edge.http.policies import OPERATOR, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID, Limit
from handfast.engine.system import System

NO_SUCH_RUN = {404: problem_spec("There is no such run")}


@policy(OPERATOR, viewer=run_for_viewers)
@get(
    "/admin/runs/{run_id:uuid}",
    summary="One run with its steps",
    operation_id="adminRun",
    responses=INVALID | NO_SUCH_RUN,
)
async def run(
    state: State, run_id: Annotated[UUID, PathParameter(description="The run's id.")]
) -> RunTold:
    """Each step of each attempt with how long it took, its job, and the attempts that have
    ended."""
    system: System = state.system
    async with system.database.connection() as connection:
        found = await get_run(connection, run_id)
        return run_told(found, await debug_run(connection, run_id))


@policy(OPERATOR, viewer=corpus_for_viewers)
@get(
    "/admin/corpus/versions",
    summary="Versions of the corpus",
    operation_id="adminCorpusVersions",
    responses=INVALID,
)
async def versions(state: State, limit: Limit = 50) -> CorpusVersions:
    """The newest first, each with what the guardian found."""
    system: System = state.system
    async with system.database.connection() as connection:
        return corpus_versions(await list_versions(connection, limit))


HANDLERS: list[Any] = [run, versions]
