"""Zones, rounds and a user's sets, as they are stored: for operators."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Annotated
from uuid import UUID

import msgspec

from handfast.apps.offers.daily.ids import SetType
from handfast.apps.offers.daily.planning import Plan
from handfast.apps.offers.explaining.replaying import StoredOffer, StoredSet, offers_of, sets_of
from handfast.apps.offers.rounds.figures import RoundFigures
from handfast.apps.offers.rounds.picks import PickKind
from handfast.apps.offers.rules.actions import OfferStatus
from handfast.apps.offers.rules.score import shown
from handfast.base.words import OneOf
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable


class PickWord(StrEnum):
    """``PickKind`` in words."""

    RETURN = "return"
    MUTUAL = "mutual"
    ONE_SIDED = "one_sided"
    RESERVE = "reserve"
    ANCHOR = "anchor"


class SetStatus(StrEnum):
    COMPLETED = "completed"
    SKIPPED = "skipped"


class ZoneView(msgspec.Struct, frozen=True, rename="camel"):
    """`expected` are sets, made or not; `made` includes those without an offer (`empty`)."""

    zone: str
    day: date
    due_at: datetime
    ends_at: datetime
    fanned_out_at: datetime | None
    closed_at: datetime | None
    expected: int
    made: int
    empty: int
    skipped: int
    offers: int


class RoundView(msgspec.Struct, frozen=True, rename="camel"):
    day: date
    pinned_at: datetime
    chosen_at: datetime | None
    question_version: int | None
    people: int
    score: str
    selection: str
    figures: RoundFigures | None


class OfferView(msgspec.Struct, frozen=True, rename="camel"):
    """`why`: a return, mutual, one-sided, from the reserve, or the anchor of the week."""

    id: UUID
    candidate_id: UUID
    why: Annotated[str, OneOf(PickWord)]
    place: int
    score: int
    themes: list[str]
    status: Annotated[str, OneOf(OfferStatus)]
    offered_at: datetime
    expires_at: datetime
    acted_at: datetime | None


class SetView(msgspec.Struct, frozen=True, rename="camel"):
    """`removed` are those whom the round had chosen and who were left out."""

    id: UUID
    day: date
    type: Annotated[str, OneOf(SetType)]
    zone: str
    due_at: datetime
    made_at: datetime
    status: Annotated[str, OneOf(SetStatus)]
    reason: str | None
    question_version: int | None
    score: str | None
    selection: str | None
    removed: list[UUID]
    offers: list[OfferView]


class OfferStats(msgspec.Struct, frozen=True, rename="camel"):
    first: date
    last: date
    sets: dict[str, int]
    offers: dict[str, int]
    matches: int
    matches_closed: int


class _ZoneRow(msgspec.Struct, frozen=True):
    zone: str
    day: date
    due_at: datetime
    ends_at: datetime
    fanned_out_at: datetime | None
    closed_at: datetime | None
    lacking: int
    made: int
    empty: int
    skipped: int
    offers: int


class _ReasonCount(msgspec.Struct, frozen=True):
    status: str
    reason: str
    sets: int


class _StatusCount(msgspec.Struct, frozen=True):
    status: str
    offers: int


class _MatchCount(msgspec.Struct, frozen=True):
    made: int
    closed: int


_ZONES = statement("offers.zone_days", row=_ZoneRow, seconds=BULK_SECONDS_MAX)
_ROUNDS = statement("offers.rounds", row=Plan)
_REASONS = statement("offers.reasons_of", row=_ReasonCount, seconds=BULK_SECONDS_MAX)
_STATUSES = statement("offers.offers_by_status", row=_StatusCount, seconds=BULK_SECONDS_MAX)
_MATCHES = statement("offers.matches_between", row=_MatchCount)


async def list_zones(on: Queryable, day: date) -> list[ZoneView]:
    return [_zone(row) for row in await _ZONES.all(on, day)]


def _zone(row: _ZoneRow) -> ZoneView:
    expected = row.made + row.skipped + (row.lacking if row.closed_at is None else 0)
    seen = {name: getattr(row, name) for name in row.__struct_fields__ if name != "lacking"}
    return ZoneView(**seen, expected=expected)


async def list_rounds(on: Queryable, before: date | None, limit: int) -> list[RoundView]:
    return [_round(plan) for plan in await _ROUNDS.all(on, before, limit)]


def _round(plan: Plan) -> RoundView:
    figures = plan.figures and msgspec.json.decode(plan.figures, type=RoundFigures)
    return RoundView(
        *(plan.day, plan.pinned_at, plan.chosen_at, plan.question_version, plan.people),
        *(plan.score, plan.selection, figures or None),
    )


async def list_sets(on: Queryable, user_id: UUID, until: date | None, limit: int) -> list[SetView]:
    """The newest first."""
    sets = await sets_of(on, user_id, until, limit)
    offers = await offers_of(on, user_id, [one.day for one in sets])
    return [_set(one, offers) for one in sets]


def _set(one: StoredSet, offers: Sequence[StoredOffer]) -> SetView:
    weekly = one.type == "weekly_anchor"
    mine = [
        _offer(offer)
        for offer in offers
        if offer.day == one.day and (offer.kind == PickKind.ANCHOR) == weekly
    ]
    return SetView(
        *(one.id, one.day, one.type, one.zone, one.due_at, one.made_at, one.status, one.reason),
        *(one.question_version, one.score, one.selection, one.removed_ids, mine),
    )


def _offer(one: StoredOffer) -> OfferView:
    why = PickWord[PickKind(one.kind).name]
    named = one.themes.split(",") if one.themes else []
    return OfferView(
        *(one.id, one.candidate_id, why, one.place, shown(one.score), named, one.status),
        *(one.offered_at, one.expires_at, one.acted_at),
    )


async def offer_stats(on: Queryable, last: date, days: int) -> OfferStats:
    first = last - timedelta(days=days - 1)
    matches = await _MATCHES.one(on, first, last)
    return OfferStats(
        first,
        last,
        {one.reason: one.sets for one in await _REASONS.all(on, first, last)},
        {one.status: one.offers for one in await _STATUSES.all(on, first, last)},
        matches.made,
        matches.closed,
    )
