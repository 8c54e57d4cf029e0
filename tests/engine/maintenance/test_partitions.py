"""The days of the history."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.clock import freeze
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_every_postgres

NEW_YEAR = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
DAYS = (
    "SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid "
    "WHERE i.inhparent = 'handfast_engine.attempts'::regclass ORDER BY 1"
)


async def finish_one(shop: Workers, key: str) -> None:
    await shop.enqueue("t.job", key)
    await shop.fetch(
        "SELECT handfast_engine.finish(ARRAY[id], ARRAY[token]) "
        "FROM handfast_engine.claim(NULL, '{default}', 1, '1 h')"
    )


async def test_days_are_made_ahead_once_by_many(shop: Workers) -> None:
    await freeze(shop.database, NEW_YEAR)
    made = await asyncio.gather(
        *(shop.fetch("SELECT handfast_engine.make_partitions(2)") for _ in range(5))
    )
    assert sum(made) == 3
    assert await shop.column(DAYS) == [
        "attempts_20261231", "attempts_20270101", "attempts_20270102", "attempts_other",
    ]  # fmt: skip


async def test_each_attempt_is_in_its_day(shop: Workers) -> None:
    await freeze(shop.database, NEW_YEAR)
    await shop.fetch("SELECT handfast_engine.make_partitions(1)")
    await finish_one(shop, "a")
    await freeze(shop.database, NEW_YEAR + timedelta(minutes=1))
    await finish_one(shop, "b")
    await freeze(shop.database, NEW_YEAR + timedelta(days=30))
    await finish_one(shop, "c")
    where = "SELECT tableoid::regclass::text FROM handfast_engine.attempts ORDER BY finished_at"
    assert await shop.column(where) == [
        "handfast_engine.attempts_20261231",
        "handfast_engine.attempts_20270101",
        "handfast_engine.attempts_other",
    ]


async def test_a_day_that_began_in_the_catch_all_stays_there(shop: Workers) -> None:
    await freeze(shop.database, NEW_YEAR)
    await finish_one(shop, "a")
    assert await shop.fetch("SELECT handfast_engine.make_partitions(1)") == 1
    await finish_one(shop, "b")
    assert await shop.column(
        "SELECT DISTINCT tableoid::regclass::text FROM handfast_engine.attempts"
    ) == ["handfast_engine.attempts_other"]
