"""The best investors of each startup: all pairs scored, in blocks of startups by investors.

Memory is bounded by the size of a block, whatever the sizes of the two sides. Equal scores are put
in the order of the investors' deals and then of their ids, so that which are the best is one
answer, however it is cut.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from handfast.apps.runs.corpus.scores.profiles import Investor, Startup, in_order
from handfast.apps.runs.corpus.scores.regions import EVERYWHERE, region
from handfast.apps.runs.corpus.scores.scoring import (
    FULL,
    NEXT_STAGE,
    SAME_REGION,
    SCORE_MAX,
    UNSAID,
    Whole,
    activity_signal,
    cheque_signal,
    near_stages,
    score,
    sector_signal,
    thesis_signal,
)
from handfast.apps.runs.corpus.scores.weights import DEFAULT_WEIGHTS, SIGNALS, Weights
from handfast.apps.runs.corpus.scores.words import BUCKETS
from handfast.apps.runs.corpus.scores.words import weights as word_weights
from handfast.base.extras import extra

with extra("runs"):
    import numpy as np
    import numpy.typing as npt

K = TypeVar("K")
Places = npt.NDArray[np.intp]

INVESTORS_AT_ONCE = 8192  # 32 MiB of words
ROWS_KEPT = 500  # of stages, countries and sums of money: startups repeat each other's
CELLS_AT_ONCE = 400_000  # pairs; a dozen arrays of them fit into a processor's cache
SECTORS_MAX = 4096  # names that investors use; rarer ones count as not shared


@dataclass(frozen=True)
class Best:
    """The best pairs of some startups, best first: places are those of ``Ranking.investors``."""

    investors: Places  # startups by kept
    scores: Whole
    signals: dict[str, Whole]


class Ranking:
    """Knows the investors; asked for the best of them for any startups."""

    def __init__(
        self,
        investors: Sequence[Investor],
        *,
        keep: int,
        least: int = 0,
        weights: Weights = DEFAULT_WEIGHTS,
        at_once: int = INVESTORS_AT_ONCE,
    ) -> None:
        self.investors = in_order(investors)
        self.keep = min(keep, len(self.investors))
        self.least = least
        self.weights = weights
        self.ids = np.array([investor.id for investor in self.investors], object)
        self.deals = np.array([investor.deals for investor in self.investors], np.int64)
        self._words = np.array(word_weights(list(i.words) for i in self.investors), np.int32)
        self._sectors = _most_used(self.investors)
        self._at_once = at_once
        starts = range(0, len(self.investors), at_once)
        # One side's arrays are made once if they fit into a block, else for each block again.
        self._only = self._side(0) if len(starts) == 1 else None
        self._starts = starts

    def rows_at_once(self) -> int:
        """How many startups make a block."""
        return max(1, CELLS_AT_ONCE // max(1, min(self._at_once, len(self.investors))))

    def best(self, startups: Sequence[Startup]) -> Best:
        """The best of all investors for each of these startups."""
        kept: Best | None = None
        for start in self._starts:
            side = self._only or self._side(start)
            found = self._best_of(side, startups, start)
            kept = found if kept is None else self._better(kept, found)
        if kept is None:  # there are no investors
            none = np.zeros((len(startups), 0), np.int32)
            return Best(none.astype(np.intp), none, dict.fromkeys(SIGNALS, none))
        return kept

    def _side(self, start: int) -> "_Side":
        return _Side(self.investors[start : start + self._at_once], self._sectors, self._words)

    def _best_of(self, side: "_Side", startups: Sequence[Startup], start: int) -> Best:
        signals = side.signals(startups)
        scores = score(signals, self.weights)
        width = scores.shape[1]
        # One number that orders by score, then by place: no two are equal, so there are no ties.
        keys = scores.astype(np.int64) * width + np.arange(width - 1, -1, -1)
        keep = min(self.keep, width)
        top = np.partition(keys, width - keep, axis=1)[:, width - keep :]
        top = -np.sort(-top, axis=1)
        places = (width - 1 - top % width).astype(np.intp)
        rows = np.arange(len(startups))[:, None]
        return Best(
            places + start,
            (top // width).astype(np.int32),
            {name: signal[rows, places] for name, signal in signals.items()},
        )

    def _better(self, one: Best, other: Best) -> Best:
        """The best of two that looked at different investors, the first at the lower places."""
        places = np.concatenate([one.investors, other.investors], axis=1)
        scores = np.concatenate([one.scores, other.scores], axis=1)
        order = np.lexsort((places, -scores), axis=1)[:, : self.keep]
        return Best(
            np.take_along_axis(places, order, 1),
            np.take_along_axis(scores, order, 1),
            {
                name: np.take_along_axis(
                    np.concatenate([one.signals[name], other.signals[name]], axis=1), order, 1
                )
                for name in SIGNALS
            },
        )


class _Side:
    """Some investors, as arrays."""

    def __init__(
        self, investors: Sequence[Investor], sectors: dict[str, int], word_weights: Whole
    ) -> None:
        count = len(investors)
        self._count = count
        self._places = sectors
        self._word_weights = word_weights
        self._kept: dict[tuple[str, Any], Whole] = {}
        self._sectors = np.zeros((len(sectors), count), np.int32)
        self._words = np.zeros((BUCKETS, count), np.int32)
        self._by_stage: dict[str, list[int]] = {}
        self._by_country: dict[str, list[int]] = {}
        self._by_region: dict[str, list[int]] = {}
        self._anywhere: list[int] = []
        for at, investor in enumerate(investors):
            self._sectors[[sectors[s] for s in investor.sectors if s in sectors], at] = 1
            words = list(investor.words)
            self._words[words, at] = word_weights[words]
            for stage in investor.stages:
                self._by_stage.setdefault(stage, []).append(at)
            self._place(at, investor.countries)
        self._sector_counts = np.array([len(i.sectors) for i in investors], np.int32)
        self._no_stages = np.array([not i.stages for i in investors])
        self._no_countries = np.array([not i.countries for i in investors])
        self._word_sums = self._words.sum(axis=0, dtype=np.int32)
        self._activity = np.array([activity_signal(i.deals) for i in investors], np.int32)
        self._least = np.array([i.cheque_min for i in investors], np.int64)
        self._most = np.array([i.cheque_max for i in investors], np.int64)

    def _place(self, at: int, countries: Sequence[str]) -> None:
        for country in countries:
            self._by_country.setdefault(country, []).append(at)
            if (near := region(country)) is not None:
                self._by_region.setdefault(near, []).append(at)
        if not EVERYWHERE.isdisjoint(countries):
            self._anywhere.append(at)

    def signals(self, startups: Sequence[Startup]) -> dict[str, Whole]:
        return {
            "sector": self._sector(startups),
            "stage": self._rows("stage", [s.stage for s in startups], self._stage_row),
            "geography": self._rows("country", [s.country for s in startups], self._country_row),
            "cheque": self._rows("raising", [s.raising for s in startups], self._cheque_row),
            "thesis": self._thesis(startups),
            "activity": np.broadcast_to(self._activity, (len(startups), self._count)),
        }

    def _sector(self, startups: Sequence[Startup]) -> Whole:
        known = [[self._places[n] for n in s.sectors if n in self._places] for s in startups]
        counts = np.array([len(s.sectors) for s in startups], np.int32)
        return sector_signal(_sums(self._sectors, known), counts, self._sector_counts)

    def _thesis(self, startups: Sequence[Startup]) -> Whole:
        said = [list(startup.words) for startup in startups]
        sums = np.array([self._word_weights[words].sum() for words in said], np.int32)
        return thesis_signal(_sums(self._words, said), sums, self._word_sums)

    def _rows(self, what: str, said: Sequence[K], row_of: Callable[[K], Whole]) -> Whole:
        """A row for each value that startups have, made once while it is used much."""
        if len(self._kept) > ROWS_KEPT:
            self._kept.clear()
        for value in dict.fromkeys(said):
            if (what, value) not in self._kept:
                self._kept[what, value] = row_of(value)
        return np.stack([self._kept[what, value] for value in said])

    def _cheque_row(self, raising: int) -> Whole:
        rows = cheque_signal(np.array([raising], np.int64), self._least, self._most)
        return rows.reshape(-1)

    def _stage_row(self, stage: str | None) -> Whole:
        row = np.zeros(self._count, np.int32)
        if stage is None:
            return np.full_like(row, UNSAID)
        for near in near_stages(stage):
            row[self._by_stage.get(near, [])] = NEXT_STAGE
        row[self._by_stage.get(stage, [])] = FULL
        row[self._no_stages] = UNSAID
        return row

    def _country_row(self, country: str | None) -> Whole:
        row = np.zeros(self._count, np.int32)
        if country is None:
            return np.full_like(row, UNSAID)
        near = region(country)
        row[self._by_region.get(near or "", [])] = SAME_REGION
        row[self._by_country.get(near or "", [])] = FULL  # who says "Europe" means all of it
        row[self._by_country.get(country, [])] = FULL
        row[self._anywhere] = FULL
        row[self._no_countries] = UNSAID
        return row


def _sums(rows: Whole, wanted: Sequence[Sequence[int]]) -> Whole:
    """For each startup the sum of some rows: a startup has few words, so this beats a product."""
    found = np.zeros((len(wanted), rows.shape[1]), np.int32)
    for at, which in enumerate(wanted):
        np.add.reduce(rows[which], axis=0, out=found[at])
    return found


def _most_used(investors: Sequence[Investor]) -> dict[str, int]:
    """A place for each sector that investors name; of too many, for the most used."""
    counts: dict[str, int] = {}
    for investor in investors:
        for sector in investor.sectors:
            counts[sector] = counts.get(sector, 0) + 1
    ordered = sorted(counts, key=lambda sector: (-counts[sector], sector))[:SECTORS_MAX]
    return {sector: place for place, sector in enumerate(ordered)}


assert SCORE_MAX * INVESTORS_AT_ONCE < 2**31  # noqa: S101  # a key has room to spare
