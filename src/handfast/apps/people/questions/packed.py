"""The scored answers of a user in one narrow row: what offers read a million times.

Five bytes for each scored question of a version, in its order: importance, answer, wish.
``numpy.frombuffer`` reads a row with ``DTYPE``; a question without an answer has importance 255.
"""

import struct
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from handfast.apps.people.questions.question import QuestionSet

UNANSWERED = 255
DTYPE = [("importance", "u1"), ("answer", "<u2"), ("wish", "<u2")]
BYTES = 5

_ONE = struct.Struct("<BHH")


class ScoredAnswer(NamedTuple):
    importance: int
    answer: int
    wish: int


_NOTHING = _ONE.pack(UNANSWERED, 0, 0)


def pack(questions: QuestionSet, answers: Mapping[str, ScoredAnswer]) -> bytes:
    return b"".join(
        _ONE.pack(*answers[question.id]) if question.id in answers else _NOTHING
        for question in questions.scored
    )


def unpack(questions: QuestionSet, row: bytes) -> dict[str, ScoredAnswer]:
    found: Iterable[ScoredAnswer] = map(ScoredAnswer._make, _ONE.iter_unpack(row))
    return {
        question.id: one
        for question, one in zip(questions.scored, found, strict=True)
        if one.importance != UNANSWERED
    }
