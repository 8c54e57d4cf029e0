"""Lanes, kinds and schedules that are paused."""

from typing import Any

from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import JSONBody

from handfast.edge.api.pauses import BeginPause, EndPause, PauseChanged, Pauses, pauses_for_viewers
from handfast.edge.http.changes import actor_of, changing
from handfast.edge.http.policies import OPERATOR, OPTIONAL, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.engine.operating.pauses import list_pauses, pause, resume
from handfast.engine.system import System

_UNKNOWN = {404: problem_spec("There is no schedule of that name")}


@policy(OPERATOR, viewer=pauses_for_viewers)
@get("/pauses", summary="What is paused", operation_id="adminPauses")
async def pauses(state: State) -> Pauses:
    """Lanes, kinds and schedules, with who paused them, when and why."""
    system: System = state.system
    async with system.database.connection() as connection:
        return Pauses(await list_pauses(connection))


@policy(OPERATOR, key=OPTIONAL, audit="pause.begin")
@post(
    "/pauses",
    summary="Pause a lane, kind or schedule",
    operation_id="adminPause",
    status_code=200,
    responses=INVALID | _UNKNOWN,
)
async def begin(request: Request[Any, Any, State], data: JSONBody[BeginPause]) -> PauseChanged:
    """Nothing of it begins from now on; what runs goes on. It holds until it is resumed, whatever
    is restarted. Who pauses what is paused changes nothing."""
    async with changing(request, reason=data.reason) as change:
        by = actor_of(request).name
        done = await pause(change.tx, data.what, data.name, by=by, reason=data.reason)
        change.about(*([f"{data.what}:{data.name}"] if done else []))
        return PauseChanged(done, await list_pauses(change.tx))


@policy(OPERATOR, key=OPTIONAL, audit="pause.end")
@post(
    "/pauses/resume",
    summary="Resume a lane, kind or schedule",
    operation_id="adminResume",
    status_code=200,
    responses=INVALID | _UNKNOWN,
)
async def end(request: Request[Any, Any, State], data: JSONBody[EndPause]) -> PauseChanged:
    """What waits is begun at once."""
    async with changing(request) as change:
        done = await resume(change.tx, data.what, data.name, catch_up=data.catch_up)
        change.about(*([f"{data.what}:{data.name}"] if done else []))
        return PauseChanged(done, await list_pauses(change.tx))


HANDLERS: list[Any] = [pauses, begin, end]
