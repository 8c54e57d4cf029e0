"""Connections that were used a moment ago and are wanted again in a moment.

Taking a connection from the pool and giving it back makes a task and three turns of the event loop,
which is half of what a small statement costs. So the last few are kept at hand. Whoever waits at
the pool comes first: while somebody does, nothing is kept from it.
"""

import time

import asyncpg

KEPT_MAX = 4  # more would be idle most of the time, and the pool looks after idle ones better
KEPT_SECONDS = 30.0  # a connection that slept longer is the pool's to judge


class Shelf:
    def __init__(self, pool: "asyncpg.Pool") -> None:
        self._pool = pool
        self._kept: list[tuple[asyncpg.pool.PoolConnectionProxy, float]] = []
        self._waiting = 0
        self._closed = False
        self.generation = 0  # raised when all connections are to be replaced

    async def take(self) -> "asyncpg.pool.PoolConnectionProxy":
        while self._kept:
            connection, since = self._kept.pop()
            if _alive(connection) and time.monotonic() - since < KEPT_SECONDS:
                return connection
            await self._pool.release(connection)
        self._waiting += 1
        try:
            return await self._pool.acquire()
        finally:
            self._waiting -= 1

    async def put(self, connection: "asyncpg.pool.PoolConnectionProxy", generation: int) -> None:
        """After use, and only if the use ended well; taken in this generation."""
        if (
            self._closed
            or generation != self.generation
            or self._waiting
            or len(self._kept) >= KEPT_MAX
            or not _alive(connection)
            or connection.is_in_transaction()
        ):
            await self._pool.release(connection)
        else:
            self._kept.append((connection, time.monotonic()))

    async def close(self) -> None:
        """Keep nothing from now on: the pool waits for all of its connections before it closes."""
        self._closed = True
        await self.clear()

    async def clear(self) -> None:
        """Return everything to the pool, also what is in use now, as soon as it is not."""
        self.generation += 1
        while self._kept:
            connection, _ = self._kept.pop()
            await self._pool.release(connection)


def _alive(connection: "asyncpg.pool.PoolConnectionProxy") -> bool:
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:  # it was cut, and the pool has already taken it back
        return False
