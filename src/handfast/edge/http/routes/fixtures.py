"""Fixtures over HTTP, for operators: bring them, list them, look at one. The guard is on the
router."""

import asyncio
from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import Request, Router, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.apps.fixtures.ingest import IngestReport, store
from handfast.apps.fixtures.names import known
from handfast.apps.fixtures.posted import MATCHES_MAX, PostedCompetition, PostedFixture, read_posted
from handfast.apps.fixtures.shown import FixtureDetail, FixtureFilter, FixturePage
from handfast.apps.fixtures.values import Status
from handfast.apps.fixtures.views import get_fixture, list_fixtures
from handfast.edge.http.auth import operator_only
from handfast.edge.http.bodies import FIXTURES_BODY_BYTES_MAX
from handfast.edge.http.options import options_of
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import (
    ADMIN_PROBLEMS,
    ID_MAX,
    INVALID,
    KEY_CONFLICT,
    NO_NUL,
    Limit,
    text_parameter,
)
from handfast.engine.dead_letters import as_instant
from handfast.services.idempotency import transaction
from handfast.wiring import System

NOT_USABLE = {422: problem_spec("It can be read, but not done: the detail says why")}
NO_SUCH_FIXTURE = {404: problem_spec("There is no such fixture")}
NO_SUCH_TEAM = {404: problem_spec("No team is called so")}

FixtureId = Annotated[int, PathParameter(ge=1, le=ID_MAX, description="The fixture's id.")]
Source = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=100,
        pattern=NO_NUL,
        description="Under which name your names of teams are looked up.",
    ),
]


class NewFixtures(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """Fixtures, new or known, and what is to be known of their competitions."""

    fixtures: Annotated[list[PostedFixture], msgspec.Meta(max_length=MATCHES_MAX)]
    competitions: Annotated[list[PostedCompetition], msgspec.Meta(max_length=1000)] = []
    source: Source = "api"


@post(
    "",
    summary="Bring fixtures",
    operation_id="fixturesIngest",
    status_code=200,
    request_max_body_size=FIXTURES_BODY_BYTES_MAX,
    responses=ADMIN_PROBLEMS | INVALID | NOT_USABLE | KEY_CONFLICT,
)
async def bring(request: Request[Any, Any, State], data: JSONBody[NewFixtures]) -> IngestReport:
    """Stores fixtures and plans what they lack, all in one transaction; known ones by their
    `externalId` or, without one, by competition, season, home and away. What cannot be used is in
    `rejects` with its place and the reason; everything else is done. Sent again, it changes
    nothing."""
    async with transaction(request) as tx:
        # Thousands of them take a while, in which others want to be answered too.
        reading = await asyncio.to_thread(
            read_posted, data.fixtures, data.competitions, data.source, await known(tx, hold=True)
        )
        report = IngestReport(documents=1)
        report.add(reading, await store(tx, reading))
        return report


@get(
    "",
    summary="List fixtures",
    operation_id="fixtures",
    responses=ADMIN_PROBLEMS | INVALID | NO_SUCH_TEAM | NOT_USABLE,
)
async def fixtures(
    state: State,
    *,
    competition: Annotated[str | None, text_parameter("Only this competition.")] = None,
    season: Annotated[str | None, text_parameter("Only this season, such as 2026-27.")] = None,
    team: Annotated[str | None, text_parameter("Only matches of this team.")] = None,
    status: Annotated[Status | None, QueryParameter(description="Only these.")] = None,
    since: Annotated[
        datetime | float | None,
        QueryParameter(
            name="from", description="Only kickoffs then or later: an instant, or seconds."
        ),
    ] = None,
    until: Annotated[
        datetime | float | None,
        QueryParameter(
            name="to", description="Only kickoffs before: an instant, or seconds since 1970."
        ),
    ] = None,
    untimed: Annotated[
        bool, QueryParameter(description="Only those that have no time, and are not planned.")
    ] = False,
    after: Annotated[
        str | None,
        QueryParameter(
            max_length=100, pattern=NO_NUL, description="The `next` of the page before."
        ),
    ] = None,
    limit: Limit = 100,
) -> FixturePage:
    """In the order of kickoffs, those without a time last, each with the steps of its pipeline."""
    system: System = state.system
    where = FixtureFilter(
        competition, season, team, status, as_instant(since), as_instant(until), untimed
    )
    async with system.database.connection() as connection:
        return await list_fixtures(connection, where, after=after, limit=limit)


@get(
    "/{fixture_id:int}",
    summary="One fixture whole",
    operation_id="fixture",
    responses=ADMIN_PROBLEMS | INVALID | NO_SUCH_FIXTURE,
)
async def fixture(state: State, fixture_id: FixtureId) -> FixtureDetail:
    """Its steps with their states and due times, what each has made, every decision of planning
    with its reason, and every result that was changed."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await get_fixture(connection, fixture_id)


router: Any = Router(
    path="/fixtures",
    route_handlers=[options_of("", "GET", "POST"), bring, fixtures, fixture],
    guards=[operator_only],
    tags=["fixtures"],
    security=[{"operator": []}],
)
