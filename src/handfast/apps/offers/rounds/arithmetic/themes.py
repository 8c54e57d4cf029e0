"""Why people fit, of many pairs at once: equal to ``rules.score.themes`` for every pair, which a
test compares.

What a wish finds in an answer is looked up in a table for each question, of the different wishes by
the different answers that there are. Only where a question has very many of both it is computed for
each pair.
"""

from collections.abc import Sequence
from functools import cache

from handfast.apps.offers.rounds.arithmetic.kernel import question_columns
from handfast.apps.offers.rounds.pool import Pool
from handfast.apps.offers.rules.person import ScoredQuestion
from handfast.apps.offers.rules.score import THEMES
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

_AT_ONCE = 1 << 16  # pairs


class Themes:
    """Of one snapshot. A code stands for up to three constructs, the largest part first."""

    def __init__(self, questions: Sequence[ScoredQuestion], pool: Pool) -> None:
        self._columns = question_columns(questions, pool)
        self._constructs = sorted({question.construct for question in questions})
        self._of = [self._constructs.index(question.construct) for question in questions]
        self.text = cache(self._text)

    def codes(
        self, users: "npt.NDArray[np.int64]", candidates: "npt.NDArray[np.int64]"
    ) -> "npt.NDArray[np.int64]":
        """In what each candidate fits the user beside."""
        found = np.empty(len(users), np.int64)
        for at in range(0, len(users), _AT_ONCE):
            part = slice(at, at + _AT_ONCE)
            found[part] = self._codes(users[part], candidates[part])
        return found

    def _codes(
        self, users: "npt.NDArray[np.int64]", candidates: "npt.NDArray[np.int64]"
    ) -> "npt.NDArray[np.int64]":
        sums = np.zeros((len(self._constructs), len(users)), np.int32)
        for construct, column in zip(self._of, self._columns, strict=True):
            sums[construct] += column.reached(users, candidates)
        code = np.zeros(len(users), np.int64)
        everyone = np.arange(len(users))
        for _ in range(min(THEMES, len(self._constructs))):
            best = sums.argmax(axis=0)  # of equal ones the first: constructs are in their order
            code *= len(self._constructs) + 1
            code += np.where(sums[best, everyone] > 0, best + 1, 0)
            sums[best, everyone] = 0
        return code

    def _text(self, code: int) -> str:
        named, base = list[str](), len(self._constructs) + 1
        while code:
            code, number = divmod(code, base)
            if number:
                named.append(self._constructs[number - 1])
        return ",".join(reversed(named))
