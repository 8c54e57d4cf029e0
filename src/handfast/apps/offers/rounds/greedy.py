"""The greedy: pairs in one total order, each taken if both have a free place.

A pair is one integer: ten thousand less the score, then the smaller place in the region, then the
larger. So sorting integers is the total order: people of a region are in the order of their ids.
"""

from handfast.apps.offers.rounds.arithmetic import compiled
from handfast.apps.offers.rounds.arithmetic.best import MISSING, TOP, WHO
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

PLACE_BITS = 24  # 14 bits of score and two places are less than 2**63
PEOPLE_MAX = 1 << PLACE_BITS  # of one region
_PLACE = PEOPLE_MAX - 1


def pair_keys(
    score: "npt.NDArray[np.int64]",
    one: "npt.NDArray[np.int64]",
    other: "npt.NDArray[np.int64]",
) -> "npt.NDArray[np.int64]":
    low, high = np.minimum(one, other), np.maximum(one, other)
    keys: npt.NDArray[np.int64] = ((TOP - score) << 2 * PLACE_BITS) | (low << PLACE_BITS) | high
    return keys


def unpaired(
    keys: "npt.NDArray[np.int64]",
) -> "tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]":
    """Score, smaller and larger place."""
    return TOP - (keys >> 2 * PLACE_BITS), (keys >> PLACE_BITS) & _PLACE, keys & _PLACE


def list_keys(
    score: "npt.NDArray[np.int64]", candidate: "npt.NDArray[np.int64]"
) -> "npt.NDArray[np.int64]":
    """As one person's list has a pair."""
    keys: npt.NDArray[np.int64] = ((TOP - score) << 32) | candidate
    return keys


def pairs_in(lists: "npt.NDArray[np.int64]") -> "npt.NDArray[np.int64]":
    """The pairs of all lists, each once: of the two that may have it, the smaller place's list
    counts, unless the pair is not in it."""
    who, at = np.nonzero(lists != MISSING)
    keys = lists[who, at]
    candidate, lowered = keys & WHO, keys >> 32
    elsewhere = ((lowered << 32) | who) <= lists[candidate, -1]
    mine = (who < candidate) | ~elsewhere
    return pair_keys(TOP - lowered[mine], who[mine], candidate[mine])


def greedy(
    keys: "npt.NDArray[np.int64]", room: "npt.NDArray[np.int64]", *, use_numba: bool
) -> "npt.NDArray[np.bool_]":
    """Which of the pairs, which are in their order, are taken; ``room`` has what is left then."""
    taken = np.zeros(len(keys), np.bool_)
    if use_numba and compiled.there():
        compiled.greedy(keys, room, taken)
        return taken
    _, lows, highs = unpaired(keys)
    left = room.tolist()
    for at, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True)):
        if left[low] > 0 and left[high] > 0:
            left[low] -= 1
            left[high] -= 1
            taken[at] = True
    room[:] = left
    return taken


def greedy_one_sided(
    users: "npt.NDArray[np.int64]",
    candidates: "npt.NDArray[np.int64]",
    room: "npt.NDArray[np.int64]",
    shows: "npt.NDArray[np.int64]",
    *,
    use_numba: bool,
) -> "npt.NDArray[np.bool_]":
    """Each taken if the user has a free place, and the candidate may be shown once more."""
    taken = np.zeros(len(users), np.bool_)
    if use_numba and compiled.there():
        compiled.greedy_one_sided(users, candidates, room, shows, taken)
        return taken
    left, may = room.tolist(), shows.tolist()
    for at, (user, candidate) in enumerate(zip(users.tolist(), candidates.tolist(), strict=True)):
        if left[user] > 0 and may[candidate] > 0:
            left[user] -= 1
            may[candidate] -= 1
            taken[at] = True
    room[:], shows[:] = left, may
    return taken
