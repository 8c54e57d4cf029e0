"""What an answer, or the lack of one, means for the delivery. Pure."""

from enum import StrEnum
from typing import NamedTuple

from handfast.engine.jobs.faults import clean
from handfast.engine.jobs.retry import FailureClass
from handfast.engine.work.lease import AttemptOutcome
from handfast.services.outbound.sender import AddressRefused, NoAnswer, ServerAnswer

GONE = 410
BUSY = (429, 503)  # the answers whose Retry-After is meant for us


class DeliveryOutcome(StrEnum):
    DELIVERED = "delivered"
    FAILED = "failed"  # tried again, by the schedule
    REFUSED = "refused"  # by us: no retry can fix it
    GONE = "gone"  # the endpoint wants no more, ever
    SKIPPED = "skipped"  # nothing was sent


class DeliveryVerdict(NamedTuple):
    outcome: DeliveryOutcome
    status: int | None = None
    error: str | None = None
    excerpt: str | None = None
    retry_after: float | None = None

    @property
    def outcome_of_job(self) -> AttemptOutcome:
        """What it is to the engine. A refusal of ours no retry can fix; what is gone or skipped
        does not run again."""
        error = None if self.error is None else clean(self.error)
        match self.outcome:
            case DeliveryOutcome.DELIVERED:
                return AttemptOutcome("succeeded")
            case DeliveryOutcome.GONE | DeliveryOutcome.SKIPPED:
                return AttemptOutcome("skipped", error=error)
            case DeliveryOutcome.REFUSED:
                return AttemptOutcome("failed", error=error, failure=FailureClass.DATA)
            case DeliveryOutcome.FAILED:
                return AttemptOutcome("failed", error=error)

    def elsewhere(self) -> "DeliveryVerdict":
        """The same answer, of an address that is not the endpoint's any more."""
        said = f"{self.error}, at the address that the endpoint had before"
        return self._replace(outcome=DeliveryOutcome.FAILED, error=said)


def judge(answer: ServerAnswer) -> DeliveryVerdict:
    """Success is 2xx. A redirect is a failure: who follows it may be led anywhere."""
    status, excerpt = answer.status, answer.excerpt
    if 200 <= status < 300:
        return DeliveryVerdict(DeliveryOutcome.DELIVERED, status, None, excerpt)
    if status == GONE:
        return DeliveryVerdict(DeliveryOutcome.GONE, status, "it answered 410 Gone", excerpt)
    if 300 <= status < 400:
        said = f"it answered {status}, a redirect, which is not followed"
        return DeliveryVerdict(DeliveryOutcome.FAILED, status, said, excerpt)
    wait = answer.retry_after if status in BUSY else None
    said = f"it answered {status}" if wait is None else f"it answered {status}, wait {wait:g} s"
    return DeliveryVerdict(DeliveryOutcome.FAILED, status, said, excerpt, wait)


def judge_failure(failure: NoAnswer) -> DeliveryVerdict:
    """No answer came."""
    outcome = (
        DeliveryOutcome.REFUSED if isinstance(failure, AddressRefused) else DeliveryOutcome.FAILED
    )
    return DeliveryVerdict(outcome, error=str(failure))
