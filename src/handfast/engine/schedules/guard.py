"""What is a schedule's own fails for that schedule alone.

Its zones, keys and payloads are the program's: a query or functions that may raise anything, a
``TimeoutError`` of an HTTP call as well as any error of PostgreSQL's. By its type no error can say
whose it is, so what is theirs runs in a block of its own, and what is raised in there is theirs.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from handfast.db.outage import ConnectionLost
from handfast.db.statements import SECONDS_MAX
from handfast.db.transaction import AnyConnection, is_closed

# For the answer of a program's query or async function, as for statements of ours: a table that
# somebody's open migration has locked would otherwise hold up every scheduler for as long.
ANSWER_SECONDS_MAX = SECONDS_MAX


class ScheduleFailed(Exception):
    """One schedule cannot be followed now; says why. The others can."""


@contextmanager
def theirs(on: AnyConnection | None = None) -> Iterator[None]:
    """Whatever is raised in the block becomes ``ScheduleFailed``, unless the connection ``on`` was
    lost over it: then the database may be away, which is nobody's fault. Who cancels us is obeyed.
    """
    try:
        yield
    except asyncio.CancelledError as cancelled:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise failed(cancelled) from cancelled  # of something that it waited for
    except Exception as error:
        if on is not None and is_closed(on):
            raise ConnectionLost(f"the connection was lost: {error}") from error
        raise failed(error) from error


def failed(error: BaseException) -> ScheduleFailed:
    """In words, for the log."""
    said = str(error) or ("no answer in time" if isinstance(error, TimeoutError) else "")
    name = type(error).__name__
    return ScheduleFailed(f"{name}: {said}" if said else name)
