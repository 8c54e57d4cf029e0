"""How the engine is doing, in figures that cost the same at a hundred jobs and at a hundred
million: counted up to a cap, estimated, or read from the end of the history.
"""

from datetime import datetime, timedelta
from typing import Annotated

import msgspec

from handfast.base.words import OneOf
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.jobs.states import JobState

COUNT_MAX = 2_000  # beyond this a number of jobs means "many"; alerts ask for half of it
WINDOW = timedelta(minutes=5)
RECENT_BLOCKS = 500  # 4 MB of the newest history, some 25,000 attempts
STATEMENT_TIMEOUT_MS = 2000  # figures that come late are worth less than the work they disturb


class LaneCount(msgspec.Struct, frozen=True, rename="camel"):
    lane: str
    state: Annotated[str, OneOf(JobState)]
    jobs: int
    capped: bool


class _Backlog(msgspec.Struct, frozen=True):
    overdue: int
    oldest_due: datetime | None
    now: datetime


class KindActivity(msgspec.Struct, frozen=True, rename="camel"):
    """What a kind did in the window; ``p95`` is in seconds."""

    kind: str
    succeeded: int
    failed: int
    lost: int
    died: int
    p95: float | None
    oldest: datetime | None


class _Sizes(msgspec.Struct, frozen=True):
    jobs: int
    live_bytes: int


class Recent(msgspec.Struct, frozen=True, rename="camel"):
    """The last minutes. ``seconds`` is less than the window when so much happened that only the
    newest part of it was read."""

    seconds: float
    attempts: int
    succeeded: int
    failed: int
    lost: int
    died: int
    per_second: float
    failure_rate: float | None
    completion_rate: float | None
    exhausted_rate: float | None
    p95_seconds: float | None
    kinds: list[KindActivity]


class Stats(msgspec.Struct, frozen=True, rename="camel"):
    at: datetime
    lanes: list[LaneCount]
    scheduled: int
    ready: int
    running: int
    blocked: int
    dead: int
    count_max: int
    overdue: int
    oldest_ready_seconds: float
    oldest_transaction_seconds: float
    workers: int
    identities_estimated: int
    live_bytes: int
    recent: Recent


_COUNT_LIVE = statement("engine.count_live", row=LaneCount)
_BACKLOG = statement("engine.backlog", row=_Backlog)
_RECENT = statement("engine.recent_attempts", row=KindActivity)
_COUNT_DEAD = statement("engine.count_dead", row=int)
_WORKERS_ALIVE = statement("engine.workers_alive", row=int)
_SIZES = statement("engine.sizes", row=_Sizes)
_OLDEST_TRANSACTION = statement("engine.oldest_transaction", row=float)


async def read_stats(database: Database) -> Stats:
    """All figures, in a transaction of their own that gives up before it gets in the way."""
    async with database.transaction() as tx:
        await tx.execute(f"SET LOCAL statement_timeout = {STATEMENT_TIMEOUT_MS}")
        return await stats_on(tx)


async def count_dead(on: Queryable) -> int:
    """Dead letters that wait for a person, up to the cap."""
    return await _COUNT_DEAD.one(on, COUNT_MAX)


async def oldest_transaction(on: Queryable) -> float:
    """For how many seconds somebody has held a transaction open. While it lasts nothing that died
    since is removed, and whatever reads the front of a queue reads all of that too: also the
    other figures, which may then come too late."""
    return await _OLDEST_TRANSACTION.one(on)


async def stats_on(on: Queryable) -> Stats:
    lanes = await _COUNT_LIVE.all(on, COUNT_MAX)
    backlog = await _BACKLOG.one(on, COUNT_MAX)
    sizes = await _SIZES.one(on)
    waiting = 0.0
    if backlog.oldest_due is not None:
        waiting = max(0.0, (backlog.now - backlog.oldest_due).total_seconds())

    def total(state: str) -> int:
        return min(COUNT_MAX, sum(found.jobs for found in lanes if found.state == state))

    return Stats(
        at=backlog.now,
        lanes=lanes,
        scheduled=total("scheduled"),
        ready=total("ready"),
        running=total("running"),
        blocked=total("blocked"),
        dead=await count_dead(on),
        count_max=COUNT_MAX,
        overdue=backlog.overdue,
        oldest_ready_seconds=waiting,
        oldest_transaction_seconds=await oldest_transaction(on),
        workers=await _WORKERS_ALIVE.one(on),
        identities_estimated=sizes.jobs,
        live_bytes=sizes.live_bytes,
        recent=recent(await _RECENT.all(on, WINDOW, RECENT_BLOCKS), backlog.now),
    )


def recent(kinds: list[KindActivity], now: datetime) -> Recent:
    """Rates over all kinds. A rate of nothing is null, not zero and not one."""
    succeeded, failed, lost, died = (
        sum(getattr(kind, name) for kind in kinds)
        for name in ("succeeded", "failed", "lost", "died")
    )
    attempts = succeeded + failed + lost
    seconds = WINDOW.total_seconds()
    oldest = min((kind.oldest for kind in kinds if kind.oldest is not None), default=None)
    if attempts >= COUNT_MAX and oldest is not None:  # perhaps the window was not read to its end
        seconds = max(1.0, (now - oldest).total_seconds())
    slowest = [kind.p95 for kind in kinds if kind.p95 is not None]
    return Recent(
        seconds=seconds,
        attempts=attempts,
        succeeded=succeeded,
        failed=failed,
        lost=lost,
        died=died,
        per_second=attempts / seconds,
        failure_rate=_rate(failed + lost, attempts),
        completion_rate=_rate(succeeded, succeeded + died),
        exhausted_rate=_rate(died, attempts),
        p95_seconds=max(slowest, default=None),
        kinds=kinds,
    )


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None
