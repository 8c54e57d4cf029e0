"""``handfast offers``: make sets by hand, and find out why they are as they are."""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated
from uuid import UUID

from cyclopts import App, Parameter, validators
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from handfast.apps.offers.daily.publishing import clock
from handfast.apps.offers.explaining import generating
from handfast.apps.offers.explaining.comparing import ComparedSelection
from handfast.apps.offers.explaining.comparing import compare as compare_selections
from handfast.apps.offers.explaining.pairs import PairExplained, explain_pair, latest_plan
from handfast.apps.offers.explaining.replaying import OfferReplay, replay_round, replay_set
from handfast.apps.offers.explaining.views import OfferStats, offer_stats
from handfast.apps.offers.settings import rules_of
from handfast.edge.cli.jobs.jobs import on_system
from handfast.edge.cli.offers.printing import print_compared, print_explained, print_stats
from handfast.edge.cli.speaking.changes import cli_actor
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import ERR, OUT, print_json
from handfast.engine.system import System

FOUND = 1  # the exit code when a replay differs
DAYS_MAX = 366

app = App(
    name="offers", help="Daily offers: make them, replay and explain them, compare selections."
)

Day = Annotated[dt.datetime, Parameter(name="--date", help="The batch date, as 2026-02-19.")]
SomeDay = Annotated[
    dt.datetime | None,
    Parameter(name="--date", help="The batch date; the last one that was planned if not given."),
]


@app.command
def generate(
    *,
    date: Day,
    zone: Annotated[str | None, Parameter(help="Only this zone, such as Europe/Berlin.")] = None,
    users: Annotated[
        list[UUID] | None, Parameter(help="Only these users.", negative=(), consume_multiple=True)
    ] = None,
    dry_run: Annotated[bool, Parameter(help="Say what would be made.", negative=())] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make the sets that lack, of a date that is today in the zone. Those that are there stay as
    they are: a worker beside makes none of them twice."""

    async def work(system: System) -> generating.LackingSets:
        rules = rules_of(system.settings)
        found, by_zone = await generating.lacking(system.database, date.date(), zone, users)
        if not dry_run and found.users:
            with _bar("sets", shown=not json) as progress:
                await generating.generate(
                    system.database, rules, found.day, by_zone, progress, actor=cli_actor()
                )
        return found

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
        return
    said = "would be made" if dry_run else "are there now"
    zones = f"{len(found.zones)} zone{'' if len(found.zones) == 1 else 's'}"
    OUT.print(f"{found.users:,} sets of {found.day} that lacked {said}, in {zones}.")
    if dry_run and not found.has_round:
        OUT.print("The round of that date would be made first.", style="dim")


@app.command
def replay(
    *,
    date: SomeDay = None,
    user: Annotated[UUID | None, Parameter(help="Only this user's set.")] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> int:
    """Compute a past round, or one user's set, again from its snapshot, and compare."""

    async def work(system: System) -> OfferReplay:
        async with system.database.connection() as connection:
            day = await latest_plan(connection) if date is None else date.date()
            if user is not None:
                return await replay_set(connection, day, user)
            return await replay_round(connection, day)

    report = on_system(work, data_dir=data_dir)
    if json:
        print_json(report)
        return 0 if report.same else FOUND
    made = f"{report.selection} by {report.score}, {report.people:,} people"
    OUT.print(f"{report.day}: {report.compared:,} compared ({made}).", markup=False)
    for line in report.differences:
        OUT.print(line, markup=False, style="red")
    OUT.print("The same, byte for byte." if report.same else "This is not what was stored.")
    return 0 if report.same else FOUND


@app.command
def explain(
    *,
    user: Annotated[UUID, Parameter(help="Whose set it is about.")],
    candidate: Annotated[UUID, Parameter(help="Who was, or was not, in it.")],
    date: SomeDay = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Say why somebody was offered to a user, or not: the rule that refused, the parts of the
    score, who had no place left and what they got instead."""

    async def work(system: System) -> PairExplained:
        async with system.database.connection() as connection:
            day = await latest_plan(connection) if date is None else date.date()
            return await explain_pair(connection, day, user, candidate)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        print_explained(found)


@app.command
def compare(*, date: SomeDay = None, data_dir: DataDir = None, json: Json = False) -> None:
    """Every selection on one snapshot: offers, mutual share, exposure, mean score."""

    async def work(system: System) -> tuple[dt.date, list[ComparedSelection]]:
        async with system.database.connection() as connection:
            day = await latest_plan(connection) if date is None else date.date()
            return day, await compare_selections(connection, day)

    day, found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        print_compared(day, found)


@app.command
def stats(
    *,
    days: Annotated[
        int,
        Parameter(
            help="So many dates, until today in UTC.",
            validator=validators.Number(gte=1, lte=DAYS_MAX),
        ),
    ] = 7,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Sets, offers and matches of the last days, by what became of them."""

    async def work(system: System) -> OfferStats:
        async with system.database.connection() as connection:
            return await offer_stats(connection, (await clock(connection)).date(), days)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        print_stats(found)


@contextmanager
def _bar(what: str, *, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """On a terminal: how many of how many."""
    with Progress(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=ERR,
        transient=True,
        disable=not (shown and ERR.is_terminal),
    ) as bar:
        task = bar.add_task("", total=None)
        yield lambda made, of: bar.update(task, completed=made, total=of)
