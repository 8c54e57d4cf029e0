"""Matches: listed, shown, closed. Whoever is not in one is told that there is none."""

from collections.abc import Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec.structs import replace

from handfast.apps.offers.users.acting import lock_pair
from handfast.apps.offers.users.cards import CardPhoto, age, card_photos
from handfast.base.errors import NotFound
from handfast.base.words import OneOf
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.capability import Capabilities, each
from handfast.engine.events import NewEvent, emit_many
from handfast.engine.hooks import Hooks

CLOSED = "match.closed"
MATCHES_SHOWN_MAX = 1000  # the newest: few people have a dozen


class MatchStatus(StrEnum):
    ACTIVE = "active"
    CLOSED = "closed"
    ALL = "all"


class MatchState(StrEnum):
    ACTIVE = "active"
    CLOSED = "closed"


class ClosedReason(StrEnum):
    UNMATCHED = "unmatched"
    BLOCKED = "blocked"
    DELETED = "deleted"
    EXPIRED = "expired"


class UnmatchReason(StrEnum):
    NOT_INTERESTED = "not_interested"
    INAPPROPRIATE = "inappropriate"
    OTHER = "other"


class MatchedUser(msgspec.Struct, rename="camel", frozen=True):
    """Of a closed match only the id is left."""

    id: UUID | None
    display_name: str | None
    age: int | None
    bio: str | None
    photos: list[CardPhoto]


class UserMatch(msgspec.Struct, rename="camel", frozen=True, omit_defaults=True):
    """`lastMessageAt` and `unreadCount` are there where chat is switched on."""

    id: UUID
    user: MatchedUser
    status: Annotated[str, OneOf(MatchState)]
    created_at: datetime
    closed_at: datetime | None = None
    closed_reason: Annotated[str, OneOf(ClosedReason)] | None = None
    last_message_at: datetime | None = None
    unread_count: int | None = None


class MatchRow(msgspec.Struct, frozen=True):
    """As the statement answers it."""

    id: UUID
    user_id: UUID | None
    display_name: str | None
    bio: str | None
    birth_date: date | None
    photos: str
    status: str
    created_at: datetime
    closed_at: datetime | None
    closed_reason: str | None
    today: date

    def shown(self) -> UserMatch:
        years = age(self.birth_date, self.today)
        photos = card_photos(self.photos)
        user = MatchedUser(self.user_id, self.display_name, years, self.bio, photos)
        return UserMatch(
            self.id, user, self.status, self.created_at, self.closed_at, self.closed_reason
        )


_LIST = statement("offers.matches", row=MatchRow)
_PARTNER = statement("offers.partner_in", row=UUID)
_CLOSE = statement("offers.close_match", row=UUID)


async def list_matches(on: Queryable, user_id: UUID, status: MatchStatus) -> list[UserMatch]:
    wanted = None if status is MatchStatus.ALL else status
    rows = await _LIST.all(on, user_id, wanted, None, MATCHES_SHOWN_MAX)
    return [row.shown() for row in rows]


async def get_match(on: Queryable, user_id: UUID, match_id: UUID) -> UserMatch:
    found = await _LIST.maybe(on, user_id, None, match_id, 1)
    if found is None:
        raise _no_such_match()
    return found.shown()


async def described(
    on: Queryable, capabilities: Capabilities, user_id: UUID, matches: Sequence[UserMatch]
) -> list[UserMatch]:
    """With what other capabilities know of them."""
    for describe in each(capabilities.on, "describe_matches").values():
        more = await describe(on, user_id, [match.id for match in matches])
        matches = [replace(match, **more.get(match.id, {})) for match in matches]
    return list(matches)


async def unmatch(
    tx: Transaction, hooks: Hooks, user_id: UUID, match_id: UUID, reason: UnmatchReason | None
) -> UserMatch:
    """A second time nothing happens. The pair is never offered again."""
    partner = await _PARTNER.maybe(tx, match_id, user_id)
    if partner is None:
        raise _no_such_match()
    await lock_pair(tx, user_id, partner)
    closed = await close_match(tx, hooks, user_id, partner, "unmatched", reason=reason)
    if closed is not None:
        await emit_many(tx, [closed])
    return await get_match(tx, user_id, match_id)


async def close_match(
    tx: Transaction,
    hooks: Hooks,
    user_id: UUID,
    partner: UUID,
    why: str,
    *,
    reason: str | None = None,
) -> NewEvent | None:
    """The caller holds the pair, and emits the event last. A block is told as ``unmatched``: nobody
    learns of it."""
    closed = await _CLOSE.maybe(tx, user_id, partner, user_id, why, reason)
    if closed is None:
        return None
    await hooks.state(tx, CLOSED, match_id=closed, user_id=user_id, partner_id=partner, reason=why)
    data = {"matchId": closed, "reason": "unmatched" if why == "blocked" else why}
    return NewEvent(CLOSED, f"match:{closed}", data, sorted((user_id, partner)))


def _no_such_match() -> NotFound:
    return NotFound("You have no such match.", hint="GET /matches?status=all has yours.")
