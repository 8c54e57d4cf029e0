"""Errors of stakes: tickets, sessions, moves, results, disputes."""

from handfast.base.errors import RequestError
from handfast.db import constraints
from handfast.db.errors import ConstraintViolated


class StakeNotOffered(RequestError):
    """Not one of the amounts that can be staked."""

    code = "STAKE_NOT_OFFERED"
    title = "That amount cannot be staked"
    status = 422


class TicketOpen(ConstraintViolated):
    """A player has one ticket or session at a time."""

    code = "TICKET_OPEN"
    title = "The player is in the queue or in a session already"


class TicketOver(ConstraintViolated):
    """It was matched, has expired or was cancelled: what was asked came too late."""

    code = "TICKET_OVER"
    title = "The ticket is no longer in the queue"


class SessionOver(ConstraintViolated):
    code = "SESSION_OVER"
    title = "The session is over"


class MoveOutOfOrder(RequestError):
    """``expected`` is the number of the next move."""

    code = "MOVE_OUT_OF_ORDER"
    title = "That is not the next move"
    status = 409


class MoveStays(ConstraintViolated):
    code = "MOVE_STAYS"
    title = "A move stays as it was made"


class NotAPlayer(ConstraintViolated):
    """A result names somebody who did not play."""

    code = "NOT_A_PLAYER"
    title = "That is nobody of this session"
    status = 422


class DisputeOpen(ConstraintViolated):
    code = "DISPUTE_OPEN"
    title = "There is an open dispute about the session"


class DisputeResolved(RequestError):
    code = "DISPUTE_RESOLVED"
    title = "The dispute is resolved already"
    status = 409


constraints.register(
    {
        "dispute_of_session": DisputeOpen,
        "move_stays_as_it_is": MoveStays,
        "session_move": SessionOver,
        "session_winner_played": NotAPlayer,
        "ticket_move": TicketOver,
        "ticket_of_player": TicketOpen,
    }
)
