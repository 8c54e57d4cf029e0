"""``handfast jobs``: look at jobs, run one now or again, cancel one."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any, TypeVar

import msgspec
from cyclopts import App, Parameter
from rich.text import Text

from handfast.base.errors import Conflict, InvalidRequest
from handfast.edge.cli.speaking.changes import changing
from handfast.edge.cli.speaking.ids import job_called
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json, Limit
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.jobs.states import JobState
from handfast.engine.operating import operations
from handfast.engine.operating.dead_letters import as_instant
from handfast.engine.operating.identity_view import IdentityView, view_identity
from handfast.engine.operating.jobs_view import JobDetail, JobFilter, JobPage, get_job, list_jobs
from handfast.engine.operating.why import WhyReason
from handfast.engine.operating.why import why as why_not
from handfast.engine.system import System
from handfast.wiring import load_settings, open_system, prepare_process

T = TypeVar("T")

app = App(name="jobs", help="Look at jobs, run one now or again, cancel one.")

JobName = Annotated[str, Parameter(help="The job's id; or its kind, with the key behind it.")]
JobKey = Annotated[str | None, Parameter(help="The job's key, if a kind was named.")]
BAR = 10  # characters
LOOKS_MAX = 100  # at a list that is narrowed down, to fill a page: less than a second


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
            page = await list_jobs(connection, where, after=after, limit=limit)
            for _ in range(LOOKS_MAX):
                if page.next is None or (room := limit - len(page.jobs)) <= 0:
                    break
                more = await list_jobs(connection, where, after=page.next, limit=room)
                page = JobPage([*page.jobs, *more.jobs], more.next)
            return page

    page = on_system(work, data_dir=data_dir)
    if json:
        print_json(page)
        return
    table = Listing(
        *("id", "state", "lane", "tries", "due or ended", "kind", "key", ""),
        prose=("",),
        tied=("kind",),
    )
    for job in page.jobs:
        table.add_row(
            str(job.id),
            Text.from_markup(coloured(job.state)),
            job.lane or "",
            str(job.attempt or ""),
            when(job.finished_at or job.due_at),
            job.kind,
            job.key,
            _doing(job.progress, job.message or job.reason),
        )
    OUT.print(table if page.jobs else "No jobs here.")
    if page.next is not None:
        OUT.print(f"More: --after {page.next}", style="dim")


@app.command
def show(
    job: JobName, key: JobKey = None, /, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show one job whole: why it does not run, payload, progress, prerequisites, every attempt, the
    last traceback, its events, and its run, fixture, delivery or money."""

    async def work(system: System) -> IdentityView:
        async with system.database.connection() as connection:
            job_id = await job_called(connection, job, key)
            return await view_identity(connection, system.capabilities, job_id)

    found = on_system(work, data_dir=data_dir)
    if json:
        parts = msgspec.structs.asdict(found)
        print_json({**msgspec.to_builtins(parts.pop("job"), enc_hook=str), **parts})
    else:
        print_identity(found)


@app.command
def why(
    job: JobName, key: JobKey = None, /, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Say why a job does not run: every reason that holds now."""

    async def work(system: System) -> tuple[int, list[WhyReason]]:
        async with system.database.connection() as connection:
            job_id = await job_called(connection, job, key)
            return job_id, await why_not(connection, job_id)

    job_id, reasons = on_system(work, data_dir=data_dir)
    if json:
        print_json({"id": job_id, "reasons": reasons})
        return
    for reason in reasons:
        print_reason(reason)


@app.command
def retry(
    job: JobName, key: JobKey = None, /, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Run a job now: a dead letter is requeued, a scheduled job does not wait for its time."""

    async def work(system: System) -> tuple[int, JobState]:
        async with changing(system, "job.retry") as change:
            job_id = await job_called(change.tx, job, key)
            change.about(f"job:{job_id}")
            return job_id, await operations.retry(change.tx, job_id)

    _changed(*on_system(work, data_dir=data_dir), json=json)


@app.command
def revive(
    job: JobName,
    key: JobKey = None,
    /,
    *,
    due: Annotated[datetime | None, Parameter(help="When, in UTC; now, if unsaid.")] = None,
    payload: Annotated[
        str | None, Parameter(help="A new payload, as JSON; needed when the history was dropped.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Run a job again that has succeeded, was cancelled or was skipped, under its own identity."""
    anew = None if payload is None else _object(payload)

    async def work(system: System) -> tuple[int, JobState]:
        async with changing(system, "job.revive") as change:
            tx = change.tx
            job_id = await job_called(tx, job, key)
            revived = await operations.revive(tx, job_id, due=as_instant(due), payload=anew)
            state = (await get_job(tx, job_id)).state
            change.about(*([f"job:{job_id}"] if revived else []))
        if not revived:
            raise Conflict(f"Job {job_id} is {state}.", hint=_INSTEAD.get(state, _ALIVE))
        return job_id, state

    _changed(*on_system(work, data_dir=data_dir), json=json)


@app.command
def cancel(
    job: JobName,
    key: JobKey = None,
    /,
    *,
    reason: Annotated[str, Parameter(help="Why; kept with the job.")] = operations.REASON,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Cancel a job; a running one stops at its worker's next heartbeat."""

    async def work(system: System) -> tuple[int, JobState]:
        async with changing(system, "job.cancel", reason=reason) as change:
            job_id = await job_called(change.tx, job, key)
            change.about(f"job:{job_id}")
            return job_id, await operations.cancel(change.tx, job_id, reason)

    _changed(*on_system(work, data_dir=data_dir), json=json)


_ALIVE = "It has not ended, so it runs in any case; `handfast jobs retry` lets it run now."
_INSTEAD = {JobState.DEAD: "Dead letters are put back with `handfast dead requeue`."}


def _object(text: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise InvalidRequest(f"The payload is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise InvalidRequest("The payload is not a JSON object.", hint="For example '{\"to\": 7}'.")
    return found


def _changed(job_id: int, state: JobState, *, json: bool) -> None:
    if json:
        print_json({"id": job_id, "state": state})
    elif state is JobState.RUNNING:
        OUT.print(f"Job {job_id} runs; it is told to stop.")
    else:
        OUT.print(f"Job {job_id} is {coloured(state)}.")


def print_identity(view: IdentityView) -> None:
    print_job(view.job)
    for reason in [] if view.job.state.final else view.why:
        print_reason(reason)
    for one in view.connections:
        OUT.print(
            f"{one.capability} {one.what} {one.id} {one.address or ''}".rstrip(), markup=False
        )
    table = Listing("event", "at", "about", "data", prose=("data",))
    for event in view.events:
        told = _document(event.data) or ""
        table.add_row(event.type, when(event.at), event.aggregate, told)
    if view.events:
        OUT.print(table)
    for delivery in view.deliveries:
        words = f"sent to {delivery.endpoint_id}: job {delivery.job_id} is {delivery.state}"
        OUT.print(words, markup=False)


def print_reason(reason: WhyReason) -> None:
    OUT.print(Text.assemble((f"{reason.code}: ", "yellow"), reason.text))
    if reason.at is not None:
        OUT.print(f"  {when(reason.at)} UTC", markup=False)
    if reason.note is not None:
        OUT.print(f"  {' '.join(reason.note.splitlines())}", markup=False, style="dim")


def print_job(job: JobDetail) -> None:
    OUT.print(f"[bold]{job.id}[/]  {coloured(job.state)}")
    facts = Listing("", "name", "fact", prose=("fact",), titled=False)
    for name, value in {
        "kind": job.kind,
        "key": job.key,
        "lane": job.lane,
        "tries": job.attempt or None,
        "due": when(job.due_at),
        "ended": when(job.finished_at),
        "reason": job.reason,
        "discarded": job.discard_reason,
        "progress": None if job.progress is None else f"{job.progress:.0%} {job.message or ''}",
        "payload": "pruned" if job.pruned else _document(job.payload),
        "result": _document(job.result),
        "requires": ", ".join(f"{r.kind} {r.key} ({r.state})" for r in job.requires),
        "awaited by": ", ".join(f"{r.kind} {r.key} ({r.state})" for r in job.awaited_by),
    }.items():
        if value not in (None, ""):
            facts.add_row(" ", name, str(value))
    OUT.print(facts)
    table = Listing("attempt", "outcome", "ended", "seconds", "worker", "error", prose=("error",))
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
        if job.attempts[-1].trace:
            OUT.print(Text(job.attempts[-1].trace, style="dim"))


def _document(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value, enc_hook=str).decode()


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


def _doing(progress: float | None, text: str | None) -> Text:
    if progress is None:
        return Text(" ".join((text or "").splitlines()))
    done = round(progress * BAR)
    bar = Text("━" * done, style="green") + Text("━" * (BAR - done), style="dim")
    return bar + Text(f" {progress:.0%} {text or ''}".rstrip())
