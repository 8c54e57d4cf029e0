"""A connection beside the pool, for what must not wait until somebody gives one back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from handfast.db.connect import Target, connect


class Line:
    """Opened when it is first needed, and anew after it broke. One user at a time.

    Made by ``Database.line()``, and closed with the database at the latest.
    """

    def __init__(self, target: Target, application: str) -> None:
        self._target = target
        self._settings = {"application_name": application}
        self._connection: asyncpg.Connection | None = None
        self._stale = False

    @asynccontextmanager
    async def held(self) -> AsyncIterator["asyncpg.Connection"]:
        if self._stale:
            self.close()
        try:
            if self._connection is None or self._connection.is_closed():
                self._connection = await connect(self._target, server_settings=self._settings)
                self._stale = False
            yield self._connection
        except BaseException:  # it may be in the middle of anything
            self.close()
            raise

    def renew(self) -> None:
        """Replace the connection when it is next used."""
        self._stale = True

    def close(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
