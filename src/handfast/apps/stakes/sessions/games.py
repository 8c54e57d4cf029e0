"""Looking at sessions, and moves in them: numbered, append-only, each once."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from handfast.apps.stakes.errors import MoveOutOfOrder, SessionOver
from handfast.apps.stakes.values import (
    MOVE_BYTES_MAX,
    Dispute,
    GameSession,
    NewMove,
    SessionStatus,
    StoredMove,
)
from handfast.base.errors import InvalidRequest, NotFound
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.jobs.kinds import as_json

_ONE = statement("stakes.session", row=GameSession)
_LOCKED = statement("stakes.session_locked", row=GameSession)
_LISTED = statement("stakes.sessions_listed", row=GameSession)
_DISPUTE = statement("stakes.dispute_of_session", row=Dispute)
_DISPUTES = statement("stakes.disputes_of_session", row=Dispute)
_MOVE = statement("stakes.move", row=StoredMove)
_MOVES = statement("stakes.moves", row=StoredMove)
_SAME = statement("stakes.same_payload", row=bool)
_ADD = statement("stakes.add_move", row=datetime)


async def get_session(on: Queryable, session: int, player: UUID | None = None) -> GameSession:
    """Anybody's, or one that this player plays in: others are not there."""
    return _theirs(await _ONE.maybe(on, session), session, player)


async def lock_session(tx: Queryable, session: int, player: UUID | None = None) -> GameSession:
    """Ours until the commit, and read when it is: moves, results, disputes and its end come one
    after the other."""
    return _theirs(await _LOCKED.maybe(tx, session), session, player)


async def list_sessions(
    on: Queryable,
    *,
    status: SessionStatus | None = None,
    before: int | None = None,
    limit: int = 100,
) -> list[GameSession]:
    """The newest first."""
    return await _LISTED.all(on, before, None if status is None else status.value, limit)


async def dispute_about(on: Queryable, session: int) -> Dispute | None:
    """The newest one."""
    return await _DISPUTE.maybe(on, session)


async def disputes_about(on: Queryable, session: int, *, limit: int) -> list[Dispute]:
    """The newest first."""
    return await _DISPUTES.all(on, session, limit)


async def moves_of(
    on: Queryable, session: int, *, after: int = 0, limit: int = 1000
) -> list[StoredMove]:
    return await _MOVES.all(on, session, after, limit)


async def make_move(tx: Queryable, session: int, player: UUID, move: NewMove) -> StoredMove:
    """The next one, or one that is there already and is the same."""
    text = _payload(move.payload)
    found = await lock_session(tx, session, player)
    if move.number <= found.moves:
        return await _repeated(tx, found, player, move)
    if not found.live:
        raise session_over(found)
    if move.number != found.moves + 1:
        raise _out_of_order(found, move.number)
    made_at = await _ADD.one(tx, session, move.number, player, move.type, text)
    return StoredMove(move.number, player, move.type, text, made_at)


def session_over(session: GameSession) -> SessionOver:
    return SessionOver(
        f"Session {session.id} is {session.status}.",
        hint="Look at GET /sessions/{id} for how it ended.",
        session=session.id,
        status=session.status,
    )


async def _repeated(tx: Queryable, session: GameSession, player: UUID, move: NewMove) -> StoredMove:
    known = await _MOVE.maybe(tx, session.id, move.number)
    if (
        known is None
        or (known.player_id, known.type) != (player, move.type)
        or not await _SAME.one(tx, known.payload, _payload(move.payload))
    ):
        raise _out_of_order(session, move.number)
    return known


def _out_of_order(session: GameSession, number: int) -> MoveOutOfOrder:
    expected = session.moves + 1
    return MoveOutOfOrder(
        f"Move {number} of session {session.id} is not the next one, which is {expected}.",
        hint=f"Read the moves that you have missed, and send number {expected}.",
        expected=expected,
    )


def _payload(payload: Mapping[str, Any]) -> str:
    try:
        text = as_json(dict(payload))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"The payload of a move is not JSON: {error}.") from error
    if len(text.encode()) > MOVE_BYTES_MAX:
        raise InvalidRequest(
            f"The payload of a move has more than {MOVE_BYTES_MAX:,} bytes.",
            hint="A move says what was done; what is large belongs elsewhere.",
        )
    return text


def _theirs(found: GameSession | None, session: int, player: UUID | None) -> GameSession:
    if found is None or (player is not None and player not in found.players):
        raise NotFound(f"There is no session {session}.")
    return found
