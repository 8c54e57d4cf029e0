"""Staking, changing, cancelling, and where one stands in line."""

from typing import Annotated, Any

from litestar import Request, delete, get, patch, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter

from handfast.apps.stakes.queue import changing, leaving, staking
from handfast.apps.stakes.queue.standing import queue_lines, standing_of
from handfast.apps.stakes.queue.tickets import get_ticket
from handfast.apps.stakes.terms import terms_of
from handfast.edge.api.bounds import ID_MAX
from handfast.edge.api.stakes import (
    NewStake,
    StandingShown,
    TicketAnswer,
    standing_shown,
    ticket_shown,
)
from handfast.edge.http.policies import PLAYER, REQUIRED, USER, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.edge.http.signed_in import signed_in, still_let_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction

SHORT_OF_MONEY = {402: problem_spec("There is not enough in credit and wallet")}
OPEN = {409: problem_spec("You have an open ticket: `ticket` is its id")}
OVER = {409: problem_spec("The ticket is no longer in the queue")}
NOT_OFFERED = {422: problem_spec("Not among the stakes, or the account has another currency")}
NO_SUCH_TICKET = {404: problem_spec("You have no such ticket")}

TicketId = Annotated[int, PathParameter(ge=1, le=ID_MAX, description="The ticket's id.")]


@policy(USER, PLAYER, key=REQUIRED)
@post(
    "/stakes",
    summary="Stake, and wait for a partner",
    operation_id="stake",
    responses=INVALID | SHORT_OF_MONEY | OPEN | NOT_OFFERED,
)
async def stake(request: Request[Any, Any, State], data: JSONBody[NewStake]) -> TicketAnswer:
    """Stake and fee are taken from the credit, then from the wallet."""
    player = signed_in(request).user_id
    system: System = request.app.state.system
    async with transaction(request) as tx:
        await still_let_in(tx, request)
        made = await staking.stake(tx, player, data.amount, terms_of(system.settings))
        return TicketAnswer(ticket_shown(await get_ticket(tx, made.ticket_id)))


@policy(USER, PLAYER)
@get("/stakes/current", summary="Where you stand", operation_id="stakeCurrent")
async def current(request: Request[Any, Any, State], state: State) -> StandingShown:
    """Your ticket, your place in line, how long it will take, and why nobody was found yet."""
    system: System = state.system
    async with system.database.connection() as connection:
        found = await standing_of(connection, signed_in(request).user_id, terms_of(system.settings))
        lines = await queue_lines(connection) if found is None else []
    return standing_shown(found, lines)


@policy(USER, PLAYER, key=REQUIRED)
@patch(
    "/stakes/{ticket_id:int}",
    summary="Change the stake",
    operation_id="stakeChange",
    responses=INVALID | SHORT_OF_MONEY | OVER | NOT_OFFERED | NO_SUCH_TICKET,
)
async def change(
    request: Request[Any, Any, State], ticket_id: TicketId, data: JSONBody[NewStake]
) -> TicketAnswer:
    """The ticket keeps its end, and goes to the end of the other line. The difference is taken or
    returned; there is no second fee."""
    system: System = request.app.state.system
    async with transaction(request) as tx:
        changed = await changing.change_stake(
            tx,
            ticket_id,
            data.amount,
            terms_of(system.settings),
            player=signed_in(request).user_id,
        )
        return TicketAnswer(ticket_shown(changed))


@policy(USER, PLAYER, key=REQUIRED)
@delete(
    "/stakes/{ticket_id:int}",
    summary="Leave the queue",
    operation_id="stakeCancel",
    status_code=200,
    responses=OVER | NO_SUCH_TICKET,
)
async def cancel(request: Request[Any, Any, State], ticket_id: TicketId) -> TicketAnswer:
    """The stake becomes credit; the fee stays."""
    system: System = request.app.state.system
    async with transaction(request) as tx:
        left = await leaving.cancel(
            tx, ticket_id, terms_of(system.settings), player=signed_in(request).user_id
        )
        return TicketAnswer(ticket_shown(left))


HANDLERS = (stake, current, change, cancel)
