"""The kernel against a plain double loop; products that stay exact."""

import numpy as np
import pytest

from handfast.apps.offers.errors import QuestionsUnfit
from handfast.apps.offers.rounds.arithmetic.kernel import UNSCORED, ScoreV1
from handfast.apps.offers.rounds.arithmetic.products import float32_is_exact, product
from handfast.apps.offers.rounds.arithmetic.themes import Themes
from handfast.apps.offers.rounds.pool import pool_of
from handfast.apps.offers.rules.confidence import lowered
from handfast.apps.offers.rules.eligibility import refusal
from handfast.apps.offers.rules.person import unpacked
from handfast.apps.offers.rules.score import score, themes
from tests.support.offers import DAY, SCORED, changed, people

WHERE = "handfast.apps.offers.rounds.arithmetic.products.float32_is_exact"


@pytest.mark.parametrize("exact", [True, False])
def test_scores_and_eligibility_are_those_of_the_plain_rules(
    exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = people(48)
    found[3] = changed(found[3], answers=b"")
    found[4] = changed(found[4], answers=b"\xff" * len(found[4].answers))
    assert any(b"\xff" in one.answers for one in found[5:]), "some lack some"
    pool = pool_of(found, DAY)
    if not exact:
        monkeypatch.setattr(WHERE, lambda: False)
    everybody = np.arange(len(pool))
    scores = ScoreV1(SCORED, pool).block(everybody, everybody)
    eligible = pool.eligible(everybody, everybody)
    ordered = sorted(found, key=lambda one: one.id)
    answers = [unpacked(one.answers) or [None] * len(SCORED) for one in ordered]
    for a, one in enumerate(ordered):
        for b, other in enumerate(ordered):
            value = score(SCORED, answers[a], answers[b])
            assert scores[a, b] == (UNSCORED if value is None else value)
            assert eligible[a, b] == (refusal(one, other, DAY) is None)


@pytest.mark.parametrize("table", [True, False])
def test_themes_are_those_of_the_plain_rules(table: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not table:
        monkeypatch.setattr("handfast.apps.offers.rounds.arithmetic.kernel._TABLE_MAX", 0)
    found = people(40)
    found[3] = changed(found[3], answers=b"\xff" * len(found[3].answers))
    pool = pool_of(found, DAY)
    users, candidates = (part.ravel() for part in np.indices((40, 40)))
    explained = Themes(SCORED, pool)
    answers = [unpacked(one.answers) for one in sorted(found, key=lambda one: one.id)]
    texts = [explained.text(code) for code in explained.codes(users, candidates).tolist()]
    assert texts == [
        ",".join(themes(SCORED, answers[one], answers[other]))
        for one, other in zip(users.tolist(), candidates.tolist(), strict=True)
    ]
    assert "" in texts, "somebody has nothing in common with anybody"


def test_nobody_has_answered_anything() -> None:
    pool = pool_of([changed(one, answers=b"") for one in people(3)], DAY)
    found = ScoreV1(SCORED, pool).block(np.arange(3), np.arange(3))
    assert found.tolist() == [[UNSCORED] * 3] * 3


def test_too_many_questions_are_refused() -> None:
    pool = pool_of([], DAY)
    with pytest.raises(QuestionsUnfit, match="65 questions are scored, and at most 64"):
        ScoreV1((SCORED * 3)[:65], pool)
    ScoreV1((SCORED * 3)[:64], pool)


def test_products_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    assert float32_is_exact()
    one = np.array([[30_720, 1], [7, 9]], np.float32)
    exact = product(one, one)
    monkeypatch.setattr(WHERE, lambda: False)
    assert product(one, one).tolist()[1] == exact.tolist()[1] == [30_720 * 7 + 9, 130]


@pytest.mark.parametrize("questions", [1, 2, 24, 64])
def test_a_better_fit_and_more_answers_never_lower_a_score(questions: int) -> None:
    """What the scan leaves out rests on it."""
    table = np.array([lowered(questions, shared) for shared in range(1, questions + 1)])
    assert (np.diff(table, axis=1) >= 0).all()
    assert (np.diff(table, axis=0) >= 0).all()
