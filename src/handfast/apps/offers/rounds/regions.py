"""Who can meet whom at all, by place, gender and age: regions, and the chunks that are compared.

A place cell is a cube of 82 km. Cells are linked if somebody in the one may reach somebody in the
other, by the boxes around their people: integers, and never too few. A region is a set of cells
that are linked in the end; no eligible pair leaves it, so regions are rounds of their own. Inside a
region people are cut into chunks of one cell and one class of genders, by age: whole chunks that
cannot meet are never compared.
"""

from collections.abc import Iterator
from typing import NamedTuple

from handfast.apps.offers.rounds.pool import EVERYONE, Pool
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

CELL_BITS = 13  # of 10 m: 82 km
_OFFSET = 1 << 20  # makes coordinates positive
_CELLS = 1 << 8  # cells along an axis


class Boxes(NamedTuple):
    """Around groups of people: their places, and how far anybody of the group goes."""

    low: "npt.NDArray[np.int64]"
    high: "npt.NDArray[np.int64]"
    reach: "npt.NDArray[np.int64]"

    def near(self, at: int, others: "Boxes") -> "npt.NDArray[np.bool_]":
        """Which of the others somebody of the group ``at`` may reach."""
        gap = np.maximum(others.low - self.high[at], self.low[at] - others.high)
        apart = (np.maximum(gap, 0) ** 2).sum(axis=1)
        found: npt.NDArray[np.bool_] = apart <= np.minimum(self.reach[at], others.reach)
        return found


def cells_of(pool: Pool) -> "npt.NDArray[np.int64]":
    """The place cell of each, as one number."""
    x, y, z = ((pool.place + _OFFSET) >> CELL_BITS).T
    found: npt.NDArray[np.int64] = (x * _CELLS + y) * _CELLS + z
    return found


def regions(pool: Pool) -> "list[npt.NDArray[np.int64]]":
    """The people of each region in the order of their ids, by its smallest cell. Who cannot be
    offered to anybody is in none."""
    part = np.flatnonzero(pool.taking_part())
    if not len(part):
        return []
    cells, of = np.unique(cells_of(pool)[part], return_inverse=True)
    named = _linked(_boxes(pool, part, of, len(cells)))[of]
    order = np.argsort(named, kind="stable")
    bounds = np.flatnonzero(np.diff(named[order])) + 1
    return np.split(part[order], bounds)


def _boxes(
    pool: Pool, who: "npt.NDArray[np.int64]", group: "npt.NDArray[np.int64]", groups: int
) -> Boxes:
    low = np.full((groups, 3), np.iinfo(np.int64).max)
    high = np.full((groups, 3), np.iinfo(np.int64).min)
    reach = np.zeros(groups, np.int64)
    np.minimum.at(low, group, pool.place[who])
    np.maximum.at(high, group, pool.place[who])
    np.maximum.at(reach, group, pool.reach[who])
    return Boxes(low, high, reach)


def _linked(boxes: Boxes) -> "npt.NDArray[np.int64]":
    """For each cell the smallest one that it is linked with."""
    named = np.full(len(boxes.reach), -1)
    for first in range(len(named)):
        if named[first] >= 0:
            continue
        named[first], waiting = first, [first]
        while waiting:
            found = np.flatnonzero(boxes.near(waiting.pop(), boxes) & (named < 0))
            named[found] = first
            waiting += found.tolist()
    return named


class PairBlock(NamedTuple):
    """Each of these with each of those. In a diagonal one the two are the same people, and only
    who comes later in it counts."""

    rows: "npt.NDArray[np.int64]"
    columns: "npt.NDArray[np.int64]"
    diagonal: bool = False


class Chunks:
    """People of a region, cut up."""

    def __init__(self, pool: Pool, who: "npt.NDArray[np.int64]", size: int) -> None:
        self.size = size
        self._pool = pool
        classes = pool.gender[who] * (EVERYONE + 1) + pool.seeking[who]
        cells = cells_of(pool)[who]
        order = np.lexsort((who, pool.age[who], classes, cells))
        self.who = who[order]
        cells, classes = cells[order], classes[order]
        fresh = np.append(True, (np.diff(cells) != 0) | (np.diff(classes) != 0))[: len(who)]
        self.starts = _starts(fresh, size)
        self._group = np.repeat(
            np.arange(len(self.starts)), np.diff(np.append(self.starts, len(who)))
        )
        self._boxes = _boxes(pool, self.who, self._group, len(self.starts))
        first = self.who[self.starts]
        self._gender, self._seeking = pool.gender[first], pool.seeking[first]
        self._ages = self._range(pool.age, pool.age)
        self._sought = self._range(pool.min_age, pool.max_age)

    def __len__(self) -> int:
        return len(self.starts)

    def _range(
        self, lower: "npt.NDArray[np.int64]", upper: "npt.NDArray[np.int64]"
    ) -> "tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]":
        if not len(self):
            return self.starts, self.starts
        return (
            np.minimum.reduceat(lower[self.who], self.starts),
            np.maximum.reduceat(upper[self.who], self.starts),
        )

    def people(self, at: int) -> "npt.NDArray[np.int64]":
        end = self.starts[at + 1] if at + 1 < len(self) else len(self.who)
        return self.who[self.starts[at] : end]

    def _may_meet(self, at: int, others: "Chunks") -> "npt.NDArray[np.bool_]":
        """Which of the other chunks one of these may meet."""
        (youngest, oldest), (least, most) = (
            (bounds[0][at], bounds[1][at]) for bounds in (self._ages, self._sought)
        )
        found: npt.NDArray[np.bool_] = (
            self._boxes.near(at, others._boxes)
            & (self._seeking[at] & others._gender > 0)
            & (others._seeking & self._gender[at] > 0)
            & (others._ages[1] >= least)
            & (others._ages[0] <= most)
            & (others._sought[0] <= oldest)
            & (others._sought[1] >= youngest)
        )
        return found

    def blocks(self) -> Iterator[PairBlock]:
        """Every pair among these once."""
        for at in range(len(self)):
            met = np.flatnonzero(self._may_meet(at, self)[at:]) + at
            if len(met) and met[0] == at:
                yield PairBlock(self.people(at), self.people(at), diagonal=True)
                met = met[1:]
            yield from self._packed(self.people(at), met)

    def blocks_with(self, others: "Chunks") -> Iterator[PairBlock]:
        """Every pair of one of these and one of those."""
        for at in range(len(self)):
            yield from others._packed(self.people(at), np.flatnonzero(self._may_meet(at, others)))

    def _packed(
        self, rows: "npt.NDArray[np.int64]", chunks: "npt.NDArray[np.int64]"
    ) -> Iterator[PairBlock]:
        """Small chunks together, as many as make a block."""
        held: list[npt.NDArray[np.int64]] = []
        for at in chunks.tolist():
            people = self.people(at)
            if held and sum(map(len, held)) + len(people) > self.size:
                yield PairBlock(rows, np.concatenate(held))
                held = []
            held.append(people)
        if held:
            yield PairBlock(rows, np.concatenate(held))


def _starts(fresh: "npt.NDArray[np.bool_]", size: int) -> "npt.NDArray[np.int64]":
    """Where a chunk begins: with each group, and after so many of one."""
    at = np.arange(len(fresh))
    begun = np.maximum.accumulate(np.where(fresh, at, 0)) if len(fresh) else at
    return np.flatnonzero((at - begun) % size == 0)
