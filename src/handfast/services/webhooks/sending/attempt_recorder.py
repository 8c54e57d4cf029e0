"""What became of the attempts, written down: the log, the jobs that they end and the endpoints'
health, in one statement for all that ended meanwhile."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import msgspec

from handfast.base.logs import get_logger
from handfast.db.batcher import Batcher
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.jobs.faults import PASSING, clean, put_off
from handfast.services.webhooks.endpoints import BUSY_MAX
from handfast.services.webhooks.sending.verdict import DeliveryVerdict

RETRY_SECONDS = 0.5

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """An attempt that has been made, and what came of it."""

    job_id: int
    token: int
    event_id: UUID
    endpoint_id: UUID
    number: int
    event_type: str
    verdict: DeliveryVerdict
    seconds: float


class Recorded(msgspec.Struct, frozen=True):
    job_id: int
    state: str


_RECORD = statement("webhooks.record_attempts", row=Recorded)


class AttemptRecorder:
    """Tells each attempt, once it is recorded, the state that its job is in now; None when the job
    was not its own any more."""

    def __init__(self, database: Database, disable_after: timedelta) -> None:
        self._database = database
        self._disable_after = disable_after
        self._batcher: Batcher[DeliveryAttempt, str | None] = Batcher(self._write)

    async def record(self, attempt: DeliveryAttempt) -> str | None:
        return await self._batcher.ask(attempt)

    async def close(self) -> None:
        await self._batcher.close()

    async def _write(self, attempts: list[DeliveryAttempt]) -> Sequence[str | None]:
        retried = False
        while True:
            try:
                states = await self._database.run_in_transaction(
                    lambda tx: self._record(tx, attempts)
                )
            except PASSING as away:
                # Safe to try again even if it was committed: what has ended no longer runs, so the
                # second try finds nothing, and what it does not find is taken for written.
                put_off(log, "attempts_not_recorded", away, attempts=len(attempts))
                retried = True
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return [
                    states.get(a.job_id, a.verdict.presumed_state if retried else None)
                    for a in attempts
                ]

    async def _record(self, tx: Transaction, attempts: list[DeliveryAttempt]) -> dict[int, str]:
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
