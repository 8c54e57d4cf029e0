"""``handfast runs``: start a match run and see its matches, look at one, list them."""

import asyncio
import time
from typing import Annotated, Any
from uuid import UUID

import msgspec
from cyclopts import App, Parameter
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from handfast.apps.runs import records
from handfast.apps.runs.matches import PAGE_MAX, MatchPage, get_matches
from handfast.apps.runs.records import MatchRun, RunPage, StartedRun, get_run, list_runs
from handfast.db.transaction import Queryable
from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.runs.shared_hosts import app as hosts
from handfast.edge.cli.speaking.ids import SHOWN_MAX, span, the_one
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json, Limit
from handfast.edge.cli.speaking.output import ERR, OUT, print_json
from handfast.engine.system import System

FAILED_EXIT_CODE = 1
LOOK_SECONDS = 0.1
STEPS = ("resolve", "extract", "parse", "match", "rank", "finalize")
COLOURS = {"ready": "green", "error": "red", "processing": "cyan"}

app = App(name="runs", help="Match runs: start one and see its matches, look at one, list them.")
app.command(hosts)

RunId = Annotated[str, Parameter(help="The run's id, or as much of it as no other has.")]
Top = Annotated[int, Parameter(help=f"How many matches to show, at most {PAGE_MAX}.")]


class Shown(msgspec.Struct, rename="camel"):
    run: MatchRun
    page: MatchPage | None = None


@app.command
def start(
    url: Annotated[str, Parameter(help="The address of a startup's site.")],
    /,
    *,
    fresh: Annotated[
        bool, Parameter(negative=(), help="A new run, even if a ready one would do.")
    ] = False,
    wait: Annotated[float, Parameter(help="How many seconds to wait for the end; 0: not.")] = 60.0,
    top: Top = 10,
    data_dir: DataDir = None,
    json: Json = False,
) -> int:
    """Start a match run, or find the one that there is, follow it, and show the best matches.

    A worker has to be running, by `up` or `worker`. Exits with 1 if the run ends in an error.
    """

    async def work(system: System) -> Shown:
        async with system.database.connection() as connection:
            started: StartedRun = await records.start_run(connection, url, fresh=fresh)
        run = started if started.ended else await _follow(system, started, wait, quiet=json)
        return await _shown(system, run, top)

    shown = on_system(work, data_dir=data_dir)
    _print_run(shown, json=json)
    if not shown.run.ended and not json:
        ERR.print(
            f"It goes on without us: handfast runs show {shown.run.run_id}\n"
            "If it stays queued, nobody works on runs: start `handfast up` or `handfast worker`.",
            markup=False,
        )
    return FAILED_EXIT_CODE if shown.run.status == "error" else 0


@app.command
def show(
    run: RunId,
    /,
    *,
    top: Top = 10,
    debug: Annotated[
        bool, Parameter(negative=(), help="Each step with its time, the job and its attempts.")
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show a run and its best matches, with the reasons."""
    if debug:
        _print_debug(on_system(lambda system: _debug(system, run), data_dir=data_dir), json=json)
        return

    async def work(system: System) -> Shown:
        async with system.database.connection() as connection:
            found = await get_run(connection, await run_called(connection, run))
        return await _shown(system, found, top)

    _print_run(on_system(work, data_dir=data_dir), json=json)


@app.command(name="list")
def list_(
    *,
    after: Annotated[str | None, Parameter(help="Go on after this run (`next`).")] = None,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List runs, the newest first."""

    async def work(system: System) -> RunPage:
        async with system.database.connection() as connection:
            place = None if after is None else await run_called(connection, after)
            return await list_runs(connection, after=place, limit=limit)

    page = on_system(work, data_dir=data_dir)
    if json:
        print_json(page)
        return
    table = Listing("run", "status", "step", "matches", "started", "url", "held by", "")
    for one in page.runs:
        table.add_row(
            str(one.run_id),
            Text.from_markup(coloured(one.status)),
            one.step,
            "" if one.match_count is None else str(one.match_count),
            when(one.created_at),
            one.canonical_url,
            one.locked_by or "",
            one.error_code or "",
        )
    OUT.print(table if page.runs else "No runs yet. Start one: handfast runs start URL")
    if page.next is not None:
        OUT.print(f"More: --after {page.next}", style="dim")


async def _follow(system: System, run: MatchRun, wait: float, *, quiet: bool) -> MatchRun:
    """Until it has ended, or for ``wait`` seconds; shows where it is meanwhile."""
    deadline = time.monotonic() + wait
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=ERR,
        transient=True,
        disable=quiet,
    ) as bar:
        task = bar.add_task(run.status, total=len(STEPS))
        while not run.ended and time.monotonic() < deadline:
            await asyncio.sleep(LOOK_SECONDS)
            async with system.database.connection() as connection:
                run = await get_run(connection, run.run_id)
            said = f"{run.status}: {run.step}" if run.status == "processing" else run.status
            bar.update(task, description=said, completed=STEPS.index(run.step))
    return run


async def _shown(system: System, run: MatchRun, top: int) -> Shown:
    if run.status != "ready":
        return Shown(run)
    async with system.database.connection() as connection:
        page = await get_matches(connection, run, limit=min(max(top, 1), PAGE_MAX))
    return Shown(run, page)


async def run_called(on: Queryable, given: str) -> UUID:
    near = await records.runs_between(on, *span(given), limit=SHOWN_MAX + 1)
    return the_one(given, "run", near)


async def _debug(system: System, run: str) -> dict[str, Any]:
    async with system.database.connection() as connection:
        return await records.debug_run(connection, await run_called(connection, run))


def _print_run(shown: Shown, *, json: bool) -> None:
    if json:
        print_json(shown)
        return
    run, page = shown.run, shown.page
    OUT.print(f"{run.run_id}  {run.canonical_url}  {coloured(run.status)}")
    if run.error_code is not None:
        OUT.print(f"{run.error_code}: {run.error_message}", markup=False)
    if page is None:
        return
    OUT.print(
        f"{page.startup.name} has {run.match_count} matches in version {run.corpus_version} of "
        "the corpus.",
        markup=False,
    )
    if not page.matches:
        return
    table = Listing("rank", "investor", "score", "why", prose=("why",))
    for match in page.matches:
        # The best reasons first; what nobody said anything of is no reason.
        reasons = sorted((s for s in match.why if s.agrees), key=lambda s: -(s.agrees or 0))
        table.add_row(
            str(match.rank),
            match.name,
            str(match.score),
            "; ".join(signal.says for signal in reasons[:3]),
        )
    OUT.print(table)


def _print_debug(known: dict[str, Any], *, json: bool) -> None:
    if json:
        print_json(known)
        return
    run, job = known["run"], known["job"] or {}
    OUT.print(f"{run['run_id']}  {run['canonical_url']}  {coloured(run['status'])}")
    OUT.print(f"job {job.get('id')}: {job.get('state')}, token {job.get('token')}", markup=False)
    table = Listing("token", "step", "began", "milliseconds")
    for step in known["steps"]:
        took = step["milliseconds"]
        table.add_row(
            str(step["token"]),
            step["step"],
            step["beganAt"],
            "under way" if took is None else f"{took:.3f}",
        )
    OUT.print(table)
    for attempt in known["attempts"]:
        OUT.print(
            f"attempt {attempt['attempt']}: {attempt['outcome']} {attempt['error'] or ''}",
            markup=False,
        )


def coloured(status: str) -> str:
    colour = COLOURS.get(status)
    return f"[{colour}]{status}[/]" if colour else status
