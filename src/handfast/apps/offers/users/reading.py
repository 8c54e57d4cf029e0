"""What a user is offered now, or why nothing is; and who is shown to whom because of it."""

from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from handfast.apps.offers.users.cards import Offer, OfferCard
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.schedules.zones import local_of, zone, zone_names


class NoOffers(StrEnum):
    """Why a user has no set of offers today."""

    NO_PROFILE = "no_profile"  # birth date, gender or place are missing
    NO_TIMEZONE = "no_timezone"
    QUESTIONNAIRE_PENDING = "questionnaire_pending"
    VERIFICATION_PENDING = "verification_pending"
    NOT_MATCHING = "not_matching"
    NOT_DUE_YET = "not_due_yet"  # 09:00 has not passed
    IN_PREPARATION = "in_preparation"
    NOT_IN_PLAN = "not_in_plan"  # signed up, or ready, after the day was planned
    NOBODY_ELIGIBLE = "nobody_eligible"
    ALL_REMOVED = "all_removed"
    NOT_ACTIVE = "not_active"
    MISSED = "missed"


class OfferList(msgspec.Struct, rename="camel", frozen=True, omit_defaults=True):
    """All live offers, today's first. `reason` says why there is no set of today."""

    batch_date: date
    offers: list[Offer]
    generated_at: datetime | None = None
    user_timezone: str | None = None
    reason: NoOffers | None = None


class _UserStanding(msgspec.Struct, frozen=True):
    timezone: str | None
    status: str | None
    onboarding: str | None
    has_profile: bool
    made_at: datetime | None
    reason: str | None
    is_due: bool | None


class _Clock(msgspec.Struct, frozen=True):
    now: datetime
    timezone: str | None


_CLOCK = statement("offers.timezone_of", row=_Clock)
_STANDING = statement("offers.standing", row=_UserStanding)
_LIVE = statement("offers.live_offers", row=OfferCard)
_SHOWN = statement("offers.is_shown", row=bool)
_OWN = statement("offers.own_data", row=str)


async def list_offers(on: Queryable, user_id: UUID) -> OfferList:
    clock = await _CLOCK.one(on, user_id)
    where = clock.timezone if clock.timezone in zone_names() else None
    today = clock.now.astimezone(UTC).date()
    if where is not None:
        today = local_of(clock.now, zone(where)).date()
    standing = await _STANDING.one(on, user_id, today)
    cards = await _LIVE.all(on, user_id)
    return OfferList(
        batch_date=today,
        offers=[card.shown() for card in cards],
        generated_at=standing.made_at,
        user_timezone=where,
        reason=why_none(standing),
    )


def why_none(standing: _UserStanding) -> NoOffers | None:
    """Of today's set; None if there is one with offers."""
    if standing.made_at is not None:
        return None if standing.reason is None else NoOffers(standing.reason)
    reasons = (
        (NoOffers.QUESTIONNAIRE_PENDING, standing.onboarding in (None, "questionnaire_pending")),
        (NoOffers.VERIFICATION_PENDING, standing.status == "pending_verification"),
        (NoOffers.NOT_MATCHING, standing.status != "active"),
        (NoOffers.NO_TIMEZONE, standing.timezone not in zone_names()),
        (NoOffers.NO_PROFILE, not standing.has_profile),
        (NoOffers.NOT_DUE_YET, not standing.is_due),
    )
    return next((reason for reason, is_so in reasons if is_so), NoOffers.IN_PREPARATION)


async def shows(on: Queryable, viewer: UUID, user: UUID) -> bool:
    """Whether the one sees the other's photos: by a live offer or an active match."""
    return await _SHOWN.one(on, viewer, user)


async def own_data(on: Queryable, user_id: UUID) -> dict[str, Any]:
    """For a user's copy of their data."""
    found: dict[str, Any] = msgspec.json.decode(await _OWN.one(on, user_id))
    return found
