"""Counting round trips to PostgreSQL, on the wire.

A proxy between a program and the server. Every exchange of the protocol, simple or extended, ends
with one ReadyForQuery from the server, so those are counted, and nobody has to be believed.
"""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit


class Wire:
    """How many round trips there have been, since it was opened or ``reset``."""

    def __init__(self) -> None:
        self.dsn = ""
        self.trips = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def reset(self) -> None:
        self.trips = 0

    async def _serve(
        self,
        address: tuple[str, int] | str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        if isinstance(address, str):
            server_reader, server_writer = await asyncio.open_unix_connection(address)
        else:
            server_reader, server_writer = await asyncio.open_connection(*address)
        tasks = [
            asyncio.create_task(_copy(reader, server_writer)),
            asyncio.create_task(self._copy_counting(server_reader, writer)),
        ]
        self._tasks.update(tasks)
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for end in (writer, server_writer):
            end.close()
        for task in tasks:
            task.cancel()
        self._tasks.difference_update(tasks)

    async def _copy_counting(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        buffered = b""
        while data := await reader.read(65536):
            writer.write(data)
            buffered += data
            while len(buffered) >= 5:
                kind, length = struct.unpack("!cI", buffered[:5])
                if len(buffered) < length + 1:
                    break
                self.trips += kind == b"Z"
                buffered = buffered[length + 1 :]


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)


@asynccontextmanager
async def counted(dsn: str) -> AsyncIterator[Wire]:
    """``async with counted(dsn) as wire``: connect to ``wire.dsn`` instead."""
    parts = urlsplit(dsn)
    query = parse_qs(parts.query)
    folder = query.get("host", [""])[0]
    port = int(query.get("port", [str(parts.port or 5432)])[0])
    address: tuple[str, int] | str = (
        f"{folder}/.s.PGSQL.{port}"
        if folder.startswith("/")
        else (parts.hostname or "localhost", port)
    )
    wire = Wire()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await wire._serve(address, reader, writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host, own_port = server.sockets[0].getsockname()[:2]
    user = query.get("user", [parts.username or ""])[0]
    login = f"{user}:{parts.password}" if parts.password else user
    wire.dsn = f"postgresql://{login}@{host}:{own_port}{parts.path}?sslmode=disable"
    try:
        yield wire
    finally:
        server.close()
        for task in list(wire._tasks):
            task.cancel()
        await asyncio.gather(*wire._tasks, return_exceptions=True)
