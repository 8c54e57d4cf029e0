"""What is expected and does not exist."""

from typing import Annotated, Any

from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import QueryParameter

from handfast.edge.api.gaps import GapMaps, Gaps, Repaired, gaps_for_viewers, maps_for_viewers
from handfast.edge.http.changes import actor_of
from handfast.edge.http.policies import OPERATOR, OPTIONAL, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import (
    INVALID,
    Limit,
    text_parameter,
)
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.gaps.listing import list_gaps
from handfast.engine.gaps.mapping import CellSize, map_gaps
from handfast.engine.gaps.repair import REPAIR, repair_gaps
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.system import System
from handfast.facade import Handfast

_UNKNOWN = {404: problem_spec("Nothing is expected under that name")}
_BROKEN = {500: problem_spec("The query of the expectation that was named is wrong")}

Name = Annotated[str | None, text_parameter("Only this expectation.")]


@policy(OPERATOR, viewer=gaps_for_viewers)
@get(
    "/gaps",
    summary="List gaps",
    operation_id="adminGaps",
    responses=INVALID | _UNKNOWN | _BROKEN,
)
async def gaps(state: State, name: Name = None, limit: Limit = 100) -> Gaps:
    """What the football pipeline and the program of this process expect, with all counts and the
    first gaps of each. One whose query fails has its `error`, and the others are answered."""
    system: System = state.system
    expectations, _ = declared(state)
    return Gaps(await list_gaps(system.database, expectations, name=name, limit=limit))


@policy(OPERATOR, viewer=maps_for_viewers)
@get(
    "/gaps/map",
    summary="Expected against actual",
    operation_id="adminGapMap",
    responses=INVALID | _UNKNOWN | _BROKEN,
)
async def gap_map(
    state: State,
    name: Name = None,
    by: Annotated[CellSize, QueryParameter(description="How long a cell is.")] = CellSize.HOUR,
) -> GapMaps:
    """For each expectation and hour or day of its window: what was due, what is there, what lacks,
    what is a dead letter. One whose query fails has its `error`, and the others are answered."""
    system: System = state.system
    expectations, _ = declared(state)
    return GapMaps(await map_gaps(system.database, expectations, name=name, by=by))


@policy(OPERATOR, key=OPTIONAL, audit=REPAIR)
@post(
    "/gaps/repair",
    summary="Repair gaps",
    operation_id="adminGapsRepair",
    status_code=200,
    responses=INVALID | _UNKNOWN,
)
async def repair(request: Request[Any, Any, State], state: State, name: Name = None) -> Repaired:
    """What the hourly repair does, now. Safe to call at any time, and twice."""
    system: System = state.system
    expectations, kinds = declared(state)
    return Repaired(
        await repair_gaps(system.database, expectations, kinds, name=name, by=actor_of(request))
    )


def declared(state: State) -> tuple[Expectations, Kinds]:
    """What the program of this process and the capabilities expect, and its kinds."""
    system: System = state.system
    program: Handfast = state.program or Handfast()
    return program.expected_in(system), program.kinds


HANDLERS: list[Any] = [gaps, gap_map, repair]
