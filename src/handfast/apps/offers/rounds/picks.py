"""What a round has chosen, as arrays: a million people have some six million picks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

ROW = np.dtype(
    [("user", "<u4"), ("candidate", "<u4"), ("score", "<u2"), ("kind", "u1"), ("place", "u1")]
)


class PickKind(IntEnum):
    """Why somebody is picked. For operators; users do not see it."""

    RETURN = 0  # the candidate was shown the user one-sidedly, and accepted
    MUTUAL = 1  # both are shown each other
    ONE_SIDED = 2  # fills a place for which no pair was left
    RESERVE = 3  # shown only if one of the others must not be any more
    ANCHOR = 4  # the offer of the week, both are shown each other


class Pick(NamedTuple):
    """``candidate`` is picked for ``user``: places in the pool, and the score."""

    user: int
    candidate: int
    score: int
    kind: PickKind = PickKind.MUTUAL


@dataclass(frozen=True, eq=False)
class Picks:
    """By user, then in the order of the user's set: returns, mutual ones, one-sided ones, reserves;
    ``place`` counts from 1. The anchor of a week is in a set of its own, at place 0."""

    rows: "npt.NDArray[np.void]"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Pick]:
        columns = (self.rows[name].tolist() for name in ("user", "candidate", "score", "kind"))
        for user, candidate, score, kind in zip(*columns, strict=True):
            yield Pick(user, candidate, score, PickKind(kind))

    def of(self, *kinds: PickKind) -> "Picks":
        return Picks(self.rows[np.isin(self.rows["kind"], [int(kind) for kind in kinds])])

    @property
    def daily(self) -> "Picks":
        """What is shown in sets of the day, as long as nothing is removed."""
        return Picks(self.rows[self.rows["kind"] < PickKind.RESERVE])

    def tobytes(self) -> bytes:
        return self.rows.tobytes()


def picks_of(found: Iterable[Pick]) -> Picks:
    """Of a selection of your own, which need not think of arrays. Those of one user and kind stay
    in the order in which they come."""
    rows = [tuple(one) for one in found]
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    return ordered_picks(*columns)


def ordered_picks(
    user: "npt.NDArray[np.int64]",
    candidate: "npt.NDArray[np.int64]",
    score: "npt.NDArray[np.int64]",
    kind: "npt.NDArray[np.int64]",
) -> Picks:
    rows = np.empty(len(user), ROW)
    order = np.lexsort((kind, user))  # stable
    for name, column in zip(
        ("user", "candidate", "score", "kind"), (user, candidate, score, kind), strict=True
    ):
        rows[name] = column[order]
    anchor = rows["kind"] == PickKind.ANCHOR  # the last of each user
    at = np.arange(len(rows))
    first = np.append(True, rows["user"][1:] != rows["user"][:-1])[: len(rows)]
    starts = np.maximum.accumulate(np.where(first, at, 0)) if len(rows) else at
    rows["place"] = np.where(anchor, 0, at - starts + 1)
    return Picks(rows)


def merged_picks(parts: Sequence[Picks]) -> Picks:
    """Of parts that have no user in common."""
    rows = np.concatenate([np.empty(0, ROW), *(part.rows for part in parts)])
    return Picks(rows[np.argsort(rows["user"], kind="stable")])
