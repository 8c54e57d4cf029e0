"""Rounds written out plainly: double loops over people, and greedies that look at everything."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from handfast.apps.offers.rounds.making import MadeRound, RoundInputs, make_round
from handfast.apps.offers.rounds.market import Effort, RoundRules
from handfast.apps.offers.rounds.picks import PickKind
from handfast.apps.offers.rounds.pool import pool_of
from handfast.apps.offers.rules.eligibility import refusal
from handfast.apps.offers.rules.person import Person, unpacked
from handfast.apps.offers.rules.score import score
from tests.support.offers import DAY, SCORED

MINIMUM = 5000

PlainPairs = list[tuple[int, int, int]]  # score, smaller, larger


def plain_pairs(
    found: Sequence[Person],
    minimum: int = MINIMUM,
    apart: dict[tuple[int, int], int] | None = None,
) -> PlainPairs:
    """Every eligible pair, one after the other, in the total order."""
    ordered = sorted(found, key=lambda one: one.id)
    answers = [unpacked(one.answers) for one in ordered]
    pairs = []
    for low, high in combinations(range(len(ordered)), 2):
        if refusal(ordered[low], ordered[high], DAY) is None:
            value = score(SCORED, answers[low], answers[high])
            if value is not None and value >= max(minimum, (apart or {}).get((low, high), 0)):
                pairs.append((value, low, high))
    return sorted(pairs, key=lambda one: (-one[0], one[1], one[2]))


def plain_greedy(pairs: PlainPairs, room: Sequence[int]) -> PlainPairs:
    """In their order, each if both have room."""
    left, taken = list(room), []
    for pair in pairs:
        if left[pair[1]] > 0 and left[pair[2]] > 0:
            taken.append(pair)
            left[pair[1]] -= 1
            left[pair[2]] -= 1
    return taken


Rows = list[tuple[int, int, int, int]]  # user, candidate, score, kind


def plain_mutual(
    pairs: PlainPairs,
    room: Sequence[int],
    rules: RoundRules,
    returns: Sequence[tuple[int, int, int]] = (),
) -> Rows:
    """The whole of the selection ``mutual``; returns are user, candidate, score."""
    left, rows = list(room), Rows()
    for user, candidate, value in sorted(returns, key=lambda one: (one[0], -one[2], one[1])):
        if left[user] > 0:
            left[user] -= 1
            rows.append((user, candidate, value, PickKind.RETURN))
    anchors: PlainPairs = []
    if rules.anchor_minimum is not None:
        good = [one for one in pairs if one[0] >= rules.anchor_minimum]
        anchors = plain_greedy(good, [min(1, places) for places in left])
    for _, *both in anchors:
        for who in both:
            left[who] -= 1
    is_anchor = set(anchors)
    rest = [one for one in pairs if one not in is_anchor]
    taken = plain_greedy(rest, left)
    for kind, chosen in ((PickKind.MUTUAL, taken), (PickKind.ANCHOR, anchors)):
        for value, low, high in chosen:
            rows += [(low, high, value, kind), (high, low, value, kind)]
            if kind is PickKind.MUTUAL:
                left[low] -= 1
                left[high] -= 1
    if rules.one_sided:
        rows += _plain_fill(pairs, left, rows, rules)
    return rows + plain_reserve(pairs, len(room), rows, rules.reserve)


def _plain_fill(pairs: PlainPairs, left: list[int], rows: Rows, rules: RoundRules) -> Rows:
    had, shown = {row[:2] for row in rows}, [0] * len(left)
    for row in rows:
        shown[row[1]] += 1
    filled = Rows()
    for value, low, high in pairs:
        for user, candidate in ((low, high), (high, low)):
            if (user, candidate) in had or left[user] <= 0 or shown[candidate] >= rules.exposure:
                continue
            filled.append((user, candidate, value, PickKind.ONE_SIDED))
            left[user] -= 1
            shown[candidate] += 1
    return filled


def plain_orders(pairs: PlainPairs, people: int) -> list[list[tuple[int, int]]]:
    """For each the others and their scores, the best first."""
    orders: list[list[tuple[int, int]]] = [[] for _ in range(people)]
    for value, low, high in pairs:
        orders[low].append((value, high))
        orders[high].append((value, low))
    return [sorted(order, key=lambda one: (-one[0], one[1])) for order in orders]


def plain_reserve(pairs: PlainPairs, people: int, rows: Rows, reserve: int) -> Rows:
    had, found = {row[:2] for row in rows}, Rows()
    for user, order in enumerate(plain_orders(pairs, people)):
        left = [one for one in order if (user, one[1]) not in had]
        found += [(user, other, value, PickKind.RESERVE) for value, other in left[:reserve]]
    return found


def plain_top(pairs: PlainPairs, room: Sequence[int], reserve: int) -> Rows:
    rows = Rows()
    for user, order in enumerate(plain_orders(pairs, len(room))):
        best = order[: room[user]]
        rows += [(user, other, value, PickKind.ONE_SIDED) for value, other in best]
    return rows + plain_reserve(pairs, len(room), rows, reserve)


def rows_of(made: MadeRound) -> set[tuple[int, int, int, int]]:
    found = [tuple(one) for one in made.picks]
    assert len(found) == len(set(found))
    return set(found)  # type: ignore[arg-type]


def round_inputs(
    found: Sequence[Person],
    rules: RoundRules | None = None,
    apart: dict[tuple[int, int], int] | None = None,
    **how: Any,
) -> RoundInputs:
    if "returns" in how:
        how["returns"] = np.array([one[:2] for one in how["returns"]], np.int64).reshape(-1, 2)
    return RoundInputs(
        pool_of(found, DAY),
        SCORED,
        rules or RoundRules(),
        apart=np.array([(*pair, least) for pair, least in (apart or {}).items()], np.int64).reshape(
            -1, 3
        ),
        **how,
    )


def made(inputs: RoundInputs, **effort: Any) -> MadeRound:
    return make_round(inputs, effort=Effort(**effort))
