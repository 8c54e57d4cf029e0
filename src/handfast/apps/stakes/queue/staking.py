"""Into the queue: money to escrow, the fee to revenue, a ticket at the end of the line, an event.
All of it is one statement, of one stake or of many."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from handfast.apps.stakes.errors import TicketOpen
from handfast.apps.stakes.metrics import STAKES
from handfast.apps.stakes.queue.tickets import changed
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import CLEARING
from handfast.base.errors import HandfastError
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.services.ledger.errors import AmountInvalid
from handfast.services.ledger.posting.commands import refusal
from handfast.services.ledger.values import ItemVerdict, TransferKind, TransferRequest


class StakeRequest(msgspec.Struct, frozen=True):
    player: UUID
    amount: int


class Staked(msgspec.Struct, frozen=True):
    """A new ticket."""

    ticket_id: int
    transfer_id: int
    hold_id: int
    created_at: datetime
    expires_at: datetime


class _StakeVerdict(msgspec.Struct, frozen=True):
    item: int
    verdict: str
    ticket_id: int
    transfer_id: int | None
    hold_id: int | None
    created_at: datetime
    expires_at: datetime
    available: int | None


StakeOutcome = Staked | HandfastError

_STAKE = statement("stakes.stake", row=_StakeVerdict)


async def stake(tx: Queryable, player: UUID, amount: int, terms: StakeTerms) -> Staked:
    """Or the error that says why not: ``TICKET_OPEN``, ``INSUFFICIENT_FUNDS``, …"""
    [outcome] = await stake_many(tx, [StakeRequest(player, amount)], terms)
    if isinstance(outcome, HandfastError):
        raise outcome
    return outcome


async def stake_many(
    tx: Queryable, requests: Sequence[StakeRequest], terms: StakeTerms
) -> list[StakeOutcome]:
    """Each player once; what is refused leaves the others alone."""
    players = [request.player for request in requests]
    if len(set(players)) < len(players):
        raise AmountInvalid("A player stakes twice in one list.", hint="Give each player once.")
    verdicts = await _STAKE.all(
        tx,
        players,
        [terms.check(request.amount) for request in requests],
        terms.fee,
        terms.currency,
        terms.queue_expiry,
        CLEARING,
    )
    for one in verdicts:
        STAKES.labels(one.verdict).inc()
    changed(tx, [one.ticket_id for one in verdicts if one.verdict == "queued"])
    return [_outcome(request, one, terms) for request, one in zip(requests, verdicts, strict=True)]


def _outcome(request: StakeRequest, one: _StakeVerdict, terms: StakeTerms) -> StakeOutcome:
    if one.verdict == "queued" and one.transfer_id is not None and one.hold_id is not None:
        return Staked(one.ticket_id, one.transfer_id, one.hold_id, one.created_at, one.expires_at)
    if one.verdict == "ticket_open":
        return ticket_open(one.ticket_id)
    asked = TransferRequest(f"stake:{one.ticket_id}", TransferKind.STAKE, terms.currency)
    verdict = ItemVerdict(
        one.item, one.verdict, None, None, f"the player {request.player}", one.available
    )
    return refusal(asked, verdict)


def ticket_open(ticket: int) -> TicketOpen:
    return TicketOpen(
        f"Ticket {ticket} is open: a player is in one line, or one session, at a time.",
        hint="Wait for its end, cancel it (DELETE /stakes/{id}) or change it (PATCH /stakes/{id}).",
        ticket=ticket,
    )
