"""A running attempt, as its handler sees it, whether it was given one job or many.

How an attempt ends is said here once: by ``end``, after a statement that was committed has ended
it. Whoever ran the handler looks at ``ending`` afterwards, counts it, and writes nothing more.
"""

from datetime import datetime
from typing import Any

import msgspec

from handfast.base.errors import EngineError
from handfast.db.pool import Database
from handfast.engine.errors import LeaseLost
from handfast.engine.jobs.kinds import PAYLOAD_BYTES_MAX, as_json, size_over
from handfast.engine.jobs.retry import FailureClass
from handfast.engine.jobs.states import JobState
from handfast.engine.work.lease import Claimed, report_progress

RESULT_BYTES_MAX = PAYLOAD_BYTES_MAX  # it names what was made, as a payload names what is to be


class Ending(msgspec.Struct, frozen=True):
    """How an attempt was ended by its own handler, and what is to be said about it."""

    state: JobState  # that the job is in now
    error: str | None = None
    failure: FailureClass = FailureClass.TRANSIENT


class RunningAttempt:
    """Who the job is, how far it is, and how it ended."""

    __slots__ = ("claimed", "database", "ending")

    def __init__(self, database: Database, claimed: Claimed) -> None:
        self.database = database
        self.claimed = claimed
        self.ending: Ending | None = None

    @property
    def job_id(self) -> int:
        return self.claimed.id

    @property
    def kind(self) -> str:
        return self.claimed.kind

    @property
    def key(self) -> str:
        return self.claimed.key

    @property
    def attempt(self) -> int:
        """1 for the first attempt."""
        return self.claimed.attempt

    @property
    def due_at(self) -> datetime:
        return self.claimed.due_at

    @property
    def token(self) -> int:
        """The fence: pass it to systems that can refuse an older one."""
        return self.claimed.token

    def end(
        self,
        state: str | None,
        error: str | None = None,
        failure: FailureClass = FailureClass.TRANSIENT,
    ) -> None:
        """A statement of the handler's own has ended this attempt, well or badly, through
        ``handfast_engine.finish``, ``handfast_engine.fail`` or a function that calls them, and
        it is committed.

        ``state`` is the one that the job is in now, and None if it was not ours any more: then this
        raises ``LeaseLost``. It is counted and logged as for any other job, with ``error`` as what
        went wrong; nothing more is written.
        """
        self.check_not_ended()
        if state is None:
            raise self.lease_lost()
        ending = Ending(JobState(state), error, failure)
        if ending.state is JobState.RUNNING:
            raise EngineError("A job that runs has not been ended.")
        self.ending = ending

    async def progress(self, fraction: float, message: str | None = None) -> None:
        """Say how far the work is, from 0 to 1; the dashboard and the CLI show it."""
        check_fraction(fraction)
        async with self.database.connection() as connection:
            if not await report_progress(connection, [self.claimed], fraction, message):
                raise self.lease_lost()

    def check_not_ended(self) -> None:
        if self.ending is not None:
            raise EngineError("This job has been ended already.")

    def lease_lost(self) -> LeaseLost:
        return LeaseLost(f"{self.kind} {self.key} is no longer held by attempt {self.attempt}.")


def check_fraction(fraction: float) -> None:
    if not 0 <= fraction <= 1:
        raise ValueError(f"progress is a fraction from 0 to 1, not {fraction}")


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
