"""NOTIFY after the commit, where the commit is ours.

A transaction that has notified takes a lock on the whole server when it commits, and holds it while
the disk is waited for: then enqueues of all connections stand in one line. So what is to be told is
kept until the transaction has committed, and told in a statement of its own, which has nothing to
flush. What was asked for meanwhile goes together, and the same thing twice is told once.

Notifications are hints: one that is lost (the process died in between, the connection broke) costs
whoever waits for it the time until it looks by itself.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from types import NoneType

from handfast.base.logs import get_logger
from handfast.db.outage import PASSING, put_off
from handfast.db.statements import statement
from handfast.db.transaction import Notice, Queryable

CLOSE_SECONDS_MAX = 2.0  # for what is still to be told when the pool is closed

_NOTIFY = statement("db.notify", row=NoneType)

log = get_logger(__name__)


class Notices:
    """Those of one pool. Without a start: the task that tells lives as long as there is something
    to tell."""

    def __init__(self, connection: Callable[[], AbstractAsyncContextManager[Queryable]]) -> None:
        self._connection = connection
        self._pending: dict[Notice, None] = {}  # in the order of the commits
        self._telling: asyncio.Task[None] | None = None

    def tell(self, notices: Iterable[Notice]) -> None:
        """Soon. For after a commit."""
        self._pending.update(dict.fromkeys(notices))
        if self._pending and (self._telling is None or self._telling.done()):
            self._telling = asyncio.create_task(self._tell_all(), name="handfast-notices")

    async def close(self) -> None:
        """Tell what is left, as long as the database is there to take it."""
        if self._telling is not None and not self._telling.done():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS_MAX):
                    await self._telling

    async def _tell_all(self) -> None:
        while self._pending:
            told, self._pending = list(self._pending), {}
            try:
                async with self._connection() as connection:
                    await _NOTIFY.run(connection, *map(list, zip(*told, strict=True)))
            except PASSING as away:
                put_off(log, "not_notified", away, notices=len(told))
