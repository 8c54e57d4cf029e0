"""What an answer, or the lack of one, means for the delivery. Pure."""

from enum import StrEnum
from typing import NamedTuple

from handfast.services.webhooks.outbound import Answer, Refused, Undeliverable

GONE = 410
BUSY = (429, 503)  # the answers whose Retry-After is meant for us


class Outcome(StrEnum):
    DELIVERED = "delivered"
    FAILED = "failed"  # tried again, by the schedule
    REFUSED = "refused"  # by us: no retry can fix it
    GONE = "gone"  # the endpoint wants no more, ever
    SKIPPED = "skipped"  # nothing was sent


class Verdict(NamedTuple):
    outcome: Outcome
    status: int | None = None
    error: str | None = None
    excerpt: str | None = None
    retry_after: float | None = None


def judge(answer: Answer) -> Verdict:
    """Success is 2xx. A redirect is a failure: who follows it may be led anywhere."""
    status, excerpt = answer.status, answer.excerpt
    if 200 <= status < 300:
        return Verdict(Outcome.DELIVERED, status, None, excerpt)
    if status == GONE:
        return Verdict(Outcome.GONE, status, "it answered 410 Gone", excerpt)
    if 300 <= status < 400:
        said = f"it answered {status}, a redirect, which is not followed"
        return Verdict(Outcome.FAILED, status, said, excerpt)
    wait = answer.retry_after if status in BUSY else None
    said = f"it answered {status}" if wait is None else f"it answered {status}, wait {wait:g} s"
    return Verdict(Outcome.FAILED, status, said, excerpt, wait)


def judge_failure(failure: Undeliverable) -> Verdict:
    """No answer came."""
    outcome = Outcome.REFUSED if isinstance(failure, Refused) else Outcome.FAILED
    return Verdict(outcome, error=str(failure))
