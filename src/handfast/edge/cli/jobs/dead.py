"""``handfast dead``: dead letters."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated

from cyclopts import App, Parameter
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from handfast.base.errors import InvalidRequest
from handfast.edge.cli.jobs.jobs import (
    LOOKS_MAX,
    JobKey,
    JobName,
    on_system,
    print_job,
    when,
)
from handfast.edge.cli.speaking.changes import changing, cli_actor
from handfast.edge.cli.speaking.ids import job_called, jobs_called
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json, Limit
from handfast.edge.cli.speaking.output import ERR, OUT, print_json
from handfast.engine.operating import dead_letters
from handfast.engine.operating.audit import jobs as subjects
from handfast.engine.operating.dead_letters import DeadFilter, DeadPage, as_instant, list_dead
from handfast.engine.operating.jobs_view import JobDetail, get_job
from handfast.engine.operating.stats import COUNT_MAX, count_dead
from handfast.engine.system import System

app = App(name="dead", help="Dead letters: list, show, requeue, discard.")

Kind = Annotated[str | None, Parameter(help="Only this kind.")]
Lane = Annotated[str | None, Parameter(help="Only this lane.")]
ErrorClass = Annotated[
    str | None, Parameter(help="transient, timeout, lost, logic, data or payload.")
]
Text = Annotated[str | None, Parameter(help="Found in the error, or beginning the key.")]
Since = Annotated[datetime | None, Parameter(help="Died then or later, in UTC.")]
Jobs = Annotated[
    list[str] | None, Parameter(help="Jobs by their ids, or each by kind and key.", negative=())
]
All = Annotated[
    bool, Parameter(name="--all", negative=(), help="All that match; without a filter, all.")
]


@app.command(name="list")
def list_(
    *,
    kind: Kind = None,
    lane: Lane = None,
    error_class: ErrorClass = None,
    text: Text = None,
    since: Since = None,
    after: Annotated[str | None, Parameter(help="Go on after this place (`next`).")] = None,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List dead letters, newest first."""
    where = DeadFilter(kind, lane, error_class, text, as_instant(since))

    async def work(system: System) -> DeadPage:
        async with system.database.connection() as connection:
            page = await list_dead(connection, where, after=after, limit=limit)
            for _ in range(LOOKS_MAX):
                if page.next is None or (room := limit - len(page.letters)) <= 0:
                    break
                more = await list_dead(connection, where, after=page.next, limit=room)
                page = DeadPage([*page.letters, *more.letters], more.next)
            return page

    page = on_system(work, data_dir=data_dir)
    if json:
        print_json(page)
        return
    table = Listing(
        *("id", "died", "tries", "class", "kind", "key", "error"), prose=("error",), tied=("kind",)
    )
    for letter in page.letters:
        table.add_row(
            str(letter.id),
            when(letter.died_at),
            str(letter.attempt),
            letter.error_class,
            letter.kind,
            letter.key,
            letter.error.splitlines()[0] if letter.error else "",
        )
    OUT.print(table if page.letters else "No dead letters here.")
    if page.next is not None:
        OUT.print(f"More: --after {page.next}", style="dim")


@app.command
def show(
    job: JobName, key: JobKey = None, /, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show a dead letter whole: payload, and every attempt's error and timing."""

    async def work(system: System) -> JobDetail:
        async with system.database.connection() as connection:
            return await get_job(connection, await job_called(connection, job, key))

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        print_job(found)


@app.command
def requeue(
    jobs: Jobs = None,
    /,
    *,
    every: All = False,
    kind: Kind = None,
    lane: Lane = None,
    error_class: ErrorClass = None,
    text: Text = None,
    since: Since = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Put dead letters back: by id, or all that match."""
    where = _chosen(jobs, DeadFilter(kind, lane, error_class, text, as_instant(since)), every=every)

    async def work(system: System) -> int:
        if where is not None:
            pages = dead_letters.requeue_matching(system.database, where, by=cli_actor())
            return await _shown(system, pages)
        async with changing(system, dead_letters.REQUEUE) as change:
            named = await jobs_called(change.tx, jobs or [])
            done = await dead_letters.requeue(change.tx, named)
            change.about(*subjects(done))
        return len(done)

    done = on_system(work, data_dir=data_dir)
    if json:
        print_json({"requeued": done})
    else:
        OUT.print(f"{done} requeued.")


@app.command
def discard(
    jobs: Jobs = None,
    /,
    *,
    reason: Annotated[str, Parameter(help="Why nobody will requeue them; kept.")],
    every: All = False,
    kind: Kind = None,
    lane: Lane = None,
    error_class: ErrorClass = None,
    text: Text = None,
    since: Since = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Take dead letters off the list, with a reason: by id, or all that match."""
    where = _chosen(jobs, DeadFilter(kind, lane, error_class, text, as_instant(since)), every=every)

    async def work(system: System) -> int:
        if where is not None:
            pages = dead_letters.discard_matching(system.database, where, reason, by=cli_actor())
            return await _shown(system, pages)
        async with changing(system, dead_letters.DISCARD, reason=reason) as change:
            named = await jobs_called(change.tx, jobs or [])
            done = await dead_letters.discard(change.tx, named, reason)
            change.about(*subjects(done))
        return len(done)

    done = on_system(work, data_dir=data_dir)
    if json:
        print_json({"discarded": done})
    else:
        OUT.print(f"{done} discarded.")


def _chosen(jobs: list[str] | None, where: DeadFilter, *, every: bool) -> DeadFilter | None:
    """Jobs or a filter; everything only if that is said."""
    filtered = where != dead_letters.EVERYTHING
    if jobs and (filtered or every):
        raise InvalidRequest("Name jobs or a filter, not both.")
    if not (jobs or filtered or every):
        raise InvalidRequest(
            "Which?", hint="Name ids, a kind and a key, a filter such as --kind, or --all."
        )
    return None if jobs else where


async def _shown(system: System, pages: AsyncIterator[int]) -> int:
    """Count the pages, with a bar for whoever watches."""
    async with system.database.connection() as connection:
        total = await count_dead(connection)
    done = 0
    with Progress(
        TextColumn("dead letters"),
        BarColumn(),
        MofNCompleteColumn(),
        console=ERR,
        transient=True,
        disable=not ERR.is_terminal,
    ) as bar:
        # The filter may take fewer; beyond the cap nobody knows, and the bar only moves.
        task = bar.add_task("", total=None if total >= COUNT_MAX else total)
        async for count in pages:
            done += count
            bar.advance(task, count)
    return done
