"""The arithmetic of the score, by hand and in properties."""

from fractions import Fraction
from math import floor, isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.apps.offers.rules.confidence import lowered
from handfast.apps.offers.rules.person import PackedAnswer, ScoredQuestion, unpacked
from handfast.apps.offers.rules.score import (
    ORDERS,
    features,
    fits,
    harmonic,
    look,
    most,
    score,
    shown,
    themes,
)
from tests.support.offers import SCORED, people

SINGLE = ScoredQuestion("pet", "lifestyle", "single_choice", 3)
SLIDER = ScoredQuestion("walks", "lifestyle", "slider", 7)
SEVERAL = ScoredQuestion("causes", "values", "multiple_choice", 7)
RANKING = ScoredQuestion("order", "values", "ranking", 4)


def fit(question: ScoredQuestion, wish: int, answer: int) -> int:
    worth = fits(question, wish)
    return sum(worth.get(had, 0) for had in features(question, answer))


@pytest.mark.parametrize(
    ("question", "wish", "answer", "points"),
    [
        (SINGLE, 0b001, 0, 60),
        (SINGLE, 0b101, 2, 60),
        (SINGLE, 0b001, 1, 0),
        (SLIDER, 6, 6, 60),
        (SLIDER, 6, 0, 0),
        (SLIDER, 2, 3, 50),
        (SEVERAL, 0b0000111, 0b0000101, 40),
        (SEVERAL, 0b1111111, 0b1111111, 56),  # seven times eight: rounded down for each
        (RANKING, 0, 0, 60),
        (RANKING, 0, len(ORDERS) - 1, 0),
        (RANKING, 0, 1, 50),  # the last two have changed places
    ],
)
def test_fits(question: ScoredQuestion, wish: int, answer: int, points: int) -> None:
    assert fit(question, wish, answer) == points


@pytest.mark.parametrize("question", [SINGLE, SLIDER, SEVERAL, RANKING], ids=lambda q: q.type)
def test_the_most_is_that_of_the_best_answer(question: ScoredQuestion) -> None:
    bits, places = range(1, 1 << question.size), range(question.size)
    wishes = {"single_choice": bits, "multiple_choice": bits, "ranking": range(24)}
    answers = {"multiple_choice": bits, "ranking": range(24)}
    for wish in wishes.get(question.type, places):
        best = max(fit(question, wish, one) for one in answers.get(question.type, places))
        assert most(question, wish) == best


def test_a_pair_by_hand() -> None:
    questions = [SINGLE, SLIDER]
    ada = [PackedAnswer(4, 0, 0b001), PackedAnswer(1, 6, 6)]
    bob = [PackedAnswer(2, 0, 0b001), PackedAnswer(2, 3, 3)]
    mine, theirs = look(questions, ada, bob), look(questions, bob, ada)
    assert mine[:3] == (8 * 60 + 1 * 30, 9 * 60, 2)
    assert theirs[:3] == (2 * 60 + 2 * 30, 4 * 60, 2)
    mean = 2 / (1 / Fraction(510, 540) + 1 / Fraction(180, 240))
    assert harmonic(mine, theirs) == int(mean * 10_000)
    assert score(questions, ada, bob) == int(mean * 10_000), "they share every question"
    assert themes(questions, ada, bob) == ["lifestyle"]


def test_who_has_nothing_to_go_by_is_not_scored() -> None:
    careless = [PackedAnswer(0, 0, 0b001), None]
    other = [PackedAnswer(2, 0, 0b001), PackedAnswer(2, 3, 3)]
    assert score([SINGLE, SLIDER], careless, other) is None
    assert score([SINGLE, SLIDER], [None, None], other) is None


@given(st.integers(2, 64), st.data())
def test_the_bound_is_the_root_of_its_equation(questions: int, data: st.DataObject) -> None:
    """Compared with fractions and a root of ten more digits, to the last unit."""
    shared = data.draw(st.integers(1, questions - 1))
    h = data.draw(st.integers(0, 10_000))
    u, v = 5 * (questions - shared), 3 * shared * (questions - 1)
    under = 4 * u * v * h * (10_000 - h) + 10**8 * u * u
    found = lowered(questions, shared)[h]
    exact_root = Fraction(isqrt(under * 10**20), 10**10)
    exact = (2 * h * v + 10_000 * u - exact_root) / (2 * (u + v))
    assert found == max(0, floor(exact))
    assert 0 <= found <= h


@pytest.mark.parametrize("questions", [2, 7, 24])
def test_more_shared_answers_and_better_fits_never_score_less(questions: int) -> None:
    for shared in range(1, questions):
        row, above = lowered(questions, shared), lowered(questions, shared + 1)
        assert list(row) == sorted(row)
        assert all(less <= more for less, more in zip(row, above, strict=True))


def test_half_up() -> None:
    assert [shown(one) for one in (0, 49, 50, 6949, 6950, 10_000)] == [0, 0, 1, 69, 70, 100]


def test_the_score_is_the_same_from_both_sides() -> None:
    some = [unpacked(one.answers) for one in people(40) if one.answers]
    assert any(score(SCORED, a, b) for a in some for b in some)
    assert all(score(SCORED, a, b) == score(SCORED, b, a) for a in some for b in some)
