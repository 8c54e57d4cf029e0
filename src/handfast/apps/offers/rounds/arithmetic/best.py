"""Each person's best candidates: lists of the ``k`` best pairs of each, exact whatever the work is
cut into.

A list holds keys: ten thousand less the score, then the candidate. So a smaller key is a better
pair, no two of one list are equal, and the lists of parts can be merged in any order. For one
person that is the order of the round, too: score, smaller id, larger id.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import NamedTuple, Protocol

from handfast.apps.offers.rounds.arithmetic import compiled
from handfast.apps.offers.rounds.arithmetic.kernel import ScoreV1
from handfast.apps.offers.rounds.pool import INTENT_FITS, Pool
from handfast.apps.offers.rounds.regions import PairBlock
from handfast.base.errors import ExtraMissing
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

TOP = 10_000
MISSING = np.iinfo(np.int64).max
WHO = (1 << 32) - 1  # the part of a key that is the candidate


class PairScores(Protocol):
    """A score that is registered: the same interface for one of your own. At most 10,000, and the
    same from both sides; below 0 where there is none."""

    def block(
        self, one: "npt.NDArray[np.int64]", other: "npt.NDArray[np.int64]"
    ) -> "npt.NDArray[np.int64]": ...


class KeptApartPairs(NamedTuple):
    """For each person the others, in order, and the score that would do."""

    starts: "npt.NDArray[np.int64]"
    others: "npt.NDArray[np.int64]"
    least: "npt.NDArray[np.int64]"


def kept_apart_pairs(
    count: int,
    one: "npt.NDArray[np.int64]",
    other: "npt.NDArray[np.int64]",
    least: "npt.NDArray[np.int64]",
) -> KeptApartPairs:
    """Seen from both sides."""
    who, others = np.concatenate([one, other]), np.concatenate([other, one])
    order = np.lexsort((others, who))
    starts = np.searchsorted(who[order], np.arange(count + 1))
    return KeptApartPairs(starts, others[order], np.concatenate([least, least])[order])


class WantedLists(NamedTuple):
    """What lists are wanted: of whom, how long, and in each person's order from where (included)
    until where (not included)."""

    k: int
    who: "npt.NDArray[np.bool_]"
    lower: "npt.NDArray[np.int64]"
    upper: "npt.NDArray[np.int64]"


@dataclass(frozen=True)
class Compared:
    """What blocks are taken from."""

    pool: Pool
    scores: PairScores
    apart: KeptApartPairs
    minimum: int  # in ten-thousandths

    def cut(self, wanted: WantedLists) -> "npt.NDArray[np.int64]":
        """What a key must be below, of an empty list."""
        lowest = (TOP - max(self.minimum, 0) + 1) << 32
        return np.where(wanted.who, np.int64(lowest), np.int64(0))

    def scored(self, block: PairBlock) -> "tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]":
        """Who is eligible for whom, whatever the score; and the score, below 0 where there is none
        or a higher one would be needed."""
        may = self.pool.eligible(block.rows, block.columns)
        if block.diagonal:
            may = np.triu(may, 1)
        if not may.any():
            return may, np.full(may.shape, -1, np.int64)
        score = self.scores.block(block.rows, block.columns)
        self._keep_apart(block, score)
        return may, score

    def _keep_apart(self, block: PairBlock, score: "npt.NDArray[np.int64]") -> None:
        starts, others, least = self.apart
        counts = starts[block.rows + 1] - starts[block.rows]
        if not counts.any():
            return
        row = np.repeat(np.arange(len(block.rows)), counts)
        within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        at = starts[block.rows][row] + within
        position = np.full(len(self.pool), -1)
        position[block.columns] = np.arange(len(block.columns))
        column = position[others[at]]
        needed = least[at]
        row, column, needed = (part[column >= 0] for part in (row, column, needed))
        low = score[row, column] < needed
        score[row[low], column[low]] = -1


class Collector(Protocol):
    eligible: int

    def take(self, block: PairBlock) -> None: ...

    def lists(self) -> "npt.NDArray[np.int64]": ...


class PlainCollector:
    """By numpy alone."""

    def __init__(self, compared: Compared, wanted: WantedLists) -> None:
        self.eligible = 0
        self._of, self._wanted = compared, wanted
        self._keys = np.full((len(compared.pool), wanted.k), MISSING)
        self._cut = compared.cut(wanted)

    def take(self, block: PairBlock) -> None:
        rows, columns = block.rows, block.columns
        may, score = self._of.scored(block)
        self.eligible += int(np.count_nonzero(may))
        lowered = (TOP - score) << 32
        mine, theirs = lowered | columns[None, :], (lowered | rows[:, None]).T
        may &= (score >= 0) & self._within(rows, mine) & self._within(columns, theirs).T
        self._merge(rows, np.where(may, mine, MISSING))
        self._merge(columns, np.where(may.T, theirs, MISSING))

    def _within(
        self, who: "npt.NDArray[np.int64]", keys: "npt.NDArray[np.int64]"
    ) -> "npt.NDArray[np.bool_]":
        lower, upper = self._wanted.lower[who], self._wanted.upper[who]
        return (keys >= lower[:, None]) & (keys < upper[:, None])

    def _merge(self, who: "npt.NDArray[np.int64]", keys: "npt.NDArray[np.int64]") -> None:
        k = self._wanted.k
        keys[keys >= self._cut[who][:, None]] = MISSING
        both = np.concatenate([self._keys[who], keys], axis=1)
        self._keys[who] = np.partition(both, k - 1, axis=1)[:, :k]
        self._cut[who] = np.minimum(self._cut[who], self._keys[who].max(axis=1))

    def lists(self) -> "npt.NDArray[np.int64]":
        return np.sort(self._keys, axis=1)


class CompiledCollector:
    """By numba, for the score v1."""

    def __init__(self, compared: Compared, wanted: WantedLists, scores: ScoreV1) -> None:
        self.eligible = 0
        self._scores, self._wanted = scores, wanted
        pool, count = compared.pool, len(compared.pool)
        self._apart = tuple(np.ascontiguousarray(part) for part in compared.apart)
        self._people = tuple(
            column.astype(np.int32)
            for column in (
                *(pool.age, pool.min_age, pool.max_age),
                *(1 << pool.intent, INTENT_FITS[pool.intent], scores.counts),
            )
        )
        # Integers below 2**53: exact, and quicker.
        self._places = tuple(
            np.ascontiguousarray(column, np.float64) for column in (*pool.place.T, pool.reach)
        )
        self._pool = pool
        self._keys = np.empty((count, 2 * wanted.k), np.int64)
        self._filled, self._cut = np.zeros(count, np.int64), compared.cut(wanted)
        self._rows = (np.empty(0, np.int64), scores.features(np.empty(0, np.int64)))

    def take(self, block: PairBlock) -> None:
        if self._rows[0] is not block.rows:
            self._rows = block.rows, self._scores.features(block.rows)
        ones = self._rows[1]
        others = ones if block.diagonal else self._scores.features(block.columns)
        self.eligible += compiled.scan(
            block.rows,
            block.columns,
            block.diagonal,
            self._is_far(block),
            tuple(self._scores.sides(ones, others)),
            self._people,
            self._places,
            (self._scores.table, self._scores.fit_needed),
            (self._wanted.lower, self._wanted.upper),
            self._apart,
            self._wanted.k,
            (self._keys, self._filled, self._cut),
        )

    def _is_far(self, block: PairBlock) -> bool:
        """Whether somebody of a block may be too far from another."""
        people = np.concatenate([block.rows, block.columns])
        places = self._pool.place[people]
        widest = ((places.max(axis=0) - places.min(axis=0)) ** 2).sum()
        return bool(widest > self._pool.reach[people].min())

    def lists(self) -> "npt.NDArray[np.int64]":
        found = np.full((len(self._filled), self._wanted.k), MISSING)
        compiled.finish(self._wanted.k, self._keys, self._filled, found)
        return found


def best(
    compared: Compared,
    wanted: WantedLists,
    blocks: Iterable[PairBlock],
    *,
    threads: int,
    use_numba: bool,
) -> "tuple[npt.NDArray[np.int64], int]":
    """The lists, and how many of the pairs that were compared are eligible."""
    waiting: SimpleQueue[PairBlock] = SimpleQueue()
    for block in blocks:
        waiting.put(block)

    def work(_: int) -> Collector:
        collector = _collector(compared, wanted, use_numba)
        for block in _until_empty(waiting):
            collector.take(block)
        return collector

    if threads == 1:
        parts: Sequence[Collector] = [work(0)]
    else:
        with ThreadPoolExecutor(threads) as executor:
            parts = list(executor.map(work, range(threads)))
    lists = parts[0].lists()
    for part in parts[1:]:
        lists = np.sort(np.concatenate([lists, part.lists()], axis=1), axis=1)[:, : wanted.k]
    return lists, sum(part.eligible for part in parts)


def _collector(compared: Compared, wanted: WantedLists, use_numba: bool) -> Collector:
    if use_numba and compiled.there() and isinstance(compared.scores, ScoreV1):
        return CompiledCollector(compared, wanted, compared.scores)
    return PlainCollector(compared, wanted)


def _until_empty(waiting: "SimpleQueue[PairBlock]") -> Iterator[PairBlock]:
    while True:
        try:
            yield waiting.get_nowait()
        except Empty:
            return


def one_blas_thread() -> AbstractContextManager[object]:
    """While we have threads of our own, those of the library would only stand in their way."""
    try:
        with extra("fast"):
            from threadpoolctl import threadpool_limits  # noqa: PLC0415
    except ExtraMissing:
        return nullcontext()
    limits: AbstractContextManager[object] = threadpool_limits(1, "blas")
    return limits
