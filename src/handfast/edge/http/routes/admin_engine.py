"""The engine as a whole: figures, workers, schedules, alerts, and what happens as it happens."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from litestar import get
from litestar.datastructures import State
from litestar.params import HeaderParameter
from litestar.response import ServerSentEvent, ServerSentEventMessage

from handfast.edge.http.routes.admin_problems import ADMIN_PROBLEMS, INVALID, NO_NUL
from handfast.engine.alerts import Alert, list_alerts
from handfast.engine.feed import follow
from handfast.engine.figures import Figures
from handfast.engine.schedule_store import ScheduleView, list_schedules
from handfast.engine.stats import Stats, read_stats
from handfast.engine.views import WorkerView, list_workers
from handfast.wiring import System


class Workers(msgspec.Struct, rename="camel"):
    workers: list[WorkerView]


class Schedules(msgspec.Struct, rename="camel"):
    schedules: list[ScheduleView]


class StatsView(msgspec.Struct, rename="camel"):
    stats: Stats
    alerts: list[Alert]


@get("/stats", summary="Figures", operation_id="adminStats", responses=ADMIN_PROBLEMS)
async def stats(state: State) -> StatsView:
    """Counted up to `countMax`, estimated, or taken from the newest history: it costs the same
    however many jobs there are. With the alerts that are raised, or were."""
    system: System = state.system
    figures = await read_stats(system.database)
    async with system.database.connection() as connection:
        return StatsView(figures, await list_alerts(connection))


@get("/workers", summary="Workers", operation_id="adminWorkers", responses=ADMIN_PROBLEMS)
async def workers(state: State) -> Workers:
    """Those that work, and those that ended within the hour."""
    system: System = state.system
    async with system.database.connection() as connection:
        return Workers(await list_workers(connection))


@get("/schedules", summary="Schedules", operation_id="adminSchedules", responses=ADMIN_PROBLEMS)
async def schedules(state: State) -> Schedules:
    system: System = state.system
    async with system.database.connection() as connection:
        return Schedules(await list_schedules(connection))


@get(
    "/events",
    summary="Events as they come",
    operation_id="adminEvents",
    media_type="text/event-stream",
    responses=ADMIN_PROBLEMS | INVALID,
)
async def events(
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
    """Server-sent events: the engine's own, each with its id, at least once; and `stats` every few
    seconds."""
    return ServerSentEvent(_messages(state, last_event_id))


async def _messages(state: State, after: str | None) -> AsyncIterator[ServerSentEventMessage]:
    system: System = state.system
    figures: Figures = state.figures
    shown: Stats | None = None
    async for batch in follow(system.database, state.stopping, after=after):
        for event in batch:
            yield ServerSentEventMessage(data=event.as_json, event=event.type, id=event.id)
        await figures.refresh()
        if figures.latest is not None and figures.latest is not shown:
            shown = figures.latest
            yield ServerSentEventMessage(data=msgspec.json.encode(shown).decode(), event="stats")


HANDLERS: list[Any] = [stats, workers, schedules, events]
