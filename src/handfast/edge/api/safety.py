"""What users and operators send about reports and appeals. The answers are described where their
rules are."""

from typing import Annotated
from uuid import UUID

import msgspec

from handfast.apps.safety.rules import (
    DAYS_MAX,
    DESCRIPTION_MAX,
    EVIDENCE_MAX,
    NOTE_MAX,
    REASON_MAX,
    SUSPENDED_DAYS,
    AppealOutcome,
    Decision,
    ReportCategory,
    ReportType,
    Severity,
)
from handfast.base.text import NO_NUL

Description = Annotated[str, msgspec.Meta(max_length=DESCRIPTION_MAX, pattern=NO_NUL)]
Note = Annotated[
    str,
    msgspec.Meta(min_length=1, max_length=NOTE_MAX, pattern=NO_NUL, description="For operators."),
]
# Of a string that is only spaces nothing is left to read.
Reason = Annotated[
    str, msgspec.Meta(min_length=1, max_length=REASON_MAX, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$")
]


class SentReport(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """`evidence` names messages between you and whom you report: they are copied."""

    type: ReportType
    subject_id: UUID
    category: ReportCategory
    severity: Severity | None = None
    description: Description | None = None
    evidence: Annotated[list[UUID], msgspec.Meta(max_length=EVIDENCE_MAX)] = []


class SentAppeal(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    action_id: UUID
    reason: Reason


class ReportDecision(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    decision: Decision
    note: Note | None = None
    days: (
        Annotated[
            int,
            msgspec.Meta(
                ge=1,
                le=DAYS_MAX,
                description=f"How long a suspension lasts; without it {SUSPENDED_DAYS}.",
            ),
        ]
        | None
    ) = None


class AppealDecision(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """`upheld`: the action stands. `overturned`: it is undone."""

    outcome: AppealOutcome
    note: Note | None = None


class NewNote(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    note: Note
