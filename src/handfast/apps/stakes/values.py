"""Tickets, sessions, moves and disputes. Values only."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

import msgspec

from handfast.base.words import OneOf

CLEARING = timedelta(minutes=15)  # after the end of a ticket or session: then its hold is a gap
DISPUTE_TIME = timedelta(days=7)  # then an open dispute is a gap
REASON_LENGTH_MAX = 2000
MOVE_TYPE_LENGTH_MAX = 50
MOVE_BYTES_MAX = 8192  # of a move's payload: it says what was done, and holds no pictures
MOVE_NUMBER_MAX = 100_000


class TicketStatus(StrEnum):
    QUEUED = "queued"
    MATCHED = "matched"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class SessionStatus(StrEnum):
    """``waiting`` until the first move. The pot is there until it is settled or void."""

    WAITING = "waiting"
    PLAYING = "playing"
    SETTLED = "settled"
    DISPUTED = "disputed"
    VOID = "void"


class SessionResult(StrEnum):
    WIN = "win"
    DRAW = "draw"
    SPLIT = "split"


class DisputeStatus(StrEnum):
    OPEN = "open"
    RESOLVED = "resolved"


class DisputeResolution(StrEnum):
    WINNER = "winner"
    SPLIT = "split"


LIVE = frozenset({SessionStatus.WAITING, SessionStatus.PLAYING})


class Ticket(msgspec.Struct, frozen=True):
    """One player's place in the queue."""

    id: int
    player_id: UUID
    stake_amount: int
    fee: int
    currency: str
    status: str
    created_at: datetime
    queued_at: datetime
    expires_at: datetime
    matched_at: datetime | None
    ended_at: datetime | None
    session_id: int | None
    transfer_id: int
    hold_id: int
    line: int
    changes: int


class GameSession(msgspec.Struct, frozen=True):
    """A game between two matched tickets."""

    id: int
    token: str
    player1: UUID
    player2: UUID
    stake: int
    currency: str
    status: str
    result: str | None
    winner: UUID | None
    moves: int
    created_at: datetime
    started_at: datetime | None
    settled_at: datetime | None
    expires_at: datetime

    @property
    def players(self) -> tuple[UUID, UUID]:
        return self.player1, self.player2

    @property
    def live(self) -> bool:
        return self.status in LIVE

    @property
    def pot(self) -> int:
        return 2 * self.stake

    def other(self, player: UUID) -> UUID:
        return self.player2 if player == self.player1 else self.player1


class NewMove(msgspec.Struct, frozen=True):
    """What a player does: the number says which move it takes itself to be."""

    number: int
    type: str
    payload: Mapping[str, Any]


class StoredMove(msgspec.Struct, frozen=True):
    number: int
    player_id: UUID
    type: str
    payload: str
    created_at: datetime

    @property
    def data(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = msgspec.json.decode(self.payload)
        return found


class Dispute(msgspec.Struct, frozen=True, rename="camel"):
    """``frozen``: the pot was there when it was opened. ``reported`` is what the game server said:
    ``draw``, or the winner's id."""

    id: int
    session_id: int
    status: Annotated[str, OneOf(DisputeStatus)]
    reason: str
    reported: str | None
    frozen: bool
    opened_by: UUID | None
    resolution: Annotated[str, OneOf(DisputeResolution)] | None
    resolved_for: UUID | None
    created_at: datetime
    deadline: datetime
    resolved_at: datetime | None


class TicketOfSession(msgspec.Struct, frozen=True):
    session_id: int
    player_id: UUID
    hold_id: int
    fee: int
