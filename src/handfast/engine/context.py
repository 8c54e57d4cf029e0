"""What a handler is given: who the job is, and how to finish it together with its own writes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from handfast.base.errors import EngineError, LeaseLost
from handfast.db.pool import Database
from handfast.db.transaction import Transaction
from handfast.engine.kinds import PAYLOAD_BYTES_MAX, as_json, size_over
from handfast.engine.lease import Claimed, finish_one, report_progress

RESULT_BYTES_MAX = PAYLOAD_BYTES_MAX  # it names what was made, as a payload names what is to be


class Context:
    """The running attempt, as its handler sees it."""

    __slots__ = ("_claimed", "completing_elsewhere", "database", "finished")

    def __init__(self, database: Database, claimed: Claimed) -> None:
        self.database = database
        self._claimed = claimed
        self.finished = False
        self.completing_elsewhere = False  # in a transaction that is not ours to watch

    @property
    def job_id(self) -> int:
        return self._claimed.id

    @property
    def kind(self) -> str:
        return self._claimed.kind

    @property
    def key(self) -> str:
        return self._claimed.key

    @property
    def attempt(self) -> int:
        """1 for the first attempt."""
        return self._claimed.attempt

    @property
    def due_at(self) -> datetime:
        return self._claimed.due_at

    @property
    def token(self) -> int:
        """The fence: pass it to systems that can refuse an older one."""
        return self._claimed.token

    @asynccontextmanager
    async def completing(self, result: Any = None) -> AsyncIterator[Transaction]:
        """A transaction that also finishes the job: work and completion commit or vanish together.

        Raises ``LeaseLost``, and undoes everything in the block, if the job is no longer ours.
        """
        if self.finished:
            raise EngineError("This job has been finished already.")
        async with self.database.transaction() as tx:
            yield tx
            await finish_one(tx, self._claimed, encode_result(result))
        self.finished = True

    async def complete(self, tx: Transaction, result: Any = None) -> None:
        """Finish the job as part of ``tx``; it counts when ``tx`` commits."""
        await finish_one(tx, self._claimed, encode_result(result))
        self.completing_elsewhere = True

    def settled(self) -> None:
        """The attempt has ended, well or badly, in a transaction that has been committed: for
        handlers that write the outcomes of many attempts together."""
        self.finished = True

    async def progress(self, fraction: float, message: str | None = None) -> None:
        """Say how far the work is, from 0 to 1; the dashboard and the CLI show it."""
        if not 0 <= fraction <= 1:
            raise ValueError(f"progress is a fraction from 0 to 1, not {fraction}")
        async with self.database.connection() as connection:
            if not await report_progress(connection, self._claimed, fraction, message):
                raise LeaseLost(f"{self.kind} {self.key} is no longer held by this attempt.")


def encode_result(result: Any) -> str | None:
    """A handler's return value, as it is stored."""
    if result is None:
        return None
    try:
        stored = as_json(result)
    except Exception as error:  # a model of the program's may raise whatever it likes
        raise TypeError(f"the result cannot be stored as JSON: {error}") from error
    if size := size_over(stored, RESULT_BYTES_MAX):
        raise TypeError(
            f"the result has {size:,} bytes; at most {RESULT_BYTES_MAX:,} are stored. Keep it in a "
            "table of your own and return its id"
        )
    return stored
