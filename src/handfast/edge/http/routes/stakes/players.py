"""A player's own money."""

from typing import Annotated, Any, Literal

from litestar import Request, get
from litestar.datastructures import State
from litestar.params import QueryParameter

from handfast.apps.stakes.queue.tickets import live_ticket
from handfast.edge.api.stakes import PlayerLedger, PlayerShown, ticket_shown
from handfast.edge.http.policies import PLAYER, USER, policy
from handfast.edge.http.routes.admin_problems import (
    INVALID,
    NO_SUCH_PLACE,
    Limit,
    text_parameter,
)
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.ledger.posting.holds import open_holds
from handfast.services.ledger.reading.balances import balance, currency_of, statement_of
from handfast.services.ledger.settings import LedgerSettings
from handfast.services.ledger.values import AccountName, credit, wallet

After = Annotated[str | None, text_parameter("Go on after this place: the `next` of a page.")]
Account = Annotated[
    Literal["wallet", "credit"], QueryParameter(description="Which of your accounts.")
]


@policy(USER, PLAYER, suspended=True)
@get("/players/me", summary="Your money", operation_id="player")
async def me(request: Request[Any, Any, State], state: State) -> PlayerShown:
    """Wallet, credit, and what is staked, in minor units."""
    system: System = state.system
    player = signed_in(request).user_id
    owner = str(player)
    default = system.settings.of(LedgerSettings).currency
    async with system.database.connection() as connection:
        ticket = await live_ticket(connection, player)
        return PlayerShown(
            id=player,
            currency=await currency_of(connection, wallet(owner), default),
            wallet=await balance(connection, wallet(owner)),
            credit=await balance(connection, credit(owner)),
            held=sum(hold.amount for hold in await open_holds(connection, owner)),
            ticket=None if ticket is None else ticket_shown(ticket),
        )


@policy(USER, PLAYER, suspended=True)
@get(
    "/players/me/ledger",
    summary="Where your money went",
    operation_id="playerLedger",
    responses=INVALID | NO_SUCH_PLACE,
)
async def ledger(
    request: Request[Any, Any, State],
    state: State,
    account: Account = "wallet",
    after: After = None,
    limit: Limit = 100,
) -> PlayerLedger:
    """The entries of an account, the newest first, each with the balance after it."""
    system: System = state.system
    name = AccountName(account, str(signed_in(request).user_id))
    async with system.database.connection() as connection:
        page = await statement_of(connection, name, after=after, limit=limit)
    return PlayerLedger(account, page.lines, page.next)


HANDLERS = (me, ledger)
