"""The score v1 of many pairs at once: three products of integers for each side, then a table.

Every answer is a row of features (``rules.score.features``), every wish a row of what each feature
is worth, times its weight. Equal to ``rules.score`` for every pair, which a test compares.
"""

from collections.abc import Sequence
from functools import lru_cache

from handfast.apps.offers.rounds.products import product
from handfast.apps.offers.rules.confidence import lowered
from handfast.apps.offers.rules.person import Person, ScoredQuestion, unpacked
from handfast.apps.offers.rules.score import WEIGHTS, feature_count, features, fits, most
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

UNSCORED = -1


class ScoreV1:
    """Made once for a snapshot; asked for blocks of pairs, from several threads if need be."""

    def __init__(self, questions: Sequence[ScoredQuestion], people: Sequence[Person]) -> None:
        starts = np.cumsum([0, *(feature_count(question) for question in questions)]).tolist()
        self._has = np.zeros((len(people), starts[-1]), np.float32)
        self._wishes = np.zeros((len(people), starts[-1]), np.float32)
        self._answered = np.zeros((len(people), len(questions)), np.float32)
        self._most = np.zeros((len(people), len(questions)), np.float32)
        for row, person in enumerate(people):
            for at, one in enumerate(unpacked(person.answers)):
                if one is None:
                    continue
                question, start = questions[at], starts[at]
                self._answered[row, at] = 1
                self._has[row, [start + had for had in _features(question, one.answer)]] = 1
                weight = WEIGHTS[one.importance]
                self._most[row, at] = weight * _most(question, one.wish)
                for feature, worth in _fits(question, one.wish).items():
                    self._wishes[row, start + feature] = weight * worth
        self._counts = (self._most > 0).astype(np.float32)
        self._table = _table(len(questions))

    def block(
        self, one: "npt.NDArray[np.intp]", other: "npt.NDArray[np.intp]"
    ) -> "npt.NDArray[np.int64]":
        """The score of each of these with each of those; ``UNSCORED`` where there is none."""
        reached = product(self._wishes[one], self._has[other])
        possible = product(self._most[one], self._answered[other])
        shared = product(self._counts[one], self._answered[other])
        reached_back = product(self._wishes[other], self._has[one]).T
        possible_back = product(self._most[other], self._answered[one]).T
        shared_back = product(self._counts[other], self._answered[one]).T
        divisor = reached * possible_back + reached_back * possible
        mean = 20_000 * reached * reached_back // np.maximum(divisor, 1)
        found: npt.NDArray[np.int64] = self._table[np.minimum(shared, shared_back), mean]
        found[(possible == 0) | (possible_back == 0)] = UNSCORED
        return found


# The same few answers and wishes come again and again.
_features = lru_cache(maxsize=65_536)(features)
_fits = lru_cache(maxsize=65_536)(fits)
_most = lru_cache(maxsize=65_536)(most)


@lru_cache(maxsize=4)
def _table(questions: int) -> "npt.NDArray[np.int64]":
    rows = [lowered(questions, max(shared, 1)) for shared in range(questions + 1)]
    return np.array(rows, np.int64)
