"""One plan for each date: who takes part is pinned once, and the round is computed from that.

Pinned and chosen are two commits. Whoever is killed in between leaves the snapshot, and the next
attempt computes the same round from it; what is published is read from ``picks`` alone.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.offers import metrics
from handfast.apps.offers.rounds.figures import Figures
from handfast.apps.offers.rounds.making import NEVER, RoundInputs, make_round
from handfast.apps.offers.rounds.market import RoundRules
from handfast.apps.offers.rounds.picks import Picks
from handfast.apps.offers.rounds.pool import Pool, pool_of
from handfast.apps.offers.rounds.registry import score_named, selection_named
from handfast.apps.offers.rounds.shards import InThreads
from handfast.apps.offers.rules.person import Person, ScoredQuestion, unpacked
from handfast.apps.offers.rules.score import themes
from handfast.apps.offers.settings import OfferRules
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
    low_id: UUID
    high_id: UUID
    at_least: int | None
    reason: str


@dataclass(frozen=True)
class ChosenRound:
    """What a plan was computed from, and what was chosen."""

    questions: Sequence[ScoredQuestion]
    pool: Pool
    picks: Picks
    figures: Figures


_PIN = statement("offers.pin_plan", row=NoneType, seconds=BULK_SECONDS_MAX)
_PLAN = statement("offers.plan", row=Plan)
_QUESTIONS = statement("offers.questions", row=ScoredQuestion)
_MEMBERS = statement("offers.members", row=Person, seconds=BULK_SECONDS_MAX)
_APART = statement("offers.kept_apart", row=KeptApart, seconds=BULK_SECONDS_MAX)
_PUT = statement("offers.put_picks", row=NoneType, seconds=BULK_SECONDS_MAX)
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
    if await _CHOSEN.maybe(tx, day, msgspec.json.encode(made.figures).decode()) is None:
        return
    people, picks = made.pool.people, list(made.picks)
    answers = [unpacked(one.answers) for one in people]
    explained = [
        ",".join(themes(made.questions, answers[one.user], answers[one.candidate])) for one in picks
    ]
    await _PUT.run(
        tx,
        day,
        [people[one.user].id for one in picks],
        [people[one.candidate].id for one in picks],
        made.picks.rows["place"].tolist(),
        [one.score for one in picks],
        explained,
    )


async def round_of(on: Queryable, day: date) -> ChosenRound:
    """Computed from what is pinned; twice, it is the same."""
    plan = await _PLAN.one(on, day)
    questions = await _QUESTIONS.all(on, plan.question_version)
    people = await _MEMBERS.all(on, day)
    apart = await _APART.all(on, day)
    return await asyncio.to_thread(made_round, plan.rules, day, questions, people, apart)


def made_round(
    rules: OfferRules,
    day: date,
    questions: Sequence[ScoredQuestion],
    people: Sequence[Person],
    apart: Sequence[KeptApart],
    *,
    threads: int = THREADS,
) -> ChosenRound:
    pool = pool_of(people, day)
    inputs = RoundInputs(
        pool,
        questions,
        RoundRules(minimum=rules.minimum_score * 100, exposure=2 * rules.per_day),
        rules.score,
        rules.selection,
        _apart(pool, apart),
    )
    made = make_round(inputs, InThreads(threads))
    return ChosenRound(questions, pool, made.picks.daily, made.figures)


def _apart(pool: Pool, apart: Sequence[KeptApart]) -> "npt.NDArray[np.int64]":
    """As places in the pool, with the score that would do."""
    at = {one.id: place for place, one in enumerate(pool.people)}
    found = [
        (at[one.low_id], at[one.high_id], NEVER if one.at_least is None else one.at_least)
        for one in apart
        if one.low_id in at and one.high_id in at
    ]
    return np.array(found, np.int64).reshape(-1, 3)
