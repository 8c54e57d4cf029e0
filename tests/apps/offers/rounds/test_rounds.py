"""Rounds of made-up people: equal to plain loops, and the same bytes however the work is done."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handfast.apps.offers.daily.apart import KeptApart, apart_pairs
from handfast.apps.offers.daily.planning import made_round
from handfast.apps.offers.rounds.making import NEVER, make_round
from handfast.apps.offers.rounds.market import Effort, RoundRules
from handfast.apps.offers.rounds.picks import PickKind
from handfast.apps.offers.rounds.pool import pool_of
from handfast.apps.offers.rounds.shards import InProcesses, InThreads, ShardRunner
from handfast.apps.offers.settings import OfferRules
from tests.support.offers import DAY, SCORED, changed, people
from tests.support.rounds import (
    made,
    plain_mutual,
    plain_pairs,
    plain_top,
    round_inputs,
    rows_of,
)

ROOT = Path(__file__).parents[4]
ALL_RULES = RoundRules(one_sided=True, anchor_minimum=7000)


def test_rounds_are_those_of_the_double_loop(request: pytest.FixtureRequest) -> None:
    found = people(request.config.getoption("--double-loop"))
    pairs, room = plain_pairs(found), [3] * len(found)
    assert len(pairs) > 100
    for rules in (RoundRules(), ALL_RULES):
        for use_numba in (True, False):
            by_both = made(round_inputs(found, rules), use_numba=use_numba, block=32, best=4)
            assert rows_of(by_both) == set(plain_mutual(pairs, room, rules))
    by_one = made(round_inputs(found, selection="top"))
    assert rows_of(by_one) == set(plain_top(pairs, room, 3))


def test_rounds_are_those_of_the_double_loop_around_the_world() -> None:
    """Where most never meet."""
    found = [changed(one, max_distance_km=500) for one in people(300, one_town=False)]
    pairs = plain_pairs(found, 0)
    by_round = made(round_inputs(found, RoundRules(minimum=0)), block=16)
    assert len(pairs) > 40
    assert rows_of(by_round) == set(plain_mutual(pairs, [3] * 300, RoundRules(minimum=0)))


@pytest.mark.parametrize("selection", ["mutual", "top"])
def test_the_same_bytes_however_the_work_is_done(selection: str, chance: random.Random) -> None:
    """Whatever insert order, threads, sizes of blocks, lengths of lists, numba or not."""
    found = people(300, seed=3)
    first = made(round_inputs(found, ALL_RULES, selection=selection))
    assert len(first.picks) > 500
    chance.shuffle(found)
    inputs = round_inputs(found, ALL_RULES, selection=selection)
    for how in (
        {"threads": 2},
        {"use_numba": False},
        {"use_numba": False, "threads": 2, "block": 7},
        {"block": 7, "best": 1},
        {"block": 1000, "best": 64},
    ):
        again = made(inputs, **how)
        assert again.picks.tobytes() == first.picks.tobytes(), how
        assert again.figures == first.figures, how
    some = round_inputs(people(60), ALL_RULES, selection=selection)
    assert made(some, block=1).picks.tobytes() == made(some).picks.tobytes()


def test_the_same_bytes_in_any_number_of_shards() -> None:
    """In threads of this process, and in processes of their own."""
    found = [changed(one, max_distance_km=500) for one in people(400, one_town=False, seed=3)]
    rules = RoundRules(minimum=2000, one_sided=True, anchor_minimum=5000)
    with InProcesses(2) as processes:
        for selection in ("mutual", "top"):
            inputs = round_inputs(found, rules, selection=selection)
            first = make_round(inputs)
            assert len(first.picks) > 100
            ways: list[tuple[ShardRunner, int]] = [(InThreads(2), 2)]
            ways += [(processes, count) for count in (1, 2, 8)]
            for runner, shards in ways:
                again = make_round(
                    inputs, runner, shards=shards, effort=Effort(use_numba=shards != 2)
                )
                assert again.picks.tobytes() == first.picks.tobytes()
                assert again.figures == first.figures


def test_who_is_kept_apart_is_not_paired() -> None:
    found = people(60)
    pairs = plain_pairs(found)
    (best, *one), (second, *other) = pairs[:2]
    ways: list[tuple[int, int]] = [(NEVER, second), (best + 1, second + 1)]
    for first, next_one in ways:
        apart = {(one[0], one[1]): first, (other[0], other[1]): next_one}
        for use_numba in (True, False):
            found_round = made(round_inputs(found, apart=apart), use_numba=use_numba)
            expected = plain_mutual(plain_pairs(found, apart=apart), [3] * 60, RoundRules())
            assert rows_of(found_round) == set(expected)


def test_returns_take_a_place_before_the_round() -> None:
    found = people(60)
    pairs = plain_pairs(found)
    value, user, candidate = pairs[5]
    returns = [(user, candidate, value)]
    for use_numba in (True, False):
        by_round = made(round_inputs(found, returns=returns), use_numba=use_numba)
        without = [one for one in pairs if one[1:] != (user, candidate)]
        expected = plain_mutual(without, [3] * 60, RoundRules(), returns)
        assert rows_of(by_round) == set(expected)
        first = next(one for one in by_round.picks if one.user == user)
        assert first == (user, candidate, value, PickKind.RETURN)
        assert by_round.figures.returns == 1


def test_who_returns_must_still_be_eligible() -> None:
    found = people(40)
    ordered = sorted(found, key=lambda one: one.id)
    pairs = plain_pairs(found)
    _, user, candidate = pairs[0]
    found[found.index(ordered[candidate])] = changed(ordered[candidate], places=0)
    by_round = made(round_inputs(found, returns=[(user, candidate)]))
    assert by_round.figures.returns == 0


def test_nobody_and_one_for_many() -> None:
    assert len(made_round(OfferRules(), DAY, SCORED, pool_of([], DAY)).picks) == 0
    open_minded = {"seeking": ["male"], "min_age": 18, "max_age": 120, "intent": "unsure"}
    women = [changed(one, gender="female", **open_minded) for one in people(41)]
    alone = made_round(OfferRules(), DAY, SCORED, pool_of(women, DAY))
    assert len(alone.picks) == 0, "everybody of one gender"
    assert alone.figures.pairs == 0
    found = [changed(women[0], gender="male", seeking=["female"]), *women[1:]]
    pairs_only = OfferRules(minimum_score=0, one_sided=False)
    by_round = made_round(pairs_only, DAY, SCORED, pool_of(found, DAY))
    assert len(by_round.picks.daily) == 6, "three places, seen from both sides"
    assert by_round.figures.never_shown == by_round.figures.without_offers == 41 - 4


def test_a_plan_hands_over_who_is_kept_apart() -> None:
    found = people(60)
    ordered = sorted(found, key=lambda one: one.id)
    rules = OfferRules()
    pool = pool_of(found, DAY)
    first = made_round(rules, DAY, SCORED, pool)
    best = next(iter(first.picks))
    ids = sorted((ordered[best.user].id, ordered[best.candidate].id))
    for least, paired in ((None, False), (best.score, True), (best.score + 1, False)):
        kept = KeptApart(ids[0], ids[1], least, 0, "passed_before")
        again = made_round(rules, DAY, SCORED, pool, apart_pairs(pool.ids, [kept]))
        assert ((best.user, best.candidate) in {one[:2] for one in again.picks}) is paired


def test_places_are_counted_in_each_set() -> None:
    by_round = made(round_inputs(people(120), ALL_RULES))
    rows = by_round.picks.rows
    for user in np.unique(rows["user"]):
        mine = rows[rows["user"] == user]
        daily = mine[mine["kind"] != PickKind.ANCHOR]
        assert daily["place"].tolist() == list(range(1, len(daily) + 1))
        assert daily["kind"].tolist() == sorted(daily["kind"].tolist())
        assert set(mine[mine["kind"] == PickKind.ANCHOR]["place"].tolist()) <= {0}


def test_figures_say_what_a_round_came_to() -> None:
    inputs = round_inputs(people(160), ALL_RULES)
    figures = made(inputs).figures
    by_top = make_round(round_inputs(people(160), ALL_RULES, selection="top")).figures
    assert figures.people == 160
    assert figures.pairs == by_top.pairs > 0
    assert 5000 <= figures.mutual_share < 10_000, "some are one-sided"
    assert figures.one_sided > 0
    assert figures.anchors > 0
    assert figures.never_shown <= by_top.never_shown
    assert figures.exposure_gini < by_top.exposure_gini
    assert by_top.mutual_share < figures.mutual_share
    plain = made(round_inputs(people(160), RoundRules())).figures
    assert plain.mutual_share == 10_000
    alike: dict[str, Any] = {"selection": "top"}
    assert plain.top_mean_score == made(round_inputs(people(160), **alike)).figures.mean_score


WITHOUT = """
import sys
sys.modules["numba"] = sys.modules["threadpoolctl"] = None
from tests.support.offers import people
from tests.support.rounds import made, round_inputs
from handfast.apps.offers.rounds.arithmetic import compiled
from handfast.apps.offers.rounds.market import RoundRules
assert not compiled.there()
rules = RoundRules(one_sided=True, anchor_minimum=7000)
sys.stdout.write(made(round_inputs(people(80), rules)).picks.tobytes().hex())
"""


def test_the_same_bytes_where_numba_is_not_installed() -> None:
    there = subprocess.check_output([sys.executable, "-c", WITHOUT], cwd=ROOT, text=True)
    assert there == made(round_inputs(people(80), ALL_RULES)).picks.tobytes().hex() != ""
