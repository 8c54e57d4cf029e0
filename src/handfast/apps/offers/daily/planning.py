"""One plan for each date: who takes part is pinned once, and the round is computed from that.

Pinned and chosen are two commits. Whoever is killed in between leaves the snapshot, and the next
attempt computes the same round from it; what is published is read from ``picks`` alone. The commit
that stores a round also enqueues the fan-outs of its zones, each for its own 09:00: nothing waits
for a round by failing.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.offers import metrics
from handfast.apps.offers.daily.fan_out import enqueue_fan_outs
from handfast.apps.offers.rounds.figures import RoundFigures
from handfast.apps.offers.rounds.making import NEVER, RoundInputs, make_round
from handfast.apps.offers.rounds.market import RoundRules
from handfast.apps.offers.rounds.picks import PickKind, Picks
from handfast.apps.offers.rounds.pool import Pool, pool_of
from handfast.apps.offers.rounds.registry import score_named, selection_named
from handfast.apps.offers.rounds.shards import InThreads
from handfast.apps.offers.rules.person import Person, ScoredQuestion, unpacked
from handfast.apps.offers.rules.score import themes
from handfast.apps.offers.settings import OfferRules
from handfast.base.errors import NotFound
from handfast.base.extras import extra
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.work.context import Context

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

KIND = "offers.plan"
SNAPSHOT_DAYS = 14  # that people stay in a snapshot
THREADS = 2

log = get_logger(__name__)


class Plan(msgspec.Struct, frozen=True):
    day: date
    pinned_at: datetime
    chosen_at: datetime | None
    question_version: int | None
    people: int
    score: str
    selection: str
    settings: str
    figures: str | None

    @property
    def rules(self) -> OfferRules:
        return msgspec.json.decode(self.settings, type=OfferRules)


class KeptApart(msgspec.Struct, frozen=True):
    """``live``: to whom the other must not be offered one-sidedly either, as bits."""

    low_id: UUID
    high_id: UUID
    at_least: int | None
    live: int
    reason: str

    @property
    def needs(self) -> int:
        """The score that a new pair needs."""
        return NEVER if self.at_least is None else self.at_least

    def allows(self, user: UUID, score: int) -> bool:
        """Whether the other may be offered to this one of the two, one-sidedly."""
        own = 1 if user == self.low_id else 2
        return not self.live & own and (self.reason == "offered" or score >= self.needs)


class Returned(msgspec.Struct, frozen=True):
    user_id: UUID
    candidate_id: UUID
    score: int


class StoredPick(msgspec.Struct, frozen=True):
    user_id: UUID
    candidate_id: UUID
    place: int
    score: int
    kind: int
    themes: str


@dataclass(frozen=True)
class PlanSnapshot:
    """What a round is computed from, and nothing else."""

    plan: Plan
    questions: Sequence[ScoredQuestion]
    people: Sequence[Person]
    apart: Sequence[KeptApart]
    returns: Sequence[Returned]

    @property
    def whole(self) -> bool:
        """People who were erased are gone from it."""
        return len(self.people) == self.plan.people


@dataclass(frozen=True)
class ChosenRound:
    """A snapshot, and what was chosen."""

    questions: Sequence[ScoredQuestion]
    pool: Pool
    picks: Picks
    figures: RoundFigures


_PIN = statement("offers.pin_plan", row=NoneType, seconds=BULK_SECONDS_MAX)
_PLAN = statement("offers.plan", row=Plan)
_QUESTIONS = statement("offers.questions", row=ScoredQuestion)
_MEMBERS = statement("offers.members", row=Person, seconds=BULK_SECONDS_MAX)
_APART = statement("offers.kept_apart", row=KeptApart, seconds=BULK_SECONDS_MAX)
_RETURNS = statement("offers.returns", row=Returned, seconds=BULK_SECONDS_MAX)
_PUT = statement("offers.put_picks", row=NoneType, seconds=BULK_SECONDS_MAX)
_STORED = statement("offers.picks_stored", row=StoredPick, seconds=BULK_SECONDS_MAX)
_CHOSEN = statement("offers.mark_chosen", row=date)
_FORGET = statement("offers.forget_snapshots", row=NoneType, seconds=BULK_SECONDS_MAX)


class Planning:
    """The job ``offers.plan``, key ``{date}``."""

    def __init__(self, database: Database, rules: OfferRules) -> None:
        self._database = database
        self._rules = rules

    async def plan(self, ctx: Context, day: date) -> None:
        async with self._database.transaction() as tx:
            await pin(tx, day, self._rules)
        async with self._database.connection() as connection:
            made = await round_of(connection, day)
        async with ctx.completing(msgspec.structs.asdict(made.figures)) as tx:
            await choose(tx, day, made)
            await enqueue_fan_outs(tx, day)
            await _FORGET.run(tx, day - timedelta(days=SNAPSHOT_DAYS))
        metrics.ROUND_PEOPLE.set(made.figures.people)
        metrics.NEVER_SHOWN.set(made.figures.never_shown)
        log.info("round_chosen", day=str(day), **msgspec.structs.asdict(made.figures))


async def pin(tx: Transaction, day: date, rules: OfferRules) -> None:
    """Who is in the round of this date, and by which rules it is made. Once: later ones change
    nothing."""
    score_named(rules.score)
    selection_named(rules.selection)
    await _PIN.run(tx, day, rules.score, rules.selection, msgspec.json.encode(rules).decode())


async def choose(tx: Transaction, day: date, made: ChosenRound) -> None:
    """Store what was chosen, unless somebody has."""
    if await _CHOSEN.maybe(tx, day, msgspec.json.encode(made.figures).decode()) is not None:
        await put_picks(tx, day, stored_picks(made))


async def put_picks(tx: Transaction, day: date, picks: Sequence[StoredPick]) -> None:
    names = ("user_id", "candidate_id", "place", "score", "kind", "themes")
    await _PUT.run(tx, day, *([getattr(one, name) for one in picks] for name in names))


async def picks_stored(on: Queryable, day: date, user_id: UUID | None = None) -> list[StoredPick]:
    """Of a round and of those who came late; of one user, if one is named."""
    return await _STORED.all(on, day, user_id)


def stored_picks(made: ChosenRound) -> list[StoredPick]:
    """By user, and the offer of the week after those of the day: as the database has them."""
    people = made.pool.people
    found = [
        stored(
            made.questions,
            people[pick.user],
            people[pick.candidate],
            place=place,
            score=pick.score,
            kind=pick.kind,
        )
        for pick, place in zip(made.picks, made.picks.rows["place"].tolist(), strict=True)
    ]
    return sorted(found, key=lambda one: (one.user_id, one.kind == PickKind.ANCHOR, one.place))


def stored(
    questions: Sequence[ScoredQuestion],
    user: Person,
    candidate: Person,
    *,
    place: int,
    score: int,
    kind: PickKind,
) -> StoredPick:
    explained = themes(questions, unpacked(user.answers), unpacked(candidate.answers))
    return StoredPick(user.id, candidate.id, place, score, int(kind), ",".join(explained))


async def find_plan(on: Queryable, day: date) -> Plan | None:
    return await _PLAN.maybe(on, day)


async def plan_of(on: Queryable, day: date) -> Plan:
    plan = await find_plan(on, day)
    if plan is None:
        raise NotFound(
            f"There is no plan of {day}.",
            hint="A plan is made an hour before the first 09:00 of its date.",
        )
    return plan


async def questions_of(on: Queryable, plan: Plan) -> list[ScoredQuestion]:
    return await _QUESTIONS.all(on, plan.question_version)


async def snapshot_of(on: Queryable, day: date) -> PlanSnapshot:
    plan = await plan_of(on, day)
    return PlanSnapshot(
        plan,
        await questions_of(on, plan),
        await _MEMBERS.all(on, day),
        await _APART.all(on, day),
        await _RETURNS.all(on, day),
    )


async def round_of(on: Queryable, day: date) -> ChosenRound:
    """Computed from what is pinned; twice, it is the same."""
    snapshot = await snapshot_of(on, day)
    return await asyncio.to_thread(round_from, snapshot, snapshot.plan.rules)


def round_from(snapshot: PlanSnapshot, rules: OfferRules) -> ChosenRound:
    """By other rules than the plan's it is what might have been."""
    inputs = (snapshot.questions, snapshot.people, snapshot.apart)
    return made_round(rules, snapshot.plan.day, *inputs, returns=snapshot.returns)


def made_round(
    rules: OfferRules,
    day: date,
    questions: Sequence[ScoredQuestion],
    people: Sequence[Person],
    apart: Sequence[KeptApart],
    *,
    returns: Sequence[Returned] = (),
    threads: int = THREADS,
) -> ChosenRound:
    """Returns come first, then on its day the offer of the week, then the selection."""
    pool = pool_of(people, day)
    inputs = RoundInputs(
        pool,
        questions,
        RoundRules(
            minimum=rules.minimum_score * 100,
            one_sided=rules.one_sided,
            exposure=2 * rules.per_day,
            anchor_minimum=rules.anchor_minimum * 100 if rules.is_anchor_day(day) else None,
        ),
        rules.score,
        rules.selection,
        apart=_apart(pool, apart),
        returns=_returned(pool, returns),
    )
    made = make_round(inputs, InThreads(threads))
    return ChosenRound(questions, pool, made.picks, made.figures)


def _apart(pool: Pool, apart: Sequence[KeptApart]) -> "npt.NDArray[np.int64]":
    """As places in the pool, with the score that would do."""
    at = _places_in(pool)
    found = [
        (at[one.low_id], at[one.high_id], one.needs)
        for one in apart
        if one.low_id in at and one.high_id in at
    ]
    return np.array(found, np.int64).reshape(-1, 3)


def _returned(pool: Pool, returns: Sequence[Returned]) -> "npt.NDArray[np.int64]":
    at = _places_in(pool)
    found = [
        (at[one.user_id], at[one.candidate_id])
        for one in returns
        if one.user_id in at and one.candidate_id in at
    ]
    return np.array(found, np.int64).reshape(-1, 2)


def _places_in(pool: Pool) -> dict[UUID, int]:
    return {one.id: place for place, one in enumerate(pool.people)}
