"""``handfast webhooks``: endpoints, what was sent to them, and trying out how it arrives."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID

from cyclopts import App, Parameter

from handfast.base.errors import InvalidRequest
from handfast.db.transaction import Queryable
from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.speaking.changes import changing
from handfast.edge.cli.speaking.ids import SHOWN_MAX, span, the_one
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import ERR, OUT, print_json
from handfast.edge.cli.webhooks.inbox import inbox_sql
from handfast.engine.events import events_between
from handfast.engine.operating.audit import Change
from handfast.engine.operating.dead_letters import as_instant
from handfast.engine.system import System
from handfast.services.webhooks import endpoints
from handfast.services.webhooks.endpoints import Endpoint, Signed
from handfast.services.webhooks.sending.attempt_log import (
    DeliveryAttemptView,
    attempts_since,
    last_attempt,
    list_attempts,
)
from handfast.services.webhooks.sending.replays import Replayed, replay_event, replay_range
from handfast.services.webhooks.settings import WebhooksSettings

LOOK_SECONDS = 0.5
LATE_MAX = 500  # attempts by which one may be overtaken by others that were recorded first

app = App(name="webhooks", help="Webhooks: endpoints, what was sent, and sending again.")

app.command(inbox_sql, name="inbox-sql")
# By name, as in `app`: a list of endpoints does not need the web server.
app.command(
    "handfast.edge.cli.webhooks.listen:listen",
    name="listen",
    help="Print webhooks as they arrive, and verify them, until Ctrl-C. Handfast delivers to this "
    "machine only if private addresses are allowed.",
)

Id = Annotated[str, Parameter(help="The endpoint's id, or as much of it as no other has.")]


@app.command(name="list")
def list_(*, data_dir: DataDir = None, json: Json = False) -> None:
    """List the endpoints, the oldest first."""

    async def work(system: System) -> list[Endpoint]:
        async with system.database.connection() as connection:
            return await endpoints.list_endpoints(connection)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json({"endpoints": found})
        return
    table = Listing(
        *("id", "state", "failing since", "url", "types", "description"),
        prose=("state", "types", "description"),
    )
    for one in found:
        table.add_row(
            str(one.id),
            one.state if one.reason is None else f"{one.state}: {one.reason}",
            when(one.failing_since) if one.failing_since else "",
            one.url,
            " ".join(one.types) or "all",
            one.description,
        )
    OUT.print(table if found else "No endpoints yet. Add one: handfast webhooks add URL")


@app.command
def add(
    url: Annotated[str, Parameter(help="Where events are posted.")],
    types: Annotated[
        list[str] | None,
        Parameter(help="Event types, such as match.created or match.*; none means all."),
    ] = None,
    /,
    *,
    description: Annotated[str, Parameter(help="A word for people.")] = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Register an endpoint, and print its signing secret, once."""

    async def work(system: System) -> Signed:
        async with changing(system, "webhook.add") as change:
            signed = await endpoints.add_endpoint(
                change.tx,
                url,
                types=types or (),
                description=description,
                allow_private=system.settings.of(WebhooksSettings).webhooks_allow_private,
            )
            change.about(f"endpoint:{signed.endpoint.id}")
            return signed

    _print_secret(on_system(work, data_dir=data_dir), json=json)


@app.command
def rotate(
    endpoint: Id,
    /,
    *,
    overlap_hours: Annotated[
        float, Parameter(help="How long the secret before goes on signing too.")
    ] = endpoints.OVERLAP.total_seconds() / 3600,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Give an endpoint a new signing secret, and print it, once."""

    async def work(system: System) -> Signed:
        async with changing(system, "webhook.rotate") as change:
            which = await _called(change, endpoint)
            return await endpoints.rotate(change.tx, which, overlap=timedelta(hours=overlap_hours))

    _print_secret(on_system(work, data_dir=data_dir), json=json)


@app.command
def pause(
    endpoint: Id,
    /,
    *,
    reason: Annotated[str, Parameter(help="Why; kept.")] = "paused by an operator",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Send nothing more there. What waits is skipped; replay it after resuming."""

    async def work(system: System) -> Endpoint:
        async with changing(system, "webhook.change", reason=reason) as change:
            return await endpoints.pause(change.tx, await _called(change, endpoint), reason)

    _print_endpoint(on_system(work, data_dir=data_dir), json=json)


@app.command
def resume(endpoint: Id, /, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Send there again, after a pause or when it was disabled."""

    async def work(system: System) -> Endpoint:
        async with changing(system, "webhook.change") as change:
            return await endpoints.resume(change.tx, await _called(change, endpoint))

    _print_endpoint(on_system(work, data_dir=data_dir), json=json)


@app.command
def remove(endpoint: Id, /, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Forget an endpoint. What waits for it is skipped."""

    async def work(system: System) -> tuple[UUID, int]:
        async with changing(system, "webhook.remove") as change:
            which = await _called(change, endpoint)
            return which, await endpoints.remove(change.tx, which)

    which, skipped = on_system(work, data_dir=data_dir)
    if json:
        print_json({"removed": which, "skipped": skipped})
    else:
        OUT.print(f"Removed; {skipped} deliveries that were waiting are skipped.")


@app.command
def replay(
    endpoint: Id,
    event: Annotated[str | None, Parameter(help="One event, by its id or its beginning.")] = None,
    /,
    *,
    since: Annotated[datetime | None, Parameter(help="What happened then or later, UTC.")] = None,
    until: Annotated[datetime | None, Parameter(help="And before that; now, if unsaid.")] = None,
    only_missing: Annotated[
        bool, Parameter(negative=(), help="Leave out what was delivered, or is about to be.")
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Send again to one endpoint: one event, or a range of at most 7 days."""
    if (event is None) == (since is None):
        raise InvalidRequest("Which?", hint="Name one event, or a range with --since.")
    begin, end = as_instant(since), as_instant(until) or datetime.now(UTC)

    async def work(system: System) -> Replayed:
        async with changing(system, "webhook.replay") as change:
            tx = change.tx
            which = await _called(change, endpoint)
            if event is not None:
                near = await events_between(tx, *span(event), limit=SHOWN_MAX + 1)
                return await replay_event(tx, which, the_one(event, "event", near))
            assert begin is not None  # noqa: S101  # one of the two is there
            return await replay_range(tx, which, begin, end, only_missing=only_missing)

    done = on_system(work, data_dir=data_dir)
    if json:
        print_json(done)
    else:
        OUT.print(f"{done.deliveries} deliveries are on their way (replay {done.replay}).")


@app.command
def tail(
    endpoint: Annotated[str | None, Parameter(help="Only this endpoint.")] = None,
    /,
    *,
    lines: Annotated[int, Parameter(help="Begin with so many that were (one endpoint's).")] = 10,
    no_follow: Annotated[bool, Parameter(negative=(), help="Do not wait for more.")] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show attempts as they are made: what was sent, and what came back."""

    async def work(system: System) -> None:
        printed: set[int] = set()
        async with system.database.connection() as connection:
            start = last = await last_attempt(connection)
            which = None if endpoint is None else await _found(connection, endpoint)
            if which is not None and lines > 0:
                page = await list_attempts(connection, which, limit=lines)
                for one in reversed(page.attempts):
                    _print_attempt(one, json=json)
        while not no_follow:
            async with system.database.connection() as connection:
                # Numbers are drawn before the commit, so a lower one may appear later.
                fresh = await attempts_since(
                    connection, max(start, last - LATE_MAX), endpoint=which
                )
            for one in fresh:
                if one.id not in printed:
                    _print_attempt(one, json=json)
            printed = {one.id for one in fresh}
            last = max(printed, default=last)
            await asyncio.sleep(LOOK_SECONDS)

    on_system(work, data_dir=data_dir)


async def _called(change: Change, given: str) -> UUID:
    """The endpoint that somebody means, which the change is about then."""
    which = await _found(change.tx, given)
    change.about(f"endpoint:{which}")
    return which


async def _found(on: Queryable, given: str) -> UUID:
    known = [one.id for one in await endpoints.list_endpoints(on)]
    return the_one(given, "endpoint", known)


def _print_attempt(one: DeliveryAttemptView, *, json: bool) -> None:
    if json:  # one document for each, as they come
        print_json(one)
        return
    answer = str(one.status) if one.status is not None else "—"
    OUT.print(
        f"{when(one.at)}  {one.outcome:9}  {answer:>3}  {one.seconds * 1000:7.0f} ms  "
        f"try {one.attempt:<2} {one.event_type}  {one.event_id}  {one.error or ''}",
        markup=False,
        style=None if one.outcome == "delivered" else "red",
    )


def _print_endpoint(endpoint: Endpoint, *, json: bool) -> None:
    if json:
        print_json(endpoint)
    else:
        why = "" if endpoint.reason is None else f": {endpoint.reason}"
        OUT.print(f"{endpoint.url} is {endpoint.state}{why}.", markup=False)


def _print_secret(signed: Signed, *, json: bool) -> None:
    if json:
        print_json(signed)
        return
    OUT.print(f"{signed.endpoint.id}  {signed.endpoint.url}", markup=False)
    ERR.print("The signing secret, shown only now:")
    OUT.print(signed.secret, markup=False)
