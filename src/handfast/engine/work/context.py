"""What a handler is given: who the job is, and how to end it together with its own writes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from handfast.db.pool import Database
from handfast.db.transaction import Transaction
from handfast.engine.jobs.states import JobState
from handfast.engine.work.attempt import RunningAttempt, encode_result
from handfast.engine.work.lease import Claimed, finish_one


class Context(RunningAttempt):
    """The running attempt, as the handler of one job sees it."""

    __slots__ = ("completing_elsewhere",)

    def __init__(self, database: Database, claimed: Claimed) -> None:
        super().__init__(database, claimed)
        self.completing_elsewhere = False  # in a transaction that is not ours to watch

    @asynccontextmanager
    async def completing(self, result: Any = None) -> AsyncIterator[Transaction]:
        """A transaction that also finishes the job: work and completion commit or vanish together.

        Raises ``LeaseLost``, and undoes everything in the block, if the job is no longer ours.
        """
        self.check_not_ended()
        async with self.database.transaction() as tx:
            yield tx
            await finish_one(tx, self.claimed, encode_result(result))
        self.end(JobState.SUCCEEDED)

    async def complete(self, tx: Transaction, result: Any = None) -> None:
        """Finish the job as part of ``tx``; it counts when ``tx`` commits."""
        await finish_one(tx, self.claimed, encode_result(result))
        self.completing_elsewhere = True
