"""Which legs a business event has, and what is wrong with a transfer before anybody is asked. Pure.

Amounts are whole numbers of minor units. Money that comes from outside is taken from ``cash``,
whose balance is therefore minus what the platform holds for everybody.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from handfast.base.errors import InvalidRequest
from handfast.base.text import is_storable
from handfast.engine.jobs.options import END_OF_INSTANTS, FIRST_INSTANT
from handfast.services.ledger.errors import AmountInvalid, OtherCurrency, TransferUnbalanced
from handfast.services.ledger.values import (
    AMOUNT_MAX,
    CASH,
    ESCROW,
    FUNDS,
    ID_MAX,
    ITEMS_MAX,
    LINES_MAX,
    OF_PLAYERS,
    OWNER_LENGTH_MAX,
    REFERENCE_LENGTH_MAX,
    REVENUE,
    AccountKind,
    AccountName,
    Back,
    HoldEnding,
    HoldTerms,
    Leg,
    Take,
    TransferKind,
    TransferRequest,
    credit,
    funds,
    wallet,
)

_CURRENCY = re.compile(r"[A-Z]{3}")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_KINDS = {kind.value for kind in AccountKind}


def deposit(reference: str, owner: str, amount: int, currency: str) -> TransferRequest:
    """Money came from outside, for a player."""
    return _moved(
        reference, TransferKind.DEPOSIT, (CASH, wallet(checked_owner(owner))), amount, currency
    )


def withdrawal(reference: str, owner: str, amount: int, currency: str) -> TransferRequest:
    """Money goes outside, from a player's wallet. What is staked is in escrow, and not in it."""
    return _moved(
        reference, TransferKind.WITHDRAWAL, (wallet(checked_owner(owner)), CASH), amount, currency
    )


def refund_of_credit(reference: str, owner: str, amount: int, currency: str) -> TransferRequest:
    """Credit becomes money that can be withdrawn."""
    return _moved(
        reference,
        TransferKind.REFUND,
        (credit(checked_owner(owner)), wallet(owner)),
        amount,
        currency,
    )


def stake(
    reference: str,
    owner: str,
    amount: int,
    currency: str,
    terms: HoldTerms,
    *,
    fee: int = 0,
    queue_id: int | None = None,
) -> TransferRequest:
    """The stake goes to escrow, as a hold, and the fee to revenue; credit pays before the wallet,
    and the stake before the fee."""
    mine = funds(checked_owner(owner))
    legs = [
        Leg(mine, -amount, TransferKind.STAKE_IN),
        Leg(ESCROW, amount, TransferKind.STAKE_IN),
    ]
    if fee:
        legs += [
            Leg(mine, -fee, TransferKind.COMMISSION),
            Leg(REVENUE, fee, TransferKind.COMMISSION),
        ]
    return TransferRequest(
        reference, TransferKind.STAKE, currency, legs, queue_id=queue_id, hold=terms
    )


def payout(
    reference: str,
    takes: Sequence[Take],
    to: Sequence[tuple[AccountName, int]],
    currency: str,
    *,
    session_id: int | None = None,
) -> TransferRequest:
    """Holds are settled: what is taken of them goes to these accounts, what is left to where it
    came from."""
    return TransferRequest(
        reference,
        TransferKind.PAYOUT,
        currency,
        [Leg(account, amount) for account, amount in to],
        session_id=session_id,
        resolves=takes,
    )


def release(
    reference: str,
    holds: Sequence[int],
    currency: str,
    *,
    back: Back = Back.SOURCE,
    ending: HoldEnding = HoldEnding.RELEASED,
) -> TransferRequest:
    """Holds end and nothing of them is taken: back to their sources, or all to credit."""
    kind = TransferKind.CREDIT if back is Back.CREDIT else TransferKind.REFUND
    takes = [Take(hold, 0) for hold in holds]
    return TransferRequest(reference, kind, currency, resolves=takes, ending=ending, back=back)


def check_requests(requests: Sequence[TransferRequest]) -> None:
    """What no database needs to be asked for. A list is one statement, so each of its references,
    and each of its holds, stands in it once."""
    if len(requests) > ITEMS_MAX:
        raise InvalidRequest(
            f"{len(requests):,} transfers at once are more than {ITEMS_MAX:,}.",
            hint="Give them in several lists.",
        )
    references = [request.reference for request in requests]
    holds = [take.hold for request in requests for take in request.resolves]
    for what, named in (("reference", references), ("hold", holds)):
        if len(set(named)) < len(named):
            raise InvalidRequest(
                f"A {what} is named twice in one list of transfers.",
                hint=f"Give each {what} once; a second event of the same name is a second call.",
            )
    for request in requests:
        check_request(request)


def check_request(request: TransferRequest) -> None:
    checked_text(request.reference, "reference", REFERENCE_LENGTH_MAX)
    check_currency(request.currency)
    _check_ids(request)
    _check_lines(request)
    for leg in request.legs:
        _check_leg(leg)
    if request.hold is not None:
        _check_hold(request, request.hold)
    total = sum(leg.amount for leg in request.legs)
    known = all(take.amount is not None for take in request.resolves)
    total -= sum(take.amount or 0 for take in request.resolves)
    if not (request.legs or request.resolves) or (known and total != 0):
        raise TransferUnbalanced(
            f"The legs of {request.reference!r} sum to {total}, not to zero.",
            hint="What is taken from some accounts is what others are given.",
        )


def check_amount(amount: object) -> int:
    """A whole number of minor units, more than nothing, at most ``AMOUNT_MAX``."""
    if not isinstance(amount, int) or isinstance(amount, bool) or not 0 < amount <= AMOUNT_MAX:
        raise AmountInvalid(
            f"The amount is {str(amount)[:40]}.",
            hint=f"Allowed: a whole number of minor units (cents) from 1 to {AMOUNT_MAX}.",
        )
    return amount


def check_currency(currency: str) -> str:
    if _CURRENCY.fullmatch(currency) is None:
        raise OtherCurrency(
            f"{currency[:20]!r} is not a currency.", hint="Three capital letters, such as EUR."
        )
    return currency


def checked_owner(owner: str) -> str:
    return checked_text(owner, "player's id", OWNER_LENGTH_MAX)


def owner_called(typed: str) -> str:
    """The player's id as accounts have it. A UUID in capitals is the same UUID: some platforms
    write it so, and money for it must not go to somebody nobody can be."""
    owner = checked_owner(typed)
    return owner.lower() if _UUID.fullmatch(owner) else owner


def checked_text(text: str, what: str, longest: int) -> str:
    if not 1 <= len(text) <= longest or text != text.strip() or not is_storable(text):
        raise InvalidRequest(
            f"{text[:40]!r} is not a {what}.",
            hint=f"It has 1 to {longest} characters, no space around it and no NUL.",
        )
    return text


def _check_ids(request: TransferRequest) -> None:
    """What is a number for Python, and for the database only as far as its own go."""
    named = {"queue_id": request.queue_id, "session_id": request.session_id}
    for what, number in named.items():
        if number is not None:
            _check_number(what, number)
    for take in request.resolves:
        _check_number("hold", take.hold)
        if take.amount is not None:
            _check_number("amount that is taken of a hold", take.amount)


def _check_number(what: str, number: object) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or abs(number) > ID_MAX:
        raise InvalidRequest(
            f"The {what} is {str(number)[:40]}.",
            hint=f"The database has whole numbers from -{ID_MAX} to {ID_MAX}.",
        )


def _check_lines(request: TransferRequest) -> None:
    lines = 2 * len(request.legs) + 4 * len(request.resolves)  # at most: see legs_of and decide
    if lines > LINES_MAX:
        raise InvalidRequest(
            f"{len(request.legs):,} legs and {len(request.resolves):,} holds are too many for one "
            "transfer.",
            hint=f"A leg counts two, a hold four, and together they are at most {LINES_MAX:,}.",
        )


def _check_hold(request: TransferRequest, terms: HoldTerms) -> None:
    """What is set aside is a player's, and in escrow: else its release would pay out what is held
    for others."""
    _check_instant("deadline", terms.deadline)
    if terms.expires_at is not None:
        _check_instant("end", terms.expires_at)
    staked = [leg for leg in request.legs if (leg.kind or request.kind) is TransferKind.STAKE_IN]
    of_players = [leg for leg in staked if leg.account.owner is not None]
    held = -sum(leg.amount for leg in of_players)
    escrow = [leg.amount for leg in request.legs if leg.account == ESCROW]
    set_aside = [leg.amount for leg in staked if leg.account == ESCROW]
    if (
        len({leg.account.owner for leg in of_players}) != 1
        or any(leg.amount > 0 for leg in of_players)
        or held > AMOUNT_MAX
        or sum(set_aside) != held
        or len(set_aside) < len(escrow)
        or (request.resolves and request.kind is TransferKind.STAKE_IN)
    ):
        raise InvalidRequest(
            f"What {request.reference!r} sets aside is not what one player puts into escrow.",
            hint="The legs of kind STAKE_IN take from one player, and give as much, at most "
            f"{AMOUNT_MAX}, to escrow.",
        )


def _check_instant(what: str, instant: datetime) -> None:
    if instant.tzinfo is None or not FIRST_INSTANT <= instant < END_OF_INSTANTS:
        raise InvalidRequest(
            f"The {what} of the hold is {instant.isoformat()}.",
            hint="It has a time zone, and is from "
            f"{FIRST_INSTANT:%Y-%m-%d} until before {END_OF_INSTANTS:%Y-%m-%d}, by UTC.",
        )


def _check_leg(leg: Leg) -> None:
    check_amount(leg.amount if isinstance(leg.amount, bool) else abs(leg.amount))
    name = leg.account
    of_player = name.account in {*OF_PLAYERS, FUNDS}
    if name.account not in {*_KINDS, FUNDS} or of_player != (name.owner is not None):
        raise InvalidRequest(
            f"There is no account {name}.",
            hint="A player has a wallet and a credit; escrow, revenue and cash are the platform's.",
        )
    if name.owner is not None:
        checked_owner(name.owner)
    if name.account == FUNDS and leg.amount > 0:
        raise InvalidRequest(
            f"{name} can only be taken from.", hint="Name the wallet or the credit to give to."
        )


def _moved(
    reference: str,
    kind: TransferKind,
    way: tuple[AccountName, AccountName],
    amount: int,
    currency: str,
) -> TransferRequest:
    check_amount(amount)
    source, target = way
    return TransferRequest(reference, kind, currency, [Leg(source, -amount), Leg(target, amount)])
