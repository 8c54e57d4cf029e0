"""A TCP proxy that can fall silent, as a network does after a failover or behind a NAT.

``async with SilentProxy(host, port) as proxy``, where ``host`` may be the folder of a PostgreSQL's
Unix socket. After ``proxy.go_silent()`` the connections of that moment swallow what either side
says, its farewell too, and nobody is told; connections made later work.

The kernel still acknowledges what is swallowed: only who waits with a limit of his own notices.
"""

import asyncio
from asyncio import StreamReader, StreamWriter
from contextlib import AsyncExitStack, suppress
from types import TracebackType
from typing import Self
from urllib.parse import quote

from tests.support.tcp_servers import serving

CHUNK = 65536


class _Conversation:
    def __init__(self, server: StreamWriter) -> None:
        self.server = server
        self.silent = False

    async def carry(self, reader: StreamReader, writer: StreamWriter) -> None:
        """One direction, until its end; what is swallowed has none."""
        while chunk := await self._next(reader):
            if not self.silent:
                writer.write(chunk)
                await writer.drain()
        if self.silent:
            await asyncio.Event().wait()

    async def _next(self, reader: StreamReader) -> bytes:
        with suppress(ConnectionError):
            return await reader.read(CHUNK)
        return b""


class SilentProxy:
    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._conversations: set[_Conversation] = set()

    async def __aenter__(self) -> Self:
        self._stack = AsyncExitStack()
        self.port = await self._stack.enter_async_context(serving(self._serve))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    def dsn(self, database: str = "handfast", user: str = "handfast_owner") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{quote(database, safe='')}"

    @property
    def open_now(self) -> int:
        """How many connections work."""
        return sum(not one.silent for one in self._conversations)

    def go_silent(self, *, server_is_gone: bool = False) -> int:
        """All present connections swallow from now on; answers how many those are.

        With ``server_is_gone`` the server's end of them is cut, as if the machine had lost its
        power: its sessions and their locks end. Otherwise they stay, as behind a NAT that forgot.
        """
        fallen = [one for one in self._conversations if not one.silent]
        for one in fallen:
            one.silent = True
            if server_is_gone:
                one.server.transport.abort()
        return len(fallen)

    def cut_silent(self) -> None:
        """The server finds out at last, by its own keepalives: the sessions of all swallowed
        connections end, with their locks. Their clients learn nothing."""
        for one in self._conversations:
            if one.silent:
                one.server.transport.abort()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            server_reader, server_writer = await self._connect()
        except OSError:
            return
        conversation = _Conversation(server_writer)
        self._conversations.add(conversation)
        directions = [
            asyncio.ensure_future(conversation.carry(reader, server_writer)),
            asyncio.ensure_future(conversation.carry(server_reader, writer)),
        ]
        try:
            await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._conversations.discard(conversation)
            server_writer.transport.abort()  # first: the proxy may end while we wait below
            for direction in directions:
                direction.cancel()
            await asyncio.gather(*directions, return_exceptions=True)
            with suppress(OSError):
                await server_writer.wait_closed()

    async def _connect(self) -> tuple[StreamReader, StreamWriter]:
        host, port = self._target
        if host.startswith("/"):
            return await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
        return await asyncio.open_connection(host, port)
