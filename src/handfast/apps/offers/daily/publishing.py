"""Sets, published: what the round has chosen for a user, less what must not be shown any more.

Batches of jobs end in one transaction with their sets, offers and events: all of it is there, or
none. Publishing chooses nobody: it only removes, takes the user's own reserve in its order for what
it removed, and records what that was. Sets of a day (``offers.daily``) and the offer of a week
(``offers.weekly_anchor``) go the same way.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from itertools import islice
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.offers import metrics
from handfast.apps.offers.daily.ids import SetType, offer_id, set_id
from handfast.apps.offers.rounds.picks import PickKind
from handfast.base.errors import NotFound
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.events import NewEvent, emit_many
from handfast.engine.work.batch import Batch, BatchJob

KIND = "offers.daily"
WEEKLY_KIND = "offers.weekly_anchor"
LANE = "offers"
GENERATED = "match.offer_generated"
BATCH = 500  # sets in one transaction
CHOSEN = {
    SetType.DAILY: (PickKind.RETURN, PickKind.MUTUAL, PickKind.ONE_SIDED),
    SetType.WEEKLY: (PickKind.ANCHOR,),
}


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The payload of a job."""

    day: date
    zone: str
    user_id: UUID


class _SetStanding(msgspec.Struct, frozen=True):
    day: date
    user_id: UUID
    zone: str
    due_at: datetime | None
    expires_at: datetime | None
    is_over: bool | None
    has_round: bool
    question_version: int | None
    score: str | None
    selection: str | None
    is_member: bool
    is_active: bool
    has_set: bool


class PickedFor(msgspec.Struct, frozen=True):
    """What a round has chosen for a user, and whether it must be left out."""

    day: date
    user_id: UUID
    candidate_id: UUID
    place: int
    score: int
    kind: int
    themes: str
    is_removed: bool


class MadeSet(msgspec.Struct, frozen=True):
    standing: _SetStanding
    kept: list[PickedFor]
    removed: list[UUID]
    reason: str | None
    skipped: bool = False


_LOCK = statement("offers.lock_publishing", row=NoneType)
_STANDINGS = statement("offers.publishable", row=_SetStanding, seconds=BULK_SECONDS_MAX)
_PICKS = statement("offers.picks_of", row=PickedFor, seconds=BULK_SECONDS_MAX)
_PUT_SETS = statement("offers.put_sets", row=UUID)
_PUT_OFFERS = statement("offers.put_offers", row=NoneType, seconds=BULK_SECONDS_MAX)
_NOW = statement("offers.clock", row=datetime)


async def clock(on: Queryable) -> datetime:
    """The database's."""
    return await _NOW.one(on)


async def publish(batch: Batch, type_: SetType) -> None:
    """The end of the handlers of both kinds."""
    made: list[MadeSet] = []
    async with batch.completing() as tx:
        made = await publish_sets(tx, [job for job in batch if job.open], type_)
    count(made)


async def publish_sets(
    tx: Transaction, jobs: Sequence[BatchJob], type_: SetType = SetType.DAILY
) -> list[MadeSet]:
    """One for each job that can have one; the others are told why they fail."""
    # In a statement of its own: what is read next sees what was committed while this waited.
    await _LOCK.run(tx)
    asked: list[Asked] = [job.payload for job in jobs]
    standings = await _STANDINGS.all(tx, *_columns(asked, "day", "user_id", "zone"), type_)
    ready = []
    for job, standing in zip(jobs, standings, strict=True):
        if standing.due_at is None:
            job.fail(_no_such_day(standing))
        elif standing.has_set:
            metrics.REPEATED.inc()
        elif not (standing.has_round or standing.is_over):
            job.fail(_no_round(standing))
        else:
            ready.append(standing)
    picks = await _picks(tx, ready, CHOSEN[type_])
    # The reserve is looked at only where something that was chosen is left out.
    holes = [one for one in ready if any(pick.is_removed for pick in picks[_whose(one)])]
    if holes and type_ is SetType.DAILY:
        for whose, reserve in (await _picks(tx, holes, [PickKind.RESERVE])).items():
            picks[whose] += reserve
    return await _store(tx, [_decided(one, picks[_whose(one)]) for one in ready], type_)


async def _picks(
    tx: Transaction, of: Sequence[_SetStanding], kinds: Sequence[PickKind]
) -> dict[tuple[date, UUID], list[PickedFor]]:
    found = defaultdict(list)
    for one in await _PICKS.all(tx, *_columns(of, "day", "user_id"), kinds):
        found[one.day, one.user_id].append(one)
    return found


def _whose(one: _SetStanding) -> tuple[date, UUID]:
    return one.day, one.user_id


def _decided(standing: _SetStanding, picks: list[PickedFor]) -> MadeSet:
    if not standing.is_active:
        return MadeSet(standing, [], [], "not_active", skipped=True)
    if standing.is_over:  # yesterday's are not made any more
        return MadeSet(standing, [], [], "missed", skipped=True)
    if not standing.is_member:
        return MadeSet(standing, [], [], "not_in_plan")
    removed = [one.candidate_id for one in picks if one.is_removed]
    kept = kept_of(picks, removed)
    reason = None if kept else "all_removed" if picks else "nobody_eligible"
    return MadeSet(standing, kept, removed, reason)


def kept_of(picks: Sequence[PickedFor], removed: Sequence[UUID]) -> list[PickedFor]:
    """What is shown: what was chosen, and for each of it that is removed the next of the reserve.
    From what is stored it follows again, which is what a replay does."""
    gone = set(removed)
    chosen = [one for one in picks if one.kind != PickKind.RESERVE]
    reserve = [one for one in picks if one.kind == PickKind.RESERVE]
    kept = [one for one in chosen if one.candidate_id not in gone]
    spare = [one for one in reserve if one.candidate_id not in gone]
    return kept + spare[: len(chosen) - len(kept)]


async def _store(tx: Transaction, made: Sequence[MadeSet], type_: SetType) -> list[MadeSet]:
    """Those that are stored: a set that stands already, because its day was closed a moment ago,
    stays as it is, and has no offers."""
    if not made:
        return []
    stands = [one.standing for one in made]
    set_ids = [set_id(one.day, one.zone, one.user_id, type_) for one in stands]
    put = await _PUT_SETS.all(
        tx,
        set_ids,
        *_columns(stands, "day", "user_id", "zone", "due_at"),
        ["skipped" if one.skipped else "completed" for one in made],
        [one.reason for one in made],
        [len(one.kept) for one in made],
        [",".join(map(str, one.removed)) for one in made],
        *_columns(stands, "question_version", "score", "selection"),
        type_,
    )
    new = set(put)
    stored = [one for id_, one in zip(set_ids, made, strict=True) if id_ in new]
    offers = [(one.standing, pick) for one in stored for pick in one.kept]
    picks = [pick for _, pick in offers]
    ids = [offer_id(pick.day, pick.user_id, pick.candidate_id, type_) for pick in picks]
    await _PUT_OFFERS.run(
        tx,
        ids,
        *_columns(picks, "user_id", "candidate_id", "day", "place", "score", "kind", "themes"),
        *_columns([standing for standing, _ in offers], "due_at", "expires_at"),
    )
    in_order = iter(ids)
    events = [(one, list(islice(in_order, len(one.kept)))) for one in stored]
    await emit_many(tx, [_event(one, its, type_) for one, its in events if not one.skipped])
    return stored


def _event(one: MadeSet, ids: list[UUID], type_: SetType) -> NewEvent:
    standing = one.standing
    data = {
        "userId": standing.user_id,
        "batchDate": standing.day,
        "type": type_.value,
        "offers": ids,
    }
    return NewEvent(GENERATED, f"user:{standing.user_id}", data, (standing.user_id,))


def count(made: Sequence[MadeSet]) -> None:
    for one in made:
        metrics.SETS.labels(one.reason or "made").inc()
        metrics.OFFERS.inc(len(one.kept))
        metrics.REMOVED.inc(len(one.removed))


async def skip_missed(
    tx: Transaction, day: date, zone: str, due_at: datetime, users: Sequence[UUID]
) -> None:
    """Yesterday's sets that nobody made: recorded, never made late."""
    nobody = [None] * len(users)
    missed = await _PUT_SETS.all(
        tx,
        [set_id(day, zone, user) for user in users],
        *([day] * len(users), users, [zone] * len(users), [due_at] * len(users)),
        *(["skipped"] * len(users), ["missed"] * len(users), [0] * len(users), [""] * len(users)),
        *(nobody, nobody, nobody),
        SetType.DAILY,
    )
    metrics.SETS.labels("missed").inc(len(missed))


def _no_such_day(standing: _SetStanding) -> NotFound:
    return NotFound(
        f"The zone {standing.zone!r} has no known {standing.day}.",
        hint="Days are known from yesterday until the day after tomorrow, for zones with users.",
    )


def _no_round(standing: _SetStanding) -> NotFound:
    """Jobs are enqueued when their round is there, or wait for it as a chain."""
    return NotFound(
        f"The round of {standing.day} has not been made.",
        hint="Look at the job offers.plan of that date; requeue this one when it has succeeded.",
    )


def _columns(rows: Sequence[object], *names: str) -> list[list[object]]:
    return [[getattr(row, name) for row in rows] for name in names]
