"""A server that answers by script, over a real socket: one step for each request that arrives."""

import asyncio
import socket
import struct
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from enum import Enum
from types import TracebackType
from typing import Self

import msgspec

from tests.support.tcp_servers import serving


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    cut_body: bool = False  # announces the whole body, and breaks off in the middle


class Fault(Enum):
    RESET_AT_ONCE = "before a byte of the request is read"
    RESET_AFTER = "after the whole request was read"
    SILENCE = "reads, and never answers"


Step = Answer | Fault
OK = Answer(200)


def problem(status: int, kind: str, **headers: str) -> Answer:
    body = {"type": f"urn:handfast:problem:{kind}", "status": status, "title": "x" * 50}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(
        status,
        {"Content-Type": "application/problem+json", **named},
        msgspec.json.encode(body),
    )


@dataclass
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class ScriptedServer:
    """``async with ScriptedServer([Answer(500), OK]) as server``; after the script's end its last
    step is repeated."""

    def __init__(self, script: Sequence[Step]) -> None:
        self._script = list(script)
        self._step = 0
        self.seen: list[Seen] = []
        self.connections = 0
        self.open_now = 0

    async def __aenter__(self) -> Self:
        self._stack = AsyncExitStack()
        port = await self._stack.enter_async_context(serving(self._serve))
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    def _next(self) -> Step:
        step = self._script[min(self._step, len(self._script) - 1)]
        self._step += 1
        return step

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open_now += 1
        try:
            await self._converse(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open_now -= 1

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            upcoming = self._script[min(self._step, len(self._script) - 1)]
            if upcoming is Fault.RESET_AT_ONCE:
                self._step += 1
                _reset(writer)
                return
            self.seen.append(await _read(reader))
            match self._next():
                case Answer() as answer:
                    writer.write(_wire(answer))
                    await writer.drain()
                    if answer.cut_body:
                        return
                case Fault.RESET_AFTER:
                    _reset(writer)
                    return
                case _:
                    await reader.read()  # until the client goes away


async def _read(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in lines)}
    body = b""
    if "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"]))
    elif headers.get("transfer-encoding") == "chunked":
        while size := int(await reader.readline(), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
    method, path, _ = first.split(" ")
    return Seen(method, path, headers, body)


def _wire(answer: Answer) -> bytes:
    headers = {"Content-Length": str(len(answer.body)), **answer.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    body = answer.body[: len(answer.body) // 2] if answer.cut_body else answer.body
    return f"HTTP/1.1 {answer.status} Scripted\r\n{lines}\r\n".encode("latin-1") + body


def _reset(writer: asyncio.StreamWriter) -> None:
    """Closed with a reset, not with a farewell."""
    sock: socket.socket = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
