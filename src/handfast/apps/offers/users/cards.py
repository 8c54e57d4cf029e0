"""A person as others see them in an offer or a match, and the offer around it."""

from datetime import date, datetime
from typing import Annotated
from uuid import UUID

import msgspec

from handfast.apps.offers.rules.actions import OfferStatus
from handfast.apps.offers.rules.person import age_on
from handfast.apps.offers.rules.score import shown
from handfast.base.words import OneOf


class CardPhoto(msgspec.Struct, rename="camel", frozen=True):
    id: UUID
    url: str
    is_primary: bool


class Candidate(msgspec.Struct, rename="camel", frozen=True):
    """`compatibilityThemes` are where the two fit most, the largest part first."""

    id: UUID
    display_name: str | None
    age: int | None
    bio: str | None
    photos: list[CardPhoto]
    compatibility_score: int
    compatibility_themes: list[str]


class Offer(msgspec.Struct, rename="camel", frozen=True, omit_defaults=True):
    id: UUID
    user: Candidate
    status: Annotated[str, OneOf(OfferStatus)]
    offered_at: datetime
    expires_at: datetime
    cooldown_until: datetime | None = None


class OfferCard(msgspec.Struct, frozen=True):
    """As the statements answer it."""

    id: UUID
    candidate_id: UUID
    display_name: str | None
    bio: str | None
    birth_date: date | None
    photos: str
    score: int
    themes: str
    status: str
    offered_at: datetime
    expires_at: datetime
    cooldown_until: datetime | None
    today: date

    def shown(self) -> Offer:
        candidate = Candidate(
            self.candidate_id,
            self.display_name,
            age(self.birth_date, self.today),
            self.bio,
            card_photos(self.photos),
            shown(self.score),
            self.themes.split(",") if self.themes else [],
        )
        return Offer(
            self.id,
            candidate,
            self.status,
            self.offered_at,
            self.expires_at,
            self.cooldown_until,
        )


class _StoredPhoto(msgspec.Struct, frozen=True):
    id: UUID
    primary: bool


_PHOTOS = msgspec.json.Decoder(list[_StoredPhoto])


def card_photos(rows: str) -> list[CardPhoto]:
    return [
        CardPhoto(photo.id, f"/photos/{photo.id}", photo.primary) for photo in _PHOTOS.decode(rows)
    ]


def age(birth: date | None, today: date) -> int | None:
    return None if birth is None else age_on(birth, today)
