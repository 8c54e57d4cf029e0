"""What only one of two is shown: returns, fills of empty places, reserves.

Fills are made only where returns are kept: without them they cost matches. A fill goes to the user
with a free place; how often a candidate may be shown on one day is capped.
"""

from typing import NamedTuple

from handfast.apps.offers.rounds.arithmetic.best import MISSING, TOP, WHO
from handfast.apps.offers.rounds.greedy import greedy_one_sided, list_keys, pair_keys
from handfast.apps.offers.rounds.market import Market
from handfast.apps.offers.rounds.picks import PickKind
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt


_AT_ONCE = 64  # returns that are scored together, each with all the others


class Directed(NamedTuple):
    """``candidate`` for ``user``."""

    user: "npt.NDArray[np.int64]"
    candidate: "npt.NDArray[np.int64]"
    score: "npt.NDArray[np.int64]"

    def of(self, which: "npt.NDArray[np.bool_] | npt.NDArray[np.int64]") -> "Directed":
        return Directed(*(part[which] for part in self))

    def and_(self, other: "Directed") -> "Directed":
        return Directed(*(np.concatenate(parts) for parts in zip(self, other, strict=True)))

    def as_rows(self, kind: PickKind) -> "npt.NDArray[np.int64]":
        return np.stack([*self, np.full(len(self.user), int(kind))])


def chosen_returns(market: Market) -> Directed:
    """Who was shown one-sidedly and accepted takes a place of the other, before the round. Of more
    than there are places for the best; the others come again tomorrow. They must still be eligible
    for each other, and score enough. That the two are kept apart by the offer that was accepted
    does not matter: whoever lists returns leaves out those that are apart for another reason."""
    user, candidate = market.returns.T
    score = np.full(len(user), -1, np.int64)
    for at in range(0, len(user), _AT_ONCE):
        ones, others = user[at : at + _AT_ONCE], candidate[at : at + _AT_ONCE]
        may = market.pool.eligible(ones, others).diagonal()
        score[at : at + _AT_ONCE] = np.where(may, market.scores.block(ones, others).diagonal(), -1)
    enough = score >= max(market.rules.minimum, 0)
    found = Directed(user, candidate, score).of(enough)
    found = found.of(np.lexsort((found.candidate, -found.score, found.user)))
    before = np.arange(len(found.user)) - np.searchsorted(found.user, found.user)
    return found.of(before < market.room[found.user])


def filled(market: Market, picked: "npt.NDArray[np.int64]") -> "npt.NDArray[np.int64]":
    """One-sided offers for who has places left, in the round's total order.

    Users are satisfied out of their own lists. Who is rejected by a candidate that is shown as
    often as it may be, to users who fit it better, is rejected for good: more users can only raise
    the bar (deferred acceptance). So lists are continued only for who has room left, and only with
    candidates who would still take them."""
    user, candidate, _, _ = picked
    count = len(market.room)
    room = market.room - np.bincount(user, minlength=count)
    shows = np.maximum(market.rules.exposure - np.bincount(candidate, minlength=count), 0)
    had = np.sort(user * count + candidate)
    reached = np.where(room > 0, market.best[:, -1], MISSING)
    known = _none()
    new = _listed(market.best, room > 0)
    while True:
        known = known.and_(new.of(~_among(had, new.user * count + new.candidate)))
        known = known.of(np.argsort(pair_keys(known.score, known.user, known.candidate)))
        left, may = room.copy(), shows.copy()
        taken = greedy_one_sided(
            known.user, known.candidate, left, may, use_numba=market.effort.use_numba
        )
        held = known.of(taken)
        hungry = (left > 0) & (reached != MISSING)
        if not hungry.any():
            return held.as_rows(PickKind.ONE_SIDED)
        upper = _bars(held, may, hungry)
        lower = np.where(hungry, reached + 1, 0)
        more = market.best_of_some(
            market.wanted(market.best.shape[1], hungry, lower=lower, upper=upper)
        )
        reached = np.where(hungry, more[:, -1], reached)
        new = _listed(more, hungry)


def _bars(
    held: Directed, may: "npt.NDArray[np.int64]", hungry: "npt.NDArray[np.bool_]"
) -> "npt.NDArray[np.int64]":
    """For each candidate what a pair must be better than. Who has room takes anybody."""
    worst = np.zeros(len(may), np.int64)
    np.maximum.at(worst, held.candidate, list_keys(held.score, held.user))
    return np.where((may > 0) | hungry, MISSING, worst)


def reserves(market: Market, picked: "npt.NDArray[np.int64]") -> "npt.NDArray[np.int64]":
    """The next of each user's own order, for when one of the others must not be shown any more."""
    lists, count = market.best, len(market.room)
    found = _listed(lists, np.ones(count, np.bool_))
    had = np.sort(picked[0] * count + picked[1])
    found = found.of(~_among(had, found.user * count + found.candidate))
    before = np.arange(len(found.user)) - np.searchsorted(found.user, found.user)
    return found.of(before < market.rules.reserve).as_rows(PickKind.RESERVE)


def _listed(lists: "npt.NDArray[np.int64]", who: "npt.NDArray[np.bool_]") -> Directed:
    """By user, the best first."""
    user, at = np.nonzero((lists != MISSING) & who[:, None])
    keys = lists[user, at]
    return Directed(user, keys & WHO, TOP - (keys >> 32))


def _among(
    known: "npt.NDArray[np.int64]", asked: "npt.NDArray[np.int64]"
) -> "npt.NDArray[np.bool_]":
    """Which are there; ``known`` is sorted."""
    if not len(known):
        return np.zeros(len(asked), np.bool_)
    at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    found: npt.NDArray[np.bool_] = known[at] == asked
    return found


def _none() -> Directed:
    return Directed(*(np.empty(0, np.int64) for _ in Directed._fields))
