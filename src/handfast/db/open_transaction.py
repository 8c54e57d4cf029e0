"""A transaction whose beginning and end are in different places.

``Database.transaction()`` is a block; here the owner begins, hands the transaction to somebody
else, and ends it later. The owner may have a last word: one more statement that is sent in the same
message as COMMIT, so that it costs no round trip. If it fails, nothing is committed.
"""

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

from handfast.base.errors import CommitUnknown, DatabaseError
from handfast.base.telemetry import COMMITS_UNKNOWN
from handfast.db.pool import BROKEN, Database, Isolation, Lent
from handfast.db.transaction import Transaction, constraints_named


class OpenTransaction(Transaction):
    """Begun by hand, so that it can be ended with a last word: asyncpg's own transaction objects
    do not know of it, and ``savepoint()`` is the way to have a part that may fail."""

    __slots__ = ("_database", "_ended", "_lent", "_savepoints")

    def __init__(self, database: Database, lent: Lent) -> None:
        super().__init__(lent.connection)
        self._database = database
        self._lent = lent
        self._ended = False
        self._savepoints = 0

    @classmethod
    async def begin(cls, database: Database, isolation: Isolation = "read_committed") -> Self:
        lent = await database.lend()
        try:
            await lent.connection.execute(f"BEGIN ISOLATION LEVEL {isolation.replace('_', ' ')}")
        except BaseException:
            await database.take_back(lent, well=False)
            raise
        return cls(database, lent)

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        self._savepoints += 1
        name = f"handfast_{self._savepoints}"
        await self.connection.execute(f"SAVEPOINT {name}")
        try:
            yield
        except BaseException:
            await self.connection.execute(f"ROLLBACK TO {name}")
            raise
        with constraints_named():
            await self.connection.execute(f"RELEASE {name}")

    async def commit(self, last_word: str = "") -> None:
        """``last_word`` is SQL with its values in it: make sure that they are harmless. When this
        raises, the connection is given back and, unless ``CommitUnknown``, nothing is stored."""
        try:
            with constraints_named():
                said = await self.connection.execute(
                    f"{last_word}; COMMIT" if last_word else "COMMIT"
                )
        except BROKEN as broken:
            COMMITS_UNKNOWN.inc()
            raise CommitUnknown(
                f"The connection broke while the transaction was being committed ({broken}); it "
                "may or may not have been stored.",
                hint="Look whether the work is there before doing it again.",
            ) from broken
        finally:
            await self.rollback()
        if said != "COMMIT":
            raise DatabaseError(
                "A statement of this transaction had failed, so PostgreSQL rolled it back.",
                hint="Let the error of that statement pass, or put it into a savepoint.",
            )

    async def rollback(self) -> None:
        """Undo what is not committed, and give the connection back. A second time, or after a
        commit, it does nothing."""
        if self._ended:
            return
        self._ended = True
        well = False
        try:
            with contextlib.suppress(*BROKEN):  # a connection that broke has rolled back by itself
                if not self.connection.is_closed() and self.connection.is_in_transaction():
                    await self.connection.execute("ROLLBACK")
                well = True
        finally:
            await self._database.take_back(self._lent, well=well)
