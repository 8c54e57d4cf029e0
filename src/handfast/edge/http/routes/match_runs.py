"""Match runs over HTTP: for anybody, limited by address; the list is the operators'."""

from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Request, Response, Router, get, post
from litestar.datastructures import State
from litestar.params import HeaderParameter, JSONBody, PathParameter, QueryParameter
from litestar.response import ServerSentEvent, ServerSentEventMessage

from handfast.apps.runs.matches import PAGE_MAX, get_matches
from handfast.apps.runs.records import MatchRun, get_run, list_runs, start_run
from handfast.apps.runs.watch import Watch
from handfast.edge.http.auth import operator_only
from handfast.edge.http.bodies import RUN_BODY_BYTES_MAX
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import (
    ADMIN_PROBLEMS,
    INVALID,
    KEY_CONFLICT,
    NO_KEY,
    NO_NUL,
    IdempotencyKey,
    Limit,
)
from handfast.edge.http.routes.match_run_views import (
    RunsView,
    RunView,
    RunWithMatches,
    run_view,
    run_with_matches,
    runs_view,
)
from handfast.services.idempotency import transaction
from handfast.wiring import System

SILENCE_SECONDS = 15
RETRY_MILLISECONDS = 2000  # how long a browser waits before it connects again

BUSY = {
    429: problem_spec("Too many requests came from this address"),
    503: problem_spec("The database cannot be reached, or does not fit"),
}
BAD_URL = {422: problem_spec("That cannot be the URL of a startup: the detail says why")}
NO_SUCH_RUN = {404: problem_spec("There is no such run, or it is too old")}
RETIRED = {410: problem_spec("The run's version of the corpus is no longer kept: run it again")}

RunId = Annotated[UUID, PathParameter(description="The run's id.")]


class RunRequest(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The address of a startup's site; `fresh` wants a new run even if a ready one would do."""

    url: Annotated[str, msgspec.Meta(description="For example https://acme.com")]
    fresh: bool = False


@post(
    "/run",
    summary="Start a match run",
    operation_id="matchRunStart",
    status_code=202,
    request_max_body_size=RUN_BODY_BYTES_MAX,
    responses=INVALID | BAD_URL | KEY_CONFLICT | BUSY,
)
async def start(
    request: Request[Any, Any, State],
    data: JSONBody[RunRequest],
    idempotency_key: IdempotencyKey = NO_KEY,
) -> Response[RunView]:
    """However often it is asked for, in whatever spelling, there is one run for an address: 202
    with the one under way or a new one, 200 with one that has answered. A ready run answers again
    until the corpus changes, a day has passed, or `fresh` is asked for; one that found no such
    startup, until the corpus or the aliases change."""
    system: System = request.app.state.system
    if idempotency_key:
        async with transaction(request) as tx:
            run: MatchRun = await start_run(tx, data.url, fresh=data.fresh)
    else:
        async with system.database.connection() as connection:
            run = await start_run(connection, data.url, fresh=data.fresh)
    return Response(
        run_view(run),
        status_code=200 if run.ended else 202,
        headers={"Location": f"/api/match/run/{run.run_id}"},
    )


@get(
    "/run/{run_id:uuid}",
    summary="A match run, and its matches when it is ready",
    operation_id="matchRun",
    responses=INVALID | NO_SUCH_RUN | RETIRED | BAD_URL | BUSY,
)
async def show(
    state: State,
    run_id: RunId,
    after: Annotated[
        str | None,
        QueryParameter(
            max_length=2000, pattern=NO_NUL, description="The `next` of the page before."
        ),
    ] = None,
    limit: Annotated[
        int, QueryParameter(ge=1, le=PAGE_MAX, description="At most so many matches.")
    ] = PAGE_MAX,
) -> RunWithMatches:
    """The best first, each with its reasons. Pages are stable: they come from the version of the
    corpus that the run was made with, whatever is current by now."""
    system: System = state.system
    async with system.database.connection() as connection:
        run = await get_run(connection, run_id)
        if run.status != "ready":
            return run_with_matches(run)
        page = await get_matches(connection, run, after=after, limit=limit)
    return run_with_matches(run, page)


@get(
    "/run/{run_id:uuid}/events",
    summary="A match run as it goes",
    operation_id="matchRunEvents",
    media_type="text/event-stream",
    responses=INVALID | NO_SUCH_RUN | BUSY,
)
async def events(
    state: State,
    run_id: RunId,
    last_event_id: Annotated[
        str | None,
        HeaderParameter(
            name="Last-Event-ID",
            max_length=100,
            pattern=NO_NUL,
            description="What a browser sends when it connects again.",
        ),
    ] = None,
) -> ServerSentEvent:
    """Server-sent events named `run`: the run as it is now, then each change, and the end. Connect
    again whenever you like: it begins with the present state. Whoever has seen the end already is
    answered 204, which tells a browser to stop connecting."""
    system: System = state.system
    async with system.database.connection() as connection:
        run = await get_run(connection, run_id)
    if run.ended and last_event_id == _event_id(run):
        return ServerSentEvent(_nothing(), status_code=204)
    return ServerSentEvent(_messages(state, run))


async def _messages(state: State, run: MatchRun) -> AsyncIterator[ServerSentEventMessage]:
    watch: Watch = state.watch
    silent = 0
    async for changed in watch.follow(run, silence=1.0):
        if state.stopping.is_set():
            return
        if changed is None:
            silent += 1
            if silent % SILENCE_SECONDS == 0:  # or a proxy between takes it for dead
                yield ServerSentEventMessage(data=None, comment="still here")
            continue
        yield ServerSentEventMessage(
            data=msgspec.json.encode(run_view(changed)).decode(),
            event="run",
            id=_event_id(changed),
            retry=RETRY_MILLISECONDS,
        )


async def _nothing() -> AsyncIterator[ServerSentEventMessage]:
    return
    yield


@get(
    "/runs",
    summary="Match runs, the newest first",
    operation_id="matchRuns",
    guards=[operator_only],
    security=[{"operator": []}],
    responses=ADMIN_PROBLEMS | INVALID,
)
async def runs(
    state: State,
    after: Annotated[
        UUID | None, QueryParameter(description="The `next` of the page before.")
    ] = None,
    limit: Limit = 100,
) -> RunsView:
    """With who works on each, and until when it is theirs. For operators."""
    system: System = state.system
    async with system.database.connection() as connection:
        return runs_view(await list_runs(connection, after=after, limit=limit))


def _event_id(run: MatchRun) -> str:
    return f"{run.status}.{run.step}"


router: Any = Router(
    path="/api/match", route_handlers=[start, show, events, runs], tags=["match runs"]
)
