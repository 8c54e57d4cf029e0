"""Which of the eligible pairs are offered. Both are deterministic, whatever made the pairs."""

from collections.abc import Sequence

from handfast.apps.offers.rounds.pairs import Pairs
from handfast.apps.offers.rounds.picks import Pick, PickKind


def mutual(pairs: Pairs, room: Sequence[int]) -> list[Pick]:
    """Pairs in their total order, each taken if both have a free place. Nothing else is greedy in
    that order, so the order of the work cannot matter; and no two people would both rather have
    had each other."""
    left = list(room)
    picks: list[Pick] = []
    for score, low, high in _each(pairs):
        if left[low] > 0 and left[high] > 0:
            left[low] -= 1
            left[high] -= 1
            picks += (Pick(low, high, score), Pick(high, low, score))
    return picks


def top(pairs: Pairs, room: Sequence[int]) -> list[Pick]:
    """Each user's best, whatever the others get. Ties go to the smaller candidate's id."""
    kind = PickKind.ONE_SIDED  # for whom the other's choice is none of theirs
    both = [Pick(low, high, score, kind) for score, low, high in _each(pairs)]
    both += [Pick(high, low, score, kind) for score, low, high in _each(pairs)]
    left = list(room)
    picks: list[Pick] = []
    for pick in sorted(both, key=lambda one: (one.user, -one.score, one.candidate)):
        if left[pick.user] > 0:
            left[pick.user] -= 1
            picks.append(pick)
    return picks


def _each(pairs: Pairs) -> "zip[tuple[int, int, int]]":
    return zip(pairs.score.tolist(), pairs.low.tolist(), pairs.high.tolist(), strict=True)
