"""Looking at tickets."""

from collections.abc import Sequence
from uuid import UUID

from handfast.apps.stakes.errors import TicketOver
from handfast.apps.stakes.values import Ticket, TicketStatus
from handfast.base.errors import NotFound
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction

TICKETS_MAX = 100
TICKETS = "stakes.tickets"  # what is told in this process when some have changed

_ONE = statement("stakes.ticket", row=Ticket)
_LOCKED = statement("stakes.ticket_locked", row=Ticket)
_LIVE = statement("stakes.live_ticket", row=Ticket)
_OF_PLAYER = statement("stakes.tickets_of_player", row=Ticket)


async def get_ticket(on: Queryable, ticket: int, player: UUID | None = None) -> Ticket:
    """Anybody's, or this player's: other people's tickets are not there."""
    return _theirs(await _ONE.maybe(on, ticket), ticket, player)


async def lock_queued(tx: Queryable, ticket: int, player: UUID | None = None) -> Ticket:
    """Ours until the commit, if it is in the queue. Who pairs at this moment is waited for, and
    what they made of it is seen: the row is read again when it is ours."""
    found = _theirs(await _LOCKED.maybe(tx, ticket), ticket, player)
    if found.status != TicketStatus.QUEUED:
        raise TicketOver(
            f"Ticket {ticket} is {found.status}.",
            hint="Look at GET /stakes/current: it may have a session."
            if found.status == TicketStatus.MATCHED
            else "Stake again, if you like.",
            ticket=ticket,
            session=found.session_id,
        )
    return found


async def live_ticket(on: Queryable, player: UUID) -> Ticket | None:
    """In the queue, or in a session that is not over."""
    return await _LIVE.maybe(on, player)


async def tickets_of(on: Queryable, player: UUID, *, limit: int = TICKETS_MAX) -> list[Ticket]:
    """The newest first."""
    return await _OF_PLAYER.all(on, player, limit)


def changed(tx: Queryable, tickets: Sequence[int]) -> None:
    """To be called in the transaction that changes them: after its commit, if that is ours, those
    in this process who want to know are told. Nobody relies on it."""
    if isinstance(tx, Transaction) and tx.changes is not None:
        tx.changes.append((TICKETS, tickets))


def _theirs(found: Ticket | None, ticket: int, player: UUID | None) -> Ticket:
    if found is None or (player is not None and found.player_id != player):
        raise NotFound(f"There is no ticket {ticket}.")
    return found
