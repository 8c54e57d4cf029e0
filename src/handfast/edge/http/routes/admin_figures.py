"""Figures over time: by the minute, by kind, and ticks by the day."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from litestar import get
from litestar.datastructures import State
from litestar.params import QueryParameter

from handfast.edge.api.figures import FiguresOfKinds, TickDays
from handfast.edge.api.viewing import as_it_is
from handfast.edge.http.policies import OPERATOR, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID, text_parameter
from handfast.engine.operating.dead_letters import as_instant
from handfast.engine.operating.figures import (
    KEPT,
    Figures,
    figures_of_kinds,
    read_figures,
    tick_days,
)
from handfast.engine.system import System

Since = Annotated[
    datetime | float | None,
    QueryParameter(description="From then on: an instant, or seconds since 1970."),
]
Until = Annotated[datetime | float | None, QueryParameter(description="Before then.")]


NO_SPAN = {422: problem_spec("`since` is not before `until`, or is too long before it")}


@policy(OPERATOR, viewer=as_it_is)
@get(
    "/figures",
    summary="Figures over time",
    operation_id="adminFigures",
    responses=INVALID | NO_SPAN,
)
async def figures(
    state: State,
    *,
    kind: Annotated[str | None, text_parameter("Only this kind; all together without.")] = None,
    since: Since = None,
    until: Until = None,
    step: Annotated[
        int, QueryParameter(ge=60, le=86_400, description="Seconds of one point.")
    ] = 60,
) -> Figures:
    """Attempts that succeeded, failed or were lost, jobs that died, and how long attempts took: in
    steps, for the last hour or what you ask for. Written as work was done, and kept for 14 days."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await read_figures(
            connection,
            kind=kind,
            since=as_instant(since),
            until=as_instant(until),
            step=timedelta(seconds=step),
        )


@policy(OPERATOR, viewer=as_it_is)
@get(
    "/figures/kinds",
    summary="Figures of each kind",
    operation_id="adminFiguresOfKinds",
    responses=INVALID | NO_SPAN,
)
async def kinds(state: State, *, since: Since = None, until: Until = None) -> FiguresOfKinds:
    """The busiest first, over the last hour or what you ask for, up to a day."""
    system: System = state.system
    async with system.database.connection() as connection:
        return FiguresOfKinds(
            await figures_of_kinds(connection, since=as_instant(since), until=as_instant(until))
        )


@policy(OPERATOR, viewer=as_it_is)
@get(
    "/figures/ticks",
    summary="Ticks by day",
    operation_id="adminTickDays",
    responses=INVALID | NO_SPAN,
)
async def ticks(
    state: State,
    days: Annotated[
        int, QueryParameter(ge=1, le=KEPT.days, description="So many days, of UTC.")
    ] = KEPT.days,
) -> TickDays:
    """Ticks that were expected and that fired, for each schedule and day."""
    system: System = state.system
    async with system.database.connection() as connection:
        return TickDays(await tick_days(connection, days=days))


HANDLERS: list[Any] = [figures, kinds, ticks]
