"""Money, for operators: deposits, withdrawals, refunds of credit, statements, the trial balance,
seals."""

from collections.abc import Callable
from typing import Annotated, Any, Literal
from uuid import UUID, uuid5

from litestar import Request, Router, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.base.pages import CURSOR_LENGTH_MAX, CURSOR_PATTERN, cut
from handfast.edge.api.bounds import ID_MAX
from handfast.edge.api.ledger import (
    MoneyMoved,
    PlayerAccounts,
    SealPage,
    TransferAnswer,
    seal_shown,
)
from handfast.edge.http.changes import actor_of, changing
from handfast.edge.http.policies import OPERATOR, REQUIRED, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import (
    INVALID,
    NO_KEY,
    NO_SUCH_PLACE,
    IdempotencyKey,
    Limit,
)
from handfast.engine.system import System
from handfast.services.ledger import rules
from handfast.services.ledger.posting.commands import transfer
from handfast.services.ledger.posting.holds import open_holds
from handfast.services.ledger.reading.balances import (
    TrialBalance,
    balance,
    currency_of,
    statement_of,
    trial_balance,
)
from handfast.services.ledger.sealing.seals import newest_seals, unsealed_seconds
from handfast.services.ledger.settings import LedgerSettings
from handfast.services.ledger.values import OWNER_LENGTH_MAX, TransferRequest, credit, wallet

_KEYS = UUID("c1c52a8d-5f0b-4d7e-8a0e-6f6b6f3f7a52")  # changed, each key would move money anew

SHORT_OF_MONEY = {402: problem_spec("There is not so much in the account")}
REUSED = {409: problem_spec("The reference is that of another transfer")}
NOT_MOVABLE = {422: problem_spec("The account has another currency, or would hold too much")}

PlayerId = Annotated[
    str,
    PathParameter(
        min_length=1,
        max_length=OWNER_LENGTH_MAX,
        pattern=r"^[^\x00-\x20\x7f-\xa0]([^\x00]*[^\x00-\x20\x7f-\xa0])?$",
        description="The player's id.",
    ),
]


@policy(OPERATOR, key=REQUIRED, audit="ledger.deposit")
@post(
    "/players/{player_id:str}/deposits",
    summary="Money came for a player",
    operation_id="adminPlayerDeposit",
    responses=INVALID | REUSED | NOT_MOVABLE,
)
async def deposit(
    request: Request[Any, Any, State],
    player_id: PlayerId,
    data: JSONBody[MoneyMoved],
    key: IdempotencyKey = NO_KEY,
) -> TransferAnswer:
    """From outside into the wallet, which is opened if there is none."""
    return await _moved(
        request, rules.deposit, _named(request, "deposit", data, key), player_id, data
    )


@policy(OPERATOR, key=REQUIRED, audit="ledger.withdrawal")
@post(
    "/players/{player_id:str}/withdrawals",
    summary="Money goes to a player",
    operation_id="adminPlayerWithdrawal",
    responses=INVALID | SHORT_OF_MONEY | REUSED | NOT_MOVABLE,
)
async def withdraw(
    request: Request[Any, Any, State],
    player_id: PlayerId,
    data: JSONBody[MoneyMoved],
    key: IdempotencyKey = NO_KEY,
) -> TransferAnswer:
    """From the wallet outside. What is staked is not in the wallet, and credit is not money."""
    return await _moved(
        request, rules.withdrawal, _named(request, "withdrawal", data, key), player_id, data
    )


@policy(OPERATOR, key=REQUIRED, audit="ledger.refund")
@post(
    "/players/{player_id:str}/refunds",
    summary="Turn credit into money",
    operation_id="adminPlayerRefund",
    responses=INVALID | SHORT_OF_MONEY | REUSED | NOT_MOVABLE,
)
async def refund(
    request: Request[Any, Any, State],
    player_id: PlayerId,
    data: JSONBody[MoneyMoved],
    key: IdempotencyKey = NO_KEY,
) -> TransferAnswer:
    """From the player's credit into the wallet, where it can be withdrawn."""
    return await _moved(
        request, rules.refund_of_credit, _named(request, "refund", data, key), player_id, data
    )


@policy(OPERATOR)
@get(
    "/ledger/trial-balance",
    summary="What all accounts come to",
    operation_id="adminTrialBalance",
)
async def trial(state: State) -> TrialBalance:
    """By kind and currency, in minor units; `imbalance` is zero, or money came from nowhere."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await trial_balance(connection)


@policy(OPERATOR)
@get(
    "/ledger/seals",
    summary="Seals over the ledger",
    operation_id="adminSeals",
    responses=INVALID,
)
async def seals(
    state: State,
    after: Annotated[
        int | None, QueryParameter(ge=1, le=ID_MAX, description="The `next` of the page before.")
    ] = None,
    limit: Limit = 100,
) -> SealPage:
    """The newest first. `handfast ledger verify` recomputes them from the rows."""
    system: System = state.system
    async with system.database.connection() as connection:
        shown, last = cut(await newest_seals(connection, after, limit + 1), limit)
        waits = await unsealed_seconds(connection)
    return SealPage(
        [seal_shown(one) for one in shown], None if last is None else last.number, waits
    )


@policy(OPERATOR)
@get(
    "/players/{player_id:str}/ledger",
    summary="A player's money",
    operation_id="adminPlayerLedger",
    responses=INVALID | NO_SUCH_PLACE,
)
async def player_ledger(
    state: State,
    player_id: PlayerId,
    account: Annotated[
        Literal["wallet", "credit"], QueryParameter(description="Which account.")
    ] = "wallet",
    after: Annotated[
        str | None,
        QueryParameter(
            max_length=CURSOR_LENGTH_MAX,
            pattern=CURSOR_PATTERN,
            description="The `next` of the page before.",
        ),
    ] = None,
    limit: Limit = 100,
) -> PlayerAccounts:
    """What is in both accounts, what is held, and the entries of one, the newest first."""
    system: System = state.system
    player_id = rules.owner_called(player_id)
    named = {"wallet": wallet, "credit": credit}[account](player_id)
    default = system.settings.of(LedgerSettings).currency
    async with system.database.connection() as connection:
        found = await statement_of(connection, named, after=after, limit=limit)
        held = await open_holds(connection, player_id)
        return PlayerAccounts(
            currency=await currency_of(connection, named, default),
            wallet=await balance(connection, wallet(player_id)),
            credit=await balance(connection, credit(player_id)),
            held=sum(hold.amount for hold in held),
            account=found.account,
            lines=found.lines,
            next=found.next,
        )


def _named(request: Request[Any, Any, State], what: str, data: MoneyMoved, key: str) -> str:
    """The event's name in the ledger: a key's answer is forgotten one day, and this is not. It is
    one operator's, in either case; and players read this name, so it does not say whose."""
    theirs = f"{actor_of(request).name}:{key.lower()}"
    return f"{what}:{data.reference or uuid5(_KEYS, theirs)}"


async def _moved(
    request: Request[Any, Any, State],
    rule: Callable[[str, str, int, str], TransferRequest],
    reference: str,
    player: str,
    data: MoneyMoved,
) -> TransferAnswer:
    system: System = request.app.state.system
    currency = system.settings.of(LedgerSettings).currency
    player = rules.owner_called(player)
    wanted = rule(reference, player, data.amount, currency)
    async with changing(request, f"player:{player}") as change:
        posted = await transfer(change.tx, wanted)
        return TransferAnswer(
            transfer_id=posted.transfer_id,
            reference=wanted.reference,
            kind=wanted.kind.value,
            amount=data.amount,
            currency=currency,
            repeated=posted.repeated,
            wallet=await balance(change.tx, wallet(player)),
            credit=await balance(change.tx, credit(player)),
        )


router: Any = Router(
    path="/admin",
    route_handlers=[deposit, withdraw, refund, trial, seals, player_ledger],
    tags=["ledger"],
)
