"""Sets, published: what the round has chosen for a user, less what must not be shown any more.

Batches of jobs ``offers.daily``, key ``{date}:{user}``, end in one transaction with their sets,
offers and events: all of it is there, or none. Publishing only removes; it chooses nobody.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.offers import metrics
from handfast.apps.offers.daily.ids import offer_id, set_id
from handfast.base.errors import NotFound
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.events import NewEvent, emit_many
from handfast.engine.work.batch import Batch, BatchJob

KIND = "offers.daily"
LANE = "offers"
GENERATED = "match.offer_generated"
BATCH = 500  # sets in one transaction
WAIT = timedelta(seconds=30)  # for a round that is not there yet


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


class _Picked(msgspec.Struct, frozen=True):
    day: date
    user_id: UUID
    candidate_id: UUID
    place: int
    score: int
    themes: str
    is_removed: bool


class _Set(msgspec.Struct, frozen=True):
    standing: _SetStanding
    kept: list[_Picked]
    removed: int
    reason: str | None
    skipped: bool = False


_LOCK = statement("offers.lock_publishing", row=NoneType)
_STANDINGS = statement("offers.publishable", row=_SetStanding, seconds=BULK_SECONDS_MAX)
_PICKS = statement("offers.picks_of", row=_Picked, seconds=BULK_SECONDS_MAX)
_PUT_SETS = statement("offers.put_sets", row=NoneType, seconds=BULK_SECONDS_MAX)
_PUT_OFFERS = statement("offers.put_offers", row=NoneType, seconds=BULK_SECONDS_MAX)
_NOW = statement("offers.clock", row=datetime)


async def clock(on: Queryable) -> datetime:
    """The database's."""
    return await _NOW.one(on)


async def publish(batch: Batch) -> None:
    """The handler of ``offers.daily``."""
    made: list[_Set] = []
    async with batch.completing() as tx:
        made = await publish_sets(tx, [job for job in batch if job.open])
    count(made)


async def publish_sets(tx: Transaction, jobs: Sequence[BatchJob]) -> list[_Set]:
    """One for each job that can have one; the others are told to wait, or why they fail."""
    # In a statement of its own: what is read next sees what was committed while this waited.
    await _LOCK.run(tx)
    now = await clock(tx)
    asked: list[Asked] = [job.payload for job in jobs]
    standings = await _STANDINGS.all(tx, *_columns(asked, "day", "user_id", "zone"))
    ready = []
    for job, standing in zip(jobs, standings, strict=True):
        if standing.due_at is None:
            job.fail(_no_such_day(standing))
        elif standing.has_set:
            continue
        elif not (standing.has_round or standing.is_over):
            job.retry_at(now + WAIT)
        else:
            ready.append(standing)
    picks = defaultdict(list)
    for one in await _PICKS.all(tx, *_columns(ready, "day", "user_id")):
        picks[one.day, one.user_id].append(one)
    made = [_decided(one, picks[one.day, one.user_id]) for one in ready]
    await _store(tx, made)
    return made


def _decided(standing: _SetStanding, picks: list[_Picked]) -> _Set:
    if not standing.is_active:
        return _Set(standing, [], len(picks), "not_active", skipped=True)
    if standing.is_over:  # yesterday's are not made any more
        return _Set(standing, [], len(picks), "missed", skipped=True)
    if not standing.is_member:
        return _Set(standing, [], 0, "not_in_plan")
    kept = [one for one in picks if not one.is_removed]
    reason = None if kept else "all_removed" if picks else "nobody_eligible"
    return _Set(standing, kept, len(picks) - len(kept), reason)


async def _store(tx: Transaction, made: Sequence[_Set]) -> None:
    if not made:
        return
    stands = [one.standing for one in made]
    await _PUT_SETS.run(
        tx,
        [set_id(one.day, one.zone, one.user_id) for one in stands],
        *_columns(stands, "day", "user_id", "zone", "due_at"),
        ["skipped" if one.skipped else "completed" for one in made],
        [one.reason for one in made],
        [len(one.kept) for one in made],
        [one.removed for one in made],
        *_columns(stands, "question_version", "score", "selection"),
    )
    offers = [(one.standing, pick) for one in made for pick in one.kept]
    picks = [pick for _, pick in offers]
    await _PUT_OFFERS.run(
        tx,
        [offer_id(pick.day, pick.user_id, pick.candidate_id) for pick in picks],
        *_columns(picks, "user_id", "candidate_id", "day", "place", "score", "themes"),
        *_columns([standing for standing, _ in offers], "due_at", "expires_at"),
    )
    await emit_many(tx, [_event(one) for one in made if not one.skipped])


def _event(one: _Set) -> NewEvent:
    standing = one.standing
    ids = [offer_id(pick.day, pick.user_id, pick.candidate_id) for pick in one.kept]
    data = {"userId": standing.user_id, "batchDate": standing.day, "offers": ids}
    return NewEvent(GENERATED, f"user:{standing.user_id}", data, (standing.user_id,))


def count(made: Sequence[_Set]) -> None:
    for one in made:
        metrics.SETS.labels(one.reason or "made").inc()
        metrics.OFFERS.inc(len(one.kept))
        metrics.REMOVED.inc(one.removed)


async def skip_missed(
    tx: Transaction, day: date, zone: str, due_at: datetime, users: Sequence[UUID]
) -> None:
    """Yesterday's sets that nobody made: recorded, never made late."""
    nobody = [None] * len(users)
    await _PUT_SETS.run(
        tx,
        [set_id(day, zone, user) for user in users],
        *([day] * len(users), users, [zone] * len(users), [due_at] * len(users)),
        *(["skipped"] * len(users), ["missed"] * len(users), [0] * len(users), [0] * len(users)),
        *(nobody, nobody, nobody),
    )
    metrics.SETS.labels("missed").inc(len(users))


def _no_such_day(standing: _SetStanding) -> NotFound:
    return NotFound(
        f"The zone {standing.zone!r} has no known {standing.day}.",
        hint="Days are known from yesterday until the day after tomorrow, for zones with users.",
    )


def _columns(rows: Sequence[object], *names: str) -> list[list[object]]:
    return [[getattr(row, name) for row in rows] for name in names]
