"""The score v1 of many pairs at once: two products of integers for each side, then a table.

Every answer is a row of features (``rules.score.features``), every wish a row of what each feature
is worth, times its weight. What could be reached (D) and how many questions count (n) come out of
one product, packed into one integer. Equal to ``rules.score`` for every pair: a test compares.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from handfast.apps.offers.errors import QuestionsUnfit
from handfast.apps.offers.rounds.arithmetic.products import EXACT_UNTIL, product
from handfast.apps.offers.rounds.pool import Pool
from handfast.apps.offers.rules.confidence import WHOLE, lowered
from handfast.apps.offers.rules.person import ANSWER_BYTES, UNANSWERED, ScoredQuestion
from handfast.apps.offers.rules.score import (
    FIT_MAX,
    QUESTIONS_MAX,
    WEIGHTS,
    feature_count,
    features,
    fits,
    most,
)
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

UNSCORED = -1
PACKED = 128  # D times this, and n
_VALUES = 1 << 16  # of an answer or a wish
_TABLE_MAX = 1 << 20  # numbers in a table of wishes and answers
_KEPT_MAX = 16_384  # people whose features are kept: 1.5 kB for each, or else made for each block


class Features(NamedTuple):
    """Of some people: what their answers have, what they wish."""

    has: "npt.NDArray[np.float32]"
    wishes: "npt.NDArray[np.float32]"
    answered: "npt.NDArray[np.float32]"
    most: "npt.NDArray[np.float32]"  # D and n, packed


class Sides(NamedTuple):
    """Of each of some with each of others: what the one sees in the other, and the other way."""

    reached: "npt.NDArray[np.float32]"
    reached_back: "npt.NDArray[np.float32]"
    possible: "npt.NDArray[np.float32]"  # packed
    possible_back: "npt.NDArray[np.float32]"


class ScoreV1:
    """Made once for a region; asked for blocks of pairs, from several threads if need be."""

    def __init__(self, questions: Sequence[ScoredQuestion], pool: Pool) -> None:
        refuse_unfit(questions)
        self.table, self.fit_needed = _table(len(questions)), _fit_needed(len(questions))
        self._columns = question_columns(questions, pool)
        self._kept: Features | None = None
        # How many questions count for each at most: no pair of theirs shares more.
        self.counts = np.zeros(len(pool), np.int64)
        for column in self._columns:
            self.counts += column.counts
        if len(pool) <= _KEPT_MAX:
            self._kept = self._features(np.arange(len(pool)))

    def features(self, who: "npt.NDArray[np.int64]") -> Features:
        if self._kept is None:
            return self._features(who)
        return Features(*(part[who] for part in self._kept))

    def _features(self, who: "npt.NDArray[np.int64]") -> Features:
        parts = [column.features(who) for column in self._columns]
        if not parts:
            return Features(*(np.zeros((len(who), 1), np.float32) for _ in Features._fields))
        has, wishes, answered, packed = zip(*parts, strict=True)
        return Features(
            np.concatenate(has, axis=1),
            np.concatenate(wishes, axis=1),
            np.stack(answered, axis=1),
            np.stack(packed, axis=1),
        )

    @staticmethod
    def sides(one: Features, other: Features) -> Sides:
        return Sides(
            product(one.wishes, other.has),
            product(one.has, other.wishes),
            product(one.most, other.answered),
            product(one.answered, other.most),
        )

    def block(
        self, one: "npt.NDArray[np.int64]", other: "npt.NDArray[np.int64]"
    ) -> "npt.NDArray[np.int64]":
        """The score of each of these with each of those; ``UNSCORED`` where there is none."""
        sides = self.sides(self.features(one), self.features(other))
        reached, reached_back, packed, packed_back = (side.astype(np.int64) for side in sides)
        possible, shared = packed // PACKED, packed % PACKED
        possible_back, shared_back = packed_back // PACKED, packed_back % PACKED
        divisor = reached * possible_back + reached_back * possible
        mean = 20_000 * reached * reached_back // np.maximum(divisor, 1)
        found: npt.NDArray[np.int64] = self.table[np.minimum(shared, shared_back), mean].astype(
            np.int64
        )
        found[(possible == 0) | (possible_back == 0)] = UNSCORED
        return found


def refuse_unfit(questions: Sequence[ScoredQuestion]) -> None:
    """What would leave the bounds in which float32 and int64 are exact."""
    most_reached = len(questions) * WEIGHTS[-1] * FIT_MAX
    if len(questions) > QUESTIONS_MAX or most_reached * PACKED + PACKED > EXACT_UNTIL:
        raise QuestionsUnfit(
            f"{len(questions)} questions are scored, and at most {QUESTIONS_MAX} can be.",
            hint="Mark others as not scored, or register a score of your own.",
        )


def question_columns(questions: Sequence[ScoredQuestion], pool: Pool) -> "list[QuestionColumn]":
    width, packed = len(questions) * ANSWER_BYTES, pool.answers
    if packed.shape[1] < width:  # nobody has answered anything
        packed = np.full((len(pool), width), UNANSWERED, np.uint8)
    return [
        QuestionColumn(question, packed[:, at * ANSWER_BYTES :][:, :ANSWER_BYTES])
        for at, question in enumerate(questions)
    ]


class QuestionColumn:
    """The answers to one question: each as a number of the few different ones that there are."""

    def __init__(self, question: ScoredQuestion, packed: "npt.NDArray[np.uint8]") -> None:
        bytes_ = packed.astype(np.int64)
        importance, answer = bytes_[:, 0], bytes_[:, 1] + (bytes_[:, 2] << 8)
        wish = (importance << 16) + bytes_[:, 3] + (bytes_[:, 4] << 8)
        answered = importance != UNANSWERED
        count = feature_count(question)

        def had(value: int) -> "npt.NDArray[np.float32]":
            row = np.zeros(count, np.float32)
            row[list(features(question, value))] = 1
            return row

        def worth(value: int) -> "npt.NDArray[np.float32]":
            row, weight = np.zeros(count + 1, np.float32), WEIGHTS[value >> 16]
            for feature, fit in fits(question, value % _VALUES).items():
                row[feature] = weight * fit
            best = weight * most(question, value % _VALUES)
            row[count] = best * PACKED + (best > 0)
            return row

        self._answer, self._has = _numbered(answer, answered, had, count)
        self._wish, self._worth = _numbered(wish, answered, worth, count + 1)
        self.counts = (self._worth[self._wish, -1] > 0).astype(np.int64)

    def features(self, who: "npt.NDArray[np.int64]") -> "tuple[npt.NDArray[np.float32], ...]":
        answer, worth = self._answer[who], self._worth[self._wish[who]]
        answered = (answer > 0).astype(np.float32)
        return self._has[answer], worth[:, :-1], answered, worth[:, -1]

    @cached_property
    def _table(self) -> "npt.NDArray[np.int32] | None":
        """What each wish finds in each answer, unless that is too much of a table."""
        if len(self._worth) * len(self._has) > _TABLE_MAX:
            return None
        return (self._worth[:, :-1] @ self._has.T).astype(np.int32)

    def reached(
        self, users: "npt.NDArray[np.int64]", candidates: "npt.NDArray[np.int64]"
    ) -> "npt.NDArray[np.int32]":
        """What each user finds in the candidate beside, in this question: weight times fit."""
        wish, answer, table = self._wish[users], self._answer[candidates], self._table
        found: npt.NDArray[np.int32]
        if table is not None:
            found = table[wish, answer]
        else:
            found = np.einsum("ij,ij->i", self._worth[wish, :-1], self._has[answer]).astype(
                np.int32
            )
        return found


def _numbered(
    values: "npt.NDArray[np.int64]",
    answered: "npt.NDArray[np.bool_]",
    row: "Callable[[int], npt.NDArray[np.float32]]",
    width: int,
) -> "tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]":
    """Each value as the number of its row in a table; 0, a row of zeros, where there is none."""
    there = np.flatnonzero(np.bincount(values[answered])) if answered.any() else np.empty(0, int)
    number = np.zeros(int(there[-1]) + 1 if len(there) else 1, np.int32)
    number[there] = np.arange(1, len(there) + 1)
    rows = [np.zeros(width, np.float32), *(row(value) for value in there.tolist())]
    return number[np.where(answered, values, there[0] if len(there) else 0)] * answered, np.stack(
        rows
    )


@lru_cache(maxsize=4)
def _fit_needed(questions: int) -> "npt.NDArray[np.int16]":
    """For so many shared answers and a score the least fit that comes to it: the table, turned
    around. Above all fits if none does."""
    scores = np.arange(WHOLE + 1)
    rows = [np.searchsorted(row, scores) for row in _table(questions)]
    return np.array(rows, np.int16)


@lru_cache(maxsize=4)
def _table(questions: int) -> "npt.NDArray[np.int16]":
    rows = [lowered(questions, max(shared, 1)) for shared in range(questions + 1)]
    return np.array(rows, np.int16)
