"""What a person decides: a pot that is frozen, or money that was given to the wrong one.

While a game is on, a dispute freezes its pot; the players are free to stake again. A dispute about
what was settled or void moves nothing until it is resolved; then what one has too much goes to who
has too little, if it is still there.
"""

from types import NoneType
from uuid import UUID

from handfast.apps.stakes.errors import DisputeOpen, DisputeResolved, NotAPlayer
from handfast.apps.stakes.rules.money import correction, shared, won
from handfast.apps.stakes.sessions.ending import (
    end_sessions,
    free_players,
    tickets_of_sessions,
)
from handfast.apps.stakes.sessions.games import dispute_about, lock_session, session_over
from handfast.apps.stakes.sessions.moving import move_money
from handfast.apps.stakes.values import (
    CLEARING,
    DISPUTE_TIME,
    REASON_LENGTH_MAX,
    Dispute,
    GameSession,
    SessionStatus,
)
from handfast.base.errors import InvalidRequest, NotFound
from handfast.base.text import is_storable
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.events import emit

_OPEN = statement("stakes.open_dispute", row=Dispute)
_ONE = statement("stakes.dispute", row=Dispute)
_LISTED = statement("stakes.disputes", row=Dispute)
_FREEZE = statement("stakes.freeze_session", row=NoneType)
_PROLONG = statement("stakes.prolong_holds", row=int)
_NOTE = statement("stakes.note_report", row=NoneType)
_RESOLVE = statement("stakes.resolve_dispute", row=Dispute)


async def dispute_session(tx: Queryable, session: int, player: UUID, reason: str) -> Dispute:
    """By one of its players, while the pot is there."""
    if not 1 <= len(reason.strip()) <= REASON_LENGTH_MAX or not is_storable(reason):
        raise InvalidRequest(
            "A dispute needs a reason.", hint=f"1 to {REASON_LENGTH_MAX} characters."
        )
    found = await lock_session(tx, session, player)
    if found.status == SessionStatus.DISPUTED:
        known = await dispute_about(tx, session)
        raise DisputeOpen(
            f"Session {session} is disputed already.",
            hint="An operator will decide.",
            dispute=None if known is None else known.id,
        )
    if not found.live:
        raise session_over(found)
    return await open_dispute(tx, found, reason, player=player)


async def open_dispute(
    tx: Queryable,
    session: GameSession,
    reason: str,
    *,
    player: UUID | None = None,
    reported: str | None = None,
) -> Dispute:
    """With the session's row in hand."""
    made = await _OPEN.one(
        tx, session.id, DISPUTE_TIME, player, session.live, reported, reason.strip()
    )
    if session.live:
        await _FREEZE.run(tx, session.id)
        await free_players(tx, [session.id])
        await _PROLONG.one(tx, session.id, DISPUTE_TIME + CLEARING)
    data = {
        "sessionId": session.id,
        "disputeId": made.id,
        "playerIds": [str(one) for one in session.players],
        "frozen": made.frozen,
    }
    await emit(tx, "session.disputed", f"session:{session.id}", data, users=session.players)
    return made


async def note_report(tx: Queryable, dispute: int, said: str) -> None:
    """What the game server said meanwhile: for whoever decides."""
    await _NOTE.run(tx, dispute, said)


async def get_dispute(on: Queryable, dispute: int) -> Dispute:
    found = await _ONE.maybe(on, dispute)
    if found is None:
        raise NotFound(f"There is no dispute {dispute}.")
    return found


async def list_disputes(
    on: Queryable, *, status: str | None = "open", after: int = 0, limit: int = 100
) -> list[Dispute]:
    """The oldest first."""
    return await _LISTED.all(on, status, after, limit)


async def resolve_dispute(tx: Queryable, dispute: int, winner: UUID | None) -> Dispute:
    """For one of the two, or split. Raises ``INSUFFICIENT_FUNDS`` if the pot was paid out and who
    got it has no longer what is to be given back."""
    session = await lock_session(tx, (await get_dispute(tx, dispute)).session_id)
    found = await get_dispute(tx, dispute)  # again: the session's row orders those who resolve
    if found.status != "open":
        raise DisputeResolved(
            f"Dispute {dispute} was resolved before.", hint="See how: GET /admin/disputes."
        )
    if winner is not None and winner not in session.players:
        raise NotAPlayer(
            f"{winner} did not play in session {session.id}.",
            hint="The winner is one of its two players.",
        )
    resolution = "split" if winner is None else "winner"
    resolved = await _RESOLVE.one(tx, dispute, resolution, winner)
    if session.status == SessionStatus.DISPUTED:
        await _clear_pot(tx, session, winner, f"dispute:{dispute}")
    else:
        await _correct(tx, session, winner, f"dispute:{dispute}")
    return resolved


async def _clear_pot(
    tx: Queryable, session: GameSession, winner: UUID | None, reference: str
) -> None:
    tickets = (await tickets_of_sessions(tx, [session.id]))[session.id]
    if winner is None:
        await move_money(tx, [shared(session, tickets, reference)])
    else:
        await move_money(tx, [won(session, tickets, winner, reference)])
    result = "split" if winner is None else "win"
    await end_sessions(tx, [session], SessionStatus.SETTLED, result=result, winner=winner)


async def _correct(
    tx: Queryable, session: GameSession, winner: UUID | None, reference: str
) -> None:
    moved = correction(session, winner, reference)
    if moved is None:
        return  # it stays as it was
    await move_money(tx, [moved])
    result = "split" if winner is None else "win"
    await end_sessions(tx, [session], SessionStatus.SETTLED, result=result, winner=winner)
