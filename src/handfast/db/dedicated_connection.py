"""A connection beside the pool, for what must not wait until somebody gives one back."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from handfast.db.connect import Target, connect

IDLE_SECONDS_MAX = 300.0  # what slept longer may have been forgotten by something in between
CLOSE_SECONDS_MAX = 5.0  # for the statement that is on its way when the line is closed


class DedicatedConnection:
    """Opened when it is first needed, and anew after it broke or slept for long. Users take turns.

    Made by ``Database.dedicated()``, and closed with the database at the latest.
    """

    def __init__(self, target: Target, application: str) -> None:
        self._target = target
        self._settings = {"application_name": application}
        self._connection: asyncpg.Connection | None = None
        self._turn = asyncio.Lock()
        self._used_at = 0.0
        self._stale = False
        self.is_closed = False

    @asynccontextmanager
    async def held(self) -> AsyncIterator["asyncpg.Connection"]:
        async with self._turn:
            if self._stale or time.monotonic() - self._used_at > IDLE_SECONDS_MAX:
                self._hang_up()
            try:
                yield await self._opened()
            except BaseException:  # it may be in the middle of anything
                self._hang_up()
                raise
            finally:
                self._used_at = time.monotonic()

    async def _opened(self) -> "asyncpg.Connection":
        if not self.is_closed and (self._connection is None or self._connection.is_closed()):
            self._stale = False
            self._connection = await connect(self._target, server_settings=self._settings)
        if self.is_closed or self._connection is None:  # perhaps just now, while it was opened
            raise asyncpg.InterfaceError("this line to the database was closed")
        return self._connection

    def renew(self) -> None:
        """Replace the connection when it is next used."""
        self._stale = True

    async def close(self) -> None:
        """For good. What is on its way may arrive."""
        self.is_closed = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS_MAX), self._turn:
                pass
        self._hang_up()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
