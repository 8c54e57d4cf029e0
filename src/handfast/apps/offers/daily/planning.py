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
from handfast.apps.offers.daily.apart import PAIR, kept_apart, read_apart, shown
from handfast.apps.offers.daily.fan_out import enqueue_fan_outs
from handfast.apps.offers.daily.picked import ExplainedPicks, put_picked
from handfast.apps.offers.rounds.figures import RoundFigures
from handfast.apps.offers.rounds.making import RoundInputs, make_round
from handfast.apps.offers.rounds.market import RoundRules
from handfast.apps.offers.rounds.picks import Picks
from handfast.apps.offers.rounds.pool import Pool, pool_of
from handfast.apps.offers.rounds.registry import DIRECTED, score_named, selection_named
from handfast.apps.offers.rounds.shards import InThreads
from handfast.apps.offers.rules.person import Person, ScoredQuestion
from handfast.apps.offers.settings import OfferRules
from handfast.base.errors import NotFound
from handfast.base.extras import extra
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.events import emit
from handfast.engine.work.context import Context

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

KIND = "offers.plan"
ROUND_DONE = "offers.round_done"
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


class Returned(msgspec.Struct, frozen=True):
    user_id: UUID
    candidate_id: UUID
    score: int


@dataclass(frozen=True)
class PlanSnapshot:
    """What a round is computed from, and nothing else."""

    plan: Plan
    questions: Sequence[ScoredQuestion]
    pool: Pool
    apart: "npt.NDArray[np.void]"  # of ``apart.PAIR``
    returns: Sequence[Returned]

    @property
    def whole(self) -> bool:
        """People who were erased are gone from it."""
        return len(self.pool) == self.plan.people


@dataclass(frozen=True)
class ChosenRound:
    """A snapshot, and what was chosen."""

    questions: Sequence[ScoredQuestion]
    pool: Pool
    picks: Picks
    figures: RoundFigures

    def explained(self) -> ExplainedPicks:
        return ExplainedPicks(self.questions, self.pool, self.picks)


_PIN = statement("offers.pin_plan", row=NoneType, seconds=BULK_SECONDS_MAX)
_PLAN = statement("offers.plan", row=Plan)
_QUESTIONS = statement("offers.questions", row=ScoredQuestion)
_MEMBERS = statement("offers.members", row=Person, seconds=BULK_SECONDS_MAX)
_RETURNS = statement("offers.returns", row=Returned, seconds=BULK_SECONDS_MAX)
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
    """Store what was chosen and tell of it, unless somebody has."""
    if await _CHOSEN.maybe(tx, day, msgspec.json.encode(made.figures).decode()) is not None:
        explained = await asyncio.to_thread(made.explained)
        await put_picked(tx, day, explained.rows())
        figures = msgspec.to_builtins(made.figures)
        await emit(tx, ROUND_DONE, f"round:{day}", {"day": day.isoformat(), **figures})


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
    questions = await questions_of(on, plan)
    pool = await asyncio.to_thread(pool_of, await _MEMBERS.all(on, day), day)
    apart = await read_apart(on, day, pool.ids)
    return PlanSnapshot(plan, questions, pool, apart, await _RETURNS.all(on, day))


async def round_of(on: Queryable, day: date) -> ChosenRound:
    """Computed from what is pinned; twice, it is the same."""
    snapshot = await snapshot_of(on, day)
    return await asyncio.to_thread(round_from, snapshot, snapshot.plan.rules)


def round_from(snapshot: PlanSnapshot, rules: OfferRules) -> ChosenRound:
    """By other rules than the plan's it is what might have been."""
    inputs = (snapshot.questions, snapshot.pool, snapshot.apart)
    return made_round(rules, snapshot.plan.day, *inputs, returns=snapshot.returns)


def made_round(
    rules: OfferRules,
    day: date,
    questions: Sequence[ScoredQuestion],
    pool: Pool,
    apart: "npt.NDArray[np.void] | None" = None,
    *,
    returns: Sequence[Returned] = (),
    threads: int = THREADS,
) -> ChosenRound:
    """Returns come first, then on its day the offer of the week, then the selection."""
    pairs = np.empty(0, PAIR) if apart is None else apart
    one_way = pairs["offered"] & (rules.selection in DIRECTED)
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
        apart=kept_apart(pairs[~one_way]),
        returns=_returned(pool, returns),
        shown=shown(pairs[one_way]),
    )
    made = make_round(inputs, InThreads(threads))
    return ChosenRound(questions, pool, made.picks, made.figures)


def _returned(pool: Pool, returns: Sequence[Returned]) -> "npt.NDArray[np.int64]":
    at = {one: place for place, one in enumerate(pool.ids)} if returns else {}
    found = [
        (at[one.user_id], at[one.candidate_id])
        for one in returns
        if one.user_id in at and one.candidate_id in at
    ]
    return np.array(found, np.int64).reshape(-1, 2)
