"""Which transfers follow from what happened. Pure.

A win pays the pot to the wallet. Draw and split return each part to where it came from. Expiry,
cancellation and a void session go to credit, and the fee stays unless the setting says otherwise.
Each has a reference of its own, so that what happens once moves money once.
"""

from collections.abc import Sequence
from uuid import UUID

from handfast.apps.stakes.values import GameSession, TicketOfSession
from handfast.services.ledger import rules
from handfast.services.ledger.values import (
    REVENUE,
    Back,
    HoldEnding,
    Leg,
    Take,
    TransferKind,
    TransferRequest,
    credit,
    funds,
    wallet,
)


def to_credit(
    reference: str,
    holds: Sequence[int],
    currency: str,
    ending: HoldEnding,
    fees: Sequence[tuple[UUID, int]] = (),
) -> TransferRequest:
    """Stakes become credit, and the fees with them if there are any to return."""
    request = rules.release(reference, holds, currency, back=Back.CREDIT, ending=ending)
    legs = [
        leg
        for player, fee in fees
        if fee
        for leg in (
            Leg(REVENUE, -fee, TransferKind.COMMISSION),
            Leg(credit(str(player)), fee, TransferKind.COMMISSION),
        )
    ]
    return TransferRequest(
        request.reference,
        request.kind,
        request.currency,
        legs,
        resolves=request.resolves,
        ending=request.ending,
        back=request.back,
    )


def won(
    session: GameSession, tickets: Sequence[TicketOfSession], winner: UUID, reference: str
) -> TransferRequest:
    takes = [Take(ticket.hold_id, session.stake) for ticket in tickets]
    to = [(wallet(str(winner)), session.pot)]
    return rules.payout(reference, takes, to, session.currency, session_id=session.id)


def shared(
    session: GameSession, tickets: Sequence[TicketOfSession], reference: str
) -> TransferRequest:
    """A draw or a split: everybody's own, to where it came from."""
    return rules.release(reference, [ticket.hold_id for ticket in tickets], session.currency)


def correction(session: GameSession, winner: UUID | None, reference: str) -> TransferRequest | None:
    """The pot was paid out, and somebody decided otherwise: from whom too much was given to whom
    too little. None if everybody has what is theirs."""
    was, is_now = _share(session, session.winner), _share(session, winner)
    moved = is_now - was
    if moved == 0:
        return None
    giver, taker = session.players if moved < 0 else (session.player2, session.player1)
    return TransferRequest(
        reference,
        TransferKind.PAYOUT,
        session.currency,
        [Leg(funds(str(giver)), -abs(moved)), Leg(wallet(str(taker)), abs(moved))],
        session_id=session.id,
    )


def _share(session: GameSession, winner: UUID | None) -> int:
    """What of the pot is the first player's."""
    if winner is None:
        return session.stake
    return session.pot if winner == session.player1 else 0
