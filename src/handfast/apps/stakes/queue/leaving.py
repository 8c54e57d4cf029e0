"""Out of the queue without a partner: cancelled, or past its end. The stake becomes credit, and
the fee stays, unless the setting returns it.

Who pairs holds the ticket's row, and so do we: exactly one of the two has it, and the other finds
it gone.
"""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from handfast.apps.stakes.errors import TicketOver
from handfast.apps.stakes.metrics import ENDED
from handfast.apps.stakes.queue.tickets import changed, get_ticket, live_ticket, lock_queued
from handfast.apps.stakes.rules.money import to_credit
from handfast.apps.stakes.sessions.moving import Refused, move_each
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import Ticket, TicketStatus
from handfast.base.logs import get_logger
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.events import NewEvent, emit_many
from handfast.services.ledger.values import HoldEnding

log = get_logger(__name__)

EXPIRED_MAX = 200  # tickets of one transaction: their players' accounts are locked until it ends


class LeavingTicket(msgspec.Struct, frozen=True):
    id: int
    player_id: UUID
    stake_amount: int
    fee: int
    currency: str
    hold_id: int


_DUE = statement("stakes.due_tickets", row=LeavingTicket)
_END = statement("stakes.end_tickets", row=type(None))


async def cancel(
    tx: Queryable, ticket: int, terms: StakeTerms, *, player: UUID | None = None
) -> Ticket:
    """While it is in the queue. Raises ``TICKET_OVER`` for one that is not, and what the ledger
    says if its money cannot be moved."""
    refused: Refused = {}
    events = await _cancel(tx, ticket, terms, refused, player)
    if refused:
        raise refused[ticket]
    await emit_many(tx, events)
    return await get_ticket(tx, ticket)


async def cancel_of_player(tx: Queryable, player: UUID, terms: StakeTerms) -> list[NewEvent]:
    """Whatever is in the queue; what is matched is played, also if that was decided just now. If
    its money cannot be moved it stays, for whoever puts that right: nobody is kept from suspending
    its player. Answers what is to be told, last."""
    found = await live_ticket(tx, player)
    if found is None or found.status != TicketStatus.QUEUED:
        return []
    refused: Refused = {}
    try:
        events = await _cancel(tx, found.id, terms, refused)
    except TicketOver:  # before anything was written
        return []
    for ticket, why in refused.items():
        log.error("stake_not_returned", ticket=ticket, reason=str(why))
    return events


async def _cancel(
    tx: Queryable, ticket: int, terms: StakeTerms, refused: Refused, player: UUID | None = None
) -> list[NewEvent]:
    found = await lock_queued(tx, ticket, player)
    leaving = LeavingTicket(
        found.id, found.player_id, found.stake_amount, found.fee, found.currency, found.hold_id
    )
    return await _leave(tx, [leaving], TicketStatus.CANCELLED, terms, refused)


async def expire_tickets(
    tx: Queryable, terms: StakeTerms, refused: Refused, *, limit: int = EXPIRED_MAX
) -> int:
    """Those that are past their end, the oldest first; whom somebody pairs or cancels in this
    moment is left to them. Answers how many. Those whose money cannot be moved are put among the
    ``refused``, which are not tried."""
    due = await _DUE.all(tx, limit, list(refused))
    if not due:
        return 0
    events = await _leave(tx, due, TicketStatus.EXPIRED, terms, refused)
    await emit_many(tx, events)
    return len(events)


async def _leave(
    tx: Queryable,
    tickets: Sequence[LeavingTicket],
    how: TicketStatus,
    terms: StakeTerms,
    refused: Refused,
) -> list[NewEvent]:
    """One for each that has left."""
    ending = HoldEnding.EXPIRED if how is TicketStatus.EXPIRED else HoldEnding.RELEASED
    requests = {
        ticket.id: to_credit(
            f"stake:{ticket.id}:{how}",
            [ticket.hold_id],
            ticket.currency,
            ending,
            [(ticket.player_id, ticket.fee)] if terms.fee_returned else (),
        )
        for ticket in tickets
    }
    moved = await move_each(tx, requests, refused)
    gone = [ticket for ticket in tickets if ticket.id in moved]
    await _END.run(tx, [ticket.id for ticket in gone], how.value)
    changed(tx, [ticket.id for ticket in gone])
    ENDED.labels(how.value).inc(len(gone))
    return [_event(ticket, how, terms) for ticket in gone]


def _event(ticket: LeavingTicket, how: TicketStatus, terms: StakeTerms) -> NewEvent:
    credited = ticket.stake_amount + (ticket.fee if terms.fee_returned else 0)
    data = {
        "ticketId": ticket.id,
        "playerId": str(ticket.player_id),
        "amount": ticket.stake_amount,
        "credited": credited,
    }
    return NewEvent(f"stake.{how}", f"player:{ticket.player_id}", data, [ticket.player_id])
