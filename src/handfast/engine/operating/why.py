"""Why a job does not run: one look at the database, and a rule that turns it into reasons.

There may be several at once (its lane is paused, and nobody works on it): all are told, in the
order in which they would have to be dealt with. The words are ours, and fit for everybody who may
look; what people or programs wrote freely (the reason of a pause, the last error) is in ``note``.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum

import msgspec

from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.jobs_view import RelatedJob, no_such_job, required_by

BEFORE_MAX = 1000  # jobs before it that are counted; beyond that it is "at least"


class WhyCode(StrEnum):
    """What keeps a job from running, or that nothing does."""

    RUNNING = "running"
    CANCELLING = "cancelling"
    LOST = "lost"
    DUE_AT = "due_at"
    RETRY_AT = "retry_at"
    OVERDUE = "overdue"
    BLOCKED = "blocked"
    BLOCKED_BY_END = "blocked_by_end"
    LANE_PAUSED = "lane_paused"
    KIND_PAUSED = "kind_paused"
    GROUP_FULL = "group_full"
    SHARED_GROUP_FULL = "shared_group_full"
    NO_WORKER = "no_worker"
    LANE_WITHOUT_WORKER = "lane_without_worker"
    KIND_WITHOUT_WORKER = "kind_without_worker"
    NEXT = "next"
    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    DEAD = "dead"
    DISCARDED = "discarded"


class WhyReason(msgspec.Struct, frozen=True, rename="camel"):
    """``at`` is when it ends by itself, or since when it is so; ``jobs`` are those it waits for."""

    code: WhyCode
    text: str
    note: str | None = None
    at: datetime | None = None
    jobs: list[RelatedJob] = []


class WhyFacts(msgspec.Struct, frozen=True):
    """All that the rule wants to know; what only a live job has is null for others."""

    state: str
    kind: str
    lane: str | None
    due_at: datetime | None
    failures: int | None
    anchor: str | None
    reason: str | None
    cancelling: bool
    worker: int | None
    lease_until: datetime | None
    lost: bool
    group_name: str | None
    group_max: int | None
    group_running: int
    shared_name: str | None
    shared_max: int | None
    shared_running: int
    lane_paused_at: datetime | None
    lane_paused_by: str | None
    lane_pause_reason: str | None
    kind_paused_at: datetime | None
    kind_paused_by: str | None
    kind_pause_reason: str | None
    any_worker: bool
    lane_worker: bool
    kind_worker: bool
    before: int | None
    discard_reason: str | None
    now: datetime


_WHY = statement("engine.why", row=WhyFacts)


async def why(on: Queryable, job_id: int) -> list[WhyReason]:
    """Two statements at most, whatever else is in the database."""
    facts = await _WHY.maybe(on, job_id, BEFORE_MAX)
    if facts is None:
        raise no_such_job(job_id)
    blocked = facts.state == JobState.BLOCKED
    unmet = await required_by(on, job_id) if blocked else []
    return reasons(facts, [one for one in unmet if not one.met])


def reasons(facts: WhyFacts, unmet: Sequence[RelatedJob] = ()) -> list[WhyReason]:
    """The rule. What has ended, runs or waits for other jobs has one reason; what waits for its
    turn is also asked what else stands in its way."""
    state = JobState(facts.state)
    if state.final:
        return [_ended(state, facts)]
    if state is JobState.RUNNING:
        return [_running(facts)]
    if state is JobState.BLOCKED:
        return [_blocked(facts, unmet), *_in_the_way(facts)]
    if state is JobState.SCHEDULED:
        return [_scheduled(facts), *_in_the_way(facts)]
    return list(_in_the_way(facts)) or [_next(facts)]


def _ended(state: JobState, facts: WhyFacts) -> WhyReason:
    if facts.discard_reason is not None:
        text = "It is a dead letter, and was discarded."
        return WhyReason(WhyCode.DISCARDED, text, facts.discard_reason)
    words = {
        JobState.SUCCEEDED: "It has succeeded: there is nothing left to do.",
        JobState.CANCELLED: "It was cancelled, and runs again only if revived.",
        JobState.SKIPPED: "It was skipped, and runs again only if revived.",
        JobState.DEAD: "It is a dead letter: somebody has to requeue or discard it.",
    }
    return WhyReason(WhyCode(state), words[state])


def _running(facts: WhyFacts) -> WhyReason:
    if facts.lost:
        text = "Its worker stopped answering; another one takes it over in a moment."
        return WhyReason(WhyCode.LOST, text, at=facts.lease_until)
    if facts.cancelling:
        text = "It runs, and was told to stop at its worker's next heartbeat."
        return WhyReason(WhyCode.CANCELLING, text, facts.reason)
    return WhyReason(WhyCode.RUNNING, "It runs.", at=facts.lease_until)


def _blocked(facts: WhyFacts, unmet: Sequence[RelatedJob]) -> WhyReason:
    ended = [one for one in unmet if JobState(one.state).final]
    names = ", ".join(f"{one.kind} {one.key} ({one.state})" for one in (ended or unmet)[:5])
    more = f" and {len(unmet) - 5} more" if len(unmet) > 5 and not ended else ""
    if ended:
        text = f"It waits for what has ended without success: {names}. Requeue or revive that."
        return WhyReason(WhyCode.BLOCKED_BY_END, text, facts.reason, jobs=list(ended))
    return WhyReason(WhyCode.BLOCKED, f"It waits for {names}{more}.", jobs=list(unmet))


def _scheduled(facts: WhyFacts) -> WhyReason:
    assert facts.due_at is not None  # noqa: S101  # every live job is due at some time
    if facts.due_at <= facts.now:
        text = "It is due, and no process has looked at it yet."
        return WhyReason(WhyCode.OVERDUE, text, at=facts.due_at)
    if facts.failures:
        text = f"It has failed {facts.failures} times, and is tried again at its time."
        return WhyReason(WhyCode.RETRY_AT, text, facts.reason, facts.due_at)
    hangs = f", and hangs on {facts.anchor}" if facts.anchor is not None else ""
    return WhyReason(WhyCode.DUE_AT, f"It is not due yet{hangs}.", at=facts.due_at)


def _in_the_way(facts: WhyFacts) -> Iterator[WhyReason]:
    if facts.lane_paused_at is not None:
        text = f"Its lane {facts.lane} was paused by {facts.lane_paused_by}."
        yield WhyReason(WhyCode.LANE_PAUSED, text, facts.lane_pause_reason, at=facts.lane_paused_at)
    if facts.kind_paused_at is not None:
        text = f"Its kind {facts.kind} was paused by {facts.kind_paused_by}."
        yield WhyReason(WhyCode.KIND_PAUSED, text, facts.kind_pause_reason, at=facts.kind_paused_at)
    if not facts.any_worker:
        yield WhyReason(WhyCode.NO_WORKER, "No worker is registered: nobody works at all.")
    elif not facts.lane_worker:
        text = f"No worker listens to its lane {facts.lane}."
        yield WhyReason(WhyCode.LANE_WITHOUT_WORKER, text)
    elif not facts.kind_worker:
        text = f"Workers listen to its lane {facts.lane}; none of them knows its kind {facts.kind}."
        yield WhyReason(WhyCode.KIND_WITHOUT_WORKER, text)
    if facts.state != JobState.READY:
        return
    if facts.group_max is not None and facts.group_running >= facts.group_max:
        text = f"Its group {facts.group_name} is full: {facts.group_max} of its jobs run."
        yield WhyReason(WhyCode.GROUP_FULL, text)
    elif facts.shared_max is not None and facts.shared_running >= facts.shared_max:
        text = (
            f"Its group {facts.group_name} shares {facts.shared_max} places of "
            f"{facts.shared_name} with others, and all are taken."
        )
        yield WhyReason(WhyCode.SHARED_GROUP_FULL, text)


def _next(facts: WhyFacts) -> WhyReason:
    if not facts.before:
        return WhyReason(WhyCode.NEXT, "It is ready, and next of its kind.")
    least = "at least " if facts.before >= BEFORE_MAX else ""
    text = f"It is ready; {least}{facts.before} of its kind are before it."
    return WhyReason(WhyCode.NEXT, text)
