"""Where no provider is plugged in, production lets people look: every session waits for an
operator's word."""

from handfast.apps.people.verification.provider import ClaimedPerson, Verdict, VerificationStatus


class ManualReview:
    name = "manual"

    async def verify(self, claimed: ClaimedPerson) -> Verdict:
        return Verdict(VerificationStatus.MANUAL_REVIEW)
