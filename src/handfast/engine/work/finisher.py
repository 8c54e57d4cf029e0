"""Successes, written in batches: while one is being written, the next is being gathered.

No ``db.batcher.Batcher``: nobody waits for an answer here, so that a job costs no future and no
wake-up; what is not written yet is known by its job; and it is tried until it is written.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

import asyncpg
import msgspec

from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.db.errors import ConstraintViolated
from handfast.db.pool import Database
from handfast.db.transaction import constraints_named
from handfast.engine.jobs.faults import PASSING, put_off
from handfast.engine.work import lease
from handfast.engine.work.lease import Claimed

BATCH_MAX = 2000  # one statement; larger ones hold their locks longer and gain nothing
BYTES_MAX = 16 * 1024 * 1024  # of results
# Jobs of one claim have one token, and handfast_engine.finish takes them out in two thirds of the
# time of a mixture: where so many of a claim have ended in a row, the next claim's go into another
# statement.
CLAIM_MIN = 200
RETRY_SECONDS = 0.5

log = get_logger(__name__)


class Success(msgspec.Struct, frozen=True, gc=False):
    job: Claimed
    result: str | None
    seconds: float
    maybe_done: bool  # its handler has put the completion into a transaction of its own


class Written(Protocol):
    def __call__(self, batch: list[Success], accepted: frozenset[int], *, sure: bool) -> None:
        """These jobs of the batch were still ours. If not ``sure``, the others may have been
        written by an earlier try, whose answer was lost."""


Refused = Callable[[Claimed, Exception], Awaitable[None]]


class Finisher:
    """``written`` is told of each batch; ``refused`` of a success whose result the database does
    not take."""

    def __init__(self, database: Database, *, written: Written, refused: Refused) -> None:
        self._database = database
        self._written = written
        self._refused = refused
        self._pending: list[Success] = []
        self._writing: list[Success] = []
        self._more = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = supervise.start("finisher", self._run)

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
            if not self._writing:  # else we died over these
                count = self._fitting()
                self._writing, self._pending = self._pending[:count], self._pending[count:]
            if not self._writing:
                self._more.clear()
                self._empty.set()
                continue
            await self._write(self._writing)
            self._writing = []

    def _fitting(self) -> int:
        """How many of those that wait make up one statement."""
        left = BYTES_MAX
        token = self._pending[0].job.token if self._pending else 0
        for count, success in enumerate(self._pending[:BATCH_MAX]):
            if count >= CLAIM_MIN and success.job.token != token:
                return count
            if success.result is not None:
                left -= len(success.result)
                if left < 0:
                    return max(1, count)
        return BATCH_MAX

    async def _write(self, batch: list[Success]) -> None:
        tries = 0
        while True:
            tries += 1
            try:
                with constraints_named():
                    async with self._database.connection() as connection:
                        accepted = await lease.finish(
                            connection, [s.job for s in batch], [s.result for s in batch]
                        )
                break
            except (asyncpg.DataError, ConstraintViolated) as refused:
                # One of the results cannot be stored: find out which, and spare the others.
                if len(batch) > 1:
                    for success in batch:
                        await self._write([success])
                else:
                    await self._refused(batch[0].job, refused)
                return
            except PASSING as away:
                # Trying again is safe even if the first try was committed: what is finished is no
                # longer running, so the second one finds nothing.
                put_off(log, "finish_delayed", away, jobs=len(batch))
                await asyncio.sleep(RETRY_SECONDS)
        self._written(batch, accepted, sure=tries == 1)
