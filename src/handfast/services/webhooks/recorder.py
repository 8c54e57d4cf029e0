"""What became of the attempts, written down in batches: while one batch is being written, the next
is being gathered.

One statement writes the log, ends the jobs' attempts and notes the endpoints' health. Each attempt
waits for its batch, so that none is taken for recorded before it is.
"""

import asyncio
import contextlib
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import msgspec

from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.faults import AWAY, clean
from handfast.services.webhooks.endpoints import BUSY_MAX
from handfast.services.webhooks.verdict import Verdict

BATCH_MAX = 200  # jobs of one statement, which holds their locks
RETRY_SECONDS = 0.5
UNKNOWN = "unknown"  # the line was cut during the first writing: the second one finds it done

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that has been made, and what came of it."""

    job_id: int
    token: int
    event_id: UUID
    endpoint_id: UUID
    number: int
    event_type: str
    verdict: Verdict
    seconds: float


class Recorded(msgspec.Struct, frozen=True):
    job_id: int
    state: str


_RECORD = statement("webhooks.record_attempts", row=Recorded)

_Waiting = tuple[Attempt, "asyncio.Future[str | None]"]


class Recorder:
    def __init__(self, database: Database, disable_after: timedelta) -> None:
        self._database = database
        self._disable_after = disable_after
        self._pending: list[_Waiting] = []
        self._more = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="handfast-webhooks-recorder")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def record(self, attempt: Attempt) -> str | None:
        """The state that the job is in now; None when it was not ours any more."""
        written: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._pending.append((attempt, written))
        self._more.set()
        return await written

    async def _run(self) -> None:
        while True:
            await self._more.wait()
            batch, self._pending = self._pending[:BATCH_MAX], self._pending[BATCH_MAX:]
            if not batch:
                self._more.clear()
                continue
            await self._write(batch)

    async def _write(self, batch: list[_Waiting]) -> None:
        attempts = [attempt for attempt, _ in batch]
        otherwise: str | None = None
        while True:
            try:
                states = await self._database.run_in_transaction(
                    lambda tx: self._record(tx, attempts)
                )
                break
            except AWAY as away:
                # Safe to try again even if it was committed: what has ended no longer runs, so the
                # second try finds nothing, and then nobody knows which of the two it was.
                log.warning("attempts_not_recorded", attempts=len(batch), reason=str(away))
                otherwise = UNKNOWN
                await asyncio.sleep(RETRY_SECONDS)
        for attempt, written in batch:
            if not written.done():  # its handler may have been cancelled meanwhile
                written.set_result(states.get(attempt.job_id, otherwise))

    async def _record(self, tx: Transaction, attempts: list[Attempt]) -> dict[int, str]:
        verdicts = [attempt.verdict for attempt in attempts]
        recorded = await _RECORD.all(
            tx,
            [a.job_id for a in attempts],
            [a.token for a in attempts],
            [a.event_id for a in attempts],
            [a.endpoint_id for a in attempts],
            [a.number for a in attempts],
            [a.event_type for a in attempts],
            [v.outcome.value for v in verdicts],
            [v.status for v in verdicts],
            [a.seconds for a in attempts],
            [None if v.error is None else clean(v.error) for v in verdicts],
            [None if v.excerpt is None else clean(v.excerpt) for v in verdicts],
            [v.retry_after for v in verdicts],
            BUSY_MAX,
            self._disable_after,
        )
        return {row.job_id: row.state for row in recorded}
