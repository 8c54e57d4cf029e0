"""How a game went, as the game server says it: the pot is paid out, once.

The same told again changes nothing. Another result for what is settled, or any for a session that
is void, moves nothing either: it opens a dispute, and a person decides.
"""

from uuid import UUID

import msgspec

from handfast.apps.stakes.errors import NotAPlayer
from handfast.apps.stakes.rules.money import shared, won
from handfast.apps.stakes.sessions.disputes import note_report, open_dispute
from handfast.apps.stakes.sessions.ending import end_sessions, tickets_of_sessions
from handfast.apps.stakes.sessions.games import dispute_about, get_session, lock_session
from handfast.apps.stakes.sessions.moving import move_money
from handfast.apps.stakes.values import Dispute, GameSession, SessionStatus
from handfast.db.transaction import Queryable


class Reported(msgspec.Struct, frozen=True):
    """What became of a report: ``repeated`` if it was known, ``dispute`` if there is one now."""

    session: GameSession
    repeated: bool = False
    dispute: Dispute | None = None


async def report_result(tx: Queryable, session: int, winner: UUID | None) -> Reported:
    """Who won; None is a draw."""
    found = await lock_session(tx, session)
    if winner is not None and winner not in found.players:
        raise NotAPlayer(
            f"{winner} did not play in session {session}.",
            hint="The winner is one of its two players.",
        )
    if found.live:
        await _settle(tx, found, winner)
        return Reported(await get_session(tx, session))
    return await _told_late(tx, found, winner)


async def _settle(tx: Queryable, session: GameSession, winner: UUID | None) -> None:
    tickets = (await tickets_of_sessions(tx, [session.id]))[session.id]
    reference = f"session:{session.id}:result"
    if winner is None:
        await move_money(tx, [shared(session, tickets, reference)])
    else:
        await move_money(tx, [won(session, tickets, winner, reference)])
    result = "draw" if winner is None else "win"
    await end_sessions(tx, [session], SessionStatus.SETTLED, result=result, winner=winner)


async def _told_late(tx: Queryable, session: GameSession, winner: UUID | None) -> Reported:
    known = await dispute_about(tx, session.id)
    if session.status == SessionStatus.SETTLED and session.winner == winner:
        return Reported(session, repeated=True, dispute=known)
    said = "draw" if winner is None else str(winner)
    if known is not None and known.status == "open":
        await note_report(tx, known.id, said)
        return Reported(session, repeated=True, dispute=await dispute_about(tx, session.id))
    if known is not None and known.reported == said:
        return Reported(session, repeated=True, dispute=known)  # a person has decided about it
    why = (
        "A result came after the session was void."
        if session.status == SessionStatus.VOID
        else "Another result was reported before."
    )
    dispute = await open_dispute(tx, session, why, reported=said)
    return Reported(session, dispute=dispute)
