"""Successes, written in batches: while one is being written, the next is being gathered."""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable

from handfast.base.errors import HandfastError
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.engine import lease, metrics
from handfast.engine.lease import Claimed

BATCH_MAX = 1000  # one statement; larger ones hold their locks longer and gain nothing
RETRY_SECONDS = 0.5

log = get_logger(__name__)


class Finisher:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._pending: list[tuple[Claimed, str | None, float]] = []
        self._more = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._task: asyncio.Task[None] | None = None
        self._durations = _Durations()

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="handfast-finisher")

    def add(self, job: Claimed, result: str | None, started: float) -> None:
        self._pending.append((job, result, time.monotonic() - started))
        self._more.set()
        self._empty.clear()

    async def stop(self) -> None:
        """Write what is left, as long as the database is there to take it."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._empty.wait(), 10)
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            await self._more.wait()
            batch, self._pending = self._pending[:BATCH_MAX], self._pending[BATCH_MAX:]
            if not batch:
                self._more.clear()
                self._empty.set()
                continue
            await self._write(batch)

    async def _write(self, batch: list[tuple[Claimed, str | None, float]]) -> None:
        jobs = [job for job, _, _ in batch]
        while True:
            try:
                async with self._database.connection() as connection:
                    accepted = await lease.finish(connection, jobs, [r for _, r, _ in batch])
                break
            except (HandfastError, OSError) as away:
                # Trying again is safe even if the first try was committed: what is finished is no
                # longer running, so the second one finds nothing and counts it as lost.
                log.warning("finish_delayed", jobs=len(jobs), reason=str(away))
                await asyncio.sleep(RETRY_SECONDS)
        succeeded: Counter[str] = Counter()
        for job, _, seconds in batch:
            if job.id in accepted:
                succeeded[job.kind] += 1
                self._durations[job.kind](seconds)
            else:
                metrics.LEASES_LOST.labels(job.kind).inc()
                log.warning("lease_lost", kind=job.kind, key=job.key, attempt=job.attempt)
        for kind, count in succeeded.items():
            metrics.ATTEMPTS.labels(kind, "succeeded").inc(count)


class _Durations(dict[str, Callable[[float], None]]):
    """How to observe a kind's duration, looked up once: a labelled metric is slow to find."""

    def __missing__(self, kind: str) -> Callable[[float], None]:
        self[kind] = metrics.DURATION.labels(kind).observe
        return self[kind]
