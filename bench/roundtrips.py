"""Counting round trips to PostgreSQL, on the wire.

A proxy between a program and the server. Every exchange of the protocol, simple or extended, ends
with one ReadyForQuery from the server, so those are counted, and nobody has to be believed. Which
statements they carry out is read from what the program sends.
"""

import asyncio
import contextlib
import struct
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit


class Wire:
    """How many round trips there have been, since it was opened or ``reset``."""

    def __init__(self) -> None:
        self.dsn = ""
        self.trips = 0
        self.statements: Counter[str] = Counter()  # by their SQL, how often each was carried out
        self._tasks: set[asyncio.Task[None]] = set()

    def reset(self) -> None:
        self.trips = 0
        self.statements.clear()

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
            asyncio.create_task(self._copy_reading(reader, server_writer)),
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
        received = _Messages()
        while data := await reader.read(65536):
            writer.write(data)
            self.trips += sum(kind == b"Z" for kind, _ in received.whole(data))

    async def _copy_reading(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        (length,) = struct.unpack("!I", first := await reader.readexactly(4))
        writer.write(first + await reader.readexactly(length - 4))  # the startup has no kind
        prepared: dict[bytes, str] = {}
        sent = _Messages()
        while data := await reader.read(65536):
            writer.write(data)
            for kind, body in sent.whole(data):
                if kind == b"P":
                    name, sql = body.split(b"\0", 2)[:2]
                    prepared[name] = sql.decode()
                elif kind == b"B":
                    self.statements[prepared[body.split(b"\0", 2)[1]]] += 1
                elif kind == b"Q":
                    self.statements[body.rstrip(b"\0").decode()] += 1


class _Messages:
    """Messages of the protocol, out of what comes in pieces."""

    def __init__(self) -> None:
        self._buffered = b""

    def whole(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Those that ``data`` completes: kind and body."""
        self._buffered += data
        while len(self._buffered) >= 5:
            kind, length = struct.unpack("!cI", self._buffered[:5])
            if len(self._buffered) < length + 1:
                return
            message, self._buffered = self._buffered[: length + 1], self._buffered[length + 1 :]
            yield kind, message[5:]


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
