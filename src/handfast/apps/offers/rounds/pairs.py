"""Every eligible pair at or above the minimum score, block by block.

People are put into cubes as wide as the longest distance that anybody goes: whoever is eligible for
somebody is in the same cube or in one that touches it. The blocks may be worked off in any order
and by any number of threads: the pairs are put into one total order afterwards.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from math import isqrt
from typing import NamedTuple, Protocol

from handfast.apps.offers.rounds.pool import Pool
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

BLOCK = 1024  # people on each side: some 100 MB of integers while it is worked on
NEVER = 10_001  # a score that no pair reaches

Excluded = Mapping[tuple[int, int], int]  # a pair, the smaller first: the least score that it needs


class PairScores(Protocol):
    """A score that is registered: the same interface for one of your own."""

    def block(
        self, one: "npt.NDArray[np.intp]", other: "npt.NDArray[np.intp]"
    ) -> "npt.NDArray[np.int64]": ...


class Pairs(NamedTuple):
    """In one total order: the highest score first, then the smaller id, then the larger."""

    score: "npt.NDArray[np.int64]"
    low: "npt.NDArray[np.int64]"
    high: "npt.NDArray[np.int64]"


class _Block(NamedTuple):
    one: "npt.NDArray[np.intp]"
    other: "npt.NDArray[np.intp]"
    same: bool  # the two are the same people: each pair is in it twice


def eligible_pairs(
    pool: Pool,
    scores: PairScores,
    minimum: int,
    excluded: Excluded,
    *,
    threads: int = 1,
    size: int = BLOCK,
) -> Pairs:
    """``minimum`` in ten-thousandths."""

    def work(block: _Block) -> "npt.NDArray[np.int64]":
        return _scored(pool, scores, minimum, block)

    blocks = list(_blocks(pool, size))
    with ThreadPoolExecutor(threads) as executor:
        parts = list(executor.map(work, blocks))
    found = np.concatenate([np.empty((0, 3), np.int64), *parts])
    if excluded:
        needed = (excluded.get((low, high), 0) for low, high in found[:, 1:].tolist())
        found = found[found[:, 0] >= np.fromiter(needed, np.int64, len(found))]
    ordered = found[np.lexsort((found[:, 2], found[:, 1], -found[:, 0]))]
    return Pairs(ordered[:, 0], ordered[:, 1], ordered[:, 2])


def _scored(pool: Pool, scores: PairScores, minimum: int, block: _Block) -> "npt.NDArray[np.int64]":
    eligible = pool.eligible(block.one, block.other)
    if block.same:
        eligible = np.triu(eligible, 1)
    if not eligible.any():
        return np.empty((0, 3), np.int64)
    score = scores.block(block.one, block.other)
    rows, columns = np.nonzero(eligible & (score >= max(minimum, 0)))
    one, other = block.one[rows], block.other[columns]
    return np.column_stack([score[rows, columns], np.minimum(one, other), np.maximum(one, other)])


def _blocks(pool: Pool, size: int) -> Iterator[_Block]:
    cells = _cells(pool)
    for cell, people in cells.items():
        for near in product((-1, 0, 1), repeat=3):
            if near < (0, 0, 0):  # the neighbour looks this way
                continue
            there = cells.get((cell[0] + near[0], cell[1] + near[1], cell[2] + near[2]))
            if there is None:
                continue
            same = near == (0, 0, 0)
            for at in range(0, len(people), size):
                for to in range(at if same else 0, len(there), size):
                    one, other = people[at : at + size], there[to : to + size]
                    yield _Block(one, other, same and at == to)


def _cells(pool: Pool) -> "dict[tuple[int, int, int], npt.NDArray[np.intp]]":
    if not len(pool.people):
        return {}
    width = isqrt(int(pool.reach.max())) + 1
    found: dict[tuple[int, int, int], list[int]] = {}
    for at, (x, y, z) in enumerate((pool.place // width).tolist()):
        found.setdefault((x, y, z), []).append(at)
    return {cell: np.array(found[cell], np.intp) for cell in sorted(found)}
