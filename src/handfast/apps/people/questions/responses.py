"""Answers are stored, each over the one before; how far the questionnaire is, and what comes next.

One after the other for each user: the row in ``users`` is locked first, so that the narrow row and
``questionnaire_done`` follow from all answers, whoever else answers meanwhile.
"""

from collections.abc import Sequence
from enum import StrEnum
from types import NoneType
from typing import Any
from uuid import UUID

import msgspec

from handfast.apps.people.errors import AnswerInvalid, QuestionsMoved
from handfast.apps.people.profiles.changing import ensure_user
from handfast.apps.people.profiles.profile import OnboardingStatus
from handfast.apps.people.questions.answer import (
    Answer,
    checked,
    checked_wish,
    code,
    wish_code,
)
from handfast.apps.people.questions.first_set import FIRST_SET
from handfast.apps.people.questions.packed import ScoredAnswer, pack
from handfast.apps.people.questions.question import Question, QuestionSet
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.jobs.kinds import as_json

QUESTIONS = FIRST_SET  # those that are asked now


class NextStep(StrEnum):
    PHOTO_VERIFICATION = "photo_verification"
    MATCHING = "matching"
    COMPLETE = "complete"


class Response(msgspec.Struct, frozen=True):
    question_id: str
    answer: Answer
    importance: int | None = None
    wish: Answer | None = None


class Progress(msgspec.Struct, frozen=True, rename="camel"):
    """`nextStep` is what comes once all required questions are answered."""

    completion_percentage: int
    next_step: NextStep


class Stored(msgspec.Struct, frozen=True):
    question_id: str
    version: int
    importance: int | None
    answer: str
    wish: str | None


class _Standing(msgspec.Struct, frozen=True):
    onboarding: str
    matching: bool


_PUT = statement("people.put_responses", row=NoneType)
_ALL = statement("people.responses", row=Stored)
_FINISH = statement("people.put_answers", row=_Standing)


async def answer_questions(
    tx: Transaction, user_id: UUID, version: int, responses: Sequence[Response]
) -> Progress:
    if version != QUESTIONS.version:
        raise QuestionsMoved(
            f"Version {version} of the questions is not asked; {QUESTIONS.version} is.",
            hint="GET /compatibility/questions has the present ones.",
        )
    rows = [_row(response) for response in _each_once(responses)]
    await ensure_user(tx, user_id)
    await _PUT.run(tx, user_id, version, *(list(column) for column in zip(*rows, strict=True)))
    stored = await _ALL.all(tx, user_id)
    done = completion(QUESTIONS, {one.question_id for one in stored})
    row = packed_row(QUESTIONS, stored)
    standing = await _FINISH.one(tx, user_id, version, row, done == 100)
    return Progress(done, next_step(standing.onboarding, matching=standing.matching))


async def previous_answers(on: Queryable, user_id: UUID) -> dict[str, Any]:
    stored = await _ALL.all(on, user_id)
    return {one.question_id: msgspec.json.decode(one.answer) for one in stored}


def completion(questions: QuestionSet, answered: set[str]) -> int:
    """Of the required ones, in percent, rounded down: 100 only when all are answered."""
    return 100 * len(questions.required & answered) // len(questions.required)


def next_step(onboarding: str, *, matching: bool) -> NextStep:
    """What is left once all questions are answered."""
    if onboarding != OnboardingStatus.COMPLETE:
        return NextStep.PHOTO_VERIFICATION
    return NextStep.MATCHING if matching else NextStep.COMPLETE


def packed_row(questions: QuestionSet, stored: Sequence[Stored]) -> bytes:
    """Answers to questions that are not asked any more are left out."""
    found: dict[str, ScoredAnswer] = {}
    for one in stored:
        question = questions.by_id.get(one.question_id)
        if question is not None and question.scored:
            wish = None if one.wish is None else msgspec.json.decode(one.wish)
            found[question.id] = scored(
                question, msgspec.json.decode(one.answer), one.importance, wish
            )
    return pack(questions, found)


def scored(question: Question, answer: Any, importance: int | None, wish: Any) -> ScoredAnswer:
    return ScoredAnswer(
        question.weight if importance is None else importance,
        code(question, answer),
        wish_code(question, answer, wish),
    )


def _each_once(responses: Sequence[Response]) -> Sequence[Response]:
    if len({one.question_id for one in responses}) < len(responses):
        raise AnswerInvalid("One question is answered twice.", hint="Send one answer for each.")
    return sorted(responses, key=lambda one: one.question_id)


def _row(response: Response) -> tuple[str, int | None, str, str | None]:
    question = QUESTIONS.by_id.get(response.question_id)
    if question is None:
        raise AnswerInvalid(
            "There is no such question.",
            hint="GET /compatibility/questions has those there are.",
        )
    answer = checked(question, response.answer)
    wish = None if response.wish is None else as_json(checked_wish(question, response.wish))
    return question.id, response.importance, as_json(answer), wish
