"""``handfast figures``: throughput, failures and durations over time, and ticks by the day."""

from datetime import datetime, timedelta
from typing import Annotated

from cyclopts import App, Parameter, validators

from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.operating.dead_letters import as_instant
from handfast.engine.operating.figures import (
    KEPT,
    FigurePoint,
    Figures,
    KindFigures,
    TickDay,
    figures_of_kinds,
    read_figures,
    tick_days,
)
from handfast.engine.system import System

app = App(name="figures", help="Throughput, failures and durations over time; ticks by the day.")

Since = Annotated[datetime | None, Parameter(help="From then on, in UTC; an hour ago if unsaid.")]
Until = Annotated[datetime | None, Parameter(help="Before then, in UTC.")]
Step = Annotated[
    int, Parameter(help="Minutes of one line.", validator=validators.Number(gte=1, lte=1440))
]
Days = Annotated[
    int, Parameter(help="So many days, of UTC.", validator=validators.Number(gte=1, lte=KEPT.days))
]
_COLUMNS = ("succeeded", "failed", "lost", "died", "mean s", "p50 s", "p95 s")


@app.command(name="minutes")
def minutes(
    *,
    kind: Annotated[str | None, Parameter(help="Only this kind.")] = None,
    since: Since = None,
    until: Until = None,
    step: Step = 1,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show what was done, minute by minute."""

    async def work(system: System) -> Figures:
        async with system.database.connection() as connection:
            return await read_figures(
                connection,
                kind=kind,
                since=as_instant(since),
                until=as_instant(until),
                step=timedelta(minutes=step),
            )

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
        return
    table = Listing("from", *_COLUMNS, right=_COLUMNS)
    for point in found.points:
        table.add_row(when(point.at), *_cells(point))
    OUT.print(table if found.points else "Nothing was done in that time.")


@app.command
def kinds(
    *, since: Since = None, until: Until = None, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show what was done of each kind, the busiest first."""

    async def work(system: System) -> list[KindFigures]:
        async with system.database.connection() as connection:
            return await figures_of_kinds(
                connection, since=as_instant(since), until=as_instant(until)
            )

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json({"kinds": found})
        return
    table = Listing("kind", *_COLUMNS, right=_COLUMNS)
    for one in found:
        table.add_row(one.kind, *_cells(one))
    OUT.print(table if found else "Nothing was done in that time.")


@app.command
def ticks(*, days: Days = KEPT.days, data_dir: DataDir = None, json: Json = False) -> None:
    """Show ticks that were expected and that fired, for each schedule and day."""

    async def work(system: System) -> list[TickDay]:
        async with system.database.connection() as connection:
            return await tick_days(connection, days=days)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json({"days": found})
        return
    numbers = ("expected", "fired", "caught up", "skipped", "late")
    table = Listing("schedule", "day", *numbers, right=numbers)
    for one in found:
        counts = (one.expected, one.fired, one.caught_up, one.skipped, one.late)
        table.add_row(one.schedule, one.day.isoformat(), *(str(count) for count in counts))
    OUT.print(table if found else "No schedule has ticked.")


def _cells(one: FigurePoint | KindFigures) -> list[str]:
    counts = (one.succeeded, one.failed, one.lost, one.died)
    seconds = (one.mean_seconds, one.p50_seconds, one.p95_seconds)
    return [
        *(str(count) for count in counts),
        *("" if value is None else f"{value:.3f}" for value in seconds),
    ]
