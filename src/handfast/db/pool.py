"""The pool, and the two ways to run a transaction.

``transaction()`` runs once, whatever happens. ``run_in_transaction(fn)`` may run ``fn`` again
after a serialization failure or a deadlock, a bounded number of times, because then the database
has promised that nothing of the first run remains. When a connection breaks *during COMMIT* there
is no such promise: ``CommitUnknown`` is raised and nothing is retried by anybody.
"""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal, NamedTuple, Self, TypeVar

import asyncpg

from handfast.base.logs import get_logger
from handfast.base.telemetry import COMMITS_UNKNOWN, TRANSACTION_RETRIES
from handfast.db.connect import Connection, Target, connect
from handfast.db.connection_cache import ConnectionCache
from handfast.db.dedicated_connection import DedicatedConnection
from handfast.db.errors import CommitUnknown, DatabaseUnreachable, TransactionContention
from handfast.db.notices import Notices
from handfast.db.outage import ConnectionLost
from handfast.db.transaction import (
    COMMIT_SECONDS,
    WORD_SECONDS,
    AnyConnection,
    Transaction,
    constraints_named,
    hang_up,
    is_closed,
)

Isolation = Literal["read_committed", "repeatable_read", "serializable"]
T = TypeVar("T")
Hearer = Callable[[Sequence[int]], None]

ATTEMPTS_MAX = 5  # by then the rivals have had a second or so; more would hide a design fault
IDLE_SECONDS = 5.0  # beyond those in the cache: then a connection that nobody wants is closed
CLOSE_SECONDS_MAX = 10.0  # for connections in use when the pool is closed
BACKOFF_SECONDS = 0.02  # doubled each time, and jittered, so that rivals do not meet again

_RETRYABLE = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
BROKEN = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a farewell from the server that meets our next statement
    OSError,
)
# What asyncpg says, among other things, of a connection that is gone.
_CLOSED = (asyncpg.InterfaceError, asyncpg.InternalClientError)

log = get_logger(__name__)


class Lent(NamedTuple):
    """A connection that somebody uses, and when it was taken."""

    connection: "asyncpg.pool.PoolConnectionProxy"
    generation: int


class Database:
    """A pool of connections to one database."""

    def __init__(self, pool: "asyncpg.Pool", target: Target, application: str) -> None:
        self._pool = pool
        self._cache = ConnectionCache(pool)
        self._dedicated: list[DedicatedConnection] = []
        self._notices = Notices(self.connection)
        self._hearers: dict[str, list[Hearer]] = {}
        self._application = application
        self.target = target

    @classmethod
    async def open(
        cls, target: Target, *, pool_size: int = 10, application: str = "handfast"
    ) -> Self:
        """Open the pool and prove that the server answers and is new enough."""

        async def connect_pooled(*_: Any, **options: Any) -> "asyncpg.Connection":
            return await connect(target, **options)

        pool = await asyncpg.create_pool(
            target.dsn,
            min_size=0,  # with a floor it looks for connections by itself, and says so each time
            max_size=pool_size,
            connect=connect_pooled,
            connection_class=Connection,
            # We keep no session state (only SET LOCAL), so a reset would be a wasted round trip.
            reset=_keep,
            max_inactive_connection_lifetime=IDLE_SECONDS,
            server_settings={"application_name": application},
        )
        try:
            await pool.release(await pool.acquire())
        except BaseException:
            pool.terminate()
            raise
        return cls(pool, target, application)

    async def close(self) -> None:
        await self._notices.close()
        for line in self._dedicated:
            await line.close()
        await self._cache.close()
        # Who still uses a connection may end, but a process that was told to stop stops: beyond
        # this the pool hangs up.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS_MAX):
                await self._pool.close()

    async def renew_connections(self) -> None:
        """Let each connection be replaced when it is next used, to see changed defaults."""
        for line in self._dedicated:
            line.renew()
        # The pool first: what the cache returns to it may be taken again before we go on.
        await self._pool.expire_connections()
        await self._cache.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def connection(self) -> "_Loan":
        """A connection on which each statement commits by itself: for reads and single writes."""
        return _Loan(self)

    def dedicated(self) -> DedicatedConnection:
        """A connection beside the pool, for one user who keeps it."""
        line = DedicatedConnection(self.target, self._application)
        self._dedicated = [one for one in self._dedicated if not one.is_closed]
        self._dedicated.append(line)
        return line

    async def lend(self, begin: str = "") -> Lent:
        """For owners whose use has no block; every one of them must come to ``take_back`` or
        to ``hand_over``. With ``begin``, it may come in a transaction that was begun like that."""
        generation = self._cache.generation
        try:
            return Lent(await self._cache.take(begin), generation)
        except BROKEN as broken:
            raise DatabaseUnreachable(f"No database connection: {said(broken)}.") from broken

    async def take_back(self, lent: Lent, *, well: bool) -> None:
        if well:
            await self._cache.put(lent.connection, lent.generation)
        else:
            await self._cache.drop(lent.connection)

    def promise(self, lent: Lent) -> str:
        """The BEGIN of who waits for a connection, if that is what they wait for."""
        return self._cache.promise(lent.generation)

    def hand_over(self, lent: Lent, begin: str) -> bool:
        """In the transaction that was begun for somebody; False if nobody wants it any more."""
        return self._cache.hand_over(lent.connection, lent.generation, begin)

    @asynccontextmanager
    async def transaction(
        self, isolation: Isolation = "read_committed"
    ) -> AsyncIterator[Transaction]:
        """One transaction, run once: commits at the end of the block, or rolls back."""
        async with self.connection() as acquired:
            transaction = acquired.transaction(isolation=isolation)
            with _Deadline(self._cache, acquired, WORD_SECONDS):
                await transaction.start()
            tx = Transaction(acquired, ours=True)
            try:
                yield tx
            except BaseException:
                tx.end()
                await self._roll_back(transaction, acquired)
                raise
            tx.end()
            with _Deadline(self._cache, acquired, COMMIT_SECONDS):
                await _commit(transaction)
        self.committed(tx)

    def committed(self, tx: Transaction) -> None:
        """For the owner of a transaction, after its commit: who is to be told is told, soon."""
        if tx.notices:
            self._notices.tell(tx.notices)
        for topic, ids in tx.changes or ():
            self.tell_here(topic, ids)

    def hear(self, topic: str, hearer: Hearer) -> Callable[[], None]:
        """``hearer`` is called with the ids that changed, after each commit of this process that
        says so; it must not wait. Answers how to end that."""
        hearers = self._hearers.setdefault(topic, [])
        hearers.append(hearer)
        return lambda: hearers.remove(hearer)

    def tell_here(self, topic: str, ids: Sequence[int]) -> None:
        """After a commit that was a statement's own."""
        for hearer in self._hearers.get(topic, ()):
            hearer(ids)

    async def _roll_back(
        self,
        transaction: "asyncpg.transaction.Transaction",
        connection: "asyncpg.pool.PoolConnectionProxy",
    ) -> None:
        """What was raised in the block is what the caller must see, also when the connection was
        cut: then the server rolls back by itself."""
        try:
            with _Deadline(self._cache, connection, WORD_SECONDS):
                await transaction.rollback()
        except Exception as error:
            log.debug("rollback_failed", error=repr(error))
            hang_up(connection)

    async def run_in_transaction(
        self,
        fn: Callable[[Transaction], Awaitable[T]],
        *,
        isolation: Isolation = "read_committed",
        attempts: int = ATTEMPTS_MAX,
    ) -> T:
        """Run ``fn`` in a transaction, again if others got in the way. ``fn`` must have no effect
        outside the transaction."""
        for attempt in range(1, attempts + 1):
            try:
                async with self.transaction(isolation) as tx:
                    return await fn(tx)
            except _RETRYABLE as lost:
                TRANSACTION_RETRIES.labels(type(lost).__name__).inc()
                if attempt == attempts:
                    raise TransactionContention(
                        f"The transaction lost against others {attempts} times in a row: {lost}.",
                        hint="Nothing was stored. Try again when there is less traffic on the "
                        "same rows.",
                    ) from lost
            await asyncio.sleep(BACKOFF_SECONDS * 2**attempt * random.random())  # noqa: S311
        raise AssertionError("the loop above returns or raises")


class _Loan:
    """A block with a connection. A class, because a generator's block costs half a statement."""

    __slots__ = ("_database", "_lent")

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __aenter__(self) -> "asyncpg.pool.PoolConnectionProxy":
        self._lent = await self._database.lend()
        return self._lent.connection

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if kind is None:
            await self._database.take_back(self._lent, well=True)
            return
        lost = kind in _CLOSED and is_closed(self._lent.connection)
        await self._database.take_back(self._lent, well=False)
        if lost:
            raise ConnectionLost(f"the connection was lost: {error}") from error


class _Deadline:
    """Hangs up a connection that has not answered by then; whoever waits for it is told that it is
    lost. ``asyncio.timeout`` would cost every transaction five times as much."""

    __slots__ = ("_cache", "_connection", "_seconds", "_timer")

    def __init__(self, cache: ConnectionCache, connection: AnyConnection, seconds: float) -> None:
        self._cache = cache
        self._connection = connection
        self._seconds = seconds

    def __enter__(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._hang_up)

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _hang_up(self) -> None:
        hang_up(self._connection)
        self._cache.distrust()


async def _commit(transaction: "asyncpg.transaction.Transaction") -> None:
    try:
        with constraints_named():
            await transaction.commit()
    except BROKEN as broken:
        COMMITS_UNKNOWN.inc()
        raise CommitUnknown(
            f"The connection broke while the transaction was being committed ({said(broken)}); it "
            "may or may not have been stored.",
            hint="Look whether the work is there before doing it again.",
        ) from broken


def said(broken: Exception) -> str:
    return str(broken) or "no answer in time"


async def _keep(connection: "asyncpg.Connection") -> None:
    """Nothing to reset, unless somebody was cancelled so often that not even a rollback went
    through: the next user's statements must not end up in a transaction that nobody commits."""
    if connection.is_in_transaction():
        connection.terminate()
