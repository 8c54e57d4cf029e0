"""Sessions that nobody reported: void, and both stakes become credit."""

from handfast.apps.stakes.rules.money import to_credit
from handfast.apps.stakes.sessions.ending import end_sessions, tickets_of_sessions
from handfast.apps.stakes.sessions.moving import Refused, move_each
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import GameSession, SessionStatus
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.services.ledger.values import HoldEnding

VOIDED_MAX = 100  # sessions of one transaction: their players' accounts are locked until it ends

_DUE = statement("stakes.due_sessions", row=GameSession)


async def void_expired(
    tx: Queryable, terms: StakeTerms, refused: Refused, *, limit: int = VOIDED_MAX
) -> int:
    """Those that are past their end; one that is being reported or disputed in this moment is left
    to that. Answers how many. Those whose money cannot be moved are put among the ``refused``,
    which are not tried."""
    due = await _DUE.all(tx, limit, list(refused))
    if not due:
        return 0
    tickets = await tickets_of_sessions(tx, [session.id for session in due])
    requests = {
        session.id: to_credit(
            f"session:{session.id}:void",
            [ticket.hold_id for ticket in tickets[session.id]],
            session.currency,
            HoldEnding.EXPIRED,
            [(ticket.player_id, ticket.fee) for ticket in tickets[session.id]]
            if terms.fee_returned
            else (),
        )
        for session in due
    }
    moved = await move_each(tx, requests, refused)
    void = [session for session in due if session.id in moved]
    await end_sessions(tx, void, SessionStatus.VOID)
    return len(void)
