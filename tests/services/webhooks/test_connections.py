"""Connections are used again, given up when they are old, and never too many wait."""

import asyncio

import pytest

from handfast.services.webhooks import outbound
from handfast.services.webhooks.outbound import Sender
from tests.support.sink import Reply, Sink


async def post(sender: Sender, sink: Sink, times: int) -> None:
    await asyncio.gather(*(sender.post(sink.url, {}, b"{}") for _ in range(times)))


async def test_connections_are_used_again(sink: Sink) -> None:
    sink.reply = Reply(delay=0.05)
    async with Sender(allow_private=True) as sender:
        await post(sender, sink, 10)
        assert (sender.connections, sender.idle_connections) == (10, 10)
        await post(sender, sink, 4)
        assert (sender.connections, sender.idle_connections) == (10, 10)
    assert sender.connections == 0


async def test_only_so_many_wait(sink: Sink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound, "IDLE_CONNECTIONS_MAX", 3)
    sink.reply = Reply(delay=0.05)
    async with Sender(allow_private=True) as sender:
        await post(sender, sink, 10)
        assert sender.connections == sender.idle_connections == 3


async def test_what_nobody_came_back_for_is_closed(
    sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbound, "KEEP_ALIVE_SECONDS", 0.1)
    sink.reply = Reply(delay=0.02)
    async with Sender(allow_private=True) as sender:
        await post(sender, sink, 10)
        await asyncio.sleep(0.3)
        await post(sender, sink, 1)
        assert sender.connections == 1


async def test_a_connection_that_the_other_side_closed_is_not_used(sink: Sink) -> None:
    sink.reply = Reply(headers={"Connection": "close"})
    async with Sender(allow_private=True) as sender:
        for _ in range(3):
            answer = await sender.post(sink.url, {}, b"{}")
            assert answer.status == 200
        assert sender.idle_connections == 0


@pytest.mark.parametrize("failure", ["reset", "hang", "endless"])
async def test_a_connection_that_failed_is_not_kept(sink: Sink, failure: str) -> None:
    sink.reply = failure  # type: ignore[assignment]
    async with Sender(allow_private=True, timeout=0.3) as sender:
        for _ in range(2):
            with pytest.raises(outbound.Unreachable):
                await sender.post(sink.url, {}, b"{}")
        assert sender.connections == 0
