"""Both stores against the model: any limits, any costs, any passing of time, to the microsecond."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
import redis as library
from hypothesis import given, settings
from hypothesis import strategies as st

from handfast.db.statements import load
from handfast.services.limits import redis as redis_store
from handfast.services.limits.limit import Limit
from tests.services.limits.model import Bucket, Expected, take

START = datetime(2026, 2, 19, 9, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

limits = st.builds(
    Limit,
    st.sampled_from(["a", "b", "c"]),
    st.integers(1, 12),
    st.one_of(
        st.sampled_from([timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)]),
        st.timedeltas(timedelta(milliseconds=1), timedelta(days=30)),
    ),
)
steps = st.lists(
    st.tuples(
        st.floats(0, 1.5),  # how much of the first limit's period passes before
        st.lists(st.integers(0, 4), min_size=3, max_size=3),
    ),
    min_size=1,
    max_size=25,
)
cases = st.tuples(st.lists(limits, min_size=1, max_size=3, unique_by=lambda x: x.name), steps)
relaxed = settings(max_examples=60)


def expected(chosen: list[Limit], walk: Any) -> Iterator[tuple[int, list[int], list[Expected]]]:
    buckets = [Bucket(limit) for limit in chosen]
    at = 0
    for passes, costs in walk:
        at += int(passes * (chosen[0].period // MICROSECOND))
        fitting = [min(cost, limit.quota) for cost, limit in zip(costs, chosen, strict=False)]
        yield at, fitting, take(buckets, fitting, at)


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture
def connection(machine_dsn: str, loop: asyncio.AbstractEventLoop) -> Iterator[asyncpg.Connection]:
    connection = loop.run_until_complete(asyncpg.connect(machine_dsn))
    yield connection
    loop.run_until_complete(connection.close())


@pytest.mark.hypothesis
@pytest.mark.on_every_postgres
def test_postgres(connection: asyncpg.Connection, loop: asyncio.AbstractEventLoop) -> None:
    sql = load("limits.take")

    @relaxed
    @given(cases)
    def holds(case: Any) -> None:
        chosen, walk = case
        subject = uuid4().hex
        for at, costs, answers in expected(chosen, walk):
            now = (START + at * MICROSECOND).isoformat()
            frozen = "SELECT set_config('handfast.now', $1, false)"
            loop.run_until_complete(connection.execute(frozen, now))
            rows = loop.run_until_complete(
                connection.fetch(
                    sql,
                    [limit.name for limit in chosen],
                    [subject] * len(chosen),
                    [limit.quota for limit in chosen],
                    [limit.period for limit in chosen],
                    costs,
                    True,
                )
            )
            assert [tuple(row) for row in rows] == answers

    holds()


@pytest.mark.hypothesis
@pytest.mark.on_every_redis
def test_redis(redis_url: str) -> None:
    """The script as it is, but with a clock that we set."""
    client = library.from_url(redis_url)
    told = redis_store._SCRIPT.replace("redis.call('TIME')", "{ARGV[#ARGV-1], ARGV[#ARGV]}")
    assert told != redis_store._SCRIPT
    # Keys expire by the real clock; theirs is far away, so what expires is put off.
    told = told.replace("'PX', string.format('%.0f', math.ceil(owes / 1000) + 1)", "'EX', 3600")
    script = client.register_script(told)

    @relaxed
    @given(cases)
    def holds(case: Any) -> None:
        chosen, walk = case
        subject = uuid4().hex
        keys = [f"{limit.name}:{subject}" for limit in chosen]
        for at, costs, answers in expected(chosen, walk):
            now = (START - EPOCH) // MICROSECOND + at
            numbers = [
                n
                for limit, cost in zip(chosen, costs, strict=True)
                for n in (limit.unit, limit.quota, cost)
            ]
            rows: Any = script(keys=keys, args=[*numbers, now // 1_000_000, now % 1_000_000])
            assert [(bool(row[0]), *map(int, row[1:])) for row in rows] == answers

    try:
        holds()
    finally:
        client.close()
