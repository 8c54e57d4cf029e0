"""Who looks at the picture of a verification: a small interface.

To plug in a real one see docs/guides/people-plug-ins.md.
"""

from datetime import date
from enum import StrEnum
from typing import Protocol
from uuid import UUID

import msgspec


class VerificationStatus(StrEnum):
    VERIFIED = "verified"
    FAILED = "failed"
    MANUAL_REVIEW = "manual_review"  # a person has to decide


class FailureReason(StrEnum):
    LIVENESS_FAILED = "liveness_failed"
    AGE_VERIFICATION_FAILED = "age_verification_failed"
    QUALITY_TOO_LOW = "quality_too_low"
    POLICY_VIOLATION = "policy_violation"


class ClaimedPerson(msgspec.Struct, frozen=True):
    """What is to be proven. The picture is a JPEG that we have made anew."""

    session_id: UUID
    birth_date: date
    picture: bytes


class Verdict(msgspec.Struct, frozen=True):
    status: VerificationStatus
    failure_reason: FailureReason | None = None

    def __post_init__(self) -> None:
        if (self.status is VerificationStatus.FAILED) != (self.failure_reason is not None):
            raise ValueError("a verdict has a reason if and only if it failed")


class VerificationProvider(Protocol):
    name: str

    async def verify(self, claimed: ClaimedPerson) -> Verdict:
        """Raise if you cannot say: the session stays open, and the user may try again."""
