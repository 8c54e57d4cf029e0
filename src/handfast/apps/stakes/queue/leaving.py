"""Out of the queue without a partner: cancelled, or past its end. The stake becomes credit, and
the fee stays, unless the setting returns it.

Who pairs holds the ticket's row, and so do we: exactly one of the two has it, and the other finds
it gone.
"""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from handfast.apps.stakes.metrics import ENDED
from handfast.apps.stakes.queue.tickets import changed, get_ticket, live_ticket, lock_queued
from handfast.apps.stakes.rules.money import to_credit
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import Ticket, TicketStatus
from handfast.base.errors import HandfastError
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.events import NewEvent, emit_many
from handfast.services.ledger.posting.commands import transfer_many
from handfast.services.ledger.values import HoldEnding

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
    """While it is in the queue. Raises ``TICKET_OVER`` for one that is not."""
    found = await lock_queued(tx, ticket, player)
    leaving = LeavingTicket(
        found.id, found.player_id, found.stake_amount, found.fee, found.currency, found.hold_id
    )
    await _leave(tx, [leaving], TicketStatus.CANCELLED, terms)
    return await get_ticket(tx, ticket)


async def cancel_of_player(tx: Queryable, player: UUID, terms: StakeTerms) -> Ticket | None:
    """Whatever is in the queue; what is matched is played."""
    found = await live_ticket(tx, player)
    if found is None or found.status != TicketStatus.QUEUED:
        return None
    return await cancel(tx, found.id, terms)


async def expire_tickets(tx: Queryable, terms: StakeTerms, *, limit: int = EXPIRED_MAX) -> int:
    """Those that are past their end, the oldest first; whom somebody pairs or cancels in this
    moment is left to them. Answers how many."""
    due = await _DUE.all(tx, limit)
    if due:
        await _leave(tx, due, TicketStatus.EXPIRED, terms)
    return len(due)


async def _leave(
    tx: Queryable, tickets: Sequence[LeavingTicket], how: TicketStatus, terms: StakeTerms
) -> None:
    ending = HoldEnding.EXPIRED if how is TicketStatus.EXPIRED else HoldEnding.RELEASED
    requests = [
        to_credit(
            f"stake:{ticket.id}:{how}",
            [ticket.hold_id],
            ticket.currency,
            ending,
            [(ticket.player_id, ticket.fee)] if terms.fee_returned else (),
        )
        for ticket in tickets
    ]
    for outcome in await transfer_many(tx, requests):
        if isinstance(outcome, HandfastError):  # a hold that is not as its ticket: nothing is done
            raise outcome
    await _END.run(tx, [ticket.id for ticket in tickets], how.value)
    await emit_many(tx, [_event(ticket, how, terms) for ticket in tickets])
    changed(tx, [ticket.id for ticket in tickets])
    ENDED.labels(how.value).inc(len(tickets))


def _event(ticket: LeavingTicket, how: TicketStatus, terms: StakeTerms) -> NewEvent:
    credited = ticket.stake_amount + (ticket.fee if terms.fee_returned else 0)
    data = {
        "ticketId": ticket.id,
        "playerId": str(ticket.player_id),
        "amount": ticket.stake_amount,
        "credited": credited,
    }
    return NewEvent(f"stake.{how}", f"player:{ticket.player_id}", data, [ticket.player_id])
