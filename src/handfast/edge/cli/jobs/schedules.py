"""``handfast schedules``: what recurs, when next, and holding it."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeVar

from cyclopts import App, Parameter
from rich.text import Text

from handfast.db.transaction import Queryable
from handfast.edge.cli.jobs.jobs import on_system
from handfast.edge.cli.speaking.changes import changing, cli_actor
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.schedules.store import (
    ScheduleView,
    list_schedules,
    next_ticks,
    pause_schedule,
    resume_schedule,
)
from handfast.engine.schedules.zones import local_of, zone
from handfast.engine.system import System

T = TypeVar("T")

app = App(name="schedules", help="Look at schedules, pause and resume them.")

Name = Annotated[str, Parameter(help="The schedule's name.")]
Count = Annotated[int, Parameter(help="How many ticks to show.")]
KeepMissed = Annotated[
    bool,
    Parameter(
        name="--catch-up",
        negative=(),
        help="Also catch up on the ticks of the pause, by the schedule's policy.",
    ),
]


@app.command(name="list")
@app.default
def show(*, data_dir: DataDir = None, json: Json = False) -> None:
    """List every schedule: what it makes, when it ticked and will tick, and whether it is late."""
    found = _ask(data_dir, list_schedules)
    if json:
        print_json({"schedules": found})
    elif not found:
        OUT.print("No schedule has been declared. `handfast scheduler` declares a program's.")
    else:
        _print_schedules(found)


@app.command
def pause(
    name: Name,
    /,
    *,
    reason: Annotated[str | None, Parameter(help="Why; whoever looks is told.")] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Let a schedule fire nothing until it is resumed."""

    async def work(system: System) -> ScheduleView:
        subject = f"schedule:{name}"
        async with changing(system, "schedule.pause", subject, reason=reason) as change:
            by = cli_actor().name
            return await pause_schedule(change.tx, name, by=by, reason=reason)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        OUT.print(f"{name} is paused. Resume it with: handfast schedules resume {name}")


@app.command
def resume(
    name: Name, /, *, catch_up: KeepMissed = False, data_dir: DataDir = None, json: Json = False
) -> None:
    """Let a paused schedule go on, from now."""

    async def work(system: System) -> ScheduleView:
        async with changing(system, "schedule.resume", f"schedule:{name}") as change:
            return await resume_schedule(change.tx, name, catch_up=catch_up)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        OUT.print(f"{name} goes on{' from where it was paused' if catch_up else ' from now'}.")


@app.command(name="next")
def show_next(
    name: Name, /, *, count: Count = 5, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show the next ticks of a schedule, as the clock on the wall will show them."""
    found = _ask(data_dir, lambda on: next_ticks(on, name, max(1, count)))
    if json:
        print_json({"schedule": name, "ticks": [{"at": at, "zone": where} for at, where in found]})
        return
    if not found:
        OUT.print("Only the program knows the zones of this schedule, or none is in use.")
    for at, where in found:
        local = local_of(at, zone(where))
        OUT.print(f"{_short(at)} UTC   {local:%a %d %b %H:%M} in {where}", markup=False)


def _ask(data_dir: DataDir, ask: Callable[[Queryable], Awaitable[T]]) -> T:
    async def work(system: System) -> T:
        async with system.database.connection() as connection:
            return await ask(connection)

    return on_system(work, data_dir=data_dir)


def _print_schedules(found: list[ScheduleView]) -> None:
    table = Listing(
        "schedule", "last fired", "next (UTC)", "state", "job", "when", prose=("state", "when")
    )
    for view in found:
        table.add_row(
            view.name,
            _short(view.last_fired) if view.last_fired else "-",
            _short(view.next_at) if view.next_at else "-",
            _state(view),
            view.kind,
            view.words,
        )
    OUT.print(table)


def _state(view: ScheduleView) -> Text:
    if view.paused:
        return Text("paused", style="yellow")
    if not view.declared:
        return Text("not declared by any running scheduler", style="red")
    if view.late_by is not None and view.late_by > timedelta(minutes=1):
        return Text(f"late by {str(view.late_by).partition('.')[0]}", style="red")
    return Text("on time", style="green")


def _short(instant: datetime) -> str:
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M}"
