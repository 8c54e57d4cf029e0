"""Offers of the day, and matches."""

from typing import Annotated, Any
from uuid import UUID

from litestar import Request, Router, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.apps.offers.settings import rules_of
from handfast.apps.offers.users.acting import Acted, act
from handfast.apps.offers.users.matches import (
    MatchStatus,
    UserMatch,
    described,
    get_match,
    list_matches,
    unmatch,
)
from handfast.apps.offers.users.reading import OfferList, list_offers
from handfast.edge.api.offers import MatchList, SentAction, Unmatch
from handfast.edge.http.policies import PERSONAL_REQUIRED, USER, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes import admin_offers
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction

NO_SUCH_OFFER = {404: problem_spec("You have no such offer")}
NO_SUCH_MATCH = {404: problem_spec("You have no such match")}
DECIDED = {409: problem_spec("The offer does not take that action any more")}

OfferId = Annotated[UUID, PathParameter(description="One of your offers.")]
MatchId = Annotated[UUID, PathParameter(description="One of your matches.")]
Status = Annotated[MatchStatus, QueryParameter(description="Which of them.")]


@policy(USER)
@get("/matches/offers", summary="Your offers", operation_id="offers")
async def offers(request: Request[Any, Any, State], state: State) -> OfferList:
    """All that are open, today's first. Without a set of today, `reason` says why."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await list_offers(connection, signed_in(request).user_id)


@policy(USER, key=PERSONAL_REQUIRED)
@post(
    "/matches/offers/{offer_id:uuid}/action",
    summary="Accept an offer, pass, or leave it for later",
    operation_id="offerAction",
    status_code=200,
    responses=INVALID | NO_SUCH_OFFER | DECIDED,
)
async def action(
    request: Request[Any, Any, State], state: State, offer_id: OfferId, data: JSONBody[SentAction]
) -> Acted:
    """The same action again changes nothing. When both have accepted there is a match."""
    system: System = state.system
    rules = rules_of(system.settings)
    async with transaction(request) as tx:
        return await act(tx, rules, signed_in(request).user_id, offer_id, data.action)


@policy(USER)
@get("/matches", summary="Your matches", operation_id="matches", responses=INVALID)
async def matches(
    request: Request[Any, Any, State], state: State, status: Status = MatchStatus.ACTIVE
) -> MatchList:
    """The newest first."""
    system: System = state.system
    user = signed_in(request).user_id
    async with system.database.connection() as connection:
        found = await list_matches(connection, user, status)
        return MatchList(await described(connection, system.capabilities, user, found))


@policy(USER)
@get(
    "/matches/{match_id:uuid}",
    summary="One of your matches",
    operation_id="match",
    responses=NO_SUCH_MATCH,
)
async def match(request: Request[Any, Any, State], state: State, match_id: MatchId) -> UserMatch:
    system: System = state.system
    user = signed_in(request).user_id
    async with system.database.connection() as connection:
        found = await get_match(connection, user, match_id)
        return (await described(connection, system.capabilities, user, [found]))[0]


@policy(USER, key=PERSONAL_REQUIRED)
@post(
    "/matches/{match_id:uuid}/unmatch",
    summary="End a match",
    operation_id="unmatch",
    status_code=200,
    responses=INVALID | NO_SUCH_MATCH,
)
async def end(
    request: Request[Any, Any, State], state: State, match_id: MatchId, data: JSONBody[Unmatch]
) -> UserMatch:
    """A second time changes nothing. The two are never offered to each other again."""
    system: System = state.system
    user = signed_in(request).user_id
    async with transaction(request) as tx:
        closed = await unmatch(tx, system.hooks, user, match_id, data.reason)
        return (await described(tx, system.capabilities, user, [closed]))[0]


router: Any = Router(
    path="/",
    route_handlers=[offers, action, matches, match, end, *admin_offers.HANDLERS],
    tags=["matches"],
)
