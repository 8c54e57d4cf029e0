"""Connections that were used a moment ago and are wanted again in a moment.

Taking a connection from the pool and giving it back makes a task and three turns of the event loop,
which is half of what a small statement costs. So the last few are kept at hand, and while somebody
waits, a connection goes from hand to hand. One who waits in order to begin a transaction may get it
begun already: whoever commits before sends that BEGIN along, which saves a round trip.
"""

import asyncio
import time
from collections import deque

import asyncpg

KEPT_MAX = 4  # more would be idle most of the time, and the pool looks after idle ones better
KEPT_SECONDS = 30.0  # a connection that slept longer is the pool's to judge

_Connection = asyncpg.pool.PoolConnectionProxy


class _Waiter(asyncio.Future[_Connection | None]):
    """None means: go to the pool, there is a place for you. ``begun`` is the transaction that the
    waiter is going to begin, as it is said to PostgreSQL."""

    def __init__(self, begun: str | None) -> None:
        super().__init__(loop=asyncio.get_running_loop())
        self.begun = begun


class Shelf:
    """All connections of the pool go through here: what the pool has lent, it has lent to us."""

    def __init__(self, pool: "asyncpg.Pool") -> None:
        self._pool = pool
        self._kept: list[tuple[_Connection, float]] = []
        self._lent = 0  # by the pool, to us: in use, on the shelf, or on their way
        self._waiting: deque[_Waiter] = deque()
        self._closed = False
        self.generation = 0  # raised when all connections are to be replaced

    async def take(self, begun: str | None = None, *, first: bool = False) -> _Connection:
        """A connection; if it is in a transaction, then in one as ``begun`` wants it. ``first`` is
        for those on whom many others wait: they do not stand in line."""
        while self._kept:
            connection, since = self._kept.pop()
            if _alive(connection) and time.monotonic() - since < KEPT_SECONDS:
                return connection
            await self._return(connection)
        if self._lent < self._pool.get_max_size() or self._closed:
            self._lent += 1
            return await self._from_pool()
        waiter = _Waiter(begun)
        if first:
            self._waiting.appendleft(waiter)
        else:
            self._waiting.append(waiter)
        try:
            handed = await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                self._waiting.remove(waiter)
            elif (missed := waiter.result()) is None:  # cancelled just after it was its turn
                self._leave_place()
            else:
                await self.put(missed, self.generation, begun)
            raise
        return handed if handed is not None else await self._from_pool()

    def next_begins(self) -> str | None:
        """The transaction that whoever is next is going to begin, if that is what they want."""
        for waiter in self._waiting:
            if not waiter.done():
                return waiter.begun
        return None

    async def put(self, connection: _Connection, generation: int, begun: str | None = None) -> None:
        """After use, and only if the use ended well; taken in this generation. ``begun`` says which
        transaction was begun on it for the next."""
        reusable = not self._closed and generation == self.generation and _alive(connection)
        if reusable and connection.is_in_transaction():
            if begun is not None and (waiter := self._next(begun)) is not None:
                waiter.set_result(connection)
                return
            # Whoever wanted it has gone. Without ``begun`` it is a transaction that nobody ended,
            # of which we know nothing.
            reusable = begun is not None and await _rolled_back(connection)
        if reusable and (waiter := self._next()) is not None:
            waiter.set_result(connection)
        elif reusable and len(self._kept) < KEPT_MAX:
            self._kept.append((connection, time.monotonic()))
        else:
            await self._return(connection)

    async def drop(self, connection: _Connection) -> None:
        """After a use that ended badly: it may be in the middle of anything."""
        await self._return(connection)

    async def close(self) -> None:
        """Keep nothing from now on: the pool waits for all of its connections before it closes."""
        self._closed = True
        await self.clear()
        while (waiter := self._next()) is not None:
            self._lent += 1
            waiter.set_result(None)  # and the pool tells them that it is closing

    async def clear(self) -> None:
        """Return everything to the pool, also what is in use now, as soon as it is not."""
        self.generation += 1
        while self._kept:
            connection, _ = self._kept.pop()
            await self._return(connection)

    async def _from_pool(self) -> _Connection:
        """For whoever has a place among those that the pool has lent."""
        try:
            return await self._pool.acquire()
        except BaseException:
            self._leave_place()
            raise

    async def _return(self, connection: _Connection) -> None:
        try:
            await self._pool.release(connection)
        finally:
            self._leave_place()

    def _leave_place(self) -> None:
        if (waiter := self._next()) is not None:
            waiter.set_result(None)  # the place is theirs now
        else:
            self._lent -= 1

    def _next(self, begun: str | None = None) -> "_Waiter | None":
        """Who waits longest, and has not given up; with ``begun``, of those who want just that."""
        if begun is not None:
            found = next((w for w in self._waiting if w.begun == begun and not w.done()), None)
            if found is not None:
                self._waiting.remove(found)
            return found
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                return waiter
        return None


def _alive(connection: _Connection) -> bool:
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:  # it was cut, and the pool has already taken it back
        return False


async def _rolled_back(connection: _Connection) -> bool:
    try:
        await connection.execute("ROLLBACK")
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        return False
    return True
