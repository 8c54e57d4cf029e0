"""The engine as a whole: figures, workers, schedules, alerts, and what happens as it happens."""

from collections.abc import AsyncIterator
from time import monotonic
from typing import Annotated, Any

import msgspec
from litestar import Request, get
from litestar.datastructures import State
from litestar.params import HeaderParameter
from litestar.response import ServerSentEvent, ServerSentEventMessage
from msgspec.structs import replace

from handfast.base.text import NO_NUL
from handfast.edge.api.events import event_for_viewers
from handfast.edge.api.jobs import Workers
from handfast.edge.api.schedules import Schedules, schedules_for_viewers
from handfast.edge.api.stats import StatsView
from handfast.edge.api.viewing import as_it_is
from handfast.edge.http.auth import still_signed_in
from handfast.edge.http.policies import OPERATOR, policy
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.edge.http.routes.event_streams import server_sent
from handfast.edge.http.viewers import view_of
from handfast.engine.host import Host
from handfast.engine.operating.alerts import list_alerts
from handfast.engine.operating.jobs_view import list_workers
from handfast.engine.operating.prometheus import DatabaseMetrics
from handfast.engine.operating.stats import Stats, read_stats
from handfast.engine.schedules.store import list_schedules
from handfast.engine.streams.stream import EventStream, StreamMessage
from handfast.engine.system import System

SESSION_LOOK_SECONDS = 15.0  # between two looks whether the session of a stream still stands


@policy(OPERATOR, viewer=as_it_is)
@get("/stats", summary="Figures", operation_id="adminStats")
async def stats(state: State) -> StatsView:
    """Counted up to `countMax`, estimated, or taken from the newest history: it costs the same
    however many jobs there are. With the alerts that are raised, or were."""
    system: System = state.system
    figures = await read_stats(system.database)
    async with system.database.connection() as connection:
        return StatsView(figures, await list_alerts(connection))


@policy(OPERATOR, viewer=as_it_is)
@get("/workers", summary="Workers", operation_id="adminWorkers")
async def workers(state: State) -> Workers:
    """Those that work, and those that ended within the hour."""
    system: System = state.system
    async with system.database.connection() as connection:
        return Workers(await list_workers(connection))


@policy(OPERATOR, viewer=schedules_for_viewers)
@get("/schedules", summary="Schedules", operation_id="adminSchedules")
async def schedules(state: State) -> Schedules:
    system: System = state.system
    async with system.database.connection() as connection:
        return Schedules(await list_schedules(connection))


@policy(OPERATOR, viewer=event_for_viewers)
@get(
    "/events",
    summary="Events as they come",
    operation_id="adminEvents",
    media_type="text/event-stream",
    responses=INVALID,
)
async def events(
    request: Request[Any, Any, State],
    state: State,
    last_event_id: Annotated[
        str | None,
        HeaderParameter(
            name="Last-Event-ID",
            max_length=100,
            pattern=NO_NUL,
            description="Go on after this event; without it, from now.",
        ),
    ] = None,
) -> ServerSentEvent:
    """Server-sent events: the engine's own, each with its id, and `stats` every few seconds. Events
    come in an order in which none comes late, so they wait for the oldest transaction that is still
    running; `held` says so. `reset` says that the event you named is no longer kept: you may have
    missed some. Ends soon after the session does, if you came by one."""
    host: Host = state.host
    stream = await host.hub.stream_of_operators(after=last_event_id)
    return ServerSentEvent(_messages(request, stream))


async def _messages(
    request: Request[Any, Any, State], stream: EventStream
) -> AsyncIterator[ServerSentEventMessage]:
    figures: DatabaseMetrics = request.app.state.figures
    seen = view_of(request)
    shown: Stats | None = None
    look_at = monotonic()  # it may have ended between the guard and here

    def as_seen(message: StreamMessage) -> StreamMessage:
        return replace(message, event=message.event and seen(message.event))

    async for message in server_sent(stream, request, as_seen):
        if monotonic() >= look_at:
            if not await still_signed_in(request):
                return
            look_at = monotonic() + SESSION_LOOK_SECONDS
        if message is not None:
            yield message
        await figures.refresh()
        if figures.latest is not None and figures.latest is not shown:
            shown = figures.latest
            yield ServerSentEventMessage(data=msgspec.json.encode(shown).decode(), event="stats")


HANDLERS: list[Any] = [stats, workers, schedules, events]
