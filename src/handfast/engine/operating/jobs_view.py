"""What operators see of jobs and workers: typed reads that stay cheap at millions of rows.

A list never reads more than ``SCAN_MAX`` rows of an index for one page, or what runs. So a page may
hold fewer jobs than asked for, or none, and still have a ``next``: "nothing up to here; ask on".
Newest first, except by kind or key, which is read along the identity's own index and comes in the
order of keys.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any

import msgspec

from handfast.base.errors import NotFound
from handfast.base.pages import bounded
from handfast.base.words import OneOf
from handfast.db.statements import Statement, statement
from handfast.db.transaction import Queryable
from handfast.engine.jobs.enqueue import PRUNED
from handfast.engine.jobs.states import JobState

SCAN_MAX = 2_000  # rows that one page may look at: a few milliseconds, however many there are
ATTEMPTS_MAX = 100  # the newest; a job with more has a policy that wants looking at
RELATED_MAX = 100
WORKERS_MAX = 500
LAST_ID = 2**63 - 1

_LIVE = frozenset({JobState.SCHEDULED, JobState.READY, JobState.RUNNING, JobState.BLOCKED})


class JobSummary(msgspec.Struct, frozen=True, rename="camel"):
    """One line of a list. What only a live job has is null for one that has ended; its lane and how
    often it was tried are there as long as its history."""

    id: int
    kind: str
    key: str
    state: Annotated[str, OneOf(JobState)]
    lane: str | None
    priority: int | None
    due_at: datetime | None
    finished_at: datetime | None
    started_at: datetime | None
    attempt: int | None
    worker: int | None
    progress: float | None
    message: str | None
    reason: str | None


class JobPage(msgspec.Struct, frozen=True, rename="camel"):
    jobs: list[JobSummary]
    next: int | None


class JobFilter(msgspec.Struct, frozen=True):
    """``lane`` is known of live jobs only: the identity that outlives the job has none."""

    kind: str | None = None
    lane: str | None = None
    state: JobState | None = None
    key: str | None = None


class _Job(msgspec.Struct, frozen=True):
    id: int
    kind: str
    key: str
    state: str
    lane: str | None
    priority: int | None
    version: int | None
    due_at: datetime | None
    first_due_at: datetime | None
    deadline_at: datetime | None
    enqueued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    token: int
    attempt: int | None
    failures: int | None
    worker: int | None
    worker_name: str | None
    group_name: str | None
    anchor: str | None
    anchor_offset: timedelta | None
    cancelling: bool
    reason: str | None
    progress: float | None
    message: str | None
    reported_at: datetime | None
    payload: str | None
    discarded_at: datetime | None
    discard_reason: str | None
    repaired: bool


class _Attempt(msgspec.Struct, frozen=True):
    attempt: int
    outcome: str
    due_at: datetime | None
    started_at: datetime | None
    finished_at: datetime
    worker: int | None
    worker_name: str | None
    token: int
    priority: int | None
    error_class: str | None
    error: str | None
    trace: str | None
    payload: str | None
    result: str | None


class AttemptEnding(StrEnum):
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    LOST = "lost"
    HANDED_BACK = "handed_back"
    CANCELLED = "cancelled"
    SNOOZED = "snoozed"
    SKIPPED = "skipped"


class AttemptView(msgspec.Struct, frozen=True, rename="camel"):
    attempt: int
    outcome: Annotated[str, OneOf(AttemptEnding)]
    due_at: datetime | None
    started_at: datetime | None
    finished_at: datetime
    seconds: float | None
    worker: int | None
    worker_name: str | None
    token: int
    error_class: str | None
    error: str | None
    trace: str | None


class RelatedJob(msgspec.Struct, frozen=True, rename="camel"):
    """A prerequisite, or a job that waits; ``met`` is whether the waiting for it is over."""

    id: int
    kind: str
    key: str
    state: Annotated[str, OneOf(JobState)]
    met: bool


class JobDetail(msgspec.Struct, frozen=True, rename="camel"):
    """One job whole. ``pruned`` says that its history has been dropped, and payload and result
    with it; the identity and its final state stay."""

    id: int
    kind: str
    key: str
    state: JobState
    lane: str | None
    priority: int | None
    version: int | None
    due_at: datetime | None
    first_due_at: datetime | None
    deadline_at: datetime | None
    enqueued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    token: int
    attempt: int | None
    failures: int | None
    worker: int | None
    worker_name: str | None
    group: str | None
    anchor: str | None
    anchor_offset_seconds: float | None
    cancelling: bool
    reason: str | None
    progress: float | None
    message: str | None
    reported_at: datetime | None
    discarded_at: datetime | None
    discard_reason: str | None
    repaired: bool
    pruned: bool
    payload: Any
    result: Any
    requires: list[RelatedJob]
    awaited_by: list[RelatedJob]
    attempts: list[AttemptView]


class WorkerState(StrEnum):
    BUSY = "busy"
    IDLE = "idle"
    LOST = "lost"
    ENDED = "ended"


class WorkerView(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    name: str
    lanes: list[str]
    state: Annotated[str, OneOf(WorkerState)]
    started_at: datetime
    beat_at: datetime
    lease_until: datetime
    ended_at: datetime | None
    running: int


_LIST_LIVE = statement("engine.list_live", row=JobSummary)
_LIST_RUNNING = statement("engine.list_running", row=JobSummary)
_LIST_ANY = statement("engine.list_any", row=JobSummary)
_LIST_BY_KEY = statement("engine.list_by_key", row=JobSummary)
_KINDS = statement("engine.kinds_known", row=str)
_REACH_OF_LIVE = statement("engine.reach_of_live", row=int)
_REACH_OF_JOBS = statement("engine.reach_of_jobs", row=int)
_REACH_OF_KEYS = statement("engine.reach_of_keys", row=int)
_JOB = statement("engine.job", row=_Job)
_JOB_ID = statement("engine.job_id", row=int)
_ATTEMPTS = statement("engine.job_attempts", row=_Attempt)
_REQUIRES = statement("engine.job_requires", row=RelatedJob)
_AWAITED_BY = statement("engine.job_awaited_by", row=RelatedJob)
_WORKERS = statement("engine.workers", row=WorkerView)
_ALIVE_OF = statement("engine.workers_alive_of", row=int)


async def list_jobs(
    on: Queryable, where: JobFilter, *, after: int | None = None, limit: int = 100
) -> JobPage:
    """One page; pass its ``next`` as ``after`` for the one that follows."""
    limit = bounded(limit)
    before = LAST_ID if after is None else after
    if where.state is JobState.RUNNING:  # few, by their own index
        jobs = await _LIST_RUNNING.all(on, where.kind, where.lane, where.key, before, limit)
        return JobPage(jobs, jobs[-1].id if len(jobs) == limit else None)
    if where.lane is not None or where.state in _LIVE:
        if where.state is not None and where.state.final:
            return JobPage([], None)  # the identity that outlives the job has no lane
        jobs = await _LIST_LIVE.all(
            on, where.kind, where.lane, where.state, where.key, before, limit, SCAN_MAX
        )
        return await _page(jobs, limit, on, _REACH_OF_LIVE, before, where.state)
    if where.kind is not None or where.key:
        return await _by_key(on, where, after, limit)
    jobs = await _LIST_ANY.all(on, where.state, before, limit, SCAN_MAX)
    return await _page(jobs, limit, on, _REACH_OF_JOBS, before)


async def _by_key(on: Queryable, where: JobFilter, after: int | None, limit: int) -> JobPage:
    """Along the identities. Without a kind, one kind after the other: there are not many."""
    kinds = [where.kind] if where.kind is not None else await _KINDS.all(on)
    prefix = where.key or ""
    if where.kind is None and after is not None:
        last = await _JOB.maybe(on, after)
        kinds = [kind for kind in kinds if last is None or kind >= last.kind]
    jobs: list[JobSummary] = []
    for kind in kinds:
        room = limit - len(jobs)
        found = await _LIST_BY_KEY.all(on, kind, prefix, where.state, after, room, SCAN_MAX)
        jobs += found
        page = await _page(found, room, on, _REACH_OF_KEYS, kind, prefix, after)
        if page.next is not None:
            return JobPage(jobs, page.next)
        after = None  # it was a place in that kind
    return JobPage(jobs, None)


async def _page(
    jobs: list[JobSummary], limit: int, on: Queryable, reach: Statement[int], *args: Any
) -> JobPage:
    """A short page is the last one, unless it is short because it had looked at enough."""
    if len(jobs) == limit:
        return JobPage(jobs, jobs[-1].id)
    return JobPage(jobs, await reach.maybe(on, *args, SCAN_MAX - 1))


async def find_job(on: Queryable, kind: str, key: str) -> JobDetail | None:
    job_id = await _JOB_ID.maybe(on, kind, key)
    return None if job_id is None else await get_job(on, job_id)


async def id_of(on: Queryable, kind: str, key: str) -> int:
    job_id = await _JOB_ID.maybe(on, kind, key)
    if job_id is None:
        raise NotFound(f"There is no job {kind} {key}.", hint="It was never enqueued.")
    return job_id


async def get_job(on: Queryable, job_id: int) -> JobDetail:
    """One job, whole: live or ended, with every attempt that is still kept."""
    job = await _JOB.maybe(on, job_id)
    if job is None:
        raise no_such_job(job_id)
    attempts = await _ATTEMPTS.all(on, job_id, ATTEMPTS_MAX)
    state = JobState(job.state)
    last = attempts[0] if attempts and state.final else None
    pruned = state.final and last is None
    payload = last.payload if job.payload is None and last is not None else job.payload
    result = last.result if last and state is JobState.SUCCEEDED else None
    own = {name: getattr(job, name) for name in job.__struct_fields__}
    offset = own.pop("anchor_offset")
    own |= {
        "state": state,
        "group": own.pop("group_name"),
        "anchor_offset_seconds": None if offset is None else offset.total_seconds(),
        "payload": decoded(payload),
    }
    return JobDetail(
        **own,
        pruned=pruned,
        result=PRUNED if pruned and state is JobState.SUCCEEDED else decoded(result),
        requires=await required_by(on, job_id),
        awaited_by=await _AWAITED_BY.all(on, job_id, RELATED_MAX),
        attempts=[_attempt(found) for found in reversed(attempts)],
    )


async def required_by(on: Queryable, job_id: int) -> list[RelatedJob]:
    """What a job waits for, or waited for."""
    return await _REQUIRES.all(on, job_id, RELATED_MAX)


async def list_workers(on: Queryable) -> list[WorkerView]:
    """Those that work, and those that ended within the hour."""
    return await _WORKERS.all(on, WORKERS_MAX)


async def alive_of(on: Queryable, workers: Sequence[int]) -> set[int]:
    """Those of them that have not ended, and whose last heartbeat still counts."""
    return set(await _ALIVE_OF.all(on, workers))


def _attempt(found: _Attempt) -> AttemptView:
    seconds = (
        None if found.started_at is None else (found.finished_at - found.started_at).total_seconds()
    )
    return AttemptView(
        seconds=seconds,
        **{
            name: getattr(found, name)
            for name in AttemptView.__struct_fields__
            if name != "seconds"
        },
    )


def decoded(json: str | None) -> Any:
    return None if json is None else msgspec.json.decode(json)


def no_such_job(job_id: int) -> NotFound:
    return NotFound(
        f"There is no job {job_id}.", hint="`handfast jobs list` shows which there are."
    )
