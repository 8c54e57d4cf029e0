"""One builder at a time.

The lock is held by a transaction of its own, which does nothing else and so keeps no old row alive.
It goes when its holder does, however it goes: whoever gets it knows that every version that is
still being built, and every table of a retired one, belongs to somebody who is gone.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import asyncpg

from handfast.db.pool import BROKEN, Database
from handfast.db.statements import statement
from handfast.db.transaction import WORD_SECONDS

LOOK_SECONDS = 0.2

_TAKE = statement("runs.take_corpus_lock", row=bool)
_STILL_HELD = statement("runs.still_held", row=int, seconds=WORD_SECONDS)


class Lock:
    """Whether we have it, and whether we have it still."""

    def __init__(self, connection: "asyncpg.pool.PoolConnectionProxy", *, held: bool) -> None:
        self._connection = connection
        self.held = held

    async def still_held(self) -> bool:
        try:
            await _STILL_HELD.run(self._connection)
        except BROKEN:
            return False
        return self.held


@asynccontextmanager
async def builders_lock(direct: Database, *, patience: float = 0.0) -> AsyncIterator[Lock]:
    """Tries for ``patience`` seconds. ``direct`` has no pooler between, which would not bear the
    open transaction."""
    async with direct.connection() as connection:
        transaction = connection.transaction()
        async with asyncio.timeout(WORD_SECONDS):
            await transaction.start()
        try:
            await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            lock = Lock(connection, held=await _TAKE.one(connection))
            deadline = time.monotonic() + patience
            while not lock.held and time.monotonic() < deadline:
                await asyncio.sleep(LOOK_SECONDS)
                lock.held = await _TAKE.one(connection)
            # An answered query keeps its snapshot, and with it every dead row of the database,
            # until the next one begins. One of the simple kind keeps nothing.
            await lock.still_held()
            yield lock
        finally:
            # What was raised in the block is what the caller must see; a connection that was cut
            # has rolled back by itself.
            with suppress(asyncpg.PostgresError, *BROKEN):
                async with asyncio.timeout(WORD_SECONDS):
                    await transaction.rollback()
