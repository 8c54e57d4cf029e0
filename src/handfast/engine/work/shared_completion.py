"""Attempts of many handlers that end at about the same time, ended in one transaction.

A ``Batch`` for handlers that begin apart and wait for somebody, such as an HTTP request each: what
each of them writes and the end of its job commit together, and the round trips and the flush are
shared by all that ended meanwhile.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

import asyncpg

from handfast.base.logs import get_logger
from handfast.db.batcher import Batcher
from handfast.db.errors import ConstraintViolated
from handfast.db.pool import Database
from handfast.db.transaction import Transaction
from handfast.engine.jobs.faults import PASSING, put_off
from handfast.engine.jobs.states import JobState
from handfast.engine.work import lease
from handfast.engine.work.attempt import RunningAttempt
from handfast.engine.work.lease import AttemptOutcome, Claimed

RETRY_SECONDS = 0.5

Row = TypeVar("Row")
Answer = str | None | Exception  # the state of the job; None if it was not ours any more
Write = Callable[[Transaction, list[tuple[Row, str]]], Awaitable[None]]

# Of a job, once its end has been written and nobody heard what the database answered.
_PRESUMED = {
    "succeeded": JobState.SUCCEEDED,
    "failed": JobState.SCHEDULED,
    "skipped": JobState.SKIPPED,
}

log = get_logger(__name__)


class _EndingAttempt(NamedTuple, Generic[Row]):
    job: Claimed
    outcome: AttemptOutcome
    row: Row


class SharedCompletion(Generic[Row]):
    """``write`` is given what belongs to the attempts whose lease held, each with the state that
    its job is in now, in the transaction that has just ended them."""

    def __init__(self, database: Database, write: "Write[Row]") -> None:
        self._database = database
        self._write = write
        self._batcher: Batcher[_EndingAttempt[Row], Answer] = Batcher(self._end_all)

    async def end(self, attempt: RunningAttempt, outcome: AttemptOutcome, row: Row) -> None:
        """Returns when it is committed: then the attempt has ended, and counts. Raises
        ``LeaseLost`` if it was not ours any more; then nothing was written."""
        attempt.check_not_ended()
        state = await self._batcher.ask(_EndingAttempt(attempt.claimed, outcome, row))
        if isinstance(state, Exception):
            raise state
        attempt.end(state, outcome.error, outcome.failure)

    async def close(self) -> None:
        await self._batcher.close()

    async def _end_all(self, waiting: list[_EndingAttempt[Row]]) -> Sequence[Answer]:
        retried = False
        while True:
            try:
                states = await self._database.run_in_transaction(
                    lambda tx: self._end_in(tx, waiting)
                )
            except PASSING as away:
                # Safe to try again even if it was committed: what has ended no longer runs, so the
                # second try finds nothing, and what it does not find is taken for written.
                put_off(log, "ends_not_recorded", away, attempts=len(waiting))
                retried = True
                await asyncio.sleep(RETRY_SECONDS)
            except (asyncpg.DataError, ConstraintViolated):
                # One of them cannot be stored: find out which, and spare the others.
                if len(waiting) == 1:
                    raise
                return await self._one_by_one(waiting)
            else:
                return [
                    states.get(one.job.id, _PRESUMED[one.outcome.outcome] if retried else None)
                    for one in waiting
                ]

    async def _one_by_one(self, waiting: list[_EndingAttempt[Row]]) -> Sequence[Answer]:
        states: list[Answer] = []
        for one in waiting:
            try:
                states += await self._end_all([one])
            except (asyncpg.DataError, ConstraintViolated) as refused:
                states.append(refused)  # for its own handler
        return states

    async def _end_in(self, tx: Transaction, waiting: list[_EndingAttempt[Row]]) -> dict[int, str]:
        states = await lease.end_attempts(
            tx, [one.job for one in waiting], [one.outcome for one in waiting]
        )
        rows = [(one.row, states[one.job.id]) for one in waiting if one.job.id in states]
        if rows:
            await self._write(tx, rows)
        return states
