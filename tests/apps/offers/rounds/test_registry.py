"""A score and a selection of one's own, by the interface that ours have."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from handfast.apps.offers.daily.planning import made_round
from handfast.apps.offers.errors import AlgorithmUnknown
from handfast.apps.offers.rounds import registry
from handfast.apps.offers.rounds.arithmetic.kernel import ScoreV1
from handfast.apps.offers.rounds.pool import pool_of
from handfast.apps.offers.rounds.selections import top
from handfast.apps.offers.settings import OfferRules
from tests.support.offers import DAY, SCORED, people
from tests.support.rounds import plain_pairs

PAGE = Path(__file__).parents[4] / "docs" / "concepts" / "offers.md"


@pytest.fixture
def registered() -> Iterator[None]:
    """By the code on the page."""
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    exec(code, {})  # noqa: S102
    yield
    del registry.SCORES["age"], registry.SELECTIONS["only_one"]


@pytest.mark.usefixtures("registered")
def test_a_score_and_a_selection_of_ones_own() -> None:
    found = people(60)
    by_age = made_round(OfferRules(score="age"), DAY, SCORED, pool_of(found, DAY))
    assert len(by_age.picks) > 20
    for pick in by_age.picks:
        apart = abs(int(by_age.pool.age[pick.user]) - int(by_age.pool.age[pick.candidate]))
        assert pick.score == 10_000 - 100 * apart
    only = made_round(OfferRules(selection="only_one"), DAY, SCORED, pool_of(found, DAY))
    (best, low, high) = plain_pairs(found)[0]
    assert list(only.picks) == [(low, high, best, 1), (high, low, best, 1)]


def test_a_name_means_one_thing() -> None:
    registry.register_score("v1", ScoreV1)
    with pytest.raises(ValueError, match="registered already"):
        registry.register_selection("mutual", top)
    with pytest.raises(ValueError, match="registered already"):
        registry.register_score("v1", type("Other", (ScoreV1,), {}))
    with pytest.raises(AlgorithmUnknown, match="no score 'v9'"):
        registry.score_named("v9")
    with pytest.raises(AlgorithmUnknown, match="no selection 'nobody'"):
        registry.selection_named("nobody")
