"""Every selection that is registered, on one snapshot: what it would have come to."""

import asyncio
from collections.abc import Mapping
from datetime import date

import msgspec

from handfast.apps.offers.daily import planning
from handfast.apps.offers.daily.planning import ChosenRound, PlanSnapshot
from handfast.apps.offers.errors import SnapshotGone
from handfast.apps.offers.rounds.figures import RoundFigures
from handfast.apps.offers.rounds.picks import PickKind
from handfast.apps.offers.rounds.registry import SELECTIONS
from handfast.db.statements import statement
from handfast.db.transaction import Queryable

TENS = 10  # buckets of scores


class _Accepted(msgspec.Struct, frozen=True):
    tens: int
    offers: int
    accepted: int


class ComparedSelection(msgspec.Struct, frozen=True, rename="camel"):
    """``matchesExpected`` by how often offers of such a score were accepted so far, in each
    direction by itself; None while nobody has decided on one."""

    selection: str
    chosen: bool
    figures: RoundFigures
    matches_expected: float | None


_ACCEPTANCE = statement("offers.acceptance", row=_Accepted)


async def compare(on: Queryable, day: date) -> list[ComparedSelection]:
    snapshot = await planning.snapshot_of(on, day)
    if not len(snapshot.pool) and snapshot.plan.people:
        raise SnapshotGone(
            f"The snapshot of {day} is gone.",
            hint=f"Snapshots are kept for {planning.SNAPSHOT_DAYS} days.",
        )
    history = {one.tens: one.accepted / one.offers for one in await _ACCEPTANCE.all(on)}
    return await asyncio.to_thread(
        lambda: [_compared(snapshot, name, history) for name in sorted(SELECTIONS)]
    )


def _compared(
    snapshot: PlanSnapshot, selection: str, history: Mapping[int, float]
) -> ComparedSelection:
    rules = msgspec.structs.replace(snapshot.plan.rules, selection=selection)
    made = planning.round_from(snapshot, rules)
    expected = _expected(made, history) if history else None
    return ComparedSelection(
        selection, selection == snapshot.plan.selection, made.figures, expected
    )


def _expected(made: ChosenRound, history: Mapping[int, float]) -> float:
    """Both must accept, and only who is shown can."""
    shown = {
        (pick.user, pick.candidate): pick.score
        for pick in made.picks
        if pick.kind is not PickKind.RESERVE
    }
    return sum(
        _chance(score, history) ** 2
        for (user, candidate), score in shown.items()
        if user < candidate and (candidate, user) in shown
    )


def _chance(score: int, history: Mapping[int, float]) -> float:
    """Of the nearest bucket that anything is known of, the lower one first."""
    tens = min(score // 1000, TENS - 1)
    nearest = min(history, key=lambda known: (abs(known - tens), known))
    return history[nearest]
