"""Runs as Python sees them: started, read, listed. The database decides; this is thin."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from handfast.apps.runs import metrics
from handfast.apps.runs.urls import canonical_url
from handfast.base.errors import NotFound
from handfast.base.pages import bounded, cut
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.maintenance.chores import Chore, in_batches

KEPT = timedelta(days=30)  # longer than any version of the corpus that they answer from
PRUNE_BATCH = 5000
SCAN_MAX = 20_000  # runs that are looked at to add them up: some tens of milliseconds
PRUNE_EVERY = timedelta(hours=1)


class MatchRun(msgspec.Struct, frozen=True, rename="camel"):
    """A row of ``handfast_runs.match_runs``."""

    run_id: UUID
    startup_id: str | None
    input_url: str
    canonical_url: str
    status: str
    step: str
    match_count: int | None
    error_code: str | None
    error_message: str | None
    locked_by: str | None
    lock_expires_at: datetime | None
    created_at: datetime
    updated_at: datetime
    corpus_version: int | None

    @property
    def ended(self) -> bool:
        return self.status in {"ready", "error"}


class StartedRun(MatchRun, frozen=True, rename="camel"):
    """``created`` is false when there was a run that answers this already."""

    created: bool


class RunPage(msgspec.Struct, frozen=True, rename="camel"):
    runs: list[MatchRun]
    next: UUID | None


class StartupRuns(msgspec.Struct, frozen=True, rename="camel"):
    """Runs of one startup; without an id, those whose address led to none. ``at_least``: there were
    more runs than were looked at."""

    startup_id: str | None
    runs: int
    ready: int
    failed: int
    newest_at: datetime
    at_least: bool


_START = statement("runs.start", row=StartedRun)
_RUN = statement("runs.run", row=MatchRun)
_RUNS_BETWEEN = statement("runs.runs_between", row=UUID)
_RUNS_OF = statement("runs.runs_of", row=MatchRun)
_NEWEST = statement("runs.newest_runs", row=MatchRun)
_BY_STARTUP = statement("runs.runs_by_startup", row=StartupRuns)
_DEBUG = statement("runs.debug", row=str)
_PRUNE = statement("runs.prune", row=int)


async def start_run(tx: Queryable, url: str, *, fresh: bool = False) -> StartedRun:
    """The run that answers for this address: one that is ready or under way, or a new one.

    Raises ``InvalidUrl``. With ``fresh`` a ready one is not good enough.
    """
    canonical = str(canonical_url(url))
    started = await _START.one(tx, url, canonical, fresh)
    metrics.STARTED.labels("new" if started.created else started.status).inc()
    return started


async def find_run(on: Queryable, run_id: UUID) -> MatchRun | None:
    return await _RUN.maybe(on, run_id)


async def runs_between(on: Queryable, first: UUID, last: UUID, *, limit: int) -> list[UUID]:
    """The ids in this span, both ends included: for those who know how one begins."""
    return await _RUNS_BETWEEN.all(on, first, last, limit)


async def get_run(on: Queryable, run_id: UUID) -> MatchRun:
    found = await find_run(on, run_id)
    if found is None:
        raise NotFound(
            f"There is no run {run_id}.",
            hint=f"Runs are kept for {KEPT.days} days. Start one: POST /api/match/run",
        )
    return found


async def runs_of(on: Queryable, run_ids: list[UUID]) -> list[MatchRun]:
    """These runs, in no order; those that there are not are left out."""
    return await _RUNS_OF.all(on, run_ids)


async def list_runs(on: Queryable, *, after: UUID | None = None, limit: int = 100) -> RunPage:
    """The newest first; ``after`` is the ``next`` of the page before."""
    limit = bounded(limit)
    runs, last = cut(await _NEWEST.all(on, after, limit + 1), limit)
    return RunPage(runs, None if last is None else last.run_id)


async def runs_by_startup(on: Queryable, *, days: int, limit: int = 100) -> list[StartupRuns]:
    """The busiest first, from a bounded number of the newest runs."""
    return await _BY_STARTUP.all(on, timedelta(days=days), SCAN_MAX, bounded(limit))


async def debug_run(on: Queryable, run_id: UUID) -> dict[str, Any]:
    """Everything that is known of a run: steps with their times, the job, its attempts."""
    await get_run(on, run_id)
    known: dict[str, Any] = msgspec.json.decode(await _DEBUG.one(on, run_id))
    return known


def pruning(database: Database) -> Chore:
    """What one of all workers does now and then: runs of last month are forgotten."""

    async def batch(on: Queryable) -> bool:
        return await _PRUNE.one(on, KEPT, PRUNE_BATCH) == PRUNE_BATCH

    return Chore("runs_prune", in_batches(database, batch), PRUNE_EVERY)
