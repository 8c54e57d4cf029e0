"""Whether the database is away, and the one voice of this process that says so.

A dozen loops notice at once that PostgreSQL is gone, and go on noticing. What they would write is
the same line hundreds of times, so they tell it here: one line when it goes, one every half minute,
and one when it is back.
"""

import threading
import time
from typing import Any

import asyncpg

from handfast.base.logs import get_logger
from handfast.db.errors import CommitUnknown, DatabaseUnreachable, TransactionContention

AGAIN_SECONDS = 30.0
SETTLED_SECONDS = 1.0  # one may still answer while others are being cut


class ConnectionLost(asyncpg.InterfaceError, ConnectionError):
    """asyncpg's word for a closed connection is also its word for a wrong use of an open one."""


# The connection is lost, or the server says that it starts, stops or is full: waiting helps.
AWAY = (
    DatabaseUnreachable,
    CommitUnknown,
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.IdleSessionTimeoutError,
    asyncpg.TooManyConnectionsError,
)

# Away, or refused this once because of what others did. Everything else would be the same next
# time: a loop that repeated it would hide it.
PASSING = (
    *AWAY,
    TransactionContention,
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.LockNotAvailableError,
    asyncpg.QueryCanceledError,
    asyncpg.ReadOnlySQLTransactionError,  # a failover: what was the primary is not yet one again
)

log = get_logger(__name__)


class Outage:
    """Heard by all threads of a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said_at = self._noticed_at = 0.0
        self.since: float | None = None

    def noticed(self, error: BaseException) -> None:
        """Somebody could not reach the database."""
        now = time.monotonic()
        with self._lock:
            self._noticed_at = now
            if self.since is None:
                self.since = self._said_at = now
                log.warning("database_away", reason=_reason(error))
            elif now - self._said_at >= AGAIN_SECONDS:
                self._said_at = now
                seconds = round(now - self.since, 1)
                log.warning("database_still_away", seconds=seconds, reason=_reason(error))

    def answered(self) -> None:
        """Somebody was answered. Ask first whether ``since`` is None: it nearly always is."""
        with self._lock:
            now = time.monotonic()
            if self.since is not None and now - self._noticed_at >= SETTLED_SECONDS:
                log.warning("database_back", seconds=round(now - self.since, 1))
                self.since = None


def _reason(error: BaseException) -> str:
    silent = isinstance(error, TimeoutError) and not str(error)
    return "no answer in time" if silent else str(error) or repr(error)


OUTAGE = Outage()


def put_off(logger: Any, event: str, error: BaseException, **more: Any) -> None:
    """A loop will try again: said by the one voice if the database is away, else as ``event``."""
    if isinstance(error, AWAY):
        OUTAGE.noticed(error)
    else:
        logger.warning(event, reason=str(error), **more)
