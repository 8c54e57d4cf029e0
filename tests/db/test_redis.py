"""Redis behind its circuit breaker: a real server, killed, frozen and brought back."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handfast.base.telemetry import REGISTRY
from handfast.db.errors import RedisAway
from handfast.db.redis import GuardedRedis, open_redis
from handfast.wiring import load_settings
from tests.support.eventually import eventually_async
from tests.support.odd_redis import answering
from tests.support.valkey import Valkey

pytestmark = [pytest.mark.on_every_redis, pytest.mark.on_lowest]

CALL = 3.0  # what answers at all answers in that time, also on a busy machine
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
    assert await eventually_async(lambda: ping(redis))
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
    assert await eventually_async(lambda: ping(redis))
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
    assert await eventually_async(lambda: ping(redis))
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
    assert await eventually_async(lambda: ping(redis))


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
        await asyncio.sleep(0.1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert not redis.away
    assert await eventually_async(lambda: ping(redis))


async def test_who_is_cancelled_ends_also_if_an_answer_comes(redis: GuardedRedis) -> None:
    """The library alone returns the answer, and a loop around it would go on for ever."""

    async def ask() -> None:
        while True:
            await ping(redis)

    for ticks in range(60):
        task = asyncio.create_task(ask())
        for _ in range(ticks):
            await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=30)
        assert done, "it goes on"
        assert task.cancelled()


async def test_an_answer_of_another_shape(redis: GuardedRedis) -> None:
    await redis.call(lambda client: client.set("k", "seven"))
    assert await redis.call(lambda client: client.get("k"), read=len) == 5
    with pytest.raises(RedisAway, match="something else"):
        await redis.call(lambda client: client.get("k"), read=int)
    with pytest.raises(RedisAway, match="something else"):
        await redis.call(lambda client: client.get("nothing"), read=lambda said: said.decode())
    assert not redis.away, "it has answered"


@pytest.mark.parametrize("answer", [b":5\r\n", b"*0\r\n", b"$-1\r\n", b"+OK\r\n"])
async def test_something_else_that_answers(answer: bytes) -> None:
    async with answering(answer) as url, GuardedRedis(url) as odd:
        script = odd.script("return {KEYS[1]}")
        with pytest.raises(RedisAway, match="something else"):
            await script.run(["k"], [], read=lambda said: said[0].decode())


async def test_a_script_that_was_forgotten_is_sent_again(redis: GuardedRedis) -> None:
    script = redis.script("return {KEYS[1], ARGV[1] + 1}")
    for _ in range(2):
        said = await script.run(["k"], [6], read=lambda said: (said[0].decode(), int(said[1])))
        assert said == ("k", 7)
        await redis.client.script_flush()


async def test_a_script_that_is_refused_is_an_answer(redis: GuardedRedis) -> None:
    with pytest.raises(RedisAway, match="no such luck"):
        await redis.script("return redis.error_reply('no such luck')").run([], [], read=str)
    assert not redis.away


async def test_without_a_circuit_every_call_is_tried(valkey: Valkey) -> None:
    async with GuardedRedis(valkey.url, call_seconds=CALL, circuit=False) as redis:
        assert await ping(redis)
        valkey.kill()
        for _ in range(3):
            with pytest.raises(RedisAway, match=r"^(?!.*is not asked)"):
                await redis.call(lambda client: client.ping())
        assert redis.away
        valkey.start()
        assert await ping(redis), "the first one that can be answered is"
        assert not redis.away


async def test_who_wants_to_know_is_told_of_each_fault(valkey: Valkey) -> None:
    faults: list[str] = []
    async with GuardedRedis(
        valkey.url,
        call_seconds=CALL,
        rest_seconds=REST,
        on_fault=lambda fault: faults.append(type(fault).__name__),
    ) as redis:
        assert await ping(redis)
        assert not faults
        with pytest.raises(RedisAway):
            await redis.call(lambda client: client.ping(), read=lambda said: said[0])
        valkey.kill()
        assert not await ping(redis)
        assert faults == ["TypeError", "ConnectionError"]

        async def looked() -> bool:
            assert not await ping(redis)
            return len(faults) > 2

        await eventually_async(looked)
        assert set(faults[1:]) == {"ConnectionError"}, "also of the looks, and of no call between"


async def test_what_fails_beside_the_calls_opens_the_circuit(redis: GuardedRedis) -> None:
    redis.failed(OSError("the subscription broke"))
    assert redis.away
    assert await eventually_async(lambda: ping(redis))


async def test_one_figure_for_all_guards_of_a_process(valkey: Valkey) -> None:
    async with GuardedRedis(valkey.url) as one:
        async with GuardedRedis("redis://127.0.0.1:1/0") as gone:
            assert not await ping(gone)
            assert await ping(one)
            assert away() == 1, "the other still is"
        assert away() == 0, "and now is no more"


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
