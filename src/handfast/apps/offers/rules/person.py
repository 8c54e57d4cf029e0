"""One person of a snapshot, and the questions that the answers are to.

Answers come packed as the schema of people keeps them (see the comment on its column): five bytes
for each scored question. Which questions those are is data of that schema, too.
"""

import struct
from datetime import date
from typing import NamedTuple
from uuid import UUID

import msgspec

UNANSWERED = 255
ANSWER_BYTES = 5
_ANSWER = struct.Struct("<BHH")


class ScoredQuestion(msgspec.Struct, frozen=True):
    """``size`` is how many options or steps there are."""

    id: str
    construct: str
    type: str
    size: int


class PackedAnswer(NamedTuple):
    importance: int
    answer: int
    wish: int


class Person(msgspec.Struct, frozen=True):
    """``places`` is how many offers there is room for today."""

    id: UUID
    birth_date: date
    gender: str
    seeking: list[str]
    min_age: int
    max_age: int
    max_distance_km: int
    intent: str
    x: int
    y: int
    z: int
    places: int
    answers: bytes


def unpacked(answers: bytes) -> list[PackedAnswer | None]:
    """In the order of the questions; None where there is no answer."""
    return [
        None if one[0] == UNANSWERED else PackedAnswer(*one) for one in _ANSWER.iter_unpack(answers)
    ]


def age_on(birth: date, day: date) -> int:
    """Whole years."""
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))
