"""Dead letters."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any

from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, QueryParameter

from handfast.base.pages import CURSOR_LENGTH_MAX, CURSOR_PATTERN
from handfast.edge.api.dead_letters import (
    Discard,
    Discarded,
    Requeue,
    Requeued,
    dead_letters_for_viewers,
)
from handfast.edge.http.changes import actor_of, changing
from handfast.edge.http.policies import OPERATOR, OPTIONAL, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import (
    INVALID,
    NO_SUCH_PLACE,
    Limit,
    text_parameter,
)
from handfast.engine.operating import dead_letters
from handfast.engine.operating.audit import jobs as subjects
from handfast.engine.operating.dead_letters import DeadFilter, DeadPage, list_dead
from handfast.engine.system import System

_MATCHES_ALL = {422: problem_spec("A text of the filter is empty, which would match everything")}


@policy(OPERATOR, viewer=dead_letters_for_viewers)
@get(
    "/dead",
    summary="List dead letters",
    operation_id="adminDead",
    responses=INVALID | NO_SUCH_PLACE,
)
async def dead(
    state: State,
    *,
    kind: Annotated[str | None, text_parameter("Only this kind.")] = None,
    lane: Annotated[str | None, text_parameter("Only this lane.")] = None,
    error_class: Annotated[str | None, text_parameter("Such as logic.", "errorClass")] = None,
    text: Annotated[str | None, text_parameter("In the error, or beginning the key.")] = None,
    since: Annotated[
        datetime | float | None,
        QueryParameter(description="Died then or later: an instant, or seconds since 1970."),
    ] = None,
    after: Annotated[
        str | None,
        QueryParameter(
            max_length=CURSOR_LENGTH_MAX,
            pattern=CURSOR_PATTERN,
            description="The `next` of the page before.",
        ),
    ] = None,
    limit: Limit = 100,
) -> DeadPage:
    """Newest first. `GET /admin/jobs/{id}` shows one whole."""
    system: System = state.system
    where = DeadFilter(kind, lane, error_class, text, since)
    async with system.database.connection() as connection:
        return await list_dead(connection, where, after=after, limit=limit)


@policy(OPERATOR, key=OPTIONAL, audit=dead_letters.REQUEUE)
@post(
    "/dead/requeue",
    summary="Requeue dead letters",
    operation_id="adminDeadRequeue",
    status_code=200,
    responses=INVALID | _MATCHES_ALL,
)
async def requeue(
    request: Request[Any, Any, State],
    state: State,
    data: JSONBody[Requeue],
) -> Requeued:
    """The same jobs again, never new ones. What matches is put back in pages, each of which counts
    as soon as it is done."""
    system: System = state.system
    if data.filter is not None:
        dead_letters.refuse_empty(data.filter)
    async with changing(request, apart=data.filter is not None) as change:
        named = await dead_letters.requeue(change.tx, data.ids)
        change.about(*subjects(named))
    if data.filter is None:
        return Requeued(len(named))
    pages = dead_letters.requeue_matching(system.database, data.filter, by=actor_of(request))
    return Requeued(len(named) + await _sum(pages))


@policy(OPERATOR, key=OPTIONAL, audit=dead_letters.DISCARD)
@post(
    "/dead/discard",
    summary="Discard dead letters",
    operation_id="adminDeadDiscard",
    status_code=200,
    responses=INVALID | _MATCHES_ALL,
)
async def discard(
    request: Request[Any, Any, State],
    state: State,
    data: JSONBody[Discard],
) -> Discarded:
    """They leave the list and stay dead; the reason is kept."""
    system: System = state.system
    if data.filter is not None:
        dead_letters.refuse_empty(data.filter)
    async with changing(request, reason=data.reason, apart=data.filter is not None) as change:
        named = await dead_letters.discard(change.tx, data.ids, data.reason)
        change.about(*subjects(named))
    if data.filter is None:
        return Discarded(len(named))
    pages = dead_letters.discard_matching(
        system.database, data.filter, data.reason, by=actor_of(request)
    )
    return Discarded(len(named) + await _sum(pages))


async def _sum(pages: AsyncIterator[int]) -> int:
    return sum([count async for count in pages])


HANDLERS: list[Any] = [dead, requeue, discard]
