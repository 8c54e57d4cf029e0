"""The worker's side of the tables: claim, finish, fail, hand back. Thin: the database decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from types import NoneType
from typing import Literal

import asyncpg
import msgspec

from handfast.db import constraints
from handfast.db.errors import InstantOutOfRange
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.errors import JobMoveRefused, JobTooLarge, LeaseLost, WorkerLost
from handfast.engine.jobs.kinds import KindVersion
from handfast.engine.jobs.retry import FailureClass

WORKER_LOST = constraints.sqlstate(
    "HF001", "handfast_engine.claim"
)  # to a worker that was given up

constraints.register(
    {
        "job_move": JobMoveRefused,
        "job_final_move": JobMoveRefused,
        "live_payload_size": JobTooLarge,
        "attempt_result_size": JobTooLarge,
        "instant_in_range": InstantOutOfRange,
        "worker_lease_in_range": InstantOutOfRange,
    }
)


_FIRST, _LAST = -62_135_596_800.0, 253_402_300_799.0  # the years 1 to 9999, in seconds


def instant(seconds: float) -> datetime:
    """As near as Python can say it: the database knows infinity too, and years before the first."""
    return datetime.fromtimestamp(min(max(seconds, _FIRST), _LAST), UTC)


class Claimed(msgspec.Struct, frozen=True, gc=False):
    """A job that this worker holds, and the token that proves it.

    Thousands are held at once; nothing in them can be part of a cycle, so the garbage collector
    need not walk through them.
    """

    id: int
    token: int
    attempt: int
    kind: str
    key: str
    payload: str
    version: int
    due: float  # seconds: a datetime takes as long to make as the rest of the row; exact until 2242
    alone: bool
    lane: str
    priority: int

    @property
    def due_at(self) -> datetime:
        return instant(self.due)


class AttemptOutcome(msgspec.Struct, frozen=True):
    """What is to be written of an attempt, as ``handfast_engine.end_attempts`` takes it."""

    outcome: Literal["succeeded", "failed", "skipped"]
    result: str | None = None  # as it is stored
    failure: FailureClass = FailureClass.TRANSIENT
    error: str | None = None  # in words that can be stored; of one that is skipped, the reason
    trace: str | None = None
    retry_at: datetime | None = None  # the handler's own wish: then it is no failure


_URGENCY = attrgetter("priority", "due", "id")


class Orphan(msgspec.Struct, frozen=True):
    """A job that the database says is ours, and that nobody here has heard of."""

    id: int
    token: int


class EndedAttempt(msgspec.Struct, frozen=True):
    id: int
    state: str


class Beat(msgspec.Struct, frozen=True):
    worker: int
    cancelled: list[int] | None


class _PausedRow(msgspec.Struct, frozen=True):
    what: str
    name: str


@dataclass(frozen=True)
class Paused:
    """Of which lanes and kinds nothing may begin."""

    lanes: frozenset[str]
    kinds: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.lanes or self.kinds)

    def holds(self, job: Claimed) -> bool:
        return job.lane in self.lanes or job.kind in self.kinds


_PAUSED = statement("engine.paused", row=_PausedRow)
_CLAIM = statement("engine.claim", row=Claimed)
_FINISH = statement("engine.finish", row=list)
_FAIL = statement("engine.fail", row=str)
_ACKNOWLEDGE = statement("engine.acknowledge_cancel", row=bool)
_HAND_BACK = statement("engine.hand_back", row=list)
_REGISTER = statement("engine.register_worker", row=int)
_BEAT = statement("engine.beat", row=Beat)
_ORPHANS = statement("engine.orphans", row=Orphan)
_END = statement("engine.end_worker", row=NoneType)
_PROGRESS = statement("engine.report_progress", row=list)
_HOLD = statement("engine.hold", row=list)
_END_ATTEMPTS = statement("engine.end_attempts", row=EndedAttempt)


async def claim(
    on: Queryable,
    worker: int,
    lanes: Sequence[str],
    kinds: Sequence[KindVersion],
    limit: int,
    *,
    floors: str | None = None,
) -> list[Claimed]:
    """Jobs of these kinds in these versions or older ones, the most urgent first.

    With ``floors`` (a ``ClaimCursor`` has them) it is exactly these versions."""
    names, versions = [name for name, _ in kinds], [version for _, version in kinds]
    try:
        jobs = await _CLAIM.all(on, worker, lanes, limit, floors, names, versions)
    except asyncpg.PostgresError as error:
        if error.sqlstate == WORKER_LOST:
            raise WorkerLost(str(error)) from error
        raise
    jobs.sort(key=_URGENCY)
    return jobs


async def finish(
    on: Queryable, jobs: Sequence[Claimed], results: Sequence[str | None]
) -> frozenset[int]:
    """The jobs that were still ours and have now succeeded; the others were lost."""
    # In order of id: two workers that both believe in the same jobs wait, and do not deadlock.
    order = _by_id(jobs)
    stored = [results[n] for n in order] if any(results) else None
    ids, tokens = [jobs[n].id for n in order], [jobs[n].token for n in order]
    accepted = await _FINISH.maybe(on, ids, tokens, stored)
    return frozenset(ids if accepted is None else accepted)


async def finish_one(on: Queryable, job: Claimed, result: str | None) -> None:
    """Finish in the handler's own transaction; raises when the job is not ours any more."""
    if job.id not in await finish(on, [job], [result]):
        raise LeaseLost(
            f"Attempt {job.attempt} of {job.kind} {job.key} no longer holds the job.",
            hint="Its transaction is rolled back; another attempt has taken over.",
        )


async def hold(on: Queryable, jobs: Sequence[Claimed]) -> frozenset[int]:
    """Keep these from everybody else until the transaction ends; answers those that are ours."""
    ordered = [jobs[n] for n in _by_id(jobs)]
    return frozenset(
        await _HOLD.one(on, [job.id for job in ordered], [job.token for job in ordered])
    )


async def end_attempts(
    on: Queryable, jobs: Sequence[Claimed], outcomes: Sequence[AttemptOutcome]
) -> dict[int, str]:
    """These attempts end as it is said of each. Answers the states that their jobs are in now, by
    id; who is not in the answer had lost its lease."""
    if all(one.outcome == "succeeded" for one in outcomes):
        accepted = await finish(on, jobs, [one.result for one in outcomes])
        return dict.fromkeys(accepted, "succeeded")
    ended = await _END_ATTEMPTS.all(
        on,
        [job.id for job in jobs],
        [job.token for job in jobs],
        [one.outcome for one in outcomes],
        [one.result for one in outcomes],
        [one.failure.value for one in outcomes],
        [one.error for one in outcomes],
        [one.trace for one in outcomes],
        [one.retry_at for one in outcomes],
    )
    return {one.id: one.state for one in ended}


async def fail(
    on: Queryable,
    job: Claimed,
    failure: FailureClass,
    error: str,
    *,
    trace: str | None = None,
    retry_at: datetime | None = None,
) -> str | None:
    """The state that the job is in now; None when it was not ours any more."""
    return await _FAIL.maybe(on, job.id, job.token, failure, error, trace, retry_at)


async def acknowledge_cancel(on: Queryable, job: Claimed) -> bool:
    return await _ACKNOWLEDGE.one(on, job.id, job.token)


async def hand_back(on: Queryable, jobs: Sequence[Claimed]) -> frozenset[int]:
    ordered = sorted(jobs, key=lambda job: job.id)
    ids, tokens = [job.id for job in ordered], [job.token for job in ordered]
    return frozenset(await _HAND_BACK.one(on, ids, tokens))


async def return_orphans(on: Queryable, worker: int, known: Sequence[int]) -> frozenset[int]:
    """Hand back what this worker holds by the books without knowing of it.

    The answer to a claim was lost on the way, or an outcome could not be written: the heartbeat
    keeps the lease of such a job too, so nobody else would ever come for it.
    """
    orphans = await _ORPHANS.all(on, worker, known)
    if not orphans:
        return frozenset()
    ids, tokens = [orphan.id for orphan in orphans], [orphan.token for orphan in orphans]
    return frozenset(await _HAND_BACK.one(on, ids, tokens))


async def paused(on: Queryable) -> Paused:
    rows = await _PAUSED.all(on)
    return Paused(
        frozenset(row.name for row in rows if row.what == "lane"),
        frozenset(row.name for row in rows if row.what == "kind"),
    )


async def register_worker(
    on: Queryable, name: str, lanes: Sequence[str], lease: timedelta, kinds: Sequence[KindVersion]
) -> int:
    """``kinds`` are for what it is woken."""
    return await _REGISTER.one(on, name, lanes, lease, [name for name, _ in kinds])


async def beat(on: Queryable, leases: Mapping[int, timedelta]) -> list[list[int] | None]:
    """These workers live: for each, in this order, the jobs that it should stop; None for one that
    was silent for too long, and whose jobs were given away."""
    beats = await _BEAT.all(on, list(leases), list(leases.values()))
    cancelled = {one.worker: one.cancelled for one in beats}
    return [cancelled[worker] for worker in leases]


async def end_worker(on: Queryable, worker: int) -> None:
    await _END.run(on, worker)


async def report_progress(
    on: Queryable, jobs: Sequence[Claimed], fraction: float, message: str | None
) -> frozenset[int]:
    """How far these are; answers those that are ours."""
    ids, tokens = [job.id for job in jobs], [job.token for job in jobs]
    return frozenset(await _PROGRESS.one(on, ids, tokens, fraction, message))


def _by_id(jobs: Sequence[Claimed]) -> list[int]:
    """Places in order of id."""
    return sorted(range(len(jobs)), key=[job.id for job in jobs].__getitem__)
