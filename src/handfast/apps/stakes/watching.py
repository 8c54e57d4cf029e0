"""What operators see of the queue and of the games: lines and why they wait, tickets, sessions,
each with its money entry by entry. Every list looks at a bounded number of rows.
"""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec

from handfast.apps.stakes.matching.matchmakers import PresentMatchmaker, present_matchmakers
from handfast.apps.stakes.matching.pairing import LoggedClaim
from handfast.apps.stakes.queue.standing import met_lately, queue_lines
from handfast.apps.stakes.queue.tickets import get_ticket
from handfast.apps.stakes.rules.why import StakeLine, WaitingFor, in_words, waiting_for
from handfast.apps.stakes.sessions.games import disputes_about, get_session, moves_of
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import (
    Dispute,
    GameSession,
    SessionStatus,
    StoredMove,
    Ticket,
    TicketStatus,
)
from handfast.base.pages import bounded, cut
from handfast.base.words import OneOf
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.services.ledger.posting.holds import Hold, get_hold
from handfast.services.ledger.reading.entries import MoneyEntry, entries_of

CLAIMS_SCANNED_MAX = 20_000  # of the log, for one ticket: some tens of milliseconds
CLAIMS_MAX = 50
MOVES_MAX = 200  # for whoever decides a dispute; a game may have thousands
DISPUTES_MAX = 100  # each but the newest was decided by a person
SCANNED_MAX = 20_000  # sessions or tickets, for a page of those in one state
LINES_EXPLAINED_MAX = 20  # each costs a look at who played whom


class LineShown(msgspec.Struct, frozen=True, rename="camel"):
    """Who wait at one stake. ``why`` is that of the first in line."""

    amount: int
    currency: str
    waiting: int
    oldest_at: datetime
    waiting_for: Annotated[str, OneOf(WaitingFor)]
    why: str


class QueueShown(msgspec.Struct, frozen=True, rename="camel"):
    """``offered`` are the stakes that can be chosen, whether anybody waits there or not."""

    offered: list[int]
    fee: int
    currency: str
    lines: list[LineShown]
    matchmakers: list[PresentMatchmaker]


class TicketPage(msgspec.Struct, frozen=True):
    tickets: list[Ticket]
    next: int | None


class TicketWhole(msgspec.Struct, frozen=True):
    ticket: Ticket
    hold: Hold
    claims: list[LoggedClaim]
    money: list[MoneyEntry]


class SessionPage(msgspec.Struct, frozen=True):
    sessions: list[GameSession]
    next: int | None


class SessionWhole(msgspec.Struct, frozen=True):
    session: GameSession
    dispute: Dispute | None
    tickets: list[Ticket]
    made: list[StoredMove]
    money: list[MoneyEntry]


_TICKET_REACH = statement("stakes.reach_of_tickets", row=int)
_TICKETS = statement("stakes.tickets_within", row=Ticket)
_OF_PLAYER = statement("stakes.older_tickets_of_player", row=Ticket)
_IN_LINE = statement("stakes.tickets_in_line", row=Ticket)
_FIRST = statement("stakes.first_in_line", row=UUID)
_CLAIMS = statement("stakes.claims_between", row=LoggedClaim)
_REACH = statement("stakes.reach_of_sessions", row=int)
_SESSIONS = statement("stakes.sessions_within", row=GameSession)
_OF_SESSION = statement("stakes.tickets_of_session", row=Ticket)


async def watch_queue(on: Queryable, terms: StakeTerms) -> QueueShown:
    lines = await queue_lines(on)
    pairing = await present_matchmakers(on)
    shown = [
        await _line(on, line, lines, terms, len(pairing), look=place < LINES_EXPLAINED_MAX)
        for place, line in enumerate(lines)
    ]
    return QueueShown(list(terms.amounts), terms.fee, terms.currency, shown, pairing)


async def _line(
    on: Queryable,
    line: StakeLine,
    lines: list[StakeLine],
    terms: StakeTerms,
    matchmakers: int,
    *,
    look: bool,
) -> LineShown:
    met = False
    if look and line.waiting > 1 and matchmakers:
        first = await _FIRST.maybe(on, line.amount, line.currency)
        met = first is not None and await met_lately(on, line.amount, first, terms, line.currency)
    same = [one for one in lines if one.currency == line.currency]
    why = waiting_for(line.amount, same, met_all=met, matchmakers=matchmakers)
    said = in_words(why, line.amount, same)
    return LineShown(line.amount, line.currency, line.waiting, line.oldest_at, why, said)


async def list_tickets(
    on: Queryable,
    *,
    player: UUID | None = None,
    amount: int | None = None,
    status: TicketStatus | None = None,
    after: int | None = None,
    limit: int = 100,
) -> TicketPage:
    """A player's, the newest first; who wait at one stake, the first in line first; both, where
    that player waits there; or the newest of all. A page of one status of all may be short, even
    empty, and still have a ``next``: so far was looked."""
    limit, reach = bounded(limit), 0
    if amount is not None:
        if status not in (None, TicketStatus.QUEUED):
            return TicketPage([], None)  # who stand in line are queued
        status = TicketStatus.QUEUED
    if player is not None:
        found = await _OF_PLAYER.all(on, player, after, status, amount, limit + 1)
    elif amount is not None:
        found = await _IN_LINE.all(on, amount, after, limit + 1)
    else:
        if status is not None:
            reach = await _TICKET_REACH.one(on, after, SCANNED_MAX)
        found = await _TICKETS.all(on, after, reach, status, limit + 1)
    shown, last = cut(found, limit)
    if last is not None:
        return TicketPage(shown, last.id)
    return TicketPage(shown, reach + 1 if reach else None)


async def whole_ticket(on: Queryable, ticket_id: int) -> TicketWhole:
    ticket = await get_ticket(on, ticket_id)
    until = ticket.matched_at or ticket.ended_at
    looked = (ticket.created_at, until, CLAIMS_SCANNED_MAX, CLAIMS_MAX)
    return TicketWhole(
        ticket,
        await get_hold(on, ticket.hold_id),
        await _CLAIMS.all(on, ticket.id, *looked),
        await entries_of(on, [ticket.id]),
    )


async def page_of_sessions(
    on: Queryable,
    *,
    status: SessionStatus | None = None,
    after: int | None = None,
    limit: int = 100,
) -> SessionPage:
    """The newest first. A page of one status may be short, even empty, and still have a ``next``:
    so far was looked."""
    limit = bounded(limit)
    reach = 0 if status is None else await _REACH.one(on, after, SCANNED_MAX)
    wanted = None if status is None else status.value
    shown, last = cut(await _SESSIONS.all(on, after, reach, wanted, limit + 1), limit)
    if last is not None:
        return SessionPage(shown, last.id)
    return SessionPage(shown, reach + 1 if reach else None)


async def whole_session(on: Queryable, session_id: int) -> SessionWhole:
    session = await get_session(on, session_id)
    tickets = await _OF_SESSION.all(on, session_id)
    moves = await moves_of(on, session_id, limit=MOVES_MAX)
    disputes = await disputes_about(on, session_id, limit=DISPUTES_MAX)
    # What corrects a pot that was paid out names no place in the queue.
    corrections = [f"dispute:{dispute.id}" for dispute in disputes]
    money = await entries_of(on, [ticket.id for ticket in tickets], corrections)
    return SessionWhole(session, disputes[0] if disputes else None, tickets, moves, money)
