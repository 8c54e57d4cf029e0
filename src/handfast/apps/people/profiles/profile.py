"""The user as the API shows it, and what a user may change."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

import msgspec

from handfast.apps.people.profiles.age import AGE_MAX, AGE_MIN, age_on
from handfast.apps.people.profiles.places import DISTANCE_MAX_KM
from handfast.base.text import NO_NUL

SENT_TEXT_MAX = 2000  # characters as sent: NFC and trimming make what counts


class Gender(StrEnum):
    MALE = "male"
    FEMALE = "female"
    NON_BINARY = "non_binary"
    PREFER_NOT_TO_SAY = "prefer_not_to_say"


class RelationshipIntent(StrEnum):
    CASUAL = "casual"
    SERIOUS = "serious"
    MARRIAGE = "marriage"
    UNSURE = "unsure"


class UserStatus(StrEnum):
    ACTIVE = "active"
    SUSPENDED = "suspended"
    PENDING_VERIFICATION = "pending_verification"
    NON_MATCHING = "non_matching"
    DELETED = "deleted"


class OnboardingStatus(StrEnum):
    COMPLETE = "complete"
    QUESTIONNAIRE_PENDING = "questionnaire_pending"
    VERIFICATION_PENDING = "verification_pending"
    BLOCKED = "blocked"


Text = Annotated[str, msgspec.Meta(max_length=SENT_TEXT_MAX, pattern=NO_NUL)]
Age = Annotated[int, msgspec.Meta(ge=AGE_MIN, le=AGE_MAX)]
Latitude = Annotated[float, msgspec.Meta(ge=-90, le=90)]
Longitude = Annotated[float, msgspec.Meta(ge=-180, le=180)]


class Location(msgspec.Struct, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """As it was given. Coordinates make it a place that distances are measured from."""

    city: Text | None = None
    region: Text | None = None
    country: Text | None = None
    latitude: Latitude | None = None
    longitude: Longitude | None = None


class DiscoveryPreferences(msgspec.Struct, rename="camel", frozen=True):
    min_age_preference: int
    max_age_preference: int
    max_distance_km: int
    relationship_intent: RelationshipIntent
    physical_preferences: list[str]


class DiscoveryChange(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What is left out, or null, stays as it is."""

    min_age_preference: Age | None = None
    max_age_preference: Age | None = None
    max_distance_km: Annotated[int, msgspec.Meta(ge=1, le=DISTANCE_MAX_KM)] | None = None
    relationship_intent: RelationshipIntent | None = None
    physical_preferences: Annotated[list[Text], msgspec.Meta(max_length=5)] | None = None


class ProfileChange(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What is left out, or null, stays as it is; an empty bio or list removes it. `location` is
    replaced as a whole."""

    display_name: Text | None = None
    bio: Text | None = None
    birth_date: date | None = None
    gender: Gender | None = None
    seeking: Annotated[list[Gender], msgspec.Meta(max_length=4)] | None = None
    timezone: Text | None = None
    location: Location | None = None
    discovery_preferences: DiscoveryChange | None = None
    matching: bool | None = None


class PhotoShown(msgspec.Struct, rename="camel", frozen=True):
    id: UUID
    url: str
    is_primary: bool
    created_at: datetime


class User(msgspec.Struct, rename="camel", frozen=True):
    """Oneself."""

    id: UUID
    phone_number: str | None
    display_name: str | None
    age: int | None
    birth_date: date | None
    gender: Gender | None
    seeking: list[Gender]
    bio: str | None
    timezone: str | None
    location: Location | None
    discovery_preferences: DiscoveryPreferences
    photos: list[PhotoShown]
    matching: bool
    status: UserStatus
    onboarding_status: OnboardingStatus
    created_at: datetime
    last_active_at: datetime | None


class PhotoRow(msgspec.Struct, frozen=True):
    id: UUID
    primary: bool
    at: datetime


class UserRow(msgspec.Struct, frozen=True):
    """As the statements answer it."""

    id: UUID
    phone: str | None
    created_at: datetime
    last_active_at: datetime | None
    today: date
    display_name: str | None
    bio: str | None
    birth_date: date | None
    gender: str | None
    seeking: list[str]
    timezone: str | None
    city: str | None
    region: str | None
    country: str | None
    latitude: float | None
    longitude: float | None
    min_age: int
    max_age: int
    max_distance_km: int
    relationship_intent: str
    physical_preferences: list[str]
    matching: bool
    status: str
    onboarding: str
    photos: str

    def shown(self) -> User:
        return User(
            id=self.id,
            phone_number=self.phone,
            display_name=self.display_name,
            age=None if self.birth_date is None else age_on(self.birth_date, self.today),
            birth_date=self.birth_date,
            gender=None if self.gender is None else Gender(self.gender),
            seeking=[Gender(one) for one in self.seeking],
            bio=self.bio,
            timezone=self.timezone,
            location=self._location(),
            discovery_preferences=DiscoveryPreferences(
                self.min_age,
                self.max_age,
                self.max_distance_km,
                RelationshipIntent(self.relationship_intent),
                self.physical_preferences,
            ),
            photos=photos_shown(self.photos),
            matching=self.matching,
            status=UserStatus(self.status),
            onboarding_status=OnboardingStatus(self.onboarding),
            created_at=self.created_at,
            last_active_at=self.last_active_at,
        )

    def _location(self) -> Location | None:
        parts = (self.city, self.region, self.country, self.latitude, self.longitude)
        return None if all(part is None for part in parts) else Location(*parts)


_PHOTOS = msgspec.json.Decoder(list[PhotoRow])


def photos_shown(rows: str) -> list[PhotoShown]:
    return [
        PhotoShown(photo.id, photo_url(photo.id), photo.primary, photo.at)
        for photo in _PHOTOS.decode(rows)
    ]


def photo_url(photo: UUID) -> str:
    return f"/photos/{photo}"
