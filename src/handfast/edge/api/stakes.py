"""What players and game servers send, and what they are answered. Money is in minor units."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec

from handfast.apps.stakes.matching.pairing import LoggedClaim
from handfast.apps.stakes.queue.standing import QueueStanding
from handfast.apps.stakes.rules.waits import WaitEstimate
from handfast.apps.stakes.rules.why import StakeLine, WaitingFor
from handfast.apps.stakes.values import (
    MOVE_NUMBER_MAX,
    MOVE_TYPE_LENGTH_MAX,
    REASON_LENGTH_MAX,
    Dispute,
    GameSession,
    SessionResult,
    SessionStatus,
    StoredMove,
    Ticket,
    TicketStatus,
)
from handfast.apps.stakes.watching import SessionWhole, TicketWhole
from handfast.base.text import NO_NUL
from handfast.base.words import OneOf
from handfast.edge.api.ledger import Amount
from handfast.services.ledger.posting.holds import Hold
from handfast.services.ledger.reading.balances import StatementLine
from handfast.services.ledger.reading.entries import MoneyEntry

MoveNumber = Annotated[int, msgspec.Meta(ge=1, le=MOVE_NUMBER_MAX)]
MoveType = Annotated[
    str, msgspec.Meta(min_length=1, max_length=MOVE_TYPE_LENGTH_MAX, pattern=NO_NUL)
]
DisputeReason = Annotated[
    str, msgspec.Meta(min_length=1, max_length=REASON_LENGTH_MAX, pattern=NO_NUL)
]


class NewStake(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    amount: Amount


class TicketShown(msgspec.Struct, rename="camel"):
    id: int
    amount: int
    fee: int
    currency: str
    status: Annotated[str, OneOf(TicketStatus)]
    created_at: datetime
    expires_at: datetime
    matched_at: datetime | None
    session_id: int | None


class TicketAnswer(msgspec.Struct, rename="camel"):
    ticket: TicketShown


class StandingShown(msgspec.Struct, rename="camel"):
    """`place` is 1 for the next in line. `wait` is in seconds, from how long others waited.
    `waitingFor` and `why` say why nobody was found yet; `lines` how many wait at which stakes."""

    ticket: TicketShown | None
    place: int | None
    wait: WaitEstimate | None
    waiting_for: WaitingFor | None
    why: str | None
    lines: list[StakeLine]


class PlayerShown(msgspec.Struct, rename="camel"):
    """`held` is what is staked: in the queue, in a session, or in a pot that is disputed."""

    id: UUID
    currency: str
    wallet: int
    credit: int
    held: int
    ticket: TicketShown | None


class PlayerLedger(msgspec.Struct, rename="camel"):
    account: str
    lines: list[StatementLine]
    next: str | None


class SentMove(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The number of the move that this is: the first is 1."""

    number: MoveNumber
    type: MoveType
    payload: dict[str, Any] = {}


class MoveShown(msgspec.Struct, rename="camel"):
    number: int
    player_id: UUID
    type: str
    payload: dict[str, Any]
    created_at: datetime


class SentResult(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """Who won; null is a draw."""

    winner_id: UUID | None


class SentDispute(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    reason: DisputeReason


class DisputeDecision(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """For one of the two, or `split`: one of them is said."""

    winner_id: UUID | None = None
    split: bool = False
    reason: Annotated[str, msgspec.Meta(max_length=500, pattern=NO_NUL)] | None = None


class SessionShown(msgspec.Struct, rename="camel"):
    """`token` is the secret of the session, for its two players alone."""

    id: int
    status: Annotated[str, OneOf(SessionStatus)]
    players: list[UUID]
    amount: int
    currency: str
    result: Annotated[str, OneOf(SessionResult)] | None
    winner_id: UUID | None
    moves: int
    created_at: datetime
    started_at: datetime | None
    settled_at: datetime | None
    expires_at: datetime
    dispute: Dispute | None
    token: str | None


class ResultAnswer(msgspec.Struct, rename="camel"):
    """`repeated`: it was known. `dispute`: it contradicts what was known, and a person decides."""

    session: SessionShown
    repeated: bool


class DisputePage(msgspec.Struct, rename="camel"):
    disputes: list[Dispute]
    next: int | None


class TicketHeld(TicketShown, rename="camel"):
    """A ticket as operators see it: also whose it is."""

    player_id: UUID
    queued_at: datetime
    ended_at: datetime | None
    hold_id: int
    changes: int


class TicketList(msgspec.Struct, rename="camel"):
    tickets: list[TicketHeld]
    next: int | None


class StakeDetail(msgspec.Struct, rename="camel"):
    """`claims` is what the log of pairing has of it; `money` every entry of its transfers."""

    ticket: TicketHeld
    hold: Hold
    claims: list[LoggedClaim]
    money: list[MoneyEntry]


class SessionList(msgspec.Struct, rename="camel"):
    sessions: list[SessionShown]
    next: int | None


class GameDetail(msgspec.Struct, rename="camel"):
    """`made` are the moves, the first of them if there are very many; `money` is every entry of the
    transfers of both stakes, in order."""

    session: SessionShown
    tickets: list[TicketHeld]
    made: list[MoveShown]
    money: list[MoneyEntry]


def ticket_held(ticket: Ticket) -> TicketHeld:
    shown = msgspec.structs.asdict(ticket_shown(ticket))
    more = ("player_id", "queued_at", "ended_at", "hold_id", "changes")
    return TicketHeld(**shown, **{name: getattr(ticket, name) for name in more})


def stake_detail(found: TicketWhole) -> StakeDetail:
    return StakeDetail(ticket_held(found.ticket), found.hold, found.claims, found.money)


def game_detail(found: SessionWhole) -> GameDetail:
    return GameDetail(
        session_shown(found.session, found.dispute),
        [ticket_held(ticket) for ticket in found.tickets],
        [move_shown(move) for move in found.made],
        found.money,
    )


def ticket_shown(ticket: Ticket) -> TicketShown:
    return TicketShown(
        id=ticket.id,
        amount=ticket.stake_amount,
        fee=ticket.fee,
        currency=ticket.currency,
        status=ticket.status,
        created_at=ticket.created_at,
        expires_at=ticket.expires_at,
        matched_at=ticket.matched_at,
        session_id=ticket.session_id,
    )


def standing_shown(standing: QueueStanding | None, lines: list[StakeLine]) -> StandingShown:
    if standing is None:
        return StandingShown(None, None, None, None, None, lines)
    return StandingShown(
        ticket_shown(standing.ticket),
        standing.place,
        standing.wait,
        standing.waiting_for,
        standing.why,
        standing.lines,
    )


def move_shown(move: StoredMove) -> MoveShown:
    return MoveShown(move.number, move.player_id, move.type, dict(move.data), move.created_at)


def session_shown(
    session: GameSession, dispute: Dispute | None, *, token: bool = False
) -> SessionShown:
    return SessionShown(
        id=session.id,
        status=session.status,
        players=list(session.players),
        amount=session.stake,
        currency=session.currency,
        result=session.result,
        winner_id=session.winner,
        moves=session.moves,
        created_at=session.created_at,
        started_at=session.started_at,
        settled_at=session.settled_at,
        expires_at=session.expires_at,
        dispute=dispute,
        token=session.token if token else None,
    )
