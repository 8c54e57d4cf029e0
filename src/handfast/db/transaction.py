"""A transaction that somebody owns.

Everything that must commit together takes the same ``Transaction``. It is opened by
``Database.transaction()`` or joined onto a connection of the caller's own with ``joined``; code
that receives one never commits, never rolls back and never retries.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Protocol, TypeAlias

import asyncpg

from handfast.base.errors import DatabaseError
from handfast.base.logs import get_logger
from handfast.db.constraints import named
from handfast.db.errors import TransactionEnded

log = get_logger(__name__)

COMMIT_SECONDS = 30.0  # deferred constraints, or a standby that must confirm, may take their time
WORD_SECONDS = (
    10.0  # BEGIN, ROLLBACK and the like wait for nobody: who is silent for so long is gone
)

AnyConnection: TypeAlias = asyncpg.Connection | asyncpg.pool.PoolConnectionProxy
Notice: TypeAlias = tuple[str, str]  # a channel, and what is told there
Change: TypeAlias = tuple[str, Sequence[int]]  # a topic of this process, and the ids that changed


class Queryable(Protocol):
    """What a statement needs to run: a transaction, or a connection that commits by itself."""

    async def execute(self, sql: str, *args: Any, timeout: float | None = None) -> str: ...
    async def fetch(
        self, sql: str, *args: Any, timeout: float | None = None
    ) -> list[asyncpg.Record]: ...
    async def fetchrow(
        self, sql: str, *args: Any, timeout: float | None = None
    ) -> asyncpg.Record | None: ...
    async def fetchval(self, sql: str, *args: Any, timeout: float | None = None) -> Any: ...


@contextmanager
def constraints_named() -> Iterator[None]:
    """Turn a violated constraint into the error that its owner registered."""
    try:
        yield
    except asyncpg.IntegrityConstraintViolationError as violation:
        raise named(violation) from violation


class Transaction:
    """An open transaction on one connection. Not for use by two tasks at once.

    Once it has ended it refuses: its connection is somebody else's by then, and what was written
    there would be theirs to commit or to undo.
    """

    __slots__ = ("_connection", "_savepoints", "changes", "notices")

    def __init__(self, connection: AnyConnection, *, ours: bool = False) -> None:
        """``ours``: who made this sends the notices once it has committed."""
        self._connection: AnyConnection | None = connection
        self._savepoints = 0
        # What is to be told after the commit. None if somebody else commits: then a notification
        # belongs into the transaction.
        self.notices: set[Notice] | None = set() if ours else None
        # What those in this process hear of after the commit (``Database.hear``); None if somebody
        # else commits, of whom we learn nothing.
        self.changes: list[Change] | None = [] if ours else None

    @property
    def connection(self) -> AnyConnection:
        if self._connection is None:
            raise ended()
        return self._connection

    def end(self) -> None:
        """For the owner, before it commits or rolls back: from now on the transaction refuses."""
        self._connection = None

    # Written out four times: the block of ``constraints_named`` costs more than all the rest here.

    async def execute(self, sql: str, *args: Any, timeout: float | None = None) -> str:
        try:
            return await self.connection.execute(sql, *args, timeout=timeout)
        except asyncpg.IntegrityConstraintViolationError as violation:
            raise named(violation) from violation

    async def executemany(self, sql: str, args: Iterable[Sequence[Any]]) -> None:
        with constraints_named():
            await self.connection.executemany(sql, args)

    async def fetch(
        self, sql: str, *args: Any, timeout: float | None = None
    ) -> list[asyncpg.Record]:
        try:
            return await self.connection.fetch(sql, *args, timeout=timeout)
        except asyncpg.IntegrityConstraintViolationError as violation:
            raise named(violation) from violation

    async def fetchrow(
        self, sql: str, *args: Any, timeout: float | None = None
    ) -> asyncpg.Record | None:
        try:
            return await self.connection.fetchrow(sql, *args, timeout=timeout)
        except asyncpg.IntegrityConstraintViolationError as violation:
            raise named(violation) from violation

    async def fetchval(self, sql: str, *args: Any, timeout: float | None = None) -> Any:
        try:
            return await self.connection.fetchval(sql, *args, timeout=timeout)
        except asyncpg.IntegrityConstraintViolationError as violation:
            raise named(violation) from violation

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """A part that can fail without the rest: an exception undoes only what is inside."""
        self._savepoints += 1
        name = f"handfast_{self._savepoints}"
        await self.connection.execute(f"SAVEPOINT {name}", timeout=WORD_SECONDS)
        try:
            yield
        except BaseException:
            await self._undo(name)
            raise
        with constraints_named():
            await self.connection.execute(f"RELEASE {name}", timeout=WORD_SECONDS)

    async def _undo(self, savepoint: str) -> None:
        """Back to the savepoint, or nothing of the transaction stays: what was raised in the block
        is what the caller must see, and not that this failed too."""
        try:
            await self.connection.execute(f"ROLLBACK TO {savepoint}", timeout=WORD_SECONDS)
        except TransactionEnded:
            pass  # the savepoint went with it
        except Exception as error:
            log.debug("savepoint_not_undone", error=repr(error))
            hang_up(self._connection)


class _Joined(Transaction):
    """Ended by somebody else, of whom we hear nothing: so each use looks whether the connection is
    still in the transaction that it was in. One that was begun by a plain BEGIN has no name, and
    cannot be told from the next."""

    __slots__ = ("_outermost",)

    def __init__(self, connection: AnyConnection) -> None:
        super().__init__(connection)
        self._outermost = _outermost(connection)

    @property
    def connection(self) -> AnyConnection:
        connection = super().connection
        if is_closed(connection) or (
            connection.is_in_transaction() and _outermost(connection) is self._outermost
        ):
            return connection  # when it is closed, asyncpg says so better
        raise ended()


def joined(connection: AnyConnection) -> Transaction:
    """Take part in a transaction that the caller opened on its own asyncpg connection."""
    if not connection.is_in_transaction():
        raise DatabaseError(
            "This connection has no open transaction, so nothing would hold the work together.",
            hint="Open one first: async with connection.transaction(): ...",
        )
    return _Joined(connection)


def ended() -> TransactionEnded:
    return TransactionEnded(
        "This transaction has ended; nothing can be read or written in it any more.",
        hint="Do it inside the block, or before the response; afterwards open another transaction.",
    )


def is_closed(connection: AnyConnection) -> bool:
    """Also of one that was cut and that the pool has taken back."""
    try:
        return bool(connection.is_closed())
    except asyncpg.InterfaceError:
        return True


def hang_up(connection: AnyConnection | None) -> None:
    """Without a farewell: the server rolls back what was open."""
    if connection is not None:
        with suppress(asyncpg.InterfaceError):  # it was cut, and is gone already
            connection.terminate()


def _outermost(connection: AnyConnection) -> object:
    """asyncpg's own object for the transaction that the connection is in; it has no public name."""
    return getattr(connection, "_top_xact", None)
