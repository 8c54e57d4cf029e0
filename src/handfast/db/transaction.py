"""A transaction that somebody owns.

Everything that must commit together takes the same ``Transaction``. It is opened by
``Database.transaction()`` or joined onto a connection of the caller's own with ``joined``; code
that receives one never commits, never rolls back and never retries.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Protocol

import asyncpg

from handfast.base.errors import DatabaseError
from handfast.db.constraints import named


class Queryable(Protocol):
    """What a statement needs to run: a transaction, or a connection that commits by itself."""

    async def execute(self, sql: str, *args: Any) -> str: ...
    async def fetch(self, sql: str, *args: Any) -> list[asyncpg.Record]: ...
    async def fetchrow(self, sql: str, *args: Any) -> asyncpg.Record | None: ...
    async def fetchval(self, sql: str, *args: Any) -> Any: ...


@contextmanager
def constraints_named() -> Iterator[None]:
    """Turn a violated constraint into the error that its owner registered."""
    try:
        yield
    except asyncpg.IntegrityConstraintViolationError as violation:
        raise named(violation) from violation


class Transaction:
    """An open transaction on one connection. Not for use by two tasks at once."""

    __slots__ = ("connection",)

    def __init__(self, connection: "asyncpg.pool.PoolConnectionProxy | asyncpg.Connection") -> None:
        self.connection = connection

    # Written out four times: the block of ``constraints_named`` costs more than all the rest here.

    async def execute(self, sql: str, *args: Any) -> str:
        try:
            return await self.connection.execute(sql, *args)
        except asyncpg.IntegrityConstraintViolationError as violation:
            raise named(violation) from violation

    async def executemany(self, sql: str, args: Iterable[Sequence[Any]]) -> None:
        with constraints_named():
            await self.connection.executemany(sql, args)

    async def fetch(self, sql: str, *args: Any) -> list[asyncpg.Record]:
        try:
            return await self.connection.fetch(sql, *args)
        except asyncpg.IntegrityConstraintViolationError as violation:
            raise named(violation) from violation

    async def fetchrow(self, sql: str, *args: Any) -> asyncpg.Record | None:
        try:
            return await self.connection.fetchrow(sql, *args)
        except asyncpg.IntegrityConstraintViolationError as violation:
            raise named(violation) from violation

    async def fetchval(self, sql: str, *args: Any) -> Any:
        try:
            return await self.connection.fetchval(sql, *args)
        except asyncpg.IntegrityConstraintViolationError as violation:
            raise named(violation) from violation

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """A part that can fail without the rest: an exception undoes only what is inside."""
        with constraints_named():
            async with self.connection.transaction():
                yield


def joined(connection: "asyncpg.Connection | asyncpg.pool.PoolConnectionProxy") -> Transaction:
    """Take part in a transaction that the caller opened on its own asyncpg connection."""
    if not connection.is_in_transaction():
        raise DatabaseError(
            "This connection has no open transaction, so nothing would hold the work together.",
            hint="Open one first: async with connection.transaction(): ...",
        )
    return Transaction(connection)
