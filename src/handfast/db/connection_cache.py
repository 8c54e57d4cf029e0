"""Connections that were used a moment ago and are wanted again in a moment.

Taking a connection from the pool and giving it back makes a task and three turns of the event loop,
which is half of what a small statement costs. So they are kept at hand, the last one on top, and
while somebody waits, a connection goes from hand to hand. Who waits in order to begin a transaction
may even get it begun: whoever ends one on that connection says both in one message. What nobody
wanted for a while goes back: the pool closes what is idle for long.
"""

import asyncio
import contextlib
import time
from collections import deque
from logging import DEBUG, WARNING
from typing import Any, NamedTuple

import asyncpg

from handfast.base.logs import get_logger
from handfast.db.transaction import hang_up, is_closed

RETURN_SECONDS_MAX = 5.0  # for the answer to a statement that was given up
KEPT_SECONDS = 30.0  # a connection that slept longer is the pool's to judge

_Connection = asyncpg.pool.PoolConnectionProxy

log = get_logger(__name__)


class Waiter(NamedTuple):
    """Somebody who waits for a connection, and with which words they will begin a transaction."""

    handed: "asyncio.Future[_Connection | None]"  # None: a place, to get one from the pool
    begin: str


class ConnectionCache:
    """All connections of the pool go through here: what the pool has lent, it has lent to us."""

    def __init__(self, pool: "asyncpg.Pool") -> None:
        self._pool = pool
        self._kept: list[tuple[_Connection, float]] = []  # the longest idle first
        self._clearing: asyncio.TimerHandle | None = None
        self._returns: set[asyncio.Task[None]] = set()
        self._lent = 0  # by the pool, to us: in use, kept, or on their way
        self._waiting: deque[Waiter] = deque()
        self._promised: deque[Waiter] = deque()  # waiting longer than those, for a begun one or any
        self._closed = False
        self.generation = 0  # raised when all connections are to be replaced

    async def take(self, begin: str = "") -> _Connection:
        """With ``begin``, the connection may come in a transaction that was begun like that."""
        while self._kept:
            connection, since = self._kept.pop()
            if not is_closed(connection) and time.monotonic() - since < KEPT_SECONDS:
                return connection
            await self._return(connection)
        if self._lent < self._pool.get_max_size() or self._closed:
            self._lent += 1
            return await self._from_pool()
        waiter = Waiter(asyncio.get_running_loop().create_future(), begin)
        self._waiting.append(waiter)
        try:
            handed = await waiter.handed
        except asyncio.CancelledError:
            if waiter.handed.cancelled():
                for queue in (self._promised, self._waiting):
                    with contextlib.suppress(ValueError):  # passed over already: it gave up
                        queue.remove(waiter)
            elif (missed := waiter.handed.result()) is None:  # cancelled just after it was its turn
                self._leave_place()
            else:
                if not is_closed(missed) and missed.is_in_transaction():
                    missed.terminate()  # begun for who does not want it any more
                await self.put(missed, self.generation)
            raise
        return handed if handed is not None else await self._from_pool()

    async def put(self, connection: _Connection, generation: int) -> None:
        """After use, and only if the use ended well; taken in this generation."""
        reusable = (
            not self._closed
            and generation == self.generation
            and not is_closed(connection)
            and not connection.is_in_transaction()
        )
        if reusable and (waiter := self._next()) is not None:
            waiter.handed.set_result(_renamed(connection))
        elif reusable:
            self._kept.append((_renamed(connection), time.monotonic()))
            if self._clearing is None:
                self._clear_later()
        else:
            await self._return(connection)

    def promise(self, generation: int) -> str:
        """How the next one in the queue begins a transaction; empty if nobody waits for that. For
        the owner of a connection of this generation, who may say so in its last message.

        Nobody depends on that message: another connection that is free before goes to the same
        one, and then there is one more begun transaction than heirs."""
        if generation != self.generation or not (heir := _first(self._waiting)) or not heir.begin:
            return ""
        self._promised.append(self._waiting.popleft())
        return heir.begin

    def hand_over(self, connection: _Connection, generation: int, begin: str) -> bool:
        """In a transaction that was begun like that, to who waits longest for it; False if nobody
        does any more."""
        if generation != self.generation:
            return False
        for heir in self._promised:
            if heir.begin == begin and not heir.handed.done():
                self._promised.remove(heir)
                heir.handed.set_result(_renamed(connection))
                return True
        return False

    async def drop(self, connection: _Connection) -> None:
        """After a use that ended badly: it may be in the middle of anything."""
        await self._return(connection)

    async def close(self) -> None:
        """Keep nothing from now on: the pool waits for all of its connections before it closes."""
        self._closed = True
        if self._clearing is not None:
            self._clearing.cancel()
        await self.clear()
        while (waiter := self._next()) is not None:
            self._lent += 1
            waiter.handed.set_result(None)  # and the pool tells them that it is closing

    async def clear(self) -> None:
        """Return everything to the pool, also what is in use now, as soon as it is not."""
        self.generation += 1
        # All at once: while one is returned, nobody may take another for one of the new generation.
        kept, self._kept = self._kept, []
        for connection, _ in reversed(kept):
            await self._return(connection)

    def distrust(self) -> None:
        """A connection has fallen silent, as after a failover: those that are idle have too, as
        likely as not. Hang up, and keep nothing that is in use now."""
        self.generation += 1
        log.log(WARNING if self._kept else DEBUG, "connections_distrusted", idle=len(self._kept))
        while self._kept:
            connection, _ = self._kept.pop()
            hang_up(connection)
            self._leave_place()
        holders: Any = self._pool._holders  # type: ignore[attr-defined]
        for holder in holders:
            if holder.is_idle():
                holder.terminate()

    def _clear_later(self) -> None:
        self._clearing = asyncio.get_running_loop().call_later(KEPT_SECONDS, self._clear_idle)

    def _clear_idle(self) -> None:
        """Give back what nobody has wanted for a while."""
        now = time.monotonic()
        while self._kept and now - self._kept[0][1] >= KEPT_SECONDS:
            connection, _ = self._kept.pop(0)
            returned = asyncio.get_running_loop().create_task(self._return(connection))
            self._returns.add(returned)
            returned.add_done_callback(self._returns.discard)
        self._clearing = None
        if self._kept:
            self._clear_later()

    async def _from_pool(self) -> _Connection:
        """For whoever has a place among those that the pool has lent."""
        try:
            return await self._pool.acquire()
        except BaseException:
            self._leave_place()
            raise

    async def _return(self, connection: _Connection) -> None:
        """Whatever the owner did with it has ended, and is not made worse by a farewell that
        fails: the pool has closed it then."""
        try:
            await self._pool.release(connection, timeout=RETURN_SECONDS_MAX)
        except Exception as error:
            log.debug("connection_closed_badly", error=repr(error))
            if isinstance(error, TimeoutError):
                self.distrust()
        finally:
            self._leave_place()

    def _leave_place(self) -> None:
        if (waiter := self._next()) is not None:
            waiter.handed.set_result(None)  # the place is theirs now
        else:
            self._lent -= 1

    def _next(self) -> Waiter | None:
        """Who waits longest, and has not given up."""
        for queue in (self._promised, self._waiting):
            if _first(queue) is not None:
                return queue.popleft()
        return None


def _first(queue: deque[Waiter]) -> Waiter | None:
    while queue and queue[0].handed.done():
        queue.popleft()
    return queue[0] if queue else None


def _renamed(connection: _Connection) -> _Connection:
    """The same connection under a new proxy, as the pool does it: whoever still has the old one, or
    a cursor or a statement of it, is refused, instead of working in what is another's now."""
    old: Any = connection  # none of this has a public name
    holder, line = old._holder, old._con
    line._on_release()
    old._detach()
    holder._proxy = renamed = _Connection(holder, line)
    return renamed
