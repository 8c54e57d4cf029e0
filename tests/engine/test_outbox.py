"""The relay's loop: told when it sleeps, quiet when nothing comes, and gone in good order."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from handfast.base import supervise
from handfast.db.listen import Listener
from handfast.db.pool import Database
from handfast.db.transaction import Queryable
from handfast.engine import outbox
from handfast.engine.outbox import Relay, RelayLoop
from tests.support.eventually import eventually_async
from tests.support.workers_here import Workers

TAKE = "SELECT count(*) FROM handfast_engine.take_outbox('toys', $1)"
ASLEEP = """
SELECT count(*) FROM handfast_engine.sleepers
WHERE waits_for = 'outbox' AND until > clock_timestamp()"""


class Toys:
    """A consumer, and what it was given."""

    def __init__(self) -> None:
        self.takes: list[int] = []
        self.relay = Relay("toys", self._take)

    async def _take(self, on: Queryable, limit: int) -> int:
        self.takes.append(await on.fetchval(TAKE, limit))
        return self.takes[-1]


@asynccontextmanager
async def relaying(database: Database, *, poll: float = 600.0) -> AsyncIterator[Toys]:
    toys = Toys()
    listener = Listener(database.target, through=database)
    async with listener:
        task = supervise.start("relay-toys", RelayLoop(database, toys.relay, listener, poll).run)
        try:
            yield toys
        finally:
            await supervise.cancel([task])


async def emit(shop: Workers, times: int = 1) -> None:
    for _ in range(times):
        await shop.fetch("SELECT handfast_engine.emit('toy.made', 'toy:1', '{}')")


async def taken(toys: Toys, wanted: int) -> None:
    await eventually_async(lambda: asyncio.sleep(0, sum(toys.takes) >= wanted))
    assert sum(toys.takes) == wanted


async def test_told_when_it_sleeps_and_gone_at_the_end(shop: Workers) -> None:
    await shop.fetch("SELECT handfast_engine.set_consumer('toys', true)")
    async with relaying(shop.database) as toys:
        await eventually_async(lambda: shop.fetch(ASLEEP))
        await eventually_async(lambda: asyncio.sleep(0, len(toys.takes) > 6))  # and rests
        await emit(shop)
        await taken(toys, 1)
    assert await shop.fetch("SELECT count(*) FROM handfast_engine.sleepers") == 0


async def test_what_was_there_before_it_began(shop: Workers) -> None:
    await shop.fetch("SELECT handfast_engine.set_consumer('toys', true)")
    await emit(shop, 5)
    async with relaying(shop.database) as toys:
        await taken(toys, 5)


async def test_nobody_wants_events_nobody_is_told(shop: Workers) -> None:
    async with relaying(shop.database) as toys:
        await eventually_async(lambda: shop.fetch(ASLEEP))
        await emit(shop)
        assert await shop.fetch("SELECT count(*) FROM handfast_engine.outbox") == 0
    assert sum(toys.takes) == 0


async def test_a_busy_relay_is_not_told(shop: Workers) -> None:
    await shop.fetch("SELECT handfast_engine.set_consumer('toys', true)")
    async with relaying(shop.database) as toys:
        await eventually_async(lambda: shop.fetch(ASLEEP))

        async def awake() -> bool:
            await emit(shop, 3)
            return not await shop.fetch(ASLEEP)

        await eventually_async(awake)
        await eventually_async(lambda: shop.fetch(ASLEEP))
    assert sum(toys.takes) % 3 == 0


async def test_full_batches_follow_each_other(
    shop: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "SLOW_SECONDS", 600.0)  # else the next one may be half as large
    await shop.fetch("SELECT handfast_engine.set_consumer('toys', true)")
    await shop.fetch(
        "SELECT handfast_engine.emit_many(array_fill('toy.made'::text, ARRAY[$1::integer]),"
        " array_fill('toy:1'::text, ARRAY[$1::integer]),"
        " array_fill('{}'::jsonb, ARRAY[$1::integer]))",
        2 * outbox.BATCH + 1,
    )
    async with relaying(shop.database) as toys:
        await taken(toys, 2 * outbox.BATCH + 1)
    assert toys.takes[:3] == [outbox.BATCH, outbox.BATCH, 1]


async def test_what_nobody_takes_goes_with_its_event(shop: Workers) -> None:
    """A consumer that was switched off and never said so."""
    await shop.fetch("SELECT handfast_engine.set_consumer('toys', true)")
    await emit(shop, 3)
    await shop.fetch("UPDATE handfast_engine.events SET at = at - interval '20 days'"
                     " WHERE sequence <= 2")  # fmt: skip
    await shop.fetch("SELECT handfast_engine.prune(now() - interval '14 days', 100)")
    assert await shop.fetch("SELECT count(*) FROM handfast_engine.outbox") == 1


async def test_what_takes_too_long_is_taken_in_smaller_parts(
    shop: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred rows at once are never done in time, twelve are: it must not try the same for
    ever."""
    monkeypatch.setattr(outbox, "SLOW_SECONDS", 0.2)
    monkeypatch.setattr(outbox, "RETRY_SECONDS", 0.01)
    await shop.fetch("SELECT handfast_engine.set_consumer('toys', true)")
    await emit(shop, 30)

    async def cut_off(on: Queryable, limit: int) -> int:
        if limit > 12:
            await asyncio.sleep(0.3)
            raise TimeoutError
        return await toys.relay.take(on, limit)

    toys = Toys()
    slow = Relay("toys", cut_off)
    task = supervise.start("relay-toys", RelayLoop(shop.database, slow, None, 0.1).run)
    try:
        await taken(toys, 30)
    finally:
        await supervise.cancel([task])
