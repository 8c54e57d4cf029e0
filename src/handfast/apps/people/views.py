"""Users as operators find them: by phone, by how a name begins, or one after the other."""

from datetime import datetime
from uuid import UUID

import msgspec

from handfast.apps.people.profiles.changing import get_user
from handfast.apps.people.profiles.profile import User, UserStatus
from handfast.base.pages import Instant, Place, bounded, cut
from handfast.db.statements import statement
from handfast.db.transaction import Queryable


class UserFilter(msgspec.Struct, frozen=True):
    """`name` is how the display name begins, whatever the case."""

    phone: str | None = None
    name: str | None = None
    status: UserStatus | None = None


class FoundUser(msgspec.Struct, frozen=True, rename="camel"):
    id: UUID
    phone_number: str | None
    display_name: str | None
    status: str
    onboarding_status: str
    created_at: datetime
    last_active_at: datetime | None


class UserPage(msgspec.Struct, frozen=True, rename="camel"):
    users: list[FoundUser]
    next: str | None


class UserDetail(msgspec.Struct, frozen=True, rename="camel"):
    """The user, and what operators have to know besides."""

    user: User
    verified_at: datetime | None
    verification_failures: int
    waits_for_review: bool
    answers: int
    blocks_made: int
    blocked_by: int
    reports_made: int
    reported: int


class _Beside(msgspec.Struct, frozen=True):
    verified_at: datetime | None
    verification_failures: int
    waits_for_review: bool
    answers: int
    blocks_made: int
    blocked_by: int
    reports_made: int
    reported: int


class UserPlace(Place, frozen=True):
    created_at: Instant
    id: UUID


_LIST = statement("people.list_users", row=FoundUser)
_BESIDE = statement("people.user_beside", row=_Beside)


async def list_users(
    on: Queryable, where: UserFilter, *, after: str | None = None, limit: int = 50
) -> UserPage:
    """The newest first."""
    limit = bounded(limit)
    place = None if after is None else UserPlace.read(after)
    name = None if where.name is None else _like(where.name)
    found = await _LIST.all(
        on,
        where.phone,
        name,
        where.status,
        place and place.created_at,
        place and place.id,
        limit + 1,
    )
    shown, last = cut(found, limit)
    return UserPage(shown, None if last is None else UserPlace(last.created_at, last.id).cursor())


async def show_user(on: Queryable, user_id: UUID) -> UserDetail:
    user = await get_user(on, user_id)
    beside = await _BESIDE.one(on, user_id)
    return UserDetail(user, *msgspec.structs.astuple(beside))


def _like(name: str) -> str:
    """A pattern of names that begin so."""
    escaped = name.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"{escaped}%"
