"""What is decided without a database: how severe a report is, when its reporter may expect an
answer, and which decisions somebody may appeal against."""

from datetime import timedelta
from enum import StrEnum

DESCRIPTION_MAX = 2000  # characters, as the contract has them
REASON_MAX = 2000
NOTE_MAX = 2000
EVIDENCE_MAX = 50  # messages: a page of a chat


class ReportType(StrEnum):
    USER = "user"
    MESSAGE = "message"
    MATCH = "match"


class ReportCategory(StrEnum):
    HARASSMENT = "harassment"
    INAPPROPRIATE_CONTENT = "inappropriate_content"
    SCAM = "scam"
    VIOLENCE = "violence"
    SELF_HARM = "self_harm"
    CHILD_SAFETY = "child_safety"
    OTHER = "other"


class Severity(StrEnum):
    """The most severe first."""

    CRITICAL = "critical"
    HIGH = "high"
    STANDARD = "standard"


class Decision(StrEnum):
    WARN = "warn"
    REMOVE = "remove"
    SUSPEND = "suspend"
    BAN = "ban"
    DISMISS = "dismiss"


class AppealOutcome(StrEnum):
    UPHELD = "upheld"  # the action stands
    OVERTURNED = "overturned"


ANSWERED_WITHIN = {
    Severity.CRITICAL: timedelta(hours=1),
    Severity.HIGH: timedelta(hours=24),
    Severity.STANDARD: timedelta(hours=72),
}
# What a report of a category is at least, whatever its reporter says.
AT_LEAST = {
    ReportCategory.CHILD_SAFETY: Severity.CRITICAL,
    ReportCategory.SELF_HARM: Severity.HIGH,
    ReportCategory.VIOLENCE: Severity.HIGH,
}
SUSPENDED_DAYS = 7  # when an operator names no number
DAYS_MAX = 3650


def severity_of(category: ReportCategory, asked: Severity | None) -> Severity:
    """The graver of what the reporter says and what the category is at least."""
    order = list(Severity)
    least = AT_LEAST.get(category, Severity.STANDARD)
    return min(least, asked or Severity.STANDARD, key=order.index)


def may_be_appealed(decision: Decision) -> bool:
    """What is done to somebody; a dismissal does nothing to anybody."""
    return decision is not Decision.DISMISS
