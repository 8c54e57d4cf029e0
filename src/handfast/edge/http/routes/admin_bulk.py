"""One action on all that match: counted, asked for, watched, undone."""

from datetime import datetime
from typing import Annotated, Any

from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.edge.api.bounds import ID_MAX
from handfast.edge.api.bulk import AskBulk, bulk_for_viewers, bulk_page_for_viewers
from handfast.edge.api.viewing import as_it_is
from handfast.edge.http.changes import actor_of, changing
from handfast.edge.http.policies import OPERATOR, OPTIONAL, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_gaps import declared
from handfast.edge.http.routes.admin_problems import INVALID, Limit, text_parameter
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.bulk.records import (
    BulkPage,
    BulkView,
    Preview,
    ask,
    get_bulk,
    list_bulk,
    preview,
    undo,
)
from handfast.engine.operating.bulk.request import BulkAction, BulkFilter, BulkRequest
from handfast.engine.system import System

_UNKNOWN = {404: problem_spec("There is no such bulk action")}
_NO_EXPECTATION = {404: problem_spec("Nothing is expected under that name")}
_NOT_SO = {422: problem_spec("The action cannot be narrowed like that, or by nothing at all")}
_NOTHING = {409: problem_spec("Nothing matches")}
_TOO_LATE = {409: problem_spec("It has begun: it is too late to undo it")}

BulkId = Annotated[int, PathParameter(ge=1, le=ID_MAX, description="Of the bulk action.")]


@policy(OPERATOR, viewer=as_it_is)
@get(
    "/bulk/preview",
    summary="How many match",
    operation_id="adminBulkPreview",
    responses=INVALID | _NO_EXPECTATION | _NOT_SO,
)
async def count(
    state: State,
    *,
    action: Annotated[
        BulkAction, QueryParameter(description="What would be done to them.")
    ] = BulkAction.REQUEUE,
    kind: Annotated[str | None, text_parameter("Only this kind.")] = None,
    lane: Annotated[str | None, text_parameter("Only this lane.")] = None,
    job_state: Annotated[
        JobState | None, QueryParameter(name="state", description="Only jobs in this state.")
    ] = None,
    key: Annotated[str | None, text_parameter("Only keys that begin so.")] = None,
    error_class: Annotated[str | None, text_parameter("Such as logic.", "errorClass")] = None,
    text: Annotated[str | None, text_parameter("In the error, or beginning the key.")] = None,
    since: Annotated[
        datetime | float | None,
        QueryParameter(description="Died then or later: an instant, or seconds since 1970."),
    ] = None,
    expectation: Annotated[str | None, text_parameter("Only gaps of this expectation.")] = None,
) -> Preview:
    """By one bounded scan: where it did not see everything, `atLeast` says so."""
    system: System = state.system
    where = BulkFilter(kind, lane, job_state, key, error_class, text, since, expectation)
    expectations, _ = declared(state)
    return await preview(system.database, BulkRequest(action, where), expectations)


@policy(OPERATOR, key=OPTIONAL, audit="bulk.ask")
@post(
    "/bulk",
    summary="Do it to all that match",
    operation_id="adminBulkAsk",
    status_code=201,
    responses=INVALID | _NO_EXPECTATION | _NOTHING | _NOT_SO,
)
async def begin(
    request: Request[Any, Any, State], state: State, data: JSONBody[AskBulk]
) -> BulkView:
    """Retry, cancel, requeue, discard, revive or repair, as a durable job that begins in half a
    minute and can be undone until then. What comes to be after this is not meant."""
    system: System = state.system
    asked = BulkRequest(data.action, data.filter)
    expectations, _ = declared(state)
    counted = await preview(system.database, asked, expectations)
    async with changing(request, reason=data.reason) as change:
        made = await ask(
            change.tx,
            asked,
            counted,
            by=actor_of(request),
            reason=data.reason,
            everything=data.everything,
        )
        change.about(f"bulk:{made.id}")
        return made


@policy(OPERATOR, viewer=bulk_page_for_viewers)
@get("/bulk", summary="List bulk actions", operation_id="adminBulkActions", responses=INVALID)
async def actions(
    state: State,
    *,
    after: Annotated[
        int | None, QueryParameter(ge=1, le=ID_MAX, description="The `next` of the page before.")
    ] = None,
    limit: Limit = 100,
) -> BulkPage:
    """The newest first, with how far each is."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await list_bulk(connection, after=after, limit=limit)


@policy(OPERATOR, viewer=bulk_for_viewers)
@get(
    "/bulk/{bulk_id:int}",
    summary="One bulk action",
    operation_id="adminBulkAction",
    responses=INVALID | _UNKNOWN,
)
async def action(state: State, bulk_id: BulkId) -> BulkView:
    system: System = state.system
    async with system.database.connection() as connection:
        return await get_bulk(connection, bulk_id)


@policy(OPERATOR, key=OPTIONAL, audit="bulk.undo")
@post(
    "/bulk/{bulk_id:int}/undo",
    summary="Undo a bulk action",
    operation_id="adminBulkUndo",
    status_code=200,
    responses=INVALID | _UNKNOWN | _TOO_LATE,
)
async def take_back(request: Request[Any, Any, State], bulk_id: BulkId) -> BulkView:
    """While it waits. What has begun is stopped by cancelling its job; what was done stays done."""
    async with changing(request, f"bulk:{bulk_id}") as change:
        return await undo(change.tx, bulk_id, by=actor_of(request))


HANDLERS: list[Any] = [count, begin, actions, action, take_back]
