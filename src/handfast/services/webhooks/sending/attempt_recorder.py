"""What became of the attempts, written down: the log and the endpoints' health, in the transaction
that ends their jobs, for all that ended meanwhile."""

from dataclasses import dataclass
from datetime import timedelta
from types import NoneType
from uuid import UUID

from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.jobs.faults import clean
from handfast.engine.work.attempt import RunningAttempt
from handfast.engine.work.shared_completion import SharedCompletion
from handfast.services.webhooks.endpoints import BUSY_MAX
from handfast.services.webhooks.sending.verdict import DeliveryVerdict


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """An attempt that has been made, and what came of it."""

    job_id: int
    event_id: UUID
    endpoint_id: UUID
    number: int
    event_type: str
    verdict: DeliveryVerdict
    seconds: float


_RECORD = statement("webhooks.record_attempts", row=NoneType)


class AttemptRecorder:
    def __init__(self, database: Database, disable_after: timedelta) -> None:
        self._disable_after = disable_after
        self._ends: SharedCompletion[DeliveryAttempt] = SharedCompletion(database, self._record)

    async def end(self, attempt: RunningAttempt, made: DeliveryAttempt) -> None:
        """The job ends as the verdict says, and what was made of it is in the log. Raises
        ``LeaseLost`` if the job was another's by now; then nothing was written."""
        await self._ends.end(attempt, made.verdict.outcome_of_job, made)

    async def close(self) -> None:
        await self._ends.close()

    async def _record(self, tx: Transaction, made: list[tuple[DeliveryAttempt, str]]) -> None:
        attempts = [attempt for attempt, _ in made]
        verdicts = [attempt.verdict for attempt in attempts]
        await _RECORD.run(
            tx,
            [a.job_id for a in attempts],
            [state for _, state in made],
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
