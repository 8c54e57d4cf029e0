"""Redis beside the limits: faster while it is there, never a way around."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from handfast.base.telemetry import REGISTRY
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
from handfast.services.limits.limit import Ask, Limit
from handfast.services.limits.limiter import Limiter
from handfast.services.limits.redis import PREFIX
from tests.support.eventually import eventually_async
from tests.support.odd_redis import answering
from tests.support.valkey import Valkey

pytestmark = [pytest.mark.on_every_redis, pytest.mark.on_lowest]

MONTH = timedelta(days=30)
FAST = Limit("fast", 20, MONTH, durable=False)
SURE = Limit("sure", 20, MONTH)


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    with Valkey(tmp_path) as valkey:
        yield valkey


@pytest.fixture
async def redis(valkey: Valkey) -> AsyncIterator[GuardedRedis]:
    # A busy machine is no Redis that is away.
    async with GuardedRedis(valkey.url, call_seconds=5.0, rest_seconds=0.05) as redis:
        yield redis


@pytest.fixture
async def limiter(database: Database, redis: GuardedRedis) -> Limiter:
    return Limiter(database, redis)


async def used(limiter: Limiter, limit: Limit, asks: int) -> int:
    return sum([(await limiter.take(limit, "x")).admitted for _ in range(asks)])


async def in_postgres(database: Database) -> list[str]:
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT name FROM handfast_limits.buckets ORDER BY name")
    return [row["name"] for row in rows]


def checks(limit: str, store: str) -> float:
    return sum(
        REGISTRY.get_sample_value(
            "handfast_limit_checks_total", {"limit": limit, "answer": answer, "store": store}
        )
        or 0.0
        for answer in ("admitted", "refused")
    )


def stand_ins() -> float:
    return REGISTRY.get_sample_value("handfast_limit_stand_ins_total") or 0.0


async def test_redis_decides_what_may_be_fast(limiter: Limiter, database: Database) -> None:
    before = checks("fast", "redis")
    assert await used(limiter, FAST, 50) == 20
    assert await in_postgres(database) == []
    assert checks("fast", "redis") == before + 50


async def test_it_refills_by_redis_clock(limiter: Limiter) -> None:
    quick = Limit("quick", 5, timedelta(milliseconds=250), durable=False)
    assert await used(limiter, quick, 5) == 5

    async def again() -> bool:
        return (await limiter.take(quick, "x")).admitted

    assert await eventually_async(again)


async def test_redis_never_decides_what_must_hold(limiter: Limiter, database: Database) -> None:
    before = checks("sure", "redis")
    assert await used(limiter, SURE, 50) == 20
    assert await in_postgres(database) == ["sure"]
    assert checks("sure", "redis") == before


async def test_what_must_hold_holds_whatever_becomes_of_redis(
    limiter: Limiter, valkey: Valkey, redis: GuardedRedis
) -> None:
    both = [Ask(FAST, "x"), Ask(SURE, "x")]

    async def given(asks: int) -> int:
        return sum([(await limiter.take_all(both)).admitted for _ in range(asks)])

    admitted = await given(5)
    await redis.client.flushall()
    admitted += await given(5)
    with valkey.frozen():
        admitted += await given(5)
    valkey.kill()
    admitted += await given(2)
    valkey.start()
    admitted += await given(50)
    assert admitted == 20
    assert await used(limiter, SURE, 5) == 0


@pytest.mark.parametrize("trouble", ["killed", "frozen"])
async def test_without_redis_postgres_stands_in_and_redis_returns(
    limiter: Limiter, valkey: Valkey, database: Database, trouble: str
) -> None:
    before = stand_ins()
    assert await used(limiter, FAST, 30) == 20
    if trouble == "frozen":
        with valkey.frozen():
            assert await used(limiter, FAST, 100) == 20, "one quota more, and not a hundred"
    else:
        valkey.kill()
        assert await used(limiter, FAST, 100) == 20
        valkey.start()
    assert stand_ins() == before + 100, "and it is counted"
    assert await in_postgres(database) == ["fast"]
    mark = checks("fast", "redis")

    async def returned() -> bool:
        await limiter.take(FAST, "x")
        return checks("fast", "redis") > mark

    assert await eventually_async(returned), "by itself"
    if trouble == "frozen":
        assert await used(limiter, FAST, 20) == 0, "it has kept its memory"


async def test_a_flushed_redis_gives_one_quota_more(limiter: Limiter, redis: GuardedRedis) -> None:
    assert await used(limiter, FAST, 30) == 20
    await redis.client.flushall()
    await redis.client.script_flush()
    assert await used(limiter, FAST, 30) == 20


async def test_lies_in_redis_break_nothing(limiter: Limiter, redis: GuardedRedis) -> None:
    await redis.client.set("handfast:limits:fast:x", "not a number")
    assert await used(limiter, FAST, 30) == 20
    await redis.client.delete("handfast:limits:fast:y")
    await redis.client.lpush("handfast:limits:fast:y", "a list")
    verdict = await limiter.take(FAST, "y")
    assert verdict.admitted, "refused by Redis, decided by PostgreSQL"


async def test_a_refusal_by_redis_asks_nobody_else(limiter: Limiter, database: Database) -> None:
    await used(limiter, FAST, 20)
    decision = await limiter.take_all([Ask(SURE, "x"), Ask(FAST, "x")])
    assert not decision.admitted
    assert [verdict.ask.limit.name for verdict in decision.verdicts] == ["fast"]
    assert await in_postgres(database) == []


async def test_answers_come_in_the_order_of_the_questions(limiter: Limiter) -> None:
    decision = await limiter.take_all([Ask(SURE, "x"), Ask(FAST, "x")])
    assert [verdict.ask.limit.name for verdict in decision.verdicts] == ["sure", "fast"]


async def test_many_at_once_while_redis_freezes(limiter: Limiter, valkey: Valkey) -> None:
    verdicts = []
    with valkey.frozen():
        verdicts += await asyncio.gather(*(limiter.take(FAST, "x") for _ in range(200)))
    verdicts += await asyncio.gather(*(limiter.take(FAST, "x") for _ in range(200)))
    given = sum(verdict.admitted for verdict in verdicts)
    assert 20 <= given <= 40


RUBBISH = ["inf", "-inf", "nan", "1e300", "99999999999999999999", "0x7fffffffffffffff", "later", ""]


@pytest.mark.parametrize("told", RUBBISH)
async def test_rubbish_in_a_key_holds_nobody_for_long(
    limiter: Limiter, redis: GuardedRedis, told: str
) -> None:
    """Either no key, or the whole quota owed: never an error, and never centuries."""
    await redis.client.set(f"{PREFIX}fast:x", told)
    verdict = await limiter.take(FAST, "x")
    assert verdict.retry_after <= FAST.unit / 1e6
    assert verdict.reset <= MONTH.total_seconds()
    kept: Any = await redis.client.get(f"{PREFIX}fast:x")
    assert 0 < await redis.client.pttl(f"{PREFIX}fast:x") <= MONTH.total_seconds() * 1000 + 2
    assert kept.isdigit(), "what was there is gone"


async def test_a_key_of_another_type_is_no_key(limiter: Limiter, redis: GuardedRedis) -> None:
    before = stand_ins()
    await redis.client.lpush(f"{PREFIX}fast:x", "of the wrong type")
    assert await used(limiter, FAST, 50) == 20
    assert stand_ins() == before


@pytest.mark.parametrize("answer", [b":5\r\n", b"*0\r\n", b"*1\r\n*1\r\n:1\r\n", b"$-1\r\n"])
async def test_something_else_that_answers_is_no_redis(database: Database, answer: bytes) -> None:
    async with answering(answer) as url, GuardedRedis(url) as odd:
        assert await used(Limiter(database, odd), FAST, 30) == 20
    assert await in_postgres(database) == ["fast"]
