"""What every end of a session has in common: the pot is cleared, its players are free, others are
told. One transaction, with the session's row in hand."""

from collections.abc import Sequence
from types import NoneType
from uuid import UUID

from handfast.apps.stakes.metrics import SESSIONS
from handfast.apps.stakes.values import GameSession, SessionStatus, TicketOfSession
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.events import NewEvent, emit_many

_TICKETS = statement("stakes.tickets_of_sessions", row=TicketOfSession)
_FREE = statement("stakes.free_players", row=NoneType)
_END = statement("stakes.end_sessions", row=NoneType)


async def tickets_of_sessions(
    on: Queryable, sessions: Sequence[int]
) -> dict[int, list[TicketOfSession]]:
    found: dict[int, list[TicketOfSession]] = {session: [] for session in sessions}
    for ticket in await _TICKETS.all(on, list(sessions)):
        found[ticket.session_id].append(ticket)
    return found


async def free_players(tx: Queryable, sessions: Sequence[int]) -> None:
    """Their games are over: they may stake again."""
    await _FREE.run(tx, list(sessions))


async def end_sessions(
    tx: Queryable,
    sessions: Sequence[GameSession],
    status: SessionStatus,
    *,
    result: str | None = None,
    winner: UUID | None = None,
) -> None:
    """``settled`` with a result, or ``void``."""
    ids = [session.id for session in sessions]
    await free_players(tx, ids)
    await _END.run(tx, ids, status.value, result, winner)
    await emit_many(tx, [_event(session, status, result, winner) for session in sessions])
    SESSIONS.labels(result or status.value).inc(len(sessions))


def _event(
    session: GameSession, status: SessionStatus, result: str | None, winner: UUID | None
) -> NewEvent:
    data = {
        "sessionId": session.id,
        "playerIds": [str(player) for player in session.players],
        "amount": session.stake,
    }
    if status is SessionStatus.SETTLED:
        data |= {"result": result, "winnerId": None if winner is None else str(winner)}
    return NewEvent(f"session.{_TYPES[status]}", f"session:{session.id}", data, session.players)


_TYPES = {SessionStatus.SETTLED: "settled", SessionStatus.VOID: "voided"}
