"""Heads and bodies that are too large or never end, on real sockets: cut in time, and nobody else
is kept waiting. The times are shortened; their lengths are the server's."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import msgspec
import pytest

from handfast.edge.http.around.bounded import HEAD_BYTES_MAX, HEADERS_MAX, BoundedProtocol
from handfast.edge.http.serve import HttpServer
from tests.support.eventually import eventually_async

pytestmark = pytest.mark.on_lowest

WITHIN = 30.0  # far more than any of it takes, on any machine


class Hasty(BoundedProtocol):
    # Not 0: a look may come between the connection and the first byte on it.
    head_seconds_max = 1
    body_silence_seconds_max = 1
    body_seconds_max = 2


@dataclass
class Seen:
    heads: list[dict[str, str]] = field(default_factory=list)
    bodies: list[int | None] = field(default_factory=list)  # None: the caller went away
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)  # what /slow waits for


class Door:
    """A server, and what arrived at the application behind it."""

    def __init__(self, server: HttpServer, port: int, seen: Seen) -> None:
        self.server = server
        self.port = port
        self.seen = seen

    async def says(self, *parts: bytes) -> tuple[bytes, asyncio.StreamWriter]:
        """All that is answered to these bytes until the server closes."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        with contextlib.suppress(ConnectionError):
            for part in parts:
                writer.write(part)
                await writer.drain()
        async with asyncio.timeout(WITHIN):
            return await reader.read(), writer

    async def status(self, *parts: bytes) -> int:
        answer, writer = await self.says(*parts)
        writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        if b"problem+json" in head:
            assert msgspec.json.decode(body)["status"] == int(head.split()[1])
        return int(head.split()[1])


@asynccontextmanager
async def opened(protocol: type[BoundedProtocol] = BoundedProtocol) -> AsyncIterator[Door]:
    seen = Seen()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            for _ in range(2):
                await send({"type": f"{(await receive())['type']}.complete"})
            return
        seen.heads.append({k.decode(): v.decode() for k, v in scope["headers"]})
        size = 0
        while scope["path"] != "/unread":
            message = await receive()
            if message["type"] == "http.disconnect":
                seen.bodies.append(None)
                return
            size += len(message["body"])
            if not message["more_body"]:
                break
        seen.bodies.append(size)
        if scope["path"] == "/endless":
            gone = asyncio.create_task(receive())
            await send({"type": "http.response.start", "status": 200, "headers": []})
            while not gone.done():
                part = {"type": "http.response.body", "body": b"x" * 65_536, "more_body": True}
                await send(part)
                await asyncio.sleep(0)
            seen.bodies.append(None)
            return
        if scope["path"] == "/slow":
            await seen.may_answer.wait()
        answer = str(size).encode()
        headers = [(b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    ready = asyncio.Event()
    with socket.create_server(("127.0.0.1", 0)) as bound:
        server = HttpServer(app, ready.set, protocol=protocol)
        task = asyncio.create_task(server.serve(sockets=[bound]))
        await ready.wait()
        try:
            yield Door(server, bound.getsockname()[1], seen)
        finally:
            server.should_exit = True
            await task


async def test_an_endless_header_is_cut() -> None:
    async with opened() as door:
        start = b"GET / HTTP/1.1\r\nhost: x\r\nx-endless: "
        assert await door.status(start, *[b"a" * 65_536] * 64) == 431
        assert await door.status(b"GET /" + b"a" * 70_000, b" HTTP/1.1\r\n\r\n") == 431
        assert door.seen.heads == []


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nx-large: " + b"a" * HEAD_BYTES_MAX,
        b"GET / HTTP/1.1" + b"\r\na: b" * (HEADERS_MAX + 1),
    ],
    ids=["bytes", "headers"],
)
async def test_a_whole_head_that_is_too_large(head: bytes) -> None:
    async with opened() as door:
        assert await door.status(head + b"\r\n\r\n") == 431
        assert door.seen.heads == []


async def test_a_large_head_and_a_larger_body_pass() -> None:
    head = b"POST / HTTP/1.1\r\nx-large: %s\r\ncontent-length: 1000000\r\nconnection: close\r\n\r\n"
    async with opened() as door:
        assert await door.status(head % (b"a" * 60_000) + b"b" * 1_000_000) == 200
        assert door.seen.bodies == [1_000_000]


async def test_endless_trailers_are_cut_and_trailers_are_no_headers() -> None:
    head = b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    async with opened() as door:
        assert await door.status(head, b"1\r\nx\r\n0\r\nx-real: no\r\n\r\n") == 200
        assert "x-real" not in door.seen.heads[0]
        endless, writer = await door.says(head, b"1\r\nx\r\n0\r\nx: ", *[b"a" * 65_536] * 8)
        writer.close()
        assert endless.startswith(b"HTTP/1.1 431 ")
        await eventually_async(lambda: _is(door.seen.bodies == [1, None]))


async def _is(found: bool) -> bool:
    return found


async def test_what_is_not_http_is_a_problem_too() -> None:
    async with opened() as door:
        assert await door.status(b"\x16\x03\x01 hello\r\n\r\n") == 400


class Waiting(Hasty):
    """No time passes before everybody is there, however long that takes."""

    everybody_is_there = False

    def second_passed(self) -> None:
        if Waiting.everybody_is_there:
            super().second_passed()


async def test_half_sent_requests_are_closed_and_others_are_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A few hundred that stay open, heads and bodies, and meanwhile somebody who is in earnest."""
    head = b"GET / HTTP/1.1\r\nhost: x\r\n"
    body = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345"
    async with opened(Waiting) as door, httpx2.AsyncClient(timeout=WITHIN) as client:
        halves = [asyncio.create_task(door.status(half)) for half in [head, body] * 100]
        silent = asyncio.create_task(door.says())
        await eventually_async(lambda: _is(len(door.server.server_state.connections) == 201))
        assert (await client.get(f"http://127.0.0.1:{door.port}/")).status_code == 200
        monkeypatch.setattr(Waiting, "everybody_is_there", True)
        assert await asyncio.gather(*halves) == [408] * 200
        answer, writer = await silent
        writer.close()
        assert answer == b"", "nothing was asked, so nothing is answered"
        assert door.seen.bodies.count(None) == 100, "whoever read a body was told"


async def test_a_body_that_trickles_ends_with_the_time_for_all_of_it() -> None:
    async with opened(Hasty) as door:
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        writer.write(b"POST / HTTP/1.1\r\ncontent-length: 1000000\r\n\r\n")
        answer = asyncio.create_task(reader.read())

        async def one_more() -> bool:
            writer.write(b"x")
            return answer.done()

        await eventually_async(one_more, within=WITHIN)
        assert (await answer).startswith(b"HTTP/1.1 408 ")
        writer.close()
        await eventually_async(lambda: _is(door.seen.bodies == [None]))


async def test_a_body_that_nobody_wants_is_not_read_for_long() -> None:
    """Answered before its end; whoever goes on sending is cut off."""
    async with opened() as door:
        _, writer = await asyncio.open_connection("127.0.0.1", door.port)
        writer.write(b"POST /unread HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n")

        async def goes_on() -> bool:
            try:
                writer.write(b"x" * 1000)
                await writer.drain()
            except ConnectionError:
                return True
            return writer.transport.is_closing()

        await eventually_async(goes_on, within=WITHIN)
        writer.close()
        assert door.seen.bodies == [0]


async def test_a_long_answer_is_not_the_callers_fault() -> None:
    """A caller that has sent all of its request may wait for as long as it takes."""
    async with opened(Hasty) as door:
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        # A stray line's end behind it, as some send: no head that is late.
        writer.write(b"POST /slow HTTP/1.1\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok\r\n")
        await eventually_async(lambda: _is(door.seen.bodies == [2]))
        assert await door.status(b"GET / HTTP/1.1\r\n") == 408, "so much time has passed"
        door.seen.may_answer.set()
        assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
        writer.close()


async def test_a_body_is_not_lost_to_another_protocol() -> None:
    """Clients that would rather speak HTTP/2 say so with each request, those with a body too."""
    ask = b"Host: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
    async with opened() as door:
        post = b"POST / HTTP/1.1\r\n" + ask + b"Content-Length: 5\r\n\r\nhello"
        assert await door.status(post) == 400
        assert door.seen.bodies == [], "not even an empty one"
        without = b"GET / HTTP/1.1\r\n" + ask.replace(b"Upgrade\r", b"Upgrade, close\r") + b"\r\n"
        assert await door.status(without) == 200


class Impatient(BoundedProtocol):
    unread_seconds_max = 0


async def test_who_never_reads_is_cut() -> None:
    """An endless answer into a connection that nobody reads from, as a stream of events may be."""
    async with opened(Impatient) as door:
        _, writer = await asyncio.open_connection("127.0.0.1", door.port)
        writer.write(b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n")
        await eventually_async(lambda: asyncio.sleep(0, door.seen.bodies == [0, None]))
        writer.transport.abort()
