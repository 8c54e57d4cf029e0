"""``handfast bulk``: one action on all that match."""

from datetime import datetime
from typing import Annotated

from cyclopts import App, Parameter
from rich.text import Text

from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.speaking.changes import changing, cli_actor
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json, Limit
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.bulk.records import (
    BulkPage,
    BulkView,
    Preview,
    get_bulk,
    list_bulk,
)
from handfast.engine.operating.bulk.records import ask as ask_for
from handfast.engine.operating.bulk.records import preview as count
from handfast.engine.operating.bulk.records import undo as take_back
from handfast.engine.operating.bulk.request import BulkAction, BulkFilter, BulkRequest
from handfast.engine.system import System
from handfast.facade import Handfast

app = App(name="bulk", help="Do one thing to all jobs that match: count, ask, watch, undo.")

Action = Annotated[BulkAction, Parameter(help="What to do to them.")]
Kind = Annotated[str | None, Parameter(help="Only this kind.")]
Lane = Annotated[str | None, Parameter(help="Only this lane.")]
State = Annotated[JobState | None, Parameter(help="Only jobs in this state.")]
Key = Annotated[str | None, Parameter(help="Only keys that begin so.")]
ErrorClass = Annotated[str | None, Parameter(help="Only dead letters of this class: logic, …")]
Containing = Annotated[str | None, Parameter(help="In the error, or beginning the key.")]
Since = Annotated[datetime | None, Parameter(help="Died then or later, in UTC.")]
Expectation = Annotated[str | None, Parameter(help="Only gaps of this expectation.")]
Number = Annotated[int, Parameter(help="The number of the bulk action.")]


@app.command
def preview(
    action: Action,
    /,
    *,
    kind: Kind = None,
    lane: Lane = None,
    state: State = None,
    key: Key = None,
    error_class: ErrorClass = None,
    text: Containing = None,
    since: Since = None,
    expectation: Expectation = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Count what matches; beyond a bound it is "at least"."""
    where = BulkFilter(kind, lane, state, key, error_class, text, since, expectation)
    asked = BulkRequest(action, where)

    async def work(system: System) -> Preview:
        return await count(system.database, asked, Handfast().expected_in(system))

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        OUT.print(f"{'At least ' if found.at_least else ''}{found.matched} match.")


@app.command
def ask(
    action: Action,
    /,
    *,
    reason: Annotated[str, Parameter(help="Why; kept with the action and in the audit.")],
    kind: Kind = None,
    lane: Lane = None,
    state: State = None,
    key: Key = None,
    error_class: ErrorClass = None,
    text: Containing = None,
    since: Since = None,
    expectation: Expectation = None,
    everything: Annotated[
        bool,
        Parameter(name="--all", negative=(), help="Nothing narrows it down, and that is meant."),
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Do it to all that match, in half a minute: until then it can be undone."""
    where = BulkFilter(kind, lane, state, key, error_class, text, since, expectation)
    asked = BulkRequest(action, where)

    async def work(system: System) -> BulkView:
        counted = await count(system.database, asked, Handfast().expected_in(system))
        async with changing(system, "bulk.ask", reason=reason) as change:
            made = await ask_for(
                change.tx, asked, counted, by=cli_actor(), reason=reason, everything=everything
            )
            change.about(f"bulk:{made.id}")
            return made

    made = on_system(work, data_dir=data_dir)
    if json:
        print_json(made)
        return
    least = "at least " if made.at_least else ""
    OUT.print(
        f"Bulk action {made.id}: {made.action} {least}{made.matched}, from {when(made.undo_until)}."
    )
    OUT.print(f"Undo it before then: handfast bulk undo {made.id}")


@app.command(name="list")
def list_(
    *,
    after: Annotated[int | None, Parameter(help="Go on after this place (`next`).")] = None,
    limit: Limit = 20,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List bulk actions, the newest first."""

    async def work(system: System) -> BulkPage:
        async with system.database.connection() as connection:
            return await list_bulk(connection, after=after, limit=limit)

    page = on_system(work, data_dir=data_dir)
    if json:
        print_json(page)
        return
    table = _table()
    for one in page.actions:
        _add(table, one)
    OUT.print(table if page.actions else "Nothing was asked for.")
    if page.next is not None:
        OUT.print(f"More: --after {page.next}", style="dim")


@app.command
def show(number: Number, /, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Show how far a bulk action is."""

    async def work(system: System) -> BulkView:
        async with system.database.connection() as connection:
            return await get_bulk(connection, number)

    _print(on_system(work, data_dir=data_dir), json=json)


@app.command
def undo(number: Number, /, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Undo a bulk action that has not begun."""

    async def work(system: System) -> BulkView:
        async with changing(system, "bulk.undo", f"bulk:{number}") as change:
            return await take_back(change.tx, number, by=cli_actor())

    _print(on_system(work, data_dir=data_dir), json=json)


def _print(view: BulkView, *, json: bool) -> None:
    if json:
        print_json(view)
        return
    table = _table()
    _add(table, view)
    OUT.print(table)


def _table() -> Listing:
    return Listing(
        *("id", "state", "action", "matched", "changed", "passed", "asked", "by", "reason"),
        prose=("reason",),
        right=("matched", "changed", "passed"),
    )


def _add(table: Listing, one: BulkView) -> None:
    least = "≥ " if one.at_least else ""
    table.add_row(
        str(one.id),
        Text(one.state),
        one.action,
        f"{least}{one.matched}",
        str(one.changed),
        str(one.passed),
        when(one.asked_at),
        one.asked_by,
        one.reason,
    )
