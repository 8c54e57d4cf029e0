"""Redis behind its circuit breaker: a real server, killed, frozen and brought back."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handfast.base.errors import RedisAway
from handfast.base.settings import load_settings
from handfast.base.telemetry import REGISTRY
from handfast.db.redis import GuardedRedis, open_redis
from tests.support.eventually import eventually_async
from tests.support.valkey import Valkey

pytestmark = pytest.mark.on_every_redis

CALL = 0.2
REST = 0.05


@pytest.fixture
async def valkey(tmp_path: Path) -> AsyncIterator[Valkey]:
    with Valkey(tmp_path) as valkey:
        yield valkey


@pytest.fixture
async def redis(valkey: Valkey) -> AsyncIterator[GuardedRedis]:
    async with GuardedRedis(valkey.url, call_seconds=CALL, rest_seconds=REST) as redis:
        yield redis


async def ping(redis: GuardedRedis) -> bool:
    try:
        return bool(await redis.call(lambda client: client.ping()))
    except RedisAway:
        return False


async def put(redis: GuardedRedis, number: int) -> None:
    await redis.call(lambda client: client.set(f"k{number}", str(number)))


async def got(redis: GuardedRedis, number: int) -> object:
    return await redis.call(lambda client: client.get(f"k{number}"))


def away() -> float | None:
    return REGISTRY.get_sample_value("handfast_redis_away")


async def test_it_answers(redis: GuardedRedis, valkey: Valkey) -> None:
    assert await redis.call(lambda client: client.set("k", "v"))
    assert await redis.call(lambda client: client.get("k")) == b"v"
    named = "Redis" if Path(valkey.program).name == "redis-server" else "Valkey"
    assert (await redis.server()).name == named
    assert not redis.away


async def test_a_frozen_one_costs_one_time_limit(valkey: Valkey, redis: GuardedRedis) -> None:
    assert await ping(redis)
    with valkey.frozen():
        started = time.perf_counter()
        with pytest.raises(RedisAway, match=r"Timeout|no answer"):
            await redis.call(lambda client: client.ping())
        first = time.perf_counter() - started
        assert CALL * 0.9 <= first < CALL * 50
        assert redis.away
        assert away() == 1
        started = time.perf_counter()
        for _ in range(1000):
            with pytest.raises(RedisAway, match="is not asked"):
                await redis.call(lambda client: client.ping())
        assert time.perf_counter() - started < 1000 * CALL / 20, "one limit each would be minutes"
    assert await eventually_async(lambda: ping(redis))
    assert not redis.away
    assert away() == 0


async def test_many_at_once_on_a_frozen_one_wait_together(
    valkey: Valkey, redis: GuardedRedis
) -> None:
    assert await ping(redis)
    with valkey.frozen():
        started = time.perf_counter()
        answers = await asyncio.gather(*(ping(redis) for _ in range(200)))
        assert not any(answers)
        assert time.perf_counter() - started < 100 * CALL, "one after the other they need 200"
    assert await eventually_async(lambda: ping(redis))


async def test_nobody_waits_for_the_look(valkey: Valkey, redis: GuardedRedis) -> None:
    """Also the call that finds the rest over fails at once: the look goes on beside it."""
    with valkey.frozen():
        assert not await ping(redis)
        until = time.perf_counter() + 3 * (CALL + REST)
        while time.perf_counter() < until:
            with pytest.raises(RedisAway, match="is not asked"):
                await redis.call(lambda client: client.ping())
            await asyncio.sleep(0.005)


async def test_a_killed_one_and_a_new_one(valkey: Valkey, redis: GuardedRedis) -> None:
    assert await ping(redis)
    valkey.kill()
    assert not await ping(redis)
    assert not await ping(redis)
    valkey.start()
    assert await eventually_async(lambda: ping(redis))


async def test_a_refusal_is_an_answer(redis: GuardedRedis) -> None:
    await redis.call(lambda client: client.set("text", "v"))
    with pytest.raises(RedisAway, match="WRONGTYPE"):
        await redis.call(lambda client: client.lpush("text", "v"))
    assert not redis.away
    assert await ping(redis)


async def test_answers_do_not_get_mixed_up_after_a_time_limit(
    valkey: Valkey, redis: GuardedRedis
) -> None:
    """An answer that comes late belongs to nobody: the connection it is on is not used again."""
    for number in range(20):
        await put(redis, number)
    with valkey.frozen():
        late = await asyncio.gather(*(got(redis, n) for n in range(20)), return_exceptions=True)
        assert all(isinstance(answer, RedisAway) for answer in late)
    assert await eventually_async(lambda: ping(redis))
    for number in range(20):
        assert await got(redis, number) == str(number).encode()


async def test_cancelling_a_call_is_not_redis_fault(valkey: Valkey, redis: GuardedRedis) -> None:
    with valkey.frozen():
        call = asyncio.create_task(redis.call(lambda client: client.ping()))
        await asyncio.sleep(CALL / 10)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert not redis.away
    assert await ping(redis)


async def test_opening_from_the_settings(valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_redis(load_settings()) is None
    monkeypatch.setenv("REDIS_URL", "redis://host:many/0")
    assert open_redis(load_settings()) is None, "not an address: everything works without it"
    monkeypatch.setenv("REDIS_URL", valkey.url)
    opened = open_redis(load_settings())
    assert opened is not None
    async with opened:
        assert await ping(opened)


async def test_nobody_listens() -> None:
    async with GuardedRedis("redis://:secret@127.0.0.1:1/0") as redis:
        with pytest.raises(RedisAway) as caught:
            await redis.call(lambda client: client.ping())
    assert "secret" not in str(caught.value)
