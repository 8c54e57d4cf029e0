"""Offers, for operators: zones, rounds, and a user's sets with why each."""

from datetime import date
from typing import Annotated, Any
from uuid import UUID

from litestar import get
from litestar.datastructures import State
from litestar.params import PathParameter, QueryParameter

from handfast.apps.offers.explaining.pairs import (
    PairExplained,
    explain_pair,
    latest_plan,
    why_absent,
)
from handfast.apps.offers.explaining.views import list_rounds, list_sets, list_zones
from handfast.edge.api.offers import RoundList, SetList, ZoneList
from handfast.edge.api.viewing import as_it_is
from handfast.edge.http.policies import OPERATOR, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.engine.system import System

Day = Annotated[date, QueryParameter(name="date", description="A batch date, as 2026-02-19.")]
Before = Annotated[
    date | None, QueryParameter(description="Only older ones: the last `day` of the page before.")
]
Until = Annotated[date | None, QueryParameter(description="Only of this date, or older.")]
PageSize = Annotated[int, QueryParameter(ge=1, le=200, description="At most so many.")]
NO_USER_ID = {404: problem_spec("That is no user's id")}
NO_ROUND = {404: problem_spec("No round has been made of that date")}
UserId = Annotated[UUID, PathParameter(description="The user's id.")]


@policy(OPERATOR, viewer=as_it_is)
@get(
    "/admin/offers/zones",
    summary="What a date came to in each zone",
    operation_id="adminOfferZones",
    responses=INVALID,
)
async def zones(state: State, day: Day) -> ZoneList:
    """The first 09:00 first."""
    system: System = state.system
    async with system.database.connection() as connection:
        return ZoneList(await list_zones(connection, day))


@policy(OPERATOR, viewer=as_it_is)
@get(
    "/admin/offers/rounds",
    summary="Rounds, with their figures",
    operation_id="adminOfferRounds",
    responses=INVALID,
)
async def rounds(state: State, before: Before = None, limit: PageSize = 14) -> RoundList:
    """The newest first."""
    system: System = state.system
    async with system.database.connection() as connection:
        return RoundList(await list_rounds(connection, before, limit))


@policy(OPERATOR)
@get(
    "/admin/offers/users/{user_id:uuid}",
    summary="A user's sets, and why each",
    operation_id="adminOfferSets",
    responses=INVALID | NO_USER_ID,
)
async def sets(state: State, user_id: UserId, until: Until = None, limit: PageSize = 14) -> SetList:
    """The newest first. Who has none has an empty list, and `absent` may say why."""
    system: System = state.system
    async with system.database.connection() as connection:
        found = await list_sets(connection, user_id, until, limit)
        return SetList(found, await why_absent(connection, user_id))


@policy(OPERATOR)
@get(
    "/admin/offers/explain",
    summary="Why somebody was offered, or not",
    operation_id="adminOfferExplained",
    responses=INVALID | NO_ROUND,
)
async def explain(
    state: State,
    *,
    user: Annotated[UUID, QueryParameter(description="Whose set it is about.")],
    candidate: Annotated[UUID, QueryParameter(description="Who was, or was not, in it.")],
    day: Annotated[
        date | None, QueryParameter(name="date", description="A batch date; the newest, if unsaid.")
    ] = None,
) -> PairExplained:
    """The rule that refused, the parts of the score, who had no place left and what they got
    instead: from the snapshot of that date."""
    system: System = state.system
    async with system.database.connection() as connection:
        on = await latest_plan(connection) if day is None else day
        return await explain_pair(connection, on, user, candidate)


HANDLERS: list[Any] = [zones, rounds, sets, explain]
