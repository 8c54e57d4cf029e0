"""Match runs over HTTP: for anybody, limited by address; the list is the operators'."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Request, Response, Router, get, post
from litestar.datastructures import State
from litestar.params import HeaderParameter, JSONBody, PathParameter, QueryParameter
from litestar.response import ServerSentEvent, ServerSentEventMessage

from handfast.apps.runs.matches import PAGE_MAX, get_matches
from handfast.apps.runs.records import (
    KEPT,
    MatchRun,
    get_run,
    list_runs,
    runs_by_startup,
    start_run,
)
from handfast.apps.runs.settings import RunsSettings
from handfast.apps.runs.watch import Watch
from handfast.base.text import NO_NUL
from handfast.edge.api.runs import (
    RunRequest,
    RunsByStartup,
    RunsView,
    RunView,
    RunWithMatches,
    run_view,
    run_with_matches,
    runs_for_viewers,
    runs_view,
)
from handfast.edge.api.viewing import as_it_is
from handfast.edge.http import pages
from handfast.edge.http.policies import (
    ANYONE,
    KIB,
    OPERATOR,
    OPTIONAL,
    RouteLimit,
    policy,
)
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes import match_runs_admin
from handfast.edge.http.routes.admin_problems import (
    INVALID,
    NO_KEY,
    IdempotencyKey,
    Limit,
)
from handfast.engine.system import System
from handfast.services.idempotency import transaction

SILENCE_SECONDS = 15
RETRY_MILLISECONDS = 2000  # how long a browser waits before it connects again

# Match runs are for anybody. Against load, not against guessing: not durable.
STARTED = RouteLimit(
    "match-runs",
    lambda settings: settings.of(RunsSettings).match_run_limit,
    timedelta(minutes=1),
    durable=False,
)
READS = 10  # a run is read more often than started: a browser that polls asks every two seconds
READ = RouteLimit(
    "match-run-reads",
    lambda settings: settings.of(RunsSettings).match_run_limit * READS,
    timedelta(minutes=1),
    durable=False,
)

BAD_URL = {422: problem_spec("That cannot be the URL of a startup: the detail says why")}
NO_SUCH_RUN = {404: problem_spec("There is no such run, or it is too old")}
RETIRED = {410: problem_spec("The run's version of the corpus is no longer kept: run it again")}

RunId = Annotated[UUID, PathParameter(description="The run's id.")]


@policy(ANYONE, key=OPTIONAL, limits=[STARTED], body=16 * KIB)  # one address
@post(
    "/run",
    summary="Start a match run",
    operation_id="matchRunStart",
    status_code=202,
    responses=INVALID | BAD_URL,
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


@policy(ANYONE, limits=[READ])
@get(
    "/run/{run_id:uuid}",
    summary="A match run, and its matches when it is ready",
    operation_id="matchRun",
    responses=INVALID | NO_SUCH_RUN | RETIRED | BAD_URL,
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


@policy(ANYONE, limits=[READ])
@get(
    "/run/{run_id:uuid}/events",
    summary="A match run as it goes",
    operation_id="matchRunEvents",
    media_type="text/event-stream",
    responses=INVALID | NO_SUCH_RUN,
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
    watch: Watch = state.shared["runs"]
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


@policy(OPERATOR, viewer=runs_for_viewers)
@get(
    "/runs",
    summary="Match runs, the newest first",
    operation_id="matchRuns",
    responses=INVALID,
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


@policy(OPERATOR, viewer=as_it_is)
@get(
    "/startups",
    summary="Runs by startup",
    operation_id="matchRunsByStartup",
    responses=INVALID,
)
async def startups(
    state: State,
    *,
    days: Annotated[int, QueryParameter(ge=1, le=KEPT.days, description="So many days back.")] = 1,
    limit: Limit = 100,
) -> RunsByStartup:
    """For operators: how many runs there were of each startup, the busiest first. From a bounded
    number of the newest runs; `atLeast` says when there were more."""
    system: System = state.system
    async with system.database.connection() as connection:
        return RunsByStartup(await runs_by_startup(connection, days=days, limit=limit))


_api: Any = Router(
    path="/api/match", route_handlers=[start, show, events, runs, startups], tags=["match runs"]
)
router: Any = Router(path="/", route_handlers=[_api, *match_runs_admin.HANDLERS, pages.match])
