"""Successes, written in batches: while one is being written, the next is being gathered."""

import asyncio
import contextlib
import time
from collections import defaultdict

import asyncpg
import msgspec

from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.engine import lease, metrics
from handfast.engine.faults import PASSING, describe, put_off
from handfast.engine.lease import Claimed
from handfast.engine.retry import FailureClass

BATCH_MAX = 2000  # one statement; larger ones hold their locks longer and gain nothing
RETRY_SECONDS = 0.5

log = get_logger(__name__)


class Success(msgspec.Struct, frozen=True, gc=False):
    job: Claimed
    result: str | None
    seconds: float
    maybe_done: bool  # its handler has put the completion into a transaction of its own


class Finisher:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._pending: list[Success] = []
        self._writing: list[Success] = []
        self._more = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="handfast-finisher")

    def add(
        self, job: Claimed, result: str | None, started: float, *, maybe_done: bool = False
    ) -> None:
        if not self._pending:
            self._more.set()
            self._empty.clear()
        self._pending.append(Success(job, result, time.monotonic() - started, maybe_done))

    @property
    def known(self) -> list[int]:
        return [success.job.id for success in (*self._pending, *self._writing)]

    async def stop(self) -> None:
        """Write what is left, as long as the database is there to take it."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._empty.wait(), 10)
        await self.cancel()

    async def cancel(self) -> None:
        """Write no more."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            await self._more.wait()
            self._writing, self._pending = self._pending[:BATCH_MAX], self._pending[BATCH_MAX:]
            if not self._writing:
                self._more.clear()
                self._empty.set()
                continue
            await self._write(self._writing)
            self._writing = []

    async def _write(self, batch: list[Success]) -> None:
        tries = 0
        while True:
            tries += 1
            try:
                async with self._database.connection() as connection:
                    accepted = await lease.finish(
                        connection, [s.job for s in batch], [s.result for s in batch]
                    )
                break
            except asyncpg.DataError as refused:
                # One of the results cannot be stored: find out which, and spare the others.
                if len(batch) > 1:
                    for success in batch:
                        await self._write([success])
                else:
                    await self._refuse(batch[0], refused)
                return
            except PASSING as away:
                # Trying again is safe even if the first try was committed: what is finished is no
                # longer running, so the second one finds nothing.
                put_off(log, "finish_delayed", away, jobs=len(batch))
                await asyncio.sleep(RETRY_SECONDS)
        durations: dict[str, list[float]] = defaultdict(list)
        for success in batch:
            job = success.job
            if job.id in accepted:
                durations[job.kind].append(success.seconds)
            elif tries == 1 and not success.maybe_done:
                metrics.LEASES_LOST.labels(job.kind).inc()
                log.warning("lease_lost", kind=job.kind, key=job.key, attempt=job.attempt)
        for kind, seconds in durations.items():
            metrics.ATTEMPTS.labels(kind, "succeeded").inc(len(seconds))
            metrics.DURATION.observe(kind, seconds)

    async def _refuse(self, success: Success, refused: Exception) -> None:
        job = success.job
        log.error("result_not_storable", kind=job.kind, key=job.key, reason=str(refused))
        try:
            async with self._database.connection() as connection:
                text = f"the result cannot be stored: {describe(refused)}"
                await lease.fail(connection, job, FailureClass.LOGIC, text)
        except PASSING as away:  # the worker returns it when the database is back
            log.error("failure_not_recorded", kind=job.kind, key=job.key, reason=str(away))
