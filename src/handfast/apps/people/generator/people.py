"""One person after the other, each made from the seed and its own number alone: the first hundred
of a million are the hundred.

Answers hang together: everybody has four traits, each question leans on them in its own way, and a
part is chance. So some pairs fit well and most do not, as with people. Only numbers between 0 and 1
are drawn, and nothing that a library might draw otherwise tomorrow.
"""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple
from uuid import UUID

from handfast.apps.people.generator.cities import CITIES, City
from handfast.apps.people.generator.first_names import ANYBODY, FEMALE, LIKES, MALE, WORK
from handfast.apps.people.profiles.age import AGE_MAX, AGE_MIN
from handfast.apps.people.profiles.places import Point, point, rounded
from handfast.apps.people.questions.packed import ScoredAnswer
from handfast.apps.people.questions.question import Question, QuestionSet, QuestionType
from handfast.apps.people.questions.responses import QUESTIONS, scored
from handfast.base.extras import extra

with extra("people"):
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 1000  # people whose chances are drawn together
TRAITS = 4
CHANCES = 40  # numbers that a person's profile may use; the answers have their own
ANSWER_CHANCES = 18  # for each question: one for each option, and two more
TOWN_KM = 18  # how far from the centre the last of them live
DEGREE_KM = 111.2

Floats = NDArray[np.float64]


class Answered(NamedTuple):
    question: Question
    answer: Any
    importance: int | None


class MadeUp(NamedTuple):
    """A person, as the tables want them."""

    id: UUID
    phone: str
    created_at: datetime
    active_at: datetime
    name: str
    bio: str
    birth_date: date
    gender: str
    seeking: list[str]
    city: City
    latitude: float
    longitude: float
    place: Point
    min_age: int
    max_age: int
    distance_km: int
    intent: str
    verified: bool
    matching: bool
    answers: list[Answered]

    @property
    def done(self) -> bool:
        return len(self.answers) == len(QUESTIONS.scored)

    def packed(self) -> dict[str, ScoredAnswer]:
        return {
            one.question.id: scored(one.question, one.answer, one.importance, None)
            for one in self.answers
        }


def made_up(count: int, *, seed: int = 1, now: datetime, first: int = 0) -> Iterator[MadeUp]:
    """People number ``first`` and on, as they are at ``now``."""
    for start in range(first - first % BLOCK, first + count, BLOCK):
        draws = _Draws(seed, start)
        for number in range(max(first, start), min(first + count, start + BLOCK)):
            yield _person(seed, number, draws.of(number - start), now)


class _Chances:
    """The numbers of one person, one after the other."""

    def __init__(self, profile: list[float], answers: list[Answered]) -> None:
        self._profile = iter(profile)
        self.answers = answers

    def next(self) -> float:
        return next(self._profile)

    def pick(self, among: Sequence[Any]) -> Any:
        return among[int(self.next() * len(among))]

    def weighted(self, among: Sequence[Any], upto: Sequence[int]) -> Any:
        drawn = self.next() * upto[-1]
        return next(one for one, end in zip(among, upto, strict=True) if drawn < end)

    def around(self) -> float:
        """Between -1 and 1, mostly near 0."""
        return (self.next() + self.next() + self.next()) * 2 / 3 - 1


class _Draws:
    def __init__(self, seed: int, start: int) -> None:
        stream = np.random.Generator(np.random.PCG64([seed, start]))
        self._profile = stream.random((BLOCK, CHANCES)).tolist()
        traits = stream.random((BLOCK, TRAITS, 3)).sum(axis=2) * 2 / 3 - 1
        drawn = stream.random((BLOCK, len(QUESTIONS.scored), ANSWER_CHANCES))
        self._answers = [
            _block_answers(question, traits, drawn[:, at])
            for at, question in enumerate(QUESTIONS.scored)
        ]

    def of(self, at: int) -> _Chances:
        return _Chances(self._profile[at], [column[at] for column in self._answers])


def id_of(seed: int, number: int) -> UUID:
    digest = hashlib.sha256(f"handfast person {seed} {number}".encode()).digest()
    return UUID(bytes=digest[:16], version=4)


def phone_of(seed: int, number: int) -> str:
    """Of a country code that no country has."""
    return f"+999{seed % 1000:03d}{number:08d}"


_UPTO = list(accumulate(city.weight for city in CITIES))


def _person(seed: int, number: int, chances: _Chances, now: datetime) -> MadeUp:
    age = _age(chances)
    gender = chances.weighted(
        ("male", "female", "non_binary", "prefer_not_to_say"), (49, 97, 99, 100)
    )
    city: City = chances.weighted(CITIES, _UPTO)
    latitude = rounded(city.latitude + chances.around() * TOWN_KM / DEGREE_KM)
    longitude = rounded(city.longitude + chances.around() * TOWN_KM / DEGREE_KM)
    joined = now - timedelta(minutes=int(chances.next() * 60 * 24 * 400) + 60)
    verified = chances.next() < 0.94
    return MadeUp(
        id=id_of(seed, number),
        phone=phone_of(seed, number),
        created_at=joined,
        active_at=joined + (now - joined) * chances.next(),
        name=_name(gender, chances),
        bio=f"I am {chances.pick(WORK)} and like {chances.pick(LIKES)} and {chances.pick(LIKES)}.",
        birth_date=_birth(age, chances, now.date()),
        gender=gender,
        seeking=_seeking(gender, chances),
        city=city,
        latitude=latitude,
        longitude=longitude,
        place=point(latitude, longitude),
        min_age=max(AGE_MIN, age - 3 - int(chances.next() * 9)),
        max_age=min(AGE_MAX, age + 2 + int(chances.next() * 12)),
        distance_km=chances.weighted((10, 25, 50, 100, 250), (8, 30, 75, 93, 100)),
        intent=_intent(age, chances),
        verified=verified,
        matching=chances.next() < 0.97,
        answers=_answers(QUESTIONS, chances, whole=verified or chances.next() < 0.5),
    )


def _age(chances: _Chances) -> int:
    """Most are around thirty; few are above sixty."""
    return AGE_MIN + int(54 * min(chances.next(), chances.next()) ** 1.3)


def _birth(age: int, chances: _Chances, today: date) -> date:
    days = int(chances.next() * 364) + 1
    birthday = date(today.year - age, today.month, min(today.day, 28))
    return birthday - timedelta(days=days)


def _name(gender: str, chances: _Chances) -> str:
    name: str = chances.pick({"male": MALE, "female": FEMALE}.get(gender, ANYBODY))
    return name


def _seeking(gender: str, chances: _Chances) -> list[str]:
    drawn = chances.next()
    if gender not in ("male", "female"):
        return [] if drawn < 0.5 else ["female"] if drawn < 0.75 else ["male"]
    other = "female" if gender == "male" else "male"
    if drawn < 0.88:
        return [other]
    return [gender] if drawn < 0.94 else sorted([gender, other]) if drawn < 0.97 else []


def _intent(age: int, chances: _Chances) -> str:
    serious = min(0.5 + (age - AGE_MIN) / 60, 0.85)
    drawn = chances.next()
    if drawn < serious:
        return "serious" if drawn < serious * 0.75 else "marriage"
    return "casual" if drawn < (1 + serious) / 2 else "unsure"


def _answers(questions: QuestionSet, chances: _Chances, *, whole: bool) -> list[Answered]:
    kept = len(questions.scored) if whole else int(chances.next() * len(questions.scored))
    return chances.answers[:kept]


def _block_answers(question: Question, traits: Floats, drawn: Floats) -> list[Answered]:
    """Of everybody in a block, at once. ``drawn`` has a number for each option, then one for the
    importance and one for the place."""
    stated, place = drawn[:, -2].tolist(), drawn[:, -1]
    importance = [None if one < 0.5 else min(4, int((one - 0.5) * 10)) for one in stated]
    if question.type is QuestionType.SLIDER:
        middle = 0.5 + 0.35 * (traits @ _leanings(question.id, 1)[0]) + 0.45 * (place - 0.5)
        steps = np.rint(np.clip(middle, 0.0, 1.0) * (question.steps - 1)).astype(int).tolist()
        least, step = question.min or 0, question.step or 1
        answers: list[Any] = [least + at * step for at in steps]
    else:
        answers = _chosen(question, traits, drawn, place)
    return [Answered(question, *both) for both in zip(answers, importance, strict=True)]


def _chosen(question: Question, traits: Floats, drawn: Floats, place: Floats) -> list[Any]:
    options = list(question.places)
    liking = traits @ _leanings(question.id, len(options)).T + 1.6 * drawn[:, : len(options)]
    orders = np.argsort(-liking, axis=1, kind="stable").tolist()
    if question.type is QuestionType.SINGLE_CHOICE:
        return [options[order[0]] for order in orders]
    if question.type is QuestionType.RANKING:
        return [[options[at] for at in order] for order in orders]
    counts = (1 + (place * 3.999).astype(int)).tolist()
    return [
        [options[at] for at in sorted(order[:count])]
        for order, count in zip(orders, counts, strict=True)
    ]


@cache
def _leanings(question_id: str, count: int) -> Floats:
    """How a question, or each of its options, leans on the traits: from its name alone."""
    digest = hashlib.sha512(question_id.encode()).digest()
    return np.array(
        [
            [digest[(at * TRAITS + trait) % 64] / 127.5 - 1 for trait in range(TRAITS)]
            for at in range(count)
        ]
    )
