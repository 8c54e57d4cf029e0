"""``handfast fixtures``: bring them in, look at them, plan what they lack."""

import csv
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from handfast.apps.fixtures.ingest import IngestReport
from handfast.apps.fixtures.ingest import ingest as bring_in
from handfast.apps.fixtures.names import Alias, declare_alias, read_aliases
from handfast.apps.fixtures.planning import PlanReport
from handfast.apps.fixtures.planning import plan as plan_fixtures
from handfast.apps.fixtures.shown import FixtureDetail, FixtureFilter, FixturePage
from handfast.apps.fixtures.sources import Given, specs_of
from handfast.apps.fixtures.values import Status
from handfast.apps.fixtures.views import fixture_called, get_fixture, list_fixtures
from handfast.apps.fixtures.zones import ZoneChange, change_zone
from handfast.base.errors import FixtureSourceUnreadable, InvalidRequest
from handfast.base.settings import load_settings
from handfast.db.transaction import Transaction
from handfast.edge.cli.fixtures_past import backfill, score
from handfast.edge.cli.fixtures_told import (
    tell_alias,
    tell_fixture,
    tell_ingest,
    tell_page,
    tell_plan,
    tell_zone,
)
from handfast.edge.cli.jobs import on_system
from handfast.edge.cli.options import Competition, DataDir, From, Json, Limit, To
from handfast.edge.cli.output import print_json
from handfast.wiring import System

REJECTED_EXIT_CODE = 1
UNDER_WAY = timedelta(hours=3)  # what began since is shown with what is to come

app = App(name="fixtures", help="Fixtures: ingest them, list and show them, plan what they lack.")
app.command(backfill)
app.command(score)


@app.command
def ingest(
    *sources: Annotated[
        str,
        Parameter(
            help="Files, folders and addresses of football.json or CSV (also that of "
            "football-data.co.uk); without any, those of "
            "HANDFAST_FIXTURES_SOURCES."
        ),
    ],
    competition: Annotated[
        str | None,
        Parameter(help="The competition, if the source does not say, or only by a code (Div)."),
    ] = None,
    season: Annotated[str | None, Parameter(help="The season, such as 2026-27.")] = None,
    zone: Annotated[
        str | None,
        Parameter(help="The zone of competitions that have none; one that is known stays."),
    ] = None,
    source: Annotated[
        str | None, Parameter(help="Under which name the names of teams are looked up.")
    ] = None,
    rejects: Annotated[
        Path | None, Parameter(help="Write everything that was not taken to this CSV.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> int:
    """Read fixtures, store what is new or changed, and plan what they lack.

    Run it as often as you like: what is known already changes nothing. What cannot be used is
    listed with its place and the reason, and everything else is done; then it exits with 1.
    """
    settings = load_settings(data_dir=data_dir)
    specs = list(sources) or specs_of(settings.fixtures_sources or "")
    if not specs:
        raise InvalidRequest(
            "No source is named.",
            hint="Name files, folders or addresses, or set HANDFAST_FIXTURES_SOURCES.",
        )

    async def work(system: System) -> IngestReport:
        return await bring_in(
            system.database,
            specs,
            given=Given(competition, season, source),
            zone=zone,
            allow_private=settings.fixtures_allow_private,
        )

    report = on_system(work, data_dir=data_dir)
    if rejects is not None:
        _write(report, rejects)
    if json:
        print_json(report)
    else:
        tell_ingest(report, rejects)
    return REJECTED_EXIT_CODE if report.rejects else 0


@app.command(name="list")
def list_(
    *,
    competition: Competition = None,
    season: Annotated[str | None, Parameter(help="Only this season.")] = None,
    team: Annotated[str | None, Parameter(help="Only matches of this team.")] = None,
    status: Annotated[Status | None, Parameter(help="Only fixtures of this status.")] = None,
    since: From = None,
    until: To = None,
    all_: Annotated[
        bool,
        Parameter(name="--all", negative=(), help="Not only what is under way or to come."),
    ] = False,
    untimed: Annotated[
        bool, Parameter(negative=(), help="Only those without a time, which are not planned.")
    ] = False,
    after: Annotated[str | None, Parameter(help="Go on after this place (`next`).")] = None,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List fixtures in the order of kickoffs, with their steps: what is under way or to come."""
    if since is None and until is None and not (all_ or untimed):
        since = datetime.now(UTC) - UNDER_WAY
    where = FixtureFilter(competition, season, team, status, since, until, untimed)

    async def work(system: System) -> FixturePage:
        async with system.database.connection() as connection:
            return await list_fixtures(connection, where, after=after, limit=limit)

    page = on_system(work, data_dir=data_dir)
    if json:
        print_json(page)
    else:
        tell_page(page)


@app.command
def show(
    fixture: Annotated[str, Parameter(help="The fixture's id, or its external id.")],
    /,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show one fixture whole: steps, what they made, every decision, changed results."""

    async def work(system: System) -> FixtureDetail:
        async with system.database.connection() as connection:
            return await get_fixture(connection, await fixture_called(connection, fixture))

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        tell_fixture(found)


@app.command
def plan(
    *fixtures: Annotated[str, Parameter(help="Their ids, or external ids; without any, all.")],
    hours: Annotated[
        float, Parameter(help="Without names: those that kick off within so many hours.")
    ] = 48.0,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Plan now what fixtures lack, as starting and the hourly repair do."""
    if not 0 < hours <= 24 * 366:
        raise InvalidRequest(f"--hours is {hours:g}.", hint="Allowed: more than 0, up to a year.")

    async def planned(tx: Transaction) -> PlanReport:
        ids = [await fixture_called(tx, one) for one in fixtures] or None
        return await plan_fixtures(tx, ids, ahead=timedelta(hours=hours), why="command")

    async def work(system: System) -> PlanReport:
        return await system.database.run_in_transaction(planned)

    report = on_system(work, data_dir=data_dir)
    if json:
        print_json(report)
    else:
        tell_plan(report)


@app.command
def alias(
    name: Annotated[str | None, Parameter(help="The other name.")] = None,
    team: Annotated[str | None, Parameter(help="The team that is meant.")] = None,
    /,
    *,
    source: Annotated[
        str, Parameter(help="Only what this source calls so; by default every source.")
    ] = "",
    file: Annotated[
        Path | None, Parameter(help="Many at once: a CSV with name, team and maybe source.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Declare that two names are one team; fixtures under the other name come along.

    A match that two sources had brought under two names is one afterwards.
    """
    if (file is None) == (name is None or team is None):
        raise InvalidRequest(
            "That names no alias.", hint="handfast fixtures alias 'Man Utd' 'Manchester United'"
        )
    wanted = read_aliases(file) if file else [(name or "", team or "", source)]

    async def declared(tx: Transaction) -> list[Alias]:
        found = [await declare_alias(tx, one, of, source=at) for one, of, at in wanted]
        await plan_fixtures(tx, [id_ for one in found for id_ in one.touched], why="alias")
        return found

    async def work(system: System) -> list[Alias]:
        return await system.database.run_in_transaction(declared)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json({"aliases": found})
    else:
        tell_alias([one for one, _, _ in wanted], found)


@app.command
def zone(
    competition: Annotated[str, Parameter(help="The competition, such as en.1.")],
    zone: Annotated[str, Parameter(help="Its zone from now on, such as Europe/Berlin.")],
    /,
    *,
    apply: Annotated[
        bool, Parameter(negative=(), help="Do it; without this, only say what would move.")
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Change the zone of a competition: say which kickoffs move and, with --apply, move them.

    Kickoffs that were given as instants, with an offset or in another zone stay.
    """

    async def changed(tx: Transaction) -> ZoneChange:
        return await change_zone(tx, competition, zone, apply=apply)

    async def work(system: System) -> ZoneChange:
        return await system.database.run_in_transaction(changed)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        tell_zone(found)


def _write(report: IngestReport, path: Path) -> None:
    try:
        with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["source", "place", "reason", "content"])
            for one in report.rejects:
                writer.writerow([one.source, one.place, one.reason, one.content])
    except OSError as error:
        raise FixtureSourceUnreadable(
            f"The rejects cannot be written to {path}: {error.strerror}.",
            hint="The fixtures were stored. Name a file that can be written with --rejects.",
        ) from error
