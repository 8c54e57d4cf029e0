"""A score and a selection of one's own, by the interface that ours have."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from handfast.apps.offers.daily.planning import made_round
from handfast.apps.offers.errors import AlgorithmUnknown
from handfast.apps.offers.rounds import registry
from handfast.apps.offers.rounds.arithmetic.kernel import ScoreV1
from handfast.apps.offers.rounds.market import Market
from handfast.apps.offers.rounds.picks import Pick, PickKind, Picks, picks_of
from handfast.apps.offers.rounds.pool import Pool
from handfast.apps.offers.rounds.selections import top
from handfast.apps.offers.rules.person import ScoredQuestion
from handfast.apps.offers.settings import OfferRules
from tests.support.offers import DAY, SCORED, people
from tests.support.rounds import plain_pairs


class AgeScore:
    """The nearer in age, the better."""

    def __init__(self, questions: Sequence[ScoredQuestion], pool: Pool) -> None:
        self._age = pool.age

    def block(
        self, one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        apart = np.abs(self._age[one][:, None] - self._age[other][None, :])
        found: npt.NDArray[np.int64] = 10_000 - 100 * apart
        return found


def only_the_best_pair(market: Market) -> Picks:
    score, low, high = (column[:1].tolist() for column in market.pairs())
    return picks_of(
        Pick(a, b, value, PickKind.MUTUAL)
        for value, one, other in zip(score, low, high, strict=True)
        for a, b in ((one, other), (other, one))
    )


@pytest.fixture
def registered() -> Iterator[None]:
    registry.register_score("age", AgeScore)
    registry.register_selection("only_one", only_the_best_pair)
    yield
    del registry.SCORES["age"], registry.SELECTIONS["only_one"]


@pytest.mark.usefixtures("registered")
def test_a_score_and_a_selection_of_ones_own() -> None:
    found = people(60)
    ordered = sorted(found, key=lambda one: one.id)
    by_age = made_round(OfferRules(score="age"), DAY, SCORED, found, [])
    assert len(by_age.picks) > 20
    for pick in by_age.picks:
        apart = abs(int(by_age.pool.age[pick.user]) - int(by_age.pool.age[pick.candidate]))
        assert pick.score == 10_000 - 100 * apart
    only = made_round(OfferRules(selection="only_one"), DAY, SCORED, ordered, [])
    (best, low, high) = plain_pairs(found)[0]
    assert list(only.picks) == [(low, high, best, 1), (high, low, best, 1)]


def test_a_name_means_one_thing() -> None:
    registry.register_score("v1", ScoreV1)
    with pytest.raises(ValueError, match="registered already"):
        registry.register_selection("mutual", top)
    with pytest.raises(ValueError, match="registered already"):
        registry.register_score("v1", AgeScore)
    with pytest.raises(AlgorithmUnknown, match="no score 'v9'"):
        registry.score_named("v9")
    with pytest.raises(AlgorithmUnknown, match="no selection 'nobody'"):
        registry.selection_named("nobody")
