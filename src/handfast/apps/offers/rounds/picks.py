"""What a round has chosen: who, for whom, and why."""

from enum import IntEnum
from typing import NamedTuple


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
