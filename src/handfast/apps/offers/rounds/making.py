"""A round from a snapshot: regions, shards, and what they chose laid side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from handfast.apps.offers.rounds.figures import RoundFigures, figures_of
from handfast.apps.offers.rounds.market import Effort, RoundRules
from handfast.apps.offers.rounds.picks import Picks, merged_picks
from handfast.apps.offers.rounds.pool import Pool
from handfast.apps.offers.rounds.regions import regions
from handfast.apps.offers.rounds.shards import (
    InThreads,
    RegionInputs,
    ShardInputs,
    ShardRunner,
    outputs_of,
    region_inputs,
)
from handfast.apps.offers.rules.person import ScoredQuestion
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

NEVER = 10_001  # a score that no pair reaches
LARGE = 50_000  # people of a region that is worked on by all threads
TOGETHER = 2_000  # people: smaller regions are worked on together, for the cost of beginning


def _nobody(width: int) -> "npt.NDArray[np.int64]":
    return np.empty((0, width), np.int64)


@dataclass(frozen=True)
class RoundInputs:
    """People are named by their places in the pool."""

    pool: Pool
    questions: Sequence[ScoredQuestion]
    rules: RoundRules
    score: str = "v1"
    selection: str = "mutual"
    # one, other, the least score that would do
    apart: "npt.NDArray[np.int64]" = field(default_factory=lambda: _nobody(3))
    # user, and the candidate who has accepted that user
    returns: "npt.NDArray[np.int64]" = field(default_factory=lambda: _nobody(2))
    # user, and a candidate who is not offered to that user, while the other way round is open. Only
    # ``top`` knows of directions: for a selection of pairs these belong to ``apart``.
    shown: "npt.NDArray[np.int64]" = field(default_factory=lambda: _nobody(2))


@dataclass(frozen=True)
class MadeRound:
    picks: Picks
    figures: RoundFigures


def make_round(
    inputs: RoundInputs,
    runner: ShardRunner | None = None,
    *,
    effort: Effort | None = None,
    shards: int | None = None,
) -> MadeRound:
    """The same bytes, whoever runs it and in how many shards; unless told, each region is one."""
    runner, effort = runner or InThreads(), effort or Effort()
    packs = _packs(regions(inputs.pool), shards)
    data = _Data(inputs)
    made = runner.run(data.shard(pack, effort, runner.at_once) for pack in packs)
    parts, totals = [], []
    for pack, outputs in zip(packs, made, strict=True):
        for who, (picks, total) in zip(pack, outputs_of(outputs), strict=True):
            parts.append(_placed(picks, who))
            totals.append(total)
    picks = merged_picks(parts)
    return MadeRound(picks, figures_of(inputs.pool, picks, totals))


def _packs(
    found: "Sequence[npt.NDArray[np.int64]]", shards: int | None
) -> "list[list[npt.NDArray[np.int64]]]":
    """Regions put together, the largest first, each to those with the least work so far."""
    people = sum(map(len, found))
    gathered = _gathered(found, min(TOGETHER, people // (2 * (shards or 1))))
    largest_first = sorted(gathered, key=lambda who: (-len(who), int(who[0])))
    if shards is None:
        return [[who] for who in largest_first]
    packs: list[list[npt.NDArray[np.int64]]] = [[] for _ in range(shards)]
    for who in largest_first:
        min(packs, key=lambda pack: sum(len(one) ** 2 for one in pack)).append(who)
    return [pack for pack in packs if pack]


def _gathered(
    found: "Sequence[npt.NDArray[np.int64]]", enough: int
) -> "list[npt.NDArray[np.int64]]":
    """Small regions as one: no pair is eligible across two, so nothing changes. Who is alone in one
    is left out."""
    gathered, waiting = [], list[npt.NDArray[np.int64]]()
    for who in found:
        if len(who) > 1:
            waiting.append(who)
        if sum(map(len, waiting)) >= max(enough, 1):
            gathered.append(np.sort(np.concatenate(waiting)))
            waiting = []
    return [*gathered, np.sort(np.concatenate(waiting))] if waiting else gathered


def _placed(picks: Picks, who: "npt.NDArray[np.int64]") -> Picks:
    """Numbered within the pool."""
    rows = picks.rows.copy()
    for name in ("user", "candidate"):
        rows[name] = who[rows[name]]
    return Picks(rows)


class _Data:
    """What is taken from the inputs for one region or another."""

    def __init__(self, inputs: RoundInputs) -> None:
        self._of = inputs
        self._local = np.full(len(inputs.pool), -1)
        # Nobody returns to somebody whom the round may pair them with once more.
        returned = np.column_stack([inputs.returns, np.full(len(inputs.returns), NEVER)])
        self._apart = _by_first(np.concatenate([inputs.apart, returned]))
        self._returns, self._shown = _by_first(inputs.returns), _by_first(inputs.shown)

    def shard(self, pack: "Sequence[npt.NDArray[np.int64]]", effort: Effort, at_once: int) -> bytes:
        if max(map(len, pack)) > LARGE:
            effort = msgspec.structs.replace(effort, threads=max(effort.threads, at_once))
        of = self._of
        return msgspec.msgpack.encode(
            ShardInputs(
                of.score,
                of.selection,
                of.rules,
                list(of.questions),
                effort,
                [self._region(who) for who in pack],
            )
        )

    def _region(self, who: "npt.NDArray[np.int64]") -> RegionInputs:
        self._local[who] = np.arange(len(who))
        found = region_inputs(
            self._of.pool.take(who),
            self._inside(self._apart, who),
            self._inside(self._returns, who),
            self._inside(self._shown, who),
        )
        self._local[who] = -1
        return found

    def _inside(
        self, rows: "npt.NDArray[np.int64]", who: "npt.NDArray[np.int64]"
    ) -> "npt.NDArray[np.int64]":
        """Those between two of the region, who are numbered within it."""
        starts, ends = (np.searchsorted(rows[:, 0], who, side) for side in ("left", "right"))
        found = rows[_ranges(starts, ends - starts)]
        local = self._local[found[:, :2]]
        inside = (local >= 0).all(axis=1)
        return np.column_stack([local[inside], found[inside, 2:]])


def _by_first(rows: "npt.NDArray[np.int64]") -> "npt.NDArray[np.int64]":
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))]


def _ranges(
    starts: "npt.NDArray[np.int64]", counts: "npt.NDArray[np.int64]"
) -> "npt.NDArray[np.int64]":
    """All the numbers of several ranges."""
    before = np.cumsum(counts) - counts
    found: npt.NDArray[np.int64] = np.arange(int(counts.sum())) + np.repeat(starts - before, counts)
    return found
