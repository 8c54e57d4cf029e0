"""What the engine learned for the webhooks: moving a retry back, and ending a whole group."""

from datetime import UTC, datetime, timedelta

from tests.support.clock import freeze
from tests.support.jobs import claim, enqueue
from tests.support.workers_here import Workers

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
POSTPONE = "SELECT handfast_engine.postpone($1, $2, interval '1 day')"
HOUR = timedelta(hours=1)


async def test_a_retry_moves_back_and_never_forward(shop: Workers) -> None:
    await freeze(shop.database, NOON)
    job = await enqueue(shop.database, "t.one", "1")
    ((_, token),) = (await claim(shop.database)).items()
    assert await shop.fetch(POSTPONE, job, NOON + HOUR) is False  # it runs
    await shop.fetch("SELECT handfast_engine.fail($1, $2, 'transient', 'x')::text", job, token)
    due = "SELECT due_at FROM handfast_engine.live"
    assert await shop.fetch(due) == NOON + timedelta(seconds=30)
    assert await shop.fetch(POSTPONE, job, NOON + HOUR) is True
    assert await shop.fetch(due) == NOON + HOUR
    await shop.fetch(POSTPONE, job, NOON)
    assert await shop.fetch(due) == NOON + HOUR
    await shop.fetch(POSTPONE, job, NOON + 48 * HOUR)
    assert await shop.fetch(due) == NOON + 24 * HOUR  # a day after its first start


async def test_a_ready_job_that_is_postponed_waits(shop: Workers) -> None:
    await freeze(shop.database, NOON)
    job = await enqueue(shop.database, "t.one", "1")
    held = await claim(shop.database)
    await shop.fetch(
        "SELECT handfast_engine.hand_back($1::bigint[], $2::bigint[])", [job], [held[job]]
    )
    assert await shop.state(job) == "ready"
    await shop.fetch(POSTPONE, job, NOON + HOUR)
    assert await shop.state(job) == "scheduled"
    assert await claim(shop.database) == {}


async def test_a_group_ends_with_all_that_waits_in_it(shop: Workers) -> None:
    running = await enqueue(shop.database, "t.one", "running", group="g")
    await shop.fetch("UPDATE handfast_engine.groups SET max_running = 1")
    await claim(shop.database)
    ready = await enqueue(shop.database, "t.one", "ready", group="g")
    later = await enqueue(shop.database, "t.one", "later", group="g", due="1 hour")
    other = await enqueue(shop.database, "t.one", "other", group="h", due="1 hour")
    free = await enqueue(shop.database, "t.one", "free", due="1 hour")
    after = await enqueue(shop.database, "t.two", "after", requires=[["t.one", "later"]])
    ended = "SELECT handfast_engine.withdraw_group('g', 'skipped', 'no more')"
    assert await shop.fetch(ended) == 2
    assert [await shop.state(job) for job in (running, ready, later, other, free)] == [
        "running",
        "skipped",
        "skipped",
        "scheduled",
        "scheduled",
    ]
    assert await shop.state(after) == "blocked"
    assert "skipped" in await shop.fetch(
        "SELECT reason FROM handfast_engine.live WHERE id = $1", after
    )
    said = await shop.column("SELECT error FROM handfast_engine.attempts WHERE outcome = 'skipped'")
    assert said == ["no more", "no more"]
    assert await shop.fetch(ended) == 0
    assert await shop.fetch("SELECT handfast_engine.revive($1)", later)  # skipped, not forgotten


async def test_a_group_that_holds_very_much_ends_in_several_goes(shop: Workers) -> None:
    """All of it in one statement may never end, and whoever asks for it again waits as long."""
    await shop.fetch(
        "SELECT count(*) FROM handfast_engine.enqueue_many('t.one',"
        " ARRAY(SELECT n::text FROM generate_series(1, 10001) AS n),"
        " array_fill('{}'::jsonb, ARRAY[10001]), NULL, '{\"group\": \"g\"}')"
    )
    after = [
        await enqueue(shop.database, "t.two", key, requires=[["t.one", key]])
        for key in ("5", "9999")
    ]
    ended = "SELECT handfast_engine.withdraw_group('g', 'skipped', 'no more')"
    assert await shop.fetch(ended) == 10_000
    assert await shop.fetch(ended) == 1
    assert await shop.fetch(ended) == 0
    for job, key in zip(after, ("5", "9999"), strict=True):
        reason = await shop.fetch("SELECT reason FROM handfast_engine.live WHERE id = $1", job)
        assert reason == f"prerequisite t.one {key} is skipped"
