"""What is expected and does not exist."""

from typing import Annotated, Any

import msgspec
from litestar import get, post
from litestar.datastructures import State

from handfast.apps.fixtures.expectations import football_too
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import (
    ADMIN_PROBLEMS,
    INVALID,
    KEY_CONFLICT,
    Limit,
    text_parameter,
)
from handfast.engine.gaps import Expectations, GapReport, RepairReport, list_gaps, repair_gaps
from handfast.engine.kinds import Kinds
from handfast.facade import Handfast
from handfast.wiring import System

_UNKNOWN = {404: problem_spec("Nothing is expected under that name")}
_BROKEN = {500: problem_spec("An expectation's own query is wrong")}

Name = Annotated[str | None, text_parameter("Only this expectation.")]


class Gaps(msgspec.Struct, rename="camel"):
    expectations: list[GapReport]


class Repaired(msgspec.Struct, rename="camel"):
    expectations: list[RepairReport]


@get(
    "/gaps",
    summary="List gaps",
    operation_id="adminGaps",
    responses=ADMIN_PROBLEMS | INVALID | _UNKNOWN | _BROKEN,
)
async def gaps(state: State, name: Name = None, limit: Limit = 100) -> Gaps:
    """What the football pipeline and the program of this process expect, with all counts and the
    first gaps of each."""
    system: System = state.system
    expectations, _ = _declared(state)
    return Gaps(await list_gaps(system.database, expectations, name=name, limit=limit))


@post(
    "/gaps/repair",
    summary="Repair gaps",
    operation_id="adminGapsRepair",
    status_code=200,
    responses=ADMIN_PROBLEMS | INVALID | _UNKNOWN | KEY_CONFLICT,
)
async def repair(state: State, name: Name = None) -> Repaired:
    """What the hourly repair does, now. Safe to call at any time, and twice."""
    system: System = state.system
    expectations, kinds = _declared(state)
    return Repaired(await repair_gaps(system.database, expectations, kinds, name=name))


def _declared(state: State) -> tuple[Expectations, Kinds]:
    program: Handfast = state.program or Handfast()
    return football_too(program.expectations), program.kinds


HANDLERS: list[Any] = [gaps, repair]
