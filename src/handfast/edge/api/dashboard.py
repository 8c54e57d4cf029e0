"""What the dashboard is told first: who is signed in, and which pages there are."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec.structs import replace

from handfast.base.words import OneOf
from handfast.edge.api.sessions import StaffRole


class DashboardCaller(msgspec.Struct, rename="camel"):
    """``endsAt`` is null for who came with a token."""

    role: Annotated[str, OneOf(StaffRole)]
    name: str
    ends_at: datetime | None


class DashboardPage(msgspec.Struct, rename="camel"):
    """``name`` is its address under /dashboard; ``capability`` who brings it, null for the
    engine's own. ``forViewers``: whether a viewer would see anything on it."""

    name: str
    title: str
    capability: str | None
    for_viewers: bool


class Dashboard(msgspec.Struct, rename="camel"):
    """``capabilities`` are those that are switched on: a page may show more with one."""

    version: str
    caller: DashboardCaller
    pages: list[DashboardPage]
    capabilities: list[str]


def dashboard_for_viewers(answer: Dashboard) -> Dashboard:
    return replace(answer, pages=[page for page in answer.pages if page.for_viewers])
