"""A profile is read and changed: one statement each, in the caller's transaction.

Last write wins, field by field: what a change leaves out is not written, so two changes of two
fields both hold, whichever commits first. A user's row is made when it is first needed.
"""

from datetime import date
from typing import Any
from uuid import UUID

from handfast.apps.people.errors import AgesOutOfOrder, FixedOnceVerified, ProfileInvalid
from handfast.apps.people.profiles import text
from handfast.apps.people.profiles.age import check_birth
from handfast.apps.people.profiles.places import point, rounded
from handfast.apps.people.profiles.profile import (
    DiscoveryChange,
    DiscoveryPreferences,
    Gender,
    Location,
    ProfileChange,
    User,
    UserRow,
)
from handfast.base.errors import NotFound
from handfast.db import constraints
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.errors import ScheduleInvalid
from handfast.engine.schedules.zones import zone

constraints.register({"user_ages_in_order": AgesOutOfOrder})

_USER = statement("people.user", row=UserRow)
_CHANGE = statement("people.change_user", row=UserRow)
_CORRECT = statement("people.correct_user", row=UserRow)
_ENSURE = statement("people.ensure_user", row=UUID)


async def get_user(on: Queryable, user_id: UUID) -> User:
    found = await _USER.maybe(on, user_id)
    if found is None:
        raise no_such_user()
    return found.shown()


async def describe_user(tx: Queryable, user_id: UUID) -> User:
    """For whoever has just signed in: an account without a profile is described too."""
    return await get_user(tx, user_id)


async def ensure_user(tx: Queryable, user_id: UUID) -> None:
    """The account has a row here, from now on at the latest."""
    await _ENSURE.maybe(tx, user_id)


async def change_profile(tx: Transaction, user_id: UUID, change: ProfileChange) -> User:
    wanted = change.discovery_preferences or DiscoveryChange()
    _check_ages(wanted, wanted)
    changed = await _CHANGE.maybe(tx, user_id, *_columns(change))
    if changed is None:
        _check_ages(wanted, (await get_user(tx, user_id)).discovery_preferences)
        raise FixedOnceVerified(
            "birthDate and gender are fixed once you are verified, and while your verification is "
            "being looked at.",
            hint="Leave them out. If one of them is wrong, ask support to correct it.",
        )
    _check_birth(change.birth_date, changed)
    return changed.shown()


def _check_ages(wanted: DiscoveryChange, kept: DiscoveryChange | DiscoveryPreferences) -> None:
    """Of what is wanted, and what is kept where nothing is."""
    least = wanted.min_age_preference or kept.min_age_preference
    most = wanted.max_age_preference or kept.max_age_preference
    if least is not None and most is not None and least > most:
        raise AgesOutOfOrder(
            f"minAgePreference would be {least} and maxAgePreference {most}.",
            hint="Send both, the lower one first.",
        )


async def correct_profile(
    tx: Transaction, user_id: UUID, *, birth_date: date | None, gender: Gender | None
) -> User:
    """What a user cannot change any more; for operators."""
    corrected = await _CORRECT.maybe(tx, user_id, birth_date, gender)
    _check_birth(birth_date, corrected)
    if corrected is None:
        raise no_such_user()
    return corrected.shown()


def _check_birth(birth: date | None, written: UserRow | None) -> None:
    """After the statement, by its clock: what is refused is undone with the transaction."""
    if birth is not None and written is not None:
        check_birth(birth, written.today)


def no_such_user() -> NotFound:
    return NotFound("There is no such user.", hint="Look at the id.")


def _columns(change: ProfileChange) -> list[Any]:
    """Checked, in the order of the statement."""
    return [
        None if change.display_name is None else text.name(change.display_name),
        None if change.bio is None else text.bio(change.bio),
        change.birth_date,
        change.gender,
        None if change.seeking is None else sorted(set(change.seeking)),
        None if change.timezone is None else _zone(change.timezone),
        change.matching,
        *_location_columns(change.location),
        *_discovery_columns(change.discovery_preferences or DiscoveryChange()),
    ]


def _zone(name: str) -> str:
    try:
        return zone(name).key
    except ScheduleInvalid as unknown:
        raise ProfileInvalid(f"timezone: {unknown.detail}", hint=unknown.hint) from None


def _location_columns(location: Location | None) -> list[Any]:
    """Whether it is given, its names, its degrees and its point."""
    if location is None:
        return [False] + [None] * 8
    names = {"city": location.city, "region": location.region, "country": location.country}
    said = [None if name is None else text.place_name(f, name) for f, name in names.items()]
    if (location.latitude is None) != (location.longitude is None):
        raise ProfileInvalid(
            "A location has both latitude and longitude, or neither.", hint="Send the other one."
        )
    if location.latitude is None or location.longitude is None:
        return [True, *said, *[None] * 5]
    latitude, longitude = rounded(location.latitude), rounded(location.longitude)
    where = point(latitude, longitude)
    return [True, *said, latitude, longitude, where.x, where.y, where.z]


def _discovery_columns(change: DiscoveryChange) -> list[Any]:
    physical = change.physical_preferences
    return [
        change.min_age_preference,
        change.max_age_preference,
        change.max_distance_km,
        change.relationship_intent,
        None if physical is None else [text.physical_preference(one) for one in physical],
    ]
