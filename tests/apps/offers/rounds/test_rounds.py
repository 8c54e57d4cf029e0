"""The kernel against a plain double loop, the greedy against brute force, the same every time."""

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from handfast.apps.offers.daily.planning import made_round
from handfast.apps.offers.errors import AlgorithmUnknown
from handfast.apps.offers.rounds import registry
from handfast.apps.offers.rounds.kernel import ScoreV1
from handfast.apps.offers.rounds.pairs import NEVER, Pairs, eligible_pairs
from handfast.apps.offers.rounds.picks import Pick
from handfast.apps.offers.rounds.pool import pool_of
from handfast.apps.offers.rounds.products import float32_is_exact, product
from handfast.apps.offers.rounds.selections import mutual, top
from handfast.apps.offers.rules.eligibility import refusal
from handfast.apps.offers.rules.person import Person, unpacked
from handfast.apps.offers.rules.score import score
from handfast.apps.offers.settings import OfferRules
from tests.support.offers import DAY, SCORED, changed, people

MINIMUM = 5000


def plainly(found: Sequence[Person], minimum: int = MINIMUM) -> list[tuple[int, int, int]]:
    """Every pair, one after the other."""
    ordered = sorted(found, key=lambda one: one.id)
    answers = [unpacked(one.answers) for one in ordered]
    pairs = []
    for low, high in combinations(range(len(ordered)), 2):
        if refusal(ordered[low], ordered[high], DAY) is None:
            value = score(SCORED, answers[low], answers[high])
            if value is not None and value >= minimum:
                pairs.append((value, low, high))
    return sorted(pairs, key=lambda one: (-one[0], one[1], one[2]))


def by_kernel(found: Sequence[Person], **how: Any) -> list[tuple[int, int, int]]:
    pool = pool_of(found, DAY)
    how.setdefault("excluded", {})
    pairs = eligible_pairs(pool, ScoreV1(SCORED, pool.people), MINIMUM, **how)
    return list(zip(*(column.tolist() for column in pairs), strict=True))


def test_the_kernel_is_the_double_loop() -> None:
    found = people(500)
    assert any(len(one.answers) == 0 or b"\xff" in one.answers for one in found), "some lack some"
    pairs = by_kernel(found)
    assert len(pairs) > 1000
    assert pairs == plainly(found)


def test_the_kernel_is_the_double_loop_around_the_world() -> None:
    found = people(700, one_town=False)
    pairs = by_kernel(found, size=16)
    assert len(pairs) > 20
    assert pairs == plainly(found)


@pytest.mark.parametrize("how", [{"threads": 2}, {"size": 1}, {"size": 7}, {"size": 1000}])
def test_the_same_pairs_however_they_are_worked_off(how: dict[str, Any]) -> None:
    found = people(60)
    assert by_kernel(found, **how) == by_kernel(found) != []


@pytest.mark.parametrize("selection", ["mutual", "top"])
def test_the_same_round_whatever_the_order_and_the_threads(
    selection: str, chance: random.Random
) -> None:
    found, rules = people(400, one_town=False, seed=3), OfferRules(selection=selection)
    first = made_round(rules, DAY, SCORED, found, [], threads=1)
    chance.shuffle(found)
    again = made_round(rules, DAY, SCORED, found, [], threads=2)
    assert repr(first.picks) == repr(again.picks) != "[]"
    assert first.figures == again.figures


def brute_greedy(pairs: list[tuple[int, int, int]], room: list[int]) -> set[tuple[int, int]]:
    """Takes the best pair that can be taken, again and again, looking at all of them each time."""
    left, taken = list(room), set[tuple[int, int]]()
    while True:
        free = [
            one for one in pairs if one[1:] not in taken and left[one[1]] > 0 and left[one[2]] > 0
        ]
        if not free:
            return taken
        _, low, high = min(free, key=lambda one: (-one[0], one[1], one[2]))
        taken.add((low, high))
        left[low] -= 1
        left[high] -= 1


@pytest.mark.parametrize("seed", range(4))
def test_mutual_is_greedy_and_leaves_no_blocking_pair(seed: int, chance: random.Random) -> None:
    found = [changed(one, places=chance.randrange(4)) for one in people(90, seed=seed)]
    room = [one.places for one in sorted(found, key=lambda one: one.id)]
    pairs = plainly(found)
    picks = mutual(Pairs(*(np.array(column) for column in zip(*pairs, strict=True))), room)
    taken = {(pick.user, pick.candidate) for pick in picks}
    assert all((b, a) in taken for a, b in taken), "both see each other"
    assert {(a, b) for a, b in taken if a < b} == brute_greedy(pairs, room)
    worst: dict[int, list[tuple[int, int, int]]] = {}
    for one in pairs:
        if one[1:] in taken:
            for who in one[1:]:
                worst.setdefault(who, []).append((-one[0], one[1], one[2]))
    for value, low, high in pairs:
        if (low, high) not in taken:
            rank = (-value, low, high)
            wants = [
                len(worst.get(who, [])) < room[who] or max(worst[who]) > rank
                for who in (low, high)
                if room[who]
            ]
            assert wants != [True, True], "two who would both rather have each other"


def test_top_is_the_best_of_each() -> None:
    found = people(80)
    pairs, room = plainly(found), [2] * 80
    picks = top(Pairs(*(np.array(column) for column in zip(*pairs, strict=True))), room)
    for user in range(80):
        mine = [(-v, high if low == user else low) for v, low, high in pairs if user in (low, high)]
        got = [(-one.score, one.candidate) for one in picks if one.user == user]
        assert got == sorted(mine)[:2]


def test_who_is_kept_apart_is_not_paired() -> None:
    found = people(60)
    pairs = by_kernel(found)
    (best, low, high), (second, low2, high2) = pairs[:2]
    excluded = {(low, high): NEVER, (low2, high2): second}
    assert by_kernel(found, excluded=excluded) == pairs[1:]
    excluded = {(low, high): best + 1, (low2, high2): second + 1}
    assert by_kernel(found, excluded=excluded) == pairs[2:]


def test_nobody_and_one_for_many() -> None:
    assert by_kernel([]) == []
    assert made_round(OfferRules(), DAY, SCORED, [], []).picks == []
    open_minded = {"seeking": ["male"], "min_age": 18, "max_age": 120, "intent": "unsure"}
    women = [changed(one, gender="female", **open_minded) for one in people(41)]
    assert by_kernel(women) == [], "everybody of one gender"
    found = [changed(women[0], gender="male", seeking=["female"]), *women[1:]]
    made = made_round(OfferRules(minimum_score=0), DAY, SCORED, found, [])
    assert len(made.picks) == 6, "three places, seen from both sides"
    assert made.figures.never_shown == 41 - 4


def test_products_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    assert float32_is_exact()
    one = np.array([[30_720, 1], [7, 9]], np.float32)
    exact = product(one, one)
    where = "handfast.apps.offers.rounds.products.float32_is_exact"
    monkeypatch.setattr(where, lambda: False)
    assert product(one, one).tolist()[1] == exact.tolist()[1] == [30_720 * 7 + 9, 130]


def test_scores_and_selections_have_names() -> None:
    def nobody(pairs: Pairs, room: Sequence[int]) -> list[Pick]:
        return []

    registry.register_selection("nobody", nobody)
    try:
        rules = OfferRules(selection="nobody")
        assert made_round(rules, DAY, SCORED, people(40), []).picks == []
        with pytest.raises(ValueError, match="registered already"):
            registry.register_selection("nobody", top)
    finally:
        del registry.SELECTIONS["nobody"]
    registry.register_score("v1", ScoreV1)
    with pytest.raises(AlgorithmUnknown, match="no score 'v9'"):
        registry.score_named("v9")
    with pytest.raises(AlgorithmUnknown, match="no selection 'nobody'"):
        registry.selection_named("nobody")
