"""``handfast jobs``: look at jobs, run one now, cancel one."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any, TypeVar

from cyclopts import App, Parameter
from rich.progress_bar import ProgressBar
from rich.table import Table

from handfast.base.settings import load_settings
from handfast.edge.cli.options import DataDir, Json, Limit
from handfast.edge.cli.output import OUT, print_json
from handfast.engine import operations
from handfast.engine.states import JobState
from handfast.engine.views import JobDetail, JobFilter, JobPage, get_job, list_jobs
from handfast.wiring import System, open_system, prepare_process

T = TypeVar("T")

app = App(name="jobs", help="Look at jobs, run one now, cancel one.")

JobId = Annotated[int, Parameter(help="The job's id.")]


def on_system(
    work: Callable[[System], Awaitable[T]], *, data_dir: Any = None, **overrides: Any
) -> T:
    """Run something on the database that the settings name."""
    settings = load_settings(data_dir=data_dir, **overrides)
    prepare_process(settings)

    async def run() -> T:
        async with open_system(settings) as system:
            return await work(system)

    return asyncio.run(run())


@app.command(name="list")
def list_(
    *,
    kind: Annotated[str | None, Parameter(help="Only this kind, in the order of keys.")] = None,
    lane: Annotated[str | None, Parameter(help="Only live jobs of this lane.")] = None,
    state: Annotated[JobState | None, Parameter(help="Only jobs in this state.")] = None,
    key: Annotated[str | None, Parameter(help="Only keys that begin so.")] = None,
    after: Annotated[int | None, Parameter(help="Go on after this place (`next`).")] = None,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List jobs, newest first; by kind or key, in the order of keys."""
    where = JobFilter(kind=kind, lane=lane, state=state, key=key)

    async def work(system: System) -> JobPage:
        async with system.database.connection() as connection:
            return await list_jobs(connection, where, after=after, limit=limit)

    page = on_system(work, data_dir=data_dir)
    if json:
        print_json(page)
        return
    table = Table("id", "kind", "key", "state", "lane", "due or ended", "tries", "", box=None)
    for job in page.jobs:
        table.add_row(
            str(job.id),
            job.kind,
            job.key,
            coloured(job.state),
            job.lane or "",
            when(job.finished_at or job.due_at),
            str(job.attempt or ""),
            _doing(job.progress, job.message or job.reason),
        )
    OUT.print(table if page.jobs else "No jobs here.")
    if page.next is not None:
        OUT.print(f"More: --after {page.next}", style="dim")


@app.command
def show(job_id: JobId, /, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Show one job whole: payload, progress, prerequisites, every attempt."""

    async def work(system: System) -> JobDetail:
        async with system.database.connection() as connection:
            return await get_job(connection, job_id)

    job = on_system(work, data_dir=data_dir)
    if json:
        print_json(job)
    else:
        tell(job)


@app.command
def retry(job_id: JobId, /, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Run a job now: a dead letter is requeued, a scheduled job does not wait for its time."""

    async def work(system: System) -> JobState:
        async with system.database.transaction() as tx:
            return await operations.retry(tx, job_id)

    _changed(job_id, on_system(work, data_dir=data_dir), json=json)


@app.command
def cancel(
    job_id: JobId,
    /,
    *,
    reason: Annotated[str, Parameter(help="Why; kept with the job.")] = operations.REASON,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Cancel a job; a running one stops at its worker's next heartbeat."""

    async def work(system: System) -> JobState:
        async with system.database.transaction() as tx:
            return await operations.cancel(tx, job_id, reason)

    _changed(job_id, on_system(work, data_dir=data_dir), json=json)


def _changed(job_id: int, state: JobState, *, json: bool) -> None:
    if json:
        print_json({"id": job_id, "state": state})
    elif state is JobState.RUNNING:
        OUT.print(f"Job {job_id} runs; it is told to stop.")
    else:
        OUT.print(f"Job {job_id} is {coloured(state)}.")


def tell(job: JobDetail) -> None:
    OUT.print(f"[bold]{job.id}[/]  {coloured(job.state)}")
    for name, value in {
        "kind": job.kind,
        "key": job.key,
        "lane": job.lane,
        "due": when(job.due_at),
        "ended": when(job.finished_at),
        "reason": job.reason,
        "discarded": job.discard_reason,
        "progress": None if job.progress is None else f"{job.progress:.0%} {job.message or ''}",
        "payload": "pruned" if job.pruned else job.payload,
        "result": job.result,
        "requires": ", ".join(f"{r.kind} {r.key} ({r.state})" for r in job.requires),
        "awaited by": ", ".join(f"{r.kind} {r.key} ({r.state})" for r in job.awaited_by),
    }.items():
        if value not in (None, ""):
            OUT.print(f"  {name:<11}{value}", markup=False)
    table = Table("attempt", "outcome", "ended", "seconds", "worker", "error", box=None)
    for attempt in job.attempts:
        table.add_row(
            str(attempt.attempt),
            attempt.outcome,
            when(attempt.finished_at),
            "" if attempt.seconds is None else f"{attempt.seconds:.3f}",
            attempt.worker_name or "",
            attempt.error or "",
        )
    if job.attempts:
        OUT.print(table)


_COLOURS = {
    "succeeded": "green",
    "running": "cyan",
    "ready": "blue",
    "dead": "bold red",
    "blocked": "yellow",
    "cancelled": "dim",
    "skipped": "dim",
}


def coloured(state: str) -> str:
    colour = _COLOURS.get(state)
    return f"[{colour}]{state}[/]" if colour else state


def when(instant: datetime | None) -> str:
    return "" if instant is None else f"{instant:%Y-%m-%d %H:%M:%S}"


def _doing(progress: float | None, text: str | None) -> Any:
    if progress is None:
        return (text or "")[:60]
    grid = Table.grid(padding=(0, 1))
    grid.add_row(ProgressBar(total=1, completed=progress, width=10), f"{progress:.0%}", text or "")
    return grid
