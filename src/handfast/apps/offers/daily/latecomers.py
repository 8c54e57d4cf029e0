"""Who signed up, or became ready, after the plan of a date was pinned: one-sided offers at their
own 09:00.

They are pinned into the same snapshot, marked as late, and their picks are stored, in one commit
before anything is published. Nobody else's set changes and nobody else's room is looked at. So a
retry and a replay compute from the same rows.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.offers.daily import planning
from handfast.apps.offers.daily.apart import KeptApart
from handfast.apps.offers.daily.picked import StoredPick, by_user, put_picked
from handfast.apps.offers.daily.planning import Plan
from handfast.apps.offers.rounds.arithmetic.kernel import UNSCORED
from handfast.apps.offers.rounds.picks import PickKind
from handfast.apps.offers.rounds.pool import pool_of
from handfast.apps.offers.rounds.registry import score_named
from handfast.apps.offers.rules.chords import DISTANCE_MAX_KM, SQUARED_CHORDS
from handfast.apps.offers.rules.person import Person, ScoredQuestion, unpacked
from handfast.apps.offers.rules.score import themes
from handfast.base.extras import extra
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable

with extra("offers"):
    import numpy as np

RESERVE = 3  # the next of the order, as in a round


class _Latecomer(msgspec.Struct, frozen=True):
    day: date
    user_id: UUID


_LATE = statement("offers.latecomers", row=_Latecomer)
_PIN = statement("offers.pin_latecomers", row=int)
_KEEP_APART = statement("offers.keep_latecomers_apart", row=NoneType, seconds=BULK_SECONDS_MAX)
_NEAR = statement("offers.members_near", row=Person, seconds=BULK_SECONDS_MAX)
_APART = statement("offers.apart_from", row=KeptApart)


async def admit(database: Database, wanted: Sequence[tuple[date, UUID]]) -> None:
    """Those of these users who were not in the plan of their date, as far as they are ready now."""
    by_day: dict[date, list[UUID]] = defaultdict(list)
    async with database.connection() as connection:
        days, users = [day for day, _ in wanted], [user for _, user in wanted]
        for one in await _LATE.all(connection, days, users):
            by_day[one.day].append(one.user_id)
    for day, late in by_day.items():
        async with database.transaction() as tx:
            await _PIN.run(tx, day, late)
            await _KEEP_APART.run(tx, day, late)
            await put_picked(tx, day, by_user(await picks_for(tx, day, late)))


async def picks_for(on: Queryable, day: date, late: Sequence[UUID]) -> list[StoredPick]:
    """What the snapshot has for them."""
    plan = await planning.plan_of(on, day)
    questions = await planning.questions_of(on, plan)
    people = await _NEAR.all(on, day, late, SQUARED_CHORDS[DISTANCE_MAX_KM])
    apart = await _APART.all(on, day, late)
    return await asyncio.to_thread(one_sided, plan, questions, people, apart, late)


def one_sided(
    plan: Plan,
    questions: Sequence[ScoredQuestion],
    people: Sequence[Person],
    apart: Sequence[KeptApart],
    late: Sequence[UUID],
) -> list[StoredPick]:
    """For each of the late ones the best of the others, then the reserve. Ties go to the smaller
    id of the candidate."""
    ordered = sorted(people, key=lambda one: one.id)
    pool = pool_of(ordered, plan.day)
    scores = score_named(plan.score)(questions, pool)
    at = {one: place for place, one in enumerate(pool.ids)}
    members = np.array([at[one] for one in pool.ids if one not in set(late)], np.intp)
    needed = {(k.low_id, k.high_id): k for k in apart}
    picks: list[StoredPick] = []
    for user in sorted(set(late) & at.keys()) if len(members) else ():
        mine = np.array([at[user]], np.intp)
        fit = pool.eligible(mine, members)[0]
        found = np.where(fit, scores.block(mine, members)[0], UNSCORED).tolist()
        ranked = sorted(
            (-score, member)
            for score, member in zip(found, members.tolist(), strict=True)
            if score >= max(plan.rules.minimum_score * 100, 0)
            and _allowed(needed, user, pool.ids[member], score)
        )
        picks += _picked(questions, ordered, at[user], ranked)
    return picks


def _allowed(
    needed: dict[tuple[UUID, UUID], KeptApart], user: UUID, candidate: UUID, score: int
) -> bool:
    """A live offer of this user to the other keeps nobody away: it is how both can accept."""
    low, high = sorted((user, candidate))
    rule = needed.get((low, high))
    return rule is None or rule.allows(user, score)


def _picked(
    questions: Sequence[ScoredQuestion],
    people: Sequence[Person],
    user: int,
    ranked: list[tuple[int, int]],
) -> list[StoredPick]:
    one = people[user]
    chosen = ranked[: one.places + RESERVE] if one.places else []
    return [
        StoredPick(
            one.id,
            people[member].id,
            place,
            -score,
            PickKind.ONE_SIDED if place <= one.places else PickKind.RESERVE,
            ",".join(themes(questions, unpacked(one.answers), unpacked(people[member].answers))),
        )
        for place, (score, member) in enumerate(chosen, start=1)
    ]
