"""What a question is, and what makes a set of them usable.

Offers score answers in exact integers, which bounds what a set may ask: at most 64 scored
questions, choices of at most 16 options, sliders of at most 101 steps, rankings of four. A set that
breaks a bound is refused when it is loaded, not when the first pair is scored.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

SCORED_MAX = 64  # questions: what one product of integers in float32 has room for
OPTIONS_MAX = 16  # of a choice: they are bits of two bytes
STEPS_MAX = 101  # of a slider: percent, at the finest
RANKED = 4  # options of a ranking: six ordered pairs share the 60 points of a fit
IMPORTANCE_MAX = 4
IMPORTANCE_WEIGHTS = (0, 1, 2, 4, 8)  # steep: what matters most outweighs all that hardly does
TEXT_MAX = 1000  # characters of an answer in words

_ID = re.compile(r"[a-z][a-z0-9_]{1,39}")


class QuestionType(StrEnum):
    SINGLE_CHOICE = "single_choice"
    MULTIPLE_CHOICE = "multiple_choice"
    SLIDER = "slider"
    TEXT = "text"
    RANKING = "ranking"


class Construct(StrEnum):
    COMMUNICATION = "communication"
    ATTACHMENT = "attachment"
    VALUES = "values"
    FAMILY = "family"
    LIFESTYLE = "lifestyle"
    INTENT = "intent"


class Rule(StrEnum):
    """What somebody wishes of another, by their own answer."""

    SAME = "same"  # the option that I chose
    NEAR = "near"  # as close to my place on the slider as can be
    MORE = "more"  # the upper end, wherever I am myself
    SHARE = "share"  # the options that I chose, each counts
    ORDER = "order"  # my order
    NONE = "none"  # not scored


RULES = {
    QuestionType.SINGLE_CHOICE: {Rule.SAME},
    QuestionType.SLIDER: {Rule.NEAR, Rule.MORE},
    QuestionType.MULTIPLE_CHOICE: {Rule.SHARE},
    QuestionType.RANKING: {Rule.ORDER},
    QuestionType.TEXT: {Rule.NONE},
}


@dataclass(frozen=True)
class Option:
    id: str
    label: str


@dataclass(frozen=True)
class Question:
    """``weight`` is the importance that counts for who states none."""

    id: str
    construct: Construct
    type: QuestionType
    rule: Rule
    prompt: str
    description: str = ""
    options: tuple[Option, ...] = ()
    min: int | None = None
    max: int | None = None
    step: int | None = None
    weight: int = 2
    required: bool = True

    @property
    def scored(self) -> bool:
        return self.rule is not Rule.NONE

    @property
    def steps(self) -> int:
        """Places on the slider."""
        if self.min is None or self.max is None or self.step is None:
            return 0
        return (self.max - self.min) // self.step + 1

    @cached_property
    def places(self) -> dict[str, int]:
        return {option.id: place for place, option in enumerate(self.options)}


@dataclass(frozen=True)
class QuestionSet:
    version: int
    questions: tuple[Question, ...]

    def __post_init__(self) -> None:
        check(self)

    @cached_property
    def by_id(self) -> dict[str, Question]:
        return {question.id: question for question in self.questions}

    @cached_property
    def scored(self) -> tuple[Question, ...]:
        return tuple(question for question in self.questions if question.scored)

    @cached_property
    def required(self) -> frozenset[str]:
        return frozenset(question.id for question in self.questions if question.required)


def check(questions: QuestionSet) -> None:
    """``ValueError`` if offers could not score it."""
    ids = [question.id for question in questions.questions]
    if len(set(ids)) < len(ids):
        raise ValueError("two questions have one id")
    if sum(question.scored for question in questions.questions) > SCORED_MAX:
        raise ValueError(f"more than {SCORED_MAX} questions are scored")
    for question in questions.questions:
        wrong = why_unusable(question)
        if wrong is not None:
            raise ValueError(f"question {question.id!r} {wrong}")


def why_unusable(question: Question) -> str | None:
    kind = question.type
    options = len(question.places)
    faults = {
        "has an id that is none": not _ID.fullmatch(question.id),
        "asks nothing": not question.prompt,
        f"cannot be scored by the rule {question.rule}": question.rule not in RULES[kind],
        "has a weight outside 1..4": not 1 <= question.weight <= IMPORTANCE_MAX,
        "names an option twice": options != len(question.options),
        f"needs 2 to {OPTIONS_MAX} options": kind
        in (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_CHOICE)
        and not 2 <= options <= OPTIONS_MAX,
        f"ranks other than {RANKED} options": kind is QuestionType.RANKING and options != RANKED,
        "has options that nobody can choose": kind in (QuestionType.SLIDER, QuestionType.TEXT)
        and options > 0,
        f"needs a slider of 2 to {STEPS_MAX} whole steps": kind is QuestionType.SLIDER
        and not _slides(question),
        "has bounds without a slider": kind is not QuestionType.SLIDER
        and (question.min, question.max, question.step) != (None, None, None),
    }
    return next((said for said, is_so in faults.items() if is_so), None)


def _slides(question: Question) -> bool:
    if question.min is None or question.max is None or not question.step or question.step < 0:
        return False
    whole = (question.max - question.min) % question.step == 0
    return whole and 2 <= question.steps <= STEPS_MAX
