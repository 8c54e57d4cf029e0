"""Users as operators find them: by phone, by how a name begins, or one after the other."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec

from handfast.apps.people.profiles.changing import get_user
from handfast.apps.people.profiles.profile import OnboardingStatus, User, UserStatus
from handfast.base.pages import Instant, Place, bounded, cut
from handfast.base.words import OneOf
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
    status: Annotated[str, OneOf(UserStatus)]
    onboarding_status: Annotated[str, OneOf(OnboardingStatus)]
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


class _FoundRow(FoundUser, frozen=True):
    profile_created_at: datetime | None


class UserPlace(Place, frozen=True):
    created_at: Instant
    id: UUID


class NamedPlace(Place, frozen=True):
    id: UUID  # first, so that it is no place among the newest
    name: str


_NEWEST = statement("people.users_newest", row=_FoundRow)
_BY_PHONE = statement("people.users_by_phone", row=_FoundRow)
_NAMED = statement("people.users_named", row=_FoundRow)
_OF_STATUS = statement("people.users_of_status", row=_FoundRow)
_BESIDE = statement("people.user_beside", row=_Beside)


async def list_users(
    on: Queryable, where: UserFilter, *, after: str | None = None, limit: int = 50
) -> UserPage:
    """The newest first; by name, in the order of names; of one status, the newest profile first.

    Each reads its page from an index, however many there are: statuses beside a phone or a name
    are compared row by row."""
    limit = bounded(limit)
    if where.phone is not None:
        found = await _BY_PHONE.all(on, where.phone)
        return _page([user for user in found if _fits(user, where)], None)
    if where.name is not None:
        named = None if after is None else NamedPlace.read(after)
        at = (named and named.name, named and named.id)
        users, last = cut(await _NAMED.all(on, where.name, where.status, *at, limit + 1), limit)
        return _page(users, None if last is None else NamedPlace(last.id, last.display_name or ""))
    place = None if after is None else UserPlace.read(after)
    when = (place and place.created_at, place and place.id, limit + 1)
    if where.status is None:
        users, last = cut(await _NEWEST.all(on, *when), limit)
        return _page(users, None if last is None else UserPlace(last.created_at, last.id))
    users, last = cut(await _OF_STATUS.all(on, where.status, *when), limit)
    if last is None:
        return _page(users, None)
    return _page(users, UserPlace(last.profile_created_at or last.created_at, last.id))


async def show_user(on: Queryable, user_id: UUID) -> UserDetail:
    user = await get_user(on, user_id)
    beside = await _BESIDE.one(on, user_id)
    return UserDetail(user, *msgspec.structs.astuple(beside))


def _page(found: list[_FoundRow], next_: Place | None) -> UserPage:
    shown = [FoundUser(*msgspec.structs.astuple(one)[:-1]) for one in found]
    return UserPage(shown, None if next_ is None else next_.cursor())


def _fits(user: FoundUser, where: UserFilter) -> bool:
    name = (user.display_name or "").lower()
    return where.status in (None, user.status) and name.startswith((where.name or "").lower())
