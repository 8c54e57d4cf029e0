"""Connections are used again, given up when they are old, and never too many wait."""

import asyncio
from pathlib import Path

import pytest

from handfast.services.outbound import sender as sending
from handfast.services.outbound.bounded_stream import READ_BYTES_MAX
from handfast.services.outbound.sender import Sender
from tests.support.scripted_receiver import Reply, ScriptedReceiver
from tests.support.tcp_servers import serving
from tests.support.tls import Authority


async def post(sender: Sender, sink: ScriptedReceiver, times: int) -> None:
    await asyncio.gather(*(sender.post(sink.url, {}, b"{}") for _ in range(times)))


async def test_connections_are_used_again(sink: ScriptedReceiver) -> None:
    sink.reply = Reply(delay=0.05)
    async with Sender(allow_private=True) as sender:
        await post(sender, sink, 10)
        assert (sender.connections, sender.idle_connections) == (10, 10)
        await post(sender, sink, 4)
        assert (sender.connections, sender.idle_connections) == (10, 10)
    assert sender.connections == 0


async def test_only_so_many_wait(sink: ScriptedReceiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "IDLE_CONNECTIONS_MAX", 3)
    sink.reply = Reply(delay=0.05)
    async with Sender(allow_private=True) as sender:
        await post(sender, sink, 10)
        assert sender.connections == sender.idle_connections == 3


async def test_what_nobody_came_back_for_is_closed(
    sink: ScriptedReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "KEEP_ALIVE_SECONDS", 0.1)
    sink.reply = Reply(delay=0.02)
    async with Sender(allow_private=True) as sender:
        await post(sender, sink, 10)
        await asyncio.sleep(0.3)
        await post(sender, sink, 1)
        assert sender.connections == 1


async def test_a_connection_that_the_other_side_closed_is_not_used(sink: ScriptedReceiver) -> None:
    sink.reply = Reply(headers={"Connection": "close"})
    async with Sender(allow_private=True) as sender:
        for _ in range(3):
            answer = await sender.post(sink.url, {}, b"{}")
            assert answer.status == 200
        assert sender.idle_connections == 0


@pytest.mark.parametrize("failure", ["reset", "hang", "endless"])
async def test_a_connection_that_failed_is_not_kept(sink: ScriptedReceiver, failure: str) -> None:
    sink.reply = failure  # type: ignore[assignment]
    async with Sender(allow_private=True, timeout=0.3) as sender:
        for _ in range(2):
            with pytest.raises(sending.Unreachable):
                await sender.post(sink.url, {}, b"{}")
        assert sender.connections == 0


FORGED = b"HTTP/1.1 299 Forged\r\nContent-Length: 6\r\n\r\nforged"


def answer_of(size: int) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {size:>5}\r\n\r\n".encode()
    return head + b"x" * size


@pytest.mark.parametrize("secure", [False, True])
@pytest.mark.parametrize("size", [2, READ_BYTES_MAX - len(answer_of(0))])
async def test_what_comes_after_an_answer_is_not_the_next_answer(
    secure: bool, size: int, tmp_path: Path
) -> None:
    """In the piece that the answer ends in, or behind it: the second answer fills one piece."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await reader.readuntil(b"\r\n\r\n{}")
            writer.write(answer_of(size) + FORGED)

    async def resolve(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    authority = Authority(tmp_path)
    tls = authority.server("hook.test") if secure else None
    sender = Sender(allow_private=True, ssl_context=authority.client(), resolver=resolve)
    async with serving(serve, tls) as port, sender:
        url = f"http{'s' if secure else ''}://hook.test:{port}/"
        assert [(await sender.post(url, {}, b"{}")).status for _ in range(3)] == [200] * 3
