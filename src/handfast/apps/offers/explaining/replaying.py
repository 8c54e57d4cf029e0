"""A past round or set, computed again from its snapshot and compared with what is stored."""

import asyncio
from collections.abc import Sequence
from datetime import date, datetime
from uuid import UUID

import msgspec

from handfast.apps.offers.daily import latecomers, planning
from handfast.apps.offers.daily.ids import SetType, offer_id
from handfast.apps.offers.daily.picked import StoredPick, picks_stored
from handfast.apps.offers.daily.planning import Plan
from handfast.apps.offers.daily.publishing import PickedFor, kept_of
from handfast.apps.offers.errors import SnapshotGone
from handfast.apps.offers.rounds.picks import PickKind
from handfast.base.errors import NotFound
from handfast.db.statements import statement
from handfast.db.transaction import Queryable

SHOWN_MAX = 20  # differences that are named


class StoredSet(msgspec.Struct, frozen=True, rename="camel"):
    id: UUID
    day: date
    type: str
    zone: str
    due_at: datetime
    made_at: datetime
    status: str
    reason: str | None
    offers: int
    removed: str
    question_version: int | None
    score: str | None
    selection: str | None

    @property
    def removed_ids(self) -> list[UUID]:
        return [UUID(one) for one in self.removed.split(",") if one]


class StoredOffer(msgspec.Struct, frozen=True, rename="camel"):
    id: UUID
    day: date
    candidate_id: UUID
    place: int
    score: int
    kind: int
    themes: str
    status: str
    offered_at: datetime
    expires_at: datetime
    acted_at: datetime | None


class OfferReplay(msgspec.Struct, frozen=True, rename="camel"):
    """``differences`` names the first of what is not the same."""

    day: date
    score: str
    selection: str
    question_version: int | None
    people: int
    compared: int
    differences: list[str]

    @property
    def same(self) -> bool:
        return not self.differences


_SETS = statement("offers.sets_of", row=StoredSet)
_OFFERS = statement("offers.offers_of", row=StoredOffer)
_LATE = statement("offers.late_members", row=UUID)


async def sets_of(on: Queryable, user_id: UUID, until: date | None, limit: int) -> list[StoredSet]:
    """The newest first."""
    return await _SETS.all(on, user_id, until, limit)


async def offers_of(on: Queryable, user_id: UUID, days: Sequence[date]) -> list[StoredOffer]:
    return await _OFFERS.all(on, user_id, days)


async def replay_round(on: Queryable, day: date) -> OfferReplay:
    """Every pick of the round, and of those who came late."""
    snapshot = await planning.snapshot_of(on, day)
    if not snapshot.whole:
        raise _gone(snapshot.plan, len(snapshot.pool))
    made = await asyncio.to_thread(planning.round_from, snapshot, snapshot.plan.rules)
    again = made.explained().stored()
    late = await _LATE.all(on, day)
    if late:
        again += await latecomers.picks_for(on, day, late)
    stored = await picks_stored(on, day)
    return _compared(snapshot.plan, stored, again)


async def replay_set(on: Queryable, day: date, user_id: UUID) -> OfferReplay:
    """The picks of one user from the whole round, less what publishing had removed: offer by
    offer, with their ids."""
    plan = await planning.plan_of(on, day)
    whole = await replay_round(on, day)
    found = [one for one in await sets_of(on, user_id, day, 2) if one.day == day]
    if not found:
        raise NotFound(f"The user has no set of {day}.", hint="handfast offers explain says why.")
    picks = [
        PickedFor(day, user_id, one.candidate_id, one.place, one.score, one.kind, one.themes, False)
        for one in await picks_stored(on, day, user_id)
    ]
    differences = [one for one in whole.differences if str(user_id) in one]
    offers, compared = await offers_of(on, user_id, [day]), 0
    for one in found:
        weekly = one.type == SetType.WEEKLY
        mine = [pick for pick in picks if (pick.kind == PickKind.ANCHOR) == weekly]
        kept = kept_of(mine, one.removed_ids) if one.status == "completed" else []
        again = {_line(SetType(one.type), day, user_id, pick) for pick in kept}
        there = {
            _offer_line(offer) for offer in offers if (offer.kind == PickKind.ANCHOR) == weekly
        }
        compared += len(there)
        differences += [f"only stored: {line}" for line in sorted(there - again)]
        differences += [f"only computed: {line}" for line in sorted(again - there)]
    return msgspec.structs.replace(
        _compared(plan, [], []), compared=compared, differences=differences[:SHOWN_MAX]
    )


def _line(type_: SetType, day: date, user_id: UUID, pick: PickedFor) -> str:
    made = offer_id(day, user_id, pick.candidate_id, type_)
    return f"{made} {pick.candidate_id} {pick.place} {pick.score} {pick.kind} {pick.themes}"


def _offer_line(one: StoredOffer) -> str:
    return f"{one.id} {one.candidate_id} {one.place} {one.score} {one.kind} {one.themes}"


def _compared(plan: Plan, stored: list[StoredPick], again: list[StoredPick]) -> OfferReplay:
    there, computed = set(stored), set(again)
    differences = [("only stored", one) for one in sorted(there - computed, key=_by_user)]
    differences += [("only computed", one) for one in sorted(computed - there, key=_by_user)]
    return OfferReplay(
        day=plan.day,
        score=plan.score,
        selection=plan.selection,
        question_version=plan.question_version,
        people=plan.people,
        compared=len(stored),
        differences=[
            f"{what}: {one.user_id} {one.candidate_id} at {one.place}, {one.score}"
            for what, one in differences[:SHOWN_MAX]
        ],
    )


def _by_user(one: StoredPick) -> tuple[UUID, int, UUID]:
    return one.user_id, one.place, one.candidate_id


def _gone(plan: Plan, left: int) -> SnapshotGone:
    if left:
        what = f"{plan.people - left} of the {plan.people} people in it were erased"
    else:
        what = f"it was kept for {planning.SNAPSHOT_DAYS} days"
    return SnapshotGone(
        f"The snapshot of {plan.day} is not whole any more: {what}.",
        hint="What was offered is stored all the same: GET /admin/offers/users/{id}.",
    )
