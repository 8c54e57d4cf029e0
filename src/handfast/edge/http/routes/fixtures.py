"""Fixtures over HTTP, for operators: bring them, list them, look at one."""

import asyncio
from datetime import datetime
from typing import Annotated, Any

from litestar import Request, Router, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.apps.fixtures.answers import FixtureDetail, FixtureFilter, FixturePage
from handfast.apps.fixtures.competitions.team_names import read_stored_facts
from handfast.apps.fixtures.formats.posted import read_posted
from handfast.apps.fixtures.ingest.ingest import INGEST, IngestReport, store
from handfast.apps.fixtures.values import Status
from handfast.apps.fixtures.views import get_fixture, list_fixtures
from handfast.base.text import NO_NUL
from handfast.edge.api.bounds import ID_MAX
from handfast.edge.api.fixtures import (
    NewFixtures,
    fixture_for_viewers,
    fixtures_for_viewers,
)
from handfast.edge.http.changes import changing
from handfast.edge.http.policies import KIB, OPERATOR, OPTIONAL, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import (
    INVALID,
    Limit,
    text_parameter,
)
from handfast.engine.operating.dead_letters import as_instant
from handfast.engine.system import System

FIXTURES_BYTES_MAX = 10 * 1024 * KIB  # twenty thousand fixtures, with room to spare

NOT_USABLE = {422: problem_spec("It can be read, but not done: the detail says why")}
NO_SUCH_FIXTURE = {404: problem_spec("There is no such fixture")}
NO_SUCH_TEAM = {404: problem_spec("No team is called so")}

FixtureId = Annotated[int, PathParameter(ge=1, le=ID_MAX, description="The fixture's id.")]


@policy(OPERATOR, key=OPTIONAL, body=FIXTURES_BYTES_MAX, audit=INGEST)
@post(
    "",
    summary="Bring fixtures",
    operation_id="fixturesIngest",
    status_code=200,
    responses=INVALID | NOT_USABLE,
)
async def bring(request: Request[Any, Any, State], data: JSONBody[NewFixtures]) -> IngestReport:
    """Stores fixtures and plans what they lack, all in one transaction; known ones by their
    `externalId` or, without one, by competition, season, home and away. What cannot be used is in
    `rejects` with its place and the reason; everything else is done. Sent again, it changes
    nothing."""
    async with changing(request, f"fixtures:{data.source}") as change:
        facts = await read_stored_facts(change.tx, hold=True)
        # Thousands of them take a while, in which others want to be answered too.
        reading = await asyncio.to_thread(
            read_posted, data.fixtures, data.competitions, data.source, facts
        )
        report = IngestReport(documents=1)
        report.add(reading, await store(change.tx, reading))
        return report


@policy(OPERATOR, viewer=fixtures_for_viewers)
@get(
    "",
    summary="List fixtures",
    operation_id="fixtures",
    responses=INVALID | NO_SUCH_TEAM | NOT_USABLE,
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


@policy(OPERATOR, viewer=fixture_for_viewers)
@get(
    "/{fixture_id:int}",
    summary="One fixture whole",
    operation_id="fixture",
    responses=INVALID | NO_SUCH_FIXTURE,
)
async def fixture(state: State, fixture_id: FixtureId) -> FixtureDetail:
    """Its steps with their states and due times, what each has made, every decision of planning
    with its reason, and every result that was changed."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await get_fixture(connection, fixture_id)


router: Any = Router(
    path="/fixtures",
    route_handlers=[bring, fixtures, fixture],
    tags=["fixtures"],
)
