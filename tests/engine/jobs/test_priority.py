"""Ruling R16: urgency by deadline, over the whole clock."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.clock import freeze
from tests.support.urgency import ruled
from tests.support.workers_here import Workers

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


async def test_every_base_and_every_minute(shop: Workers) -> None:
    async with shop.database.connection() as connection:
        rows = await connection.fetch(
            "SELECT b, m, handfast_engine.escalated(b::smallint, make_interval(secs => m * 30))"
            " AS p "
            "FROM generate_series(1, 60) AS b, generate_series(-20, 400) AS m ORDER BY b, m DESC"
        )
    last: dict[int, int] = {}
    for base, half_minutes, priority in rows:
        assert priority == ruled(base, half_minutes / 2)
        assert 1 <= priority <= last.get(base, base), "urgency never falls"
        last[base] = priority


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(base=st.integers(1, 1000), steps=st.lists(st.integers(0, 90), min_size=1, max_size=12))
async def test_housekeeping_keeps_up(shop: Workers, base: int, steps: list[int]) -> None:
    async with shop.database.transaction() as tx:
        await tx.execute("TRUNCATE handfast_engine.jobs, handfast_engine.live")
        job = await shop.hf.enqueue(
            tx, "t.job", key="one", priority=base, deadline=NOON + timedelta(minutes=240)
        )
        now, last = NOON, base
        for step in steps:
            now += timedelta(minutes=step)
            await tx.execute("SELECT set_config('handfast.now', $1, true)", now.isoformat())
            await tx.execute("SELECT handfast_engine.escalate(10)")
            found = await tx.fetchval(
                "SELECT priority FROM handfast_engine.live WHERE id = $1", job.id
            )
            assert found == ruled(base, (NOON + timedelta(minutes=240) - now).total_seconds() / 60)
            assert found <= last
            last = found


@pytest.mark.parametrize("count", [3])
async def test_the_most_urgent_first_and_only_so_many_at_a_time(shop: Workers, count: int) -> None:
    await freeze(shop.database, NOON)
    for n in range(count):
        await shop.enqueue("t.job", str(n), deadline=NOON + timedelta(minutes=10 * n))
    assert await shop.fetch("SELECT handfast_engine.escalate(1)") == 1
    assert await shop.column("SELECT key FROM handfast_engine.live WHERE priority = 1") == ["0"]
    assert await shop.fetch("SELECT handfast_engine.escalate(10)") == count - 1
    assert await shop.fetch("SELECT handfast_engine.escalate(10)") == 0
