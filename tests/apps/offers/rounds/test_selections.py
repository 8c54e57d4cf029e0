"""Selections against brute force that looks at all pairs, on scores that are made up."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handfast.apps.offers.rounds.arithmetic.best import kept_apart_pairs
from handfast.apps.offers.rounds.making import NEVER
from handfast.apps.offers.rounds.market import Effort, Market, RoundRules
from handfast.apps.offers.rounds.picks import PickKind, Picks
from handfast.apps.offers.rounds.pool import EVERYONE, Pool
from handfast.apps.offers.rounds.selections import mutual, top
from tests.support.rounds import PlainPairs, plain_mutual, plain_top


@dataclass(frozen=True)
class MadeUpScores:
    matrix: npt.NDArray[np.int64]

    def block(
        self, one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        return self.matrix[one[:, None], other[None, :]]


@dataclass(frozen=True)
class MadeUpMarket:
    """Few different scores, so that ties are common; some pairs are not eligible."""

    room: list[int]
    pairs: PlainPairs
    returns: list[tuple[int, int, int]]
    market: Market


def made_up_market(
    seed: int, count: int, sides: bool, rules: RoundRules, **effort: Any
) -> MadeUpMarket:
    chance = np.random.default_rng(seed)
    matrix = np.triu(chance.integers(40, 40 + chance.integers(2, 50), (count, count)) * 100, 1)
    matrix[chance.random((count, count)) < chance.choice([0.0, 0.3, 0.8])] = -1
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    gender = chance.integers(1, 3, count) if sides else np.ones(count, np.int64)
    room = chance.integers(1, 4, count)
    away = np.argwhere(np.triu(chance.random((count, count)) < 0.05, 1))
    returns = [
        (int(a), int(b), int(matrix[a, b]))
        for a, b in away
        if matrix[a, b] >= rules.minimum and gender[a] != gender[b]
    ]
    least = np.where(chance.random(len(away)) < 0.5, NEVER, 6000)
    least[[bool(returns) and (a, b) in {one[:2] for one in returns} for a, b in away]] = NEVER
    same = np.zeros(count, np.int64)
    pool = Pool(
        same + 30,
        gender,
        np.where(gender == 1, 2, 1) if sides else same + EVERYONE,
        same,
        same + 18,
        same + 99,
        same + 100,
        np.zeros((count, 3), np.int64),
        room,
        np.empty((count, 0), np.uint8),
    )
    market = Market(
        pool,
        MadeUpScores(matrix),
        kept_apart_pairs(count, away[:, 0], away[:, 1], least),
        rules,
        effort=Effort(**effort),
        returns=np.array([one[:2] for one in returns], np.int64).reshape(-1, 2),
    )
    needed = {(int(a), int(b)): int(need) for (a, b), need in zip(away, least, strict=True)}
    pairs = [
        (int(matrix[a, b]), a, b)
        for a in range(count)
        for b in range(a + 1, count)
        if matrix[a, b] >= max(rules.minimum, needed.get((a, b), 0))
        and (not sides or gender[a] != gender[b])
    ]
    pairs.sort(key=lambda one: (-one[0], one[1], one[2]))
    return MadeUpMarket(room.tolist(), pairs, returns if sides else [], market)


def rows(picks: Picks) -> list[tuple[int, ...]]:
    return sorted(tuple(one) for one in picks)


EFFORTS = st.fixed_dictionaries(
    {
        "block": st.sampled_from([1, 3, 16, 1024]),
        "best": st.sampled_from([1, 8]),
        "threads": st.sampled_from([1, 2]),
        "use_numba": st.booleans(),
    }
)
RULES = st.builds(
    RoundRules,
    minimum=st.just(5000),
    one_sided=st.booleans(),
    exposure=st.integers(1, 6),
    reserve=st.integers(0, 3),
    anchor_minimum=st.sampled_from([None, 7000]),
)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 45), st.booleans(), RULES, EFFORTS)
def test_mutual_is_the_greedy_over_all_pairs(
    seed: int, count: int, sides: bool, rules: RoundRules, effort: dict[str, Any]
) -> None:
    given_ = made_up_market(seed, count, sides, rules, **effort)
    if not sides:  # returns are eligible here too
        given_.market.returns = given_.market.returns[:0]
    found = mutual(given_.market)
    expected = plain_mutual(given_.pairs, given_.room, rules, given_.returns)
    assert rows(found) == sorted(expected)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 40), st.booleans(), EFFORTS)
def test_no_two_would_both_rather_have_each_other(
    seed: int, count: int, sides: bool, effort: dict[str, Any]
) -> None:
    given_ = made_up_market(seed, count, sides, RoundRules(), **effort)
    given_.market.returns = given_.market.returns[:0]
    picks = [one for one in mutual(given_.market) if one.kind is PickKind.MUTUAL]
    taken = {(one.user, one.candidate) for one in picks}
    assert all((b, a) in taken for a, b in taken), "both see each other"
    worst = [
        max(
            (-v, low, high)
            for v, low, high in given_.pairs
            if (low, high) in taken and who in (low, high)
        )
        if sum(one.user == who for one in picks) == given_.room[who]
        else None
        for who in range(count)
    ]
    for value, low, high in given_.pairs:
        if (low, high) not in taken:
            held = [worst[low], worst[high]]
            assert any(one is not None and one < (-value, low, high) for one in held)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 40), st.booleans(), EFFORTS)
def test_top_is_the_best_of_each(
    seed: int, count: int, sides: bool, effort: dict[str, Any]
) -> None:
    given_ = made_up_market(seed, count, sides, RoundRules(), **effort)
    assert rows(top(given_.market)) == sorted(plain_top(given_.pairs, given_.room, 3))


def test_top_does_not_show_somebody_again_but_may_show_them_to_each_other() -> None:
    given_ = made_up_market(7, 30, False, RoundRules(reserve=0))
    first = top(given_.market)
    given_.market.shown = np.array([(one.user, one.candidate) for one in first])[::2]
    given_.market._best = None
    shown = {(int(user), int(candidate)) for user, candidate in given_.market.shown}
    expected = []
    for user, places in enumerate(given_.room):
        mine = sorted(
            (-value, high if low == user else low)
            for value, low, high in given_.pairs
            if user in (low, high)
        )
        left = [one for one in mine if (user, one[1]) not in shown]
        expected += [(user, other, -v, PickKind.ONE_SIDED) for v, other in left[:places]]
    assert rows(top(given_.market)) == sorted(expected)
    assert any((candidate, user) not in shown for user, candidate in shown)


@pytest.mark.parametrize("use_numba", [True, False])
def test_nobody_is_shown_more_often_than_the_cap(use_numba: bool) -> None:
    """One woman, and a thousand men who seek her."""
    count = 1001
    matrix = np.full((count, count), 8000)
    same = np.zeros(count, np.int64)
    gender = np.where(np.arange(count) == 0, 2, 1)
    pool = Pool(
        *(same + 30, gender, 3 - gender, same, same + 18, same + 99, same + 1),
        *(np.zeros((count, 3), np.int64), same + 3, np.empty((count, 0), np.uint8)),
    )
    nobody = np.empty(0, np.int64)
    market = Market(
        pool,
        MadeUpScores(matrix),
        kept_apart_pairs(count, nobody, nobody, nobody),
        RoundRules(one_sided=True),
        effort=Effort(use_numba=use_numba),
    )
    picks = mutual(market)
    assert [one.candidate for one in picks if one.user == 0][:3] == [1, 2, 3]
    assert [one.user for one in picks.daily if one.candidate == 0] == [1, 2, 3, 4, 5, 6]
    kinds = [one.kind for one in picks.daily if one.candidate == 0]
    assert kinds == [PickKind.MUTUAL] * 3 + [PickKind.ONE_SIDED] * 3
    assert len(picks.of(PickKind.RESERVE)) == 3 + (count - 1 - 6), "everybody else's only one"
