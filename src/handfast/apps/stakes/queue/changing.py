"""Another stake: the same ticket with the same end, at the end of the other line.

The old stake goes back to where it came from and the new one is taken, credit first, in one
transaction: so the difference is taken or returned, and there is no second fee. If there is not
enough, nothing has happened.
"""

from uuid import UUID

from handfast.apps.stakes.queue.tickets import changed, lock_queued
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import CLEARING, Ticket
from handfast.base.errors import HandfastError
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.events import emit
from handfast.services.ledger import rules
from handfast.services.ledger.posting.commands import transfer_many
from handfast.services.ledger.values import HoldTerms, Posted

_CHANGE = statement("stakes.change_ticket", row=Ticket)
_WAKE = statement("stakes.wake_matchmakers", row=bool)


async def change_stake(
    tx: Transaction, ticket: int, amount: int, terms: StakeTerms, *, player: UUID | None = None
) -> Ticket:
    """While it is in the queue. The stake that it has already changes nothing, not even its
    place."""
    terms.check(amount)
    found = await lock_queued(tx, ticket, player)
    if found.stake_amount == amount:
        return found
    async with tx.savepoint():
        posted = await _move(tx, found, amount)
    moved = await _CHANGE.one(tx, ticket, amount, posted.transfer_id, posted.hold_id)
    data = {
        "ticketId": ticket,
        "playerId": str(found.player_id),
        "amount": amount,
        "amountBefore": found.stake_amount,
    }
    users = [found.player_id]
    await emit(tx, "stake.changed", f"player:{found.player_id}", data, users=users)
    await _WAKE.run(tx)
    changed(tx, [ticket])
    return moved


async def _move(tx: Transaction, ticket: Ticket, amount: int) -> Posted:
    name = f"stake:{ticket.id}:change:{ticket.changes + 1}"
    back = rules.release(f"{name}:back", [ticket.hold_id], ticket.currency)
    anew = rules.stake(
        name,
        str(ticket.player_id),
        amount,
        ticket.currency,
        HoldTerms(ticket.expires_at + CLEARING),
        queue_id=ticket.id,
    )
    outcomes = await transfer_many(tx, [back, anew])
    for outcome in outcomes:
        if isinstance(outcome, HandfastError):
            raise outcome
    last = outcomes[-1]
    assert isinstance(last, Posted)  # noqa: S101  # the others were raised
    return last
