"""One region as a selection sees it: who has room, each person's best, all pairs if need be."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from handfast.apps.offers.rounds.arithmetic.best import (
    MISSING,
    Compared,
    KeptApartPairs,
    PairScores,
    WantedLists,
    best,
)
from handfast.apps.offers.rounds.greedy import PEOPLE_MAX, pair_keys, unpaired
from handfast.apps.offers.rounds.pool import Pool
from handfast.apps.offers.rounds.regions import Chunks, PairBlock
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

BLOCK = 768  # people on each side: some 9 MB of float32, or 60 MB of integers without numba
BEST = 16  # candidates in a list: all that most people ever need


class RoundRules(msgspec.Struct, frozen=True):
    """What a selection goes by; a part of what a plan pins."""

    minimum: int = 5000  # in ten-thousandths
    one_sided: bool = False  # empty places are filled; only where returns are kept
    exposure: int = 6  # how often one may be shown on a day: twice the offers of a day
    reserve: int = 3
    anchor_minimum: int | None = None  # on the day of the week's anchor


class Effort(msgspec.Struct, frozen=True):
    """How the work is done. Nothing of it changes a byte of the result."""

    threads: int = 1
    block: int = BLOCK
    best: int = BEST
    use_numba: bool = True


class Pairs(NamedTuple):
    """In one total order: the highest score first, then the smaller id, then the larger."""

    score: "npt.NDArray[np.int64]"
    low: "npt.NDArray[np.int64]"
    high: "npt.NDArray[np.int64]"


class Market:
    """People are numbers here: their places in the region, in the order of their ids."""

    def __init__(
        self,
        pool: Pool,
        scores: PairScores,
        apart: KeptApartPairs,
        rules: RoundRules,
        *,
        effort: Effort,
        returns: "npt.NDArray[np.int64] | None" = None,
        shown: "npt.NDArray[np.int64] | None" = None,
    ) -> None:
        if len(pool) > PEOPLE_MAX:
            raise ValueError(f"a region of {len(pool)} people; at most {PEOPLE_MAX} can be ordered")
        self.pool, self.scores, self.rules, self.effort = pool, scores, rules, effort
        self.room = pool.room
        self.returns = np.empty((0, 2), np.int64) if returns is None else returns
        self.shown = np.empty((0, 2), np.int64) if shown is None else shown
        self.eligible = 0  # pairs, whatever their score; known once everybody's best are
        self._compared = Compared(pool, scores, apart, rules.minimum)
        self._everybody = np.ones(len(pool), np.bool_)
        self._best: npt.NDArray[np.int64] | None = None

    @property
    def best(self) -> "npt.NDArray[np.int64]":
        """Everybody's best, at least as many as can be offered in one round, as keys: see
        ``arithmetic.best``."""
        if self._best is None:
            most = int(self.room.max(initial=0)) + self.rules.reserve
            most += int(np.bincount(self.shown[:, 0]).max(initial=0))
            wanted = self.wanted(max(self.effort.best, most), self._everybody)
            blocks = Chunks(self.pool, np.arange(len(self.pool)), self.effort.block).blocks()
            self._best, self.eligible = self._found(wanted, blocks)
        return self._best

    def wanted(
        self,
        k: int,
        who: "npt.NDArray[np.bool_]",
        lower: "npt.NDArray[np.int64] | None" = None,
        upper: "npt.NDArray[np.int64] | None" = None,
    ) -> WantedLists:
        count = len(self.pool)
        return WantedLists(
            k,
            who,
            np.zeros(count, np.int64) if lower is None else lower,
            np.full(count, MISSING) if upper is None else upper,
        )

    def best_with(
        self, wanted: WantedLists, some: "npt.NDArray[np.bool_]"
    ) -> "npt.NDArray[np.int64]":
        """Of those who are wanted: what some of them have with each other and with the others."""
        return self._found(wanted, self._blocks(some, wanted.who & ~some))[0]

    def best_of_some(self, wanted: WantedLists) -> "npt.NDArray[np.int64]":
        """Of those who are wanted, with everybody."""
        return self._found(wanted, self._blocks(wanted.who, ~wanted.who))[0]

    def _blocks(
        self, some: "npt.NDArray[np.bool_]", others: "npt.NDArray[np.bool_]"
    ) -> Iterator[PairBlock]:
        """Some with each other and with the others."""
        ones, rest = (
            Chunks(self.pool, np.flatnonzero(part), self.effort.block) for part in (some, others)
        )
        yield from ones.blocks()
        yield from ones.blocks_with(rest)

    def _found(
        self, wanted: WantedLists, blocks: Iterator[PairBlock]
    ) -> "tuple[npt.NDArray[np.int64], int]":
        effort = self.effort
        return best(
            self._compared, wanted, blocks, threads=effort.threads, use_numba=effort.use_numba
        )

    def pairs(self) -> Pairs:
        """All eligible pairs at or above the minimum: 24 bytes for each, so mind the memory."""
        chunks = Chunks(self.pool, np.arange(len(self.pool)), self.effort.block)
        found = [np.empty(0, np.int64), *(self._pair_keys(block) for block in chunks.blocks())]
        return Pairs(*unpaired(np.sort(np.concatenate(found))))

    def _pair_keys(self, block: PairBlock) -> "npt.NDArray[np.int64]":
        may, score = self._compared.scored(block)
        rows, columns = np.nonzero(may & (score >= max(self.rules.minimum, 0)))
        return pair_keys(score[rows, columns], block.rows[rows], block.columns[columns])
