"""What people send, and what the questionnaire answers. Profiles and the like are described where
their rules are."""

from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec

from handfast.apps.people.blocks import BlockReason, UserBlock
from handfast.apps.people.profiles.profile import Gender
from handfast.apps.people.questions.answer import Answer
from handfast.apps.people.questions.question import (
    TEXT_MAX,
    Question,
    QuestionSet,
    QuestionType,
)
from handfast.base.text import NO_NUL

Why = Annotated[str, msgspec.Meta(max_length=500, pattern=NO_NUL, description="For the audit.")]
Word = Annotated[str, msgspec.Meta(max_length=2 * TEXT_MAX, pattern=NO_NUL)]
OptionId = Annotated[str, msgspec.Meta(max_length=100)]
Sent = Word | int | float | Annotated[list[OptionId], msgspec.Meta(max_length=64)]
# 0: does not matter; 4: matters most. Not a range: the description would leave out its 0.
Importance = Literal[0, 1, 2, 3, 4]


class OptionShown(msgspec.Struct, rename="camel"):
    id: str
    label: str


class QuestionShown(msgspec.Struct, rename="camel", omit_defaults=True):
    id: str
    type: QuestionType
    prompt: str
    is_required: bool
    description: str | None = None
    options: list[OptionShown] | None = None
    min: int | None = None
    max: int | None = None
    step: int | None = None
    previous_answer: Answer | None = None


class QuestionsShown(msgspec.Struct, rename="camel"):
    version: int
    questions: list[QuestionShown]


def questions_shown(questions: QuestionSet, previous: dict[str, Any]) -> QuestionsShown:
    return QuestionsShown(
        questions.version, [_shown(one, previous.get(one.id)) for one in questions.questions]
    )


def _shown(question: Question, previous: Any) -> QuestionShown:
    return QuestionShown(
        id=question.id,
        type=question.type,
        prompt=question.prompt,
        is_required=question.required,
        description=question.description or None,
        options=[OptionShown(one.id, one.label) for one in question.options] or None,
        min=question.min,
        max=question.max,
        step=question.step,
        previous_answer=previous,
    )


class SentResponse(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """`answer` is a string, a number or an array, as the question's type wants it. `importance` is
    from 0, does not matter, to 4, matters most. `wish` is what is wanted of others, where that is
    not what follows from the answer."""

    question_id: Annotated[str, msgspec.Meta(max_length=100)]
    answer: Sent
    importance: Importance | None = None
    wish: Sent | None = None


class SentResponses(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    version: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    responses: Annotated[list[SentResponse], msgspec.Meta(min_length=1, max_length=100)]


class NewBlock(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    user_id: UUID
    reason: BlockReason | None = None


class BlockList(msgspec.Struct, rename="camel"):
    blocks: list[UserBlock]


class NewVerification(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """`consentVersion` is the text that the user has agreed to."""

    consent_version: Annotated[
        str,
        msgspec.Meta(
            min_length=1, max_length=50, pattern=r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$"
        ),
    ]


class DeletionBegun(msgspec.Struct, rename="camel"):
    """Hidden and signed out; erased after so many days, unless you sign in before."""

    erased_after_days: int


class Correction(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What a verified user cannot change any more. What is left out, or null, stays as it is."""

    birth_date: date | None = None
    gender: Gender | None = None
    reason: Why | None = None


class VerificationDecision(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """`verified`, or why it failed, is for a session that waits for review; `reset` lets somebody
    try again who has failed too often."""

    decision: Literal[
        "verified",
        "reset",
        "liveness_failed",
        "age_verification_failed",
        "quality_too_low",
        "policy_violation",
    ]
    reason: Why | None = None
