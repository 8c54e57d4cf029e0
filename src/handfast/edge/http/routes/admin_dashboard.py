"""What the dashboard is told first. A capability brings its pages as it brings its routes; those of
the engine are named here."""

from typing import Any

from litestar import Request, get
from litestar.datastructures import State

from handfast import __version__
from handfast.edge.api.dashboard import (
    Dashboard,
    DashboardCaller,
    DashboardPage,
    dashboard_for_viewers,
)
from handfast.edge.http.identity import identity_of
from handfast.edge.http.policies import OPERATOR, policy
from handfast.edge.http.routes.admin_session import owner_of
from handfast.engine.capability import Capabilities, Page
from handfast.engine.system import System

FIRST = (
    Page("overview", "Overview"),
    Page("jobs", "Jobs"),
    Page("dead", "Dead letters"),
    Page("schedules", "Schedules"),
)
LAST = (
    Page("workers", "Workers"),
    Page("settings", "Settings"),
    Page("audit", "Audit", for_viewers=False),
)


@policy(OPERATOR, viewer=dashboard_for_viewers)
@get("/dashboard", summary="Who you are, and which pages there are", operation_id="adminDashboard")
async def dashboard(request: Request[Any, Any, State], state: State) -> Dashboard:
    """Pages in the order in which they are listed. What is switched off has none, and viewers are
    not shown pages on which there is nothing for them."""
    system: System = state.system
    who = identity_of(request)
    owner = await owner_of(request, state)
    return Dashboard(
        __version__,
        DashboardCaller(who.kind.value, who.name, None if owner is None else owner.ends_at),
        pages_of(system.capabilities),
        list(system.capabilities.names),
    )


def pages_of(capabilities: Capabilities) -> list[DashboardPage]:
    brought = [(page, one.name) for one in capabilities.on for page in one.pages]
    all_of_them = [*((page, None) for page in FIRST), *brought, *((page, None) for page in LAST)]
    return [
        DashboardPage(page.name, page.title, capability, page.for_viewers)
        for page, capability in all_of_them
    ]


HANDLERS: list[Any] = [dashboard]
