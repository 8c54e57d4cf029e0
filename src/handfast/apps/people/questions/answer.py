"""An answer and a wish, checked against their question, and their codes for scoring.

A code is what ``packed`` keeps: the place of an option, of a step or of an order, or the bits of
several options. A wish follows from the answer by the question's rule unless it was given.
"""

import unicodedata
from itertools import permutations
from typing import Any

from handfast.apps.people.errors import AnswerInvalid
from handfast.apps.people.questions.question import (
    RANKED,
    TEXT_MAX,
    Question,
    QuestionType,
    Rule,
)
from handfast.base.text import why_unstorable

Answer = str | int | float | list[str]

ORDERS = tuple(permutations(range(RANKED)))  # all 24, by their number
_ORDER_NUMBERS = {order: number for number, order in enumerate(ORDERS)}


def checked(question: Question, answer: Answer) -> Any:
    """As it is stored. A number that is whole is stored as one."""
    match question.type, answer:
        case QuestionType.SINGLE_CHOICE, str():
            _options(question, [answer])
            return answer
        case QuestionType.MULTIPLE_CHOICE, list():
            return sorted(_options(question, answer), key=question.places.__getitem__)
        case QuestionType.RANKING, list():
            if len(_options(question, answer)) != RANKED:
                raise _refused(question, f"ranks {len(answer)} of {RANKED} options")
            return answer
        case QuestionType.SLIDER, int() | float():
            return _on_slider(question, answer)
        case QuestionType.TEXT, str():
            return _words(question, answer)
    raise _refused(question, f"is not what a question of type {question.type} takes")


def checked_wish(question: Question, wish: Answer) -> Any:
    """Of a single choice several options may be wanted; all else is wished as it is answered."""
    if not question.scored:
        raise _refused(question, "has a wish, and nothing is wished of words")
    if question.type is QuestionType.SINGLE_CHOICE:
        wanted = _options(question, [wish] if isinstance(wish, str) else _listed(question, wish))
        return sorted(wanted, key=question.places.__getitem__)
    return checked(question, wish)


def code(question: Question, answer: Any) -> int:
    """Of a checked answer."""
    match question.type:
        case QuestionType.SINGLE_CHOICE:
            return question.places[answer]
        case QuestionType.MULTIPLE_CHOICE:
            return _bits(question, answer)
        case QuestionType.RANKING:
            return _ORDER_NUMBERS[tuple(question.places[one] for one in answer)]
        case QuestionType.SLIDER:
            return (int(answer) - (question.min or 0)) // (question.step or 1)
    raise ValueError(f"{question.id} is not scored")


def wish_code(question: Question, answer: Any, wish: Any = None) -> int:
    """Of a checked answer, and of the checked wish if one was given. Of a single choice it is bits:
    one for each option that is wanted."""
    if question.type is QuestionType.SINGLE_CHOICE:
        return _bits(question, [answer] if wish is None else wish)
    if wish is not None:
        return code(question, wish)
    return question.steps - 1 if question.rule is Rule.MORE else code(question, answer)


def _bits(question: Question, chosen: list[str]) -> int:
    return sum(1 << question.places[one] for one in chosen)


def _listed(question: Question, wish: Answer) -> list[str]:
    if not isinstance(wish, list):
        raise _refused(question, "has a wish that names no options")
    return wish


def _options(question: Question, chosen: list[str]) -> list[str]:
    for one in chosen:
        if one not in question.places:
            raise _refused(
                question,
                "names an option that there is not",  # which is the user's own: not repeated
                hint=f"There are: {', '.join(question.places)}.",
            )
    if not chosen or len(set(chosen)) < len(chosen):
        raise _refused(question, "names no option, or one twice")
    return chosen


def _on_slider(question: Question, answer: float) -> int:
    least, most, step = question.min or 0, question.max or 0, question.step or 1
    if isinstance(answer, bool) or not least <= answer <= most:  # nor is what is no number
        raise _refused(question, f"is not between {least} and {most}")
    if (answer - least) % step:
        raise _refused(question, f"is between two steps of {step}")
    return int(answer)


def _words(question: Question, answer: str) -> str:
    said = unicodedata.normalize("NFC", answer).strip()
    if not 1 <= len(said) <= TEXT_MAX or why_unstorable(said):
        raise _refused(question, f"has not 1 to {TEXT_MAX} characters that can be stored")
    return said


def _refused(question: Question, why: str, hint: str | None = None) -> AnswerInvalid:
    return AnswerInvalid(
        f"The answer to {question.id} {why}.",
        hint=hint or "GET /compatibility/questions has the questions and what they take.",
        question_id=question.id,
    )
