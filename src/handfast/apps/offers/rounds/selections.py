"""Which of the eligible pairs are offered. Both are deterministic, whatever the work is cut into.

``mutual`` is the greedy over all eligible pairs, and has only the best of each person's in hand.
That is enough once it can be proved of everybody. A pair that is in neither list comes after the
end of both. Whoever is full, and with nothing that comes after the end of the own list, has no
room when its turn comes: the greedy over all pairs would pass it by. So only pairs of two people
who are both not settled in this way can be missing. Their next best among each other are looked
up, and the greedy is run again, until everybody is settled or has no further candidates.
"""

from handfast.apps.offers.rounds.arithmetic.best import MISSING, TOP, WHO, WantedLists
from handfast.apps.offers.rounds.greedy import greedy, list_keys, pairs_in, unpaired
from handfast.apps.offers.rounds.market import Market
from handfast.apps.offers.rounds.one_sided import chosen_returns, filled, reserves
from handfast.apps.offers.rounds.picks import PickKind, Picks, ordered_picks
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

CONTINUED = 8  # times as long as the first lists are those of who is not settled


def mutual(market: Market) -> Picks:
    """Pairs in their total order, each taken if both have a free place. Nothing else is greedy in
    that order, so the order of the work cannot matter; and no two people would both rather have
    had each other."""
    returned = chosen_returns(market)
    room = market.room - np.bincount(returned.user, minlength=len(market.room))
    anchors, pairs = _settled_pairs(market, room)
    parts = [
        returned.as_rows(PickKind.RETURN),
        _both(pairs, PickKind.MUTUAL),
        _both(anchors, PickKind.ANCHOR),
    ]
    if market.rules.one_sided:
        parts.append(filled(market, np.concatenate(parts, axis=1)))
    parts.append(reserves(market, np.concatenate(parts, axis=1)))
    return _in_order(np.concatenate(parts, axis=1))


def top(market: Market) -> Picks:
    """Each user's best, whatever the others get. Ties go to the smaller candidate's id."""
    lists = _without_shown(market)
    minimum = market.rules.anchor_minimum
    place = np.arange(lists.shape[1])[None, :]
    if minimum is not None:
        first = (lists[:, :1] != MISSING) & (TOP - (lists[:, :1] >> 32) >= minimum)
        place = np.where(first & (place == 0), -1, place)
    kinds = np.select(
        [
            place < 0,
            place < market.room[:, None],
            place < (market.room + market.rules.reserve)[:, None],
        ],
        [PickKind.ANCHOR, PickKind.ONE_SIDED, PickKind.RESERVE],
        -1,
    )
    user, at = np.nonzero((lists != MISSING) & (kinds >= 0))
    keys = lists[user, at]
    return _in_order(np.stack([user, keys & WHO, TOP - (keys >> 32), kinds[user, at]]))


def _without_shown(market: Market) -> "npt.NDArray[np.int64]":
    """Lists are longer by as many as anybody has been shown, so enough is left."""
    lists, count = market.best.copy(), len(market.room)
    if len(market.shown):
        known = np.unique(market.shown[:, 0] * count + market.shown[:, 1])
        pairs = np.arange(count)[:, None] * count + (lists & WHO)
        lists[np.isin(pairs, known) & (lists != MISSING)] = MISSING
        lists.sort(axis=1)
    return lists


def _settled_pairs(
    market: Market, room: "npt.NDArray[np.int64]"
) -> "tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]":
    """The anchors and the pairs that the greedy over all eligible pairs takes."""
    ends = market.best[:, -1]
    known = np.sort(pairs_in(market.best))
    unsettled, k = np.zeros(len(room), np.bool_), CONTINUED * market.best.shape[1]
    after = np.where(ends == MISSING, MISSING, ends + 1)
    keys, reached, more = known, ends, market.best[:, :0]
    while True:
        anchors, pairs = _passes(market, keys, room)
        found = _not_settled(market, anchors, pairs, room, reached)
        if not found.any():
            return anchors, pairs
        new = found & ~unsettled
        if new.any():  # what they have with each other and with those before
            wanted = market.wanted(k, unsettled | new, lower=after)
            more = _merged(more, market.best_with(wanted, new), wanted)
        else:  # they need more of each other
            k *= 2
            wanted = market.wanted(k, unsettled, lower=after)
            more = market.best_with(wanted, unsettled)
        unsettled = wanted.who
        keys = np.sort(np.concatenate([known, pairs_in(more)]))
        reached = np.where(unsettled, more[:, -1], ends)


def _merged(
    one: "npt.NDArray[np.int64]", other: "npt.NDArray[np.int64]", wanted: WantedLists
) -> "npt.NDArray[np.int64]":
    """The best of two lists of each, which have no pair in common."""
    if not one.size:
        return other
    both = np.concatenate([one[wanted.who], other[wanted.who]], axis=1)
    both.sort(axis=1)
    other[wanted.who] = both[:, : wanted.k]
    return other


def _passes(
    market: Market, keys: "npt.NDArray[np.int64]", room: "npt.NDArray[np.int64]"
) -> "tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]":
    """The anchors of a week come first, one place for each; then the pairs of the day out of the
    rest, with the places that are left."""
    use_numba, minimum = market.effort.use_numba, market.rules.anchor_minimum
    anchors = keys[:0]
    if minimum is not None:
        enough = keys[: int(np.searchsorted(unpaired(keys)[0] < minimum, True))]
        is_anchor = greedy(enough, np.minimum(room, 1), use_numba=use_numba)
        anchors = enough[is_anchor]
        room = room - _held(anchors, len(room))
        keys = np.concatenate([enough[~is_anchor], keys[len(enough) :]])
    return anchors, keys[greedy(keys, room.copy(), use_numba=use_numba)]


def _not_settled(
    market: Market,
    anchors: "npt.NDArray[np.int64]",
    pairs: "npt.NDArray[np.int64]",
    room: "npt.NDArray[np.int64]",
    reached: "npt.NDArray[np.int64]",
) -> "npt.NDArray[np.bool_]":
    """Who may still be part of a pair that is in no list: who has further candidates, and has room,
    or holds a pair that comes after the end of the own list."""
    found = _open(pairs, room - _held(anchors, len(room)), reached)
    minimum = market.rules.anchor_minimum
    if minimum is not None:
        has_more = TOP - (reached >> 32) >= minimum
        found |= _open(anchors, np.minimum(room, 1), reached) & has_more
    unfinished: npt.NDArray[np.bool_] = found & (reached != MISSING)
    return unfinished


def _open(
    pairs: "npt.NDArray[np.int64]", room: "npt.NDArray[np.int64]", reached: "npt.NDArray[np.int64]"
) -> "npt.NDArray[np.bool_]":
    user, candidate, score, _ = _both(pairs, PickKind.MUTUAL)
    held = np.bincount(user, minlength=len(room))
    worst = np.zeros(len(room), np.int64)
    np.maximum.at(worst, user, list_keys(score, candidate))
    found: npt.NDArray[np.bool_] = (held < room) | (worst > reached)
    return found


def _held(pairs: "npt.NDArray[np.int64]", people: int) -> "npt.NDArray[np.int64]":
    """How many of the pairs each is part of."""
    _, low, high = unpaired(pairs)
    return np.bincount(low, minlength=people) + np.bincount(high, minlength=people)


def _both(pairs: "npt.NDArray[np.int64]", kind: PickKind) -> "npt.NDArray[np.int64]":
    """Each pair from both sides: users, candidates, scores, kinds."""
    score, low, high = unpaired(pairs)
    return np.stack(
        [
            np.concatenate([low, high]),
            np.concatenate([high, low]),
            np.concatenate([score, score]),
            np.full(2 * len(pairs), int(kind)),
        ]
    )


def _in_order(rows: "npt.NDArray[np.int64]") -> Picks:
    """Of one user and kind the best first."""
    user, candidate, score, kind = rows
    order = np.lexsort((candidate, -score))
    return ordered_picks(user[order], candidate[order], score[order], kind[order])
