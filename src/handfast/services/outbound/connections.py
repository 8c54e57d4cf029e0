"""Connections kept for reuse, at a cost that does not grow with their number.

The HTTP library's own pool looks at every connection before and after every request, and asks the
operating system about each idle one. With the hundred connections that many servers need, that
was two thirds of the cost of a request. Here a request takes the connection that was used last,
looks at that one alone, and puts it back.
"""

import time
from collections import deque
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Self, cast

import httpcore2

# The library's origin cannot be a key.
_Origin = tuple[bytes, bytes, int]


class Connections(httpcore2.AsyncConnectionInterface):
    """Any number of connections, of which at most ``idle_max`` wait, for ``keep_alive`` seconds."""

    def __init__(self, *, idle_max: int, keep_alive: float, **options: Any) -> None:
        self._idle_max = idle_max
        self._keep_alive = keep_alive
        self._options = options
        self._idle: dict[_Origin, deque[httpcore2.AsyncHTTPConnection]] = {}
        self._busy: dict[httpcore2.AsyncHTTPConnection, _Origin] = {}
        self._swept_at = time.monotonic()

    @property
    def connections(self) -> list[httpcore2.AsyncHTTPConnection]:
        return [*self._busy, *(one for waiting in self._idle.values() for one in waiting)]

    async def handle_async_request(self, request: httpcore2.Request) -> httpcore2.Response:
        connection = await self._take(request.url.origin)
        try:
            response = await connection.handle_async_request(request)
        except BaseException:
            await self._close(connection)
            raise
        return httpcore2.Response(
            status=response.status,
            headers=response.headers,
            content=_Body(response, connection, self),
            extensions=response.extensions,
        )

    async def _take(self, origin: httpcore2.Origin) -> httpcore2.AsyncHTTPConnection:
        key = (origin.scheme, origin.host, origin.port)
        waiting = self._idle.get(key)
        while waiting:
            connection = waiting.pop()
            if not connection.has_expired():  # nor closed by the other side
                self._busy[connection] = key
                return connection
            await self._close(connection)
        connection = httpcore2.AsyncHTTPConnection(
            origin, keepalive_expiry=self._keep_alive, **self._options
        )
        self._busy[connection] = key
        return connection

    async def put_back(self, connection: httpcore2.AsyncHTTPConnection) -> None:
        """A response was read, or given up. What was not read to its end cannot be used again, nor
        can one on which more came than an answer: it would be taken for the next answer."""
        if not connection.is_idle() or _read_ahead(connection):
            await self._close(connection)
            return
        self._idle.setdefault(self._busy.pop(connection), deque()).append(connection)
        await self._sweep()

    async def _sweep(self) -> None:
        """Now and then, close those that nobody came back for; at once, if there are too many."""
        now = time.monotonic()
        many = sum(map(len, self._idle.values())) > self._idle_max
        if not many and now - self._swept_at < self._keep_alive:
            return
        self._swept_at = now
        for origin, waiting in list(self._idle.items()):
            while waiting and (many or waiting[0].has_expired()):
                many = False
                await self._close(waiting.popleft())
            if not waiting:
                self._idle.pop(origin, None)

    async def _close(self, connection: httpcore2.AsyncHTTPConnection) -> None:
        self._busy.pop(connection, None)
        await connection.aclose()

    async def aclose(self) -> None:
        for connection in self.connections:
            await self._close(connection)
        self._idle.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _read_ahead(connection: httpcore2.AsyncHTTPConnection) -> bool:
    """Whether bytes lie in the parser that belong to no answer that was asked for."""
    parser = connection._connection._h11_state  # type: ignore[union-attr]
    return bool(parser.trailing_data[0])


class _Body:
    """A response's body, which gives its connection back when it is closed."""

    def __init__(
        self,
        response: httpcore2.Response,
        connection: httpcore2.AsyncHTTPConnection,
        owner: Connections,
    ) -> None:
        self._response = response
        self._connection: httpcore2.AsyncHTTPConnection | None = connection
        self._owner = owner

    def __aiter__(self) -> AsyncIterator[bytes]:
        return cast("AsyncIterator[bytes]", self._response.stream.__aiter__())  # type: ignore[union-attr]

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                await self._response.aclose()
            finally:
                await self._owner.put_back(connection)
