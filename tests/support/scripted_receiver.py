"""A receiver of webhooks on a real socket, which answers as a test wants."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes
    at: float


@dataclass(frozen=True)
class Reply:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"ok"
    delay: float = 0.0
    gate: asyncio.Event | None = None  # not before it is opened


Answer = Reply | Literal["hang", "reset", "endless"]


class ScriptedReceiver:
    """Keeps what it gets. ``reply`` answers all, or is asked for each."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.received: list[Received] = []
        self.reply: Answer | Callable[[Received], Answer] = Reply()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        line, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {k.lower(): v for k, _, v in (one.partition(": ") for one in lines if one)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        got = Received(line.split()[1], headers, body, time.monotonic())
        self.received.append(got)
        answer = self.reply(got) if callable(self.reply) else self.reply
        if answer == "hang":
            await asyncio.sleep(60)
        elif answer == "reset":
            writer.transport.abort()
        elif answer == "endless":
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while True:
                writer.write(b"1\r\nx\r\n")
                await writer.drain()
                await asyncio.sleep(0.01)
        elif isinstance(answer, Reply):
            await asyncio.sleep(answer.delay)
            if answer.gate is not None:
                await answer.gate.wait()
            headers = {"Content-Length": str(len(answer.body))} | answer.headers
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            writer.write(f"HTTP/1.1 {answer.status} X\r\n{head}\r\n".encode() + answer.body)
            await writer.drain()
            return True
        return False


@asynccontextmanager
async def open_receiver() -> AsyncIterator[ScriptedReceiver]:
    sink = ScriptedReceiver(0)
    server = await asyncio.start_server(sink._serve, "127.0.0.1", 0, backlog=1000)
    sink.port = server.sockets[0].getsockname()[1]
    try:
        yield sink
    finally:
        server.close()
        with contextlib.suppress(TimeoutError):
            if hasattr(server, "close_clients"):  # Python 3.13
                server.close_clients()
            await asyncio.wait_for(server.wait_closed(), 2)
