"""Redis in front: it makes things faster, and nothing it does or says is ever believed."""

import asyncio
import contextlib
import hmac
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
import redis.asyncio as aioredis

from handfast.base.telemetry import REGISTRY
from handfast.db.pool import Database
from handfast.services.idempotency import PostgresStore, RedisCache
from handfast.services.idempotency.answers import KeptAnswer
from handfast.services.idempotency.fingerprint import scope_of
from handfast.services.idempotency.metrics import CACHE_ERRORS
from handfast.services.idempotency.stores.redis_cache import PREFIX, sealed
from handfast.services.idempotency.stores.store import Call
from tests.support.eventually import eventually_async
from tests.support.keyed_shop import Shop, new_key, open_shop
from tests.support.odd_redis import answering
from tests.support.valkey import Valkey

pytestmark = pytest.mark.on_every_redis

PATIENCE = 10.0  # of a busy machine: a Redis that is slow once is not asked again for a while


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    with Valkey(tmp_path) as running:
        yield running


@pytest.fixture
async def shop(database: Database, valkey: Valkey) -> AsyncIterator[Shop]:
    store = PostgresStore(database, cache=RedisCache(valkey.url, timeout=PATIENCE))
    async with open_shop(database, store) as shop:
        yield shop


def cache_errors(reason: str) -> float:
    name = "idempotency_cache_errors_total"
    return REGISTRY.get_sample_value(name, {"reason": reason}) or 0.0


async def keys_in(valkey: Valkey) -> list[bytes]:
    client = aioredis.Redis.from_url(valkey.url, protocol=2)
    try:
        found: list[Any] = await client.keys(f"{PREFIX}*")
        return found
    finally:
        await client.aclose()


def failures() -> float:
    """How often Redis was asked in vain."""
    (family,) = CACHE_ERRORS.collect()
    return sum(one.value for one in family.samples if one.name.endswith("_total"))


async def subscriptions(valkey: Valkey) -> list[bytes]:
    """Channels on which somebody listens."""
    client: Any = aioredis.Redis.from_url(valkey.url, protocol=2)
    try:
        found: list[Any] = await client.execute_command("PUBSUB", "CHANNELS")
        return found
    finally:
        await client.aclose()


async def forget_in_postgres(database: Database) -> None:
    """So that a replay can only come from Redis."""
    async with database.connection() as connection:
        await connection.execute("DELETE FROM handfast_idempotency.records")


async def test_a_replay_comes_from_redis(shop: Shop, database: Database, valkey: Valkey) -> None:
    key = new_key()
    first = await shop.post(key=key)
    await eventually_async(lambda: keys_in(valkey))
    await forget_in_postgres(database)
    second = await shop.post(key=key)
    assert second.headers["idempotent-replayed"] == "true"
    assert second.content == first.content
    assert shop.calls == ["x"]
    other = await shop.post(key=key, user="eve")
    assert "idempotent-replayed" not in other.headers, "what is cached for one is for one"


async def test_redis_is_filled_again_from_postgres(shop: Shop, valkey: Valkey) -> None:
    key = new_key()
    await shop.post(key=key)
    await eventually_async(lambda: keys_in(valkey))
    valkey.kill()
    assert (await shop.post(key=key)).headers["idempotent-replayed"] == "true"
    valkey.start()

    async def filled() -> bool:
        assert (await shop.post(key=key)).headers["idempotent-replayed"] == "true"
        return bool(await keys_in(valkey))

    await eventually_async(filled)
    assert await shop.effects() == ["x"]


@pytest.mark.parametrize("trouble", ["absent", "restarted", "flushed", "frozen"])
async def test_trouble_in_the_middle_changes_nothing(
    shop: Shop, valkey: Valkey, trouble: str
) -> None:
    """Ten duplicates, and Redis fails while the first is being carried out."""
    key, later, freezing = new_key(), new_key(), contextlib.ExitStack()
    asking = [asyncio.create_task(shop.post(key=key, gated=True)) for _ in range(10)]
    await eventually_async(shop.is_called)
    match trouble:
        case "absent":
            valkey.kill()
        case "restarted":
            valkey.kill()
            valkey.start()
        case "flushed":
            client = aioredis.Redis.from_url(valkey.url, protocol=2)
            await client.flushall()
            await client.aclose()
        case "frozen":
            freezing.enter_context(valkey.frozen())
    shop.gate.set()
    answers = await asyncio.gather(*asking)
    assert {a.status_code for a in answers} == {201}
    assert len({a.content for a in answers}) == 1
    before = failures()
    for _ in range(20):
        assert (await shop.post(key=later, what="later")).status_code == 201
    assert failures() - before < 20, "a Redis that does not answer is not asked every time"
    freezing.close()
    assert await shop.effects() == ["x", "later"]
    assert shop.calls == ["x", "later"]


async def test_what_somebody_else_wrote_is_a_miss(
    shop: Shop, database: Database, valkey: Valkey
) -> None:
    """Every lie that can be told under the right name; none is answered, none makes a second."""
    key = new_key()
    first = await shop.post(key=key)
    await eventually_async(lambda: keys_in(valkey))
    client = aioredis.Redis.from_url(valkey.url, protocol=2)
    (name,) = await keys_in(valkey)
    true: Any = await client.get(name)
    other = await shop.post(key=new_key(), what="other")
    assert other.status_code == 201

    async def two() -> bool:
        return len(await keys_in(valkey)) == 2

    await eventually_async(two)
    (other_name,) = set(await keys_in(valkey)) - {name}
    another: Any = await client.get(other_name)
    async with database.connection() as connection:
        secret = await connection.fetchval("SELECT secret FROM handfast_idempotency.cache_secret")
    mine = Call(scope_of("user:ada"), UUID(key), b"f" * 32, timedelta(hours=1))
    lie = KeptAnswer(200, [], b"a lie")
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    lies = [
        b"",
        b"rubbish",
        true[:-1],
        true[:40] + bytes([true[40] ^ 1]) + true[41:],
        another,
        sealed(mine, lie, tomorrow, b"not the secret"),
        sealed(mine, lie, tomorrow, secret),  # ours, but for another request
    ]
    for told in lies:
        await client.set(name, told)
        answer = await shop.post(key=key)
        assert answer.content == first.content, told
        assert answer.headers["idempotent-replayed"] == "true"
        conflict = await shop.post(key=key, what="another body")
        assert conflict.status_code == 409, told
    # Another version of us, whose entries look different, has the same secret.
    for text in (b"\x05", b"\x90", msgspec.msgpack.encode(["a", 2, None])):
        await client.set(name, hmac.digest(secret, text, "sha256") + text)
        assert (await shop.post(key=key)).content == first.content, text
    await client.aclose()
    assert await shop.effects() == ["x", "other"]


async def test_something_of_another_type_is_a_miss_and_no_trouble(
    shop: Shop, valkey: Valkey
) -> None:
    """Redis has answered, so it is not left alone for it: others' keys are still found there."""
    keys = [new_key(), new_key()]
    firsts = [await shop.post(key=key) for key in keys]

    async def both() -> bool:
        for key in keys:  # a Redis that was slow once has not got it: a replay puts it there
            await shop.post(key=key)
        return len(await keys_in(valkey)) == 2

    async def at_rest() -> bool:
        return not shop.store._background._tasks

    await eventually_async(both)
    await eventually_async(at_rest)  # else a late one writes over what is put there now
    client = aioredis.Redis.from_url(valkey.url, protocol=2)
    before = cache_errors("ResponseError")
    for name in await keys_in(valkey):
        await client.delete(name)
        await client.lpush(name, "of the wrong type")
    await client.aclose()
    for key, first in zip(keys, firsts, strict=True):
        assert (await shop.post(key=key)).content == first.content
    assert cache_errors("ResponseError") == before + 2
    assert len(shop.calls) == 2


async def test_an_entry_past_its_time_is_a_miss(
    shop: Shop, database: Database, valkey: Valkey
) -> None:
    key = new_key()
    await shop.post(key=key)
    await eventually_async(lambda: keys_in(valkey))
    client = aioredis.Redis.from_url(valkey.url, protocol=2)
    (name,) = await keys_in(valkey)
    async with database.connection() as connection:
        secret = await connection.fetchval("SELECT secret FROM handfast_idempotency.cache_secret")
        fingerprint = await connection.fetchval(
            "SELECT fingerprint FROM handfast_idempotency.records"
        )
    call = Call(scope_of("user:ada"), UUID(key), fingerprint, timedelta(hours=1))
    past = datetime.now(UTC) - timedelta(seconds=1)
    await client.set(name, sealed(call, KeptAnswer(200, [], b"old"), past, secret))
    assert (await shop.post(key=key)).content != b"old"
    await client.aclose()


async def test_waiters_elsewhere_are_woken(database: Database, valkey: Valkey) -> None:
    """Two processes' worth of middleware: the second is told by Redis, and does not find out by
    looking alone."""
    caches = [RedisCache(valkey.url, timeout=PATIENCE) for _ in range(2)]
    stores = [PostgresStore(database, cache=cache) for cache in caches]

    async def second_waits() -> bool:
        return bool(caches[1]._waiters)

    async with open_shop(database, stores[0]) as one, open_shop(database, stores[1]) as two:
        call = Call(scope_of("user:ada"), UUID(new_key()), b"f" * 32, timedelta(hours=1))
        waiting = asyncio.create_task(stores[1].news(call, 60.0))
        await eventually_async(lambda: subscriptions(valkey))
        began = time.monotonic()
        stores[0].publish(call, None, None)
        await waiting
        assert time.monotonic() - began < 30
        key = new_key()
        first = asyncio.create_task(one.post(key=key, gated=True))
        await eventually_async(one.is_called)
        second = asyncio.create_task(two.post(key=key, gated=True))
        await eventually_async(second_waits)
        one.gate.set()
        assert (await second).headers["idempotent-replayed"] == "true"
        assert (await first).status_code == 201
        assert one.calls + two.calls == ["x"]


@pytest.mark.parametrize("answer", [b":5\r\n", b"*0\r\n", b"*2\r\n:1\r\n:2\r\n", b"+OK\r\n"])
async def test_something_else_that_answers_is_a_miss(database: Database, answer: bytes) -> None:
    async with answering(answer) as url:
        store = PostgresStore(database, cache=RedisCache(url))
        async with open_shop(database, store) as shop:
            key = new_key()
            answers = await asyncio.gather(*[shop.post(key=key) for _ in range(3)])
            assert {a.status_code for a in answers} == {201}
            assert (await shop.post(key=key)).content == answers[0].content
            assert shop.calls == ["x"]
