"""What operators see: right, whole, and at a bounded cost."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from handfast.base.errors import NotFound
from handfast.db.pool import Database
from handfast.db.statements import load
from handfast.engine.jobs.enqueue import PRUNED
from handfast.engine.jobs.states import JobState
from handfast.engine.operating import jobs_view, stats
from handfast.engine.operating.jobs_view import (
    JobFilter,
    find_job,
    get_job,
    list_jobs,
    list_workers,
)
from handfast.engine.operating.stats import read_stats
from tests.support.clock import freeze
from tests.support.jobs import claim, die, enqueue, succeed

pytestmark = pytest.mark.on_every_postgres


async def listed(database: Database, limit: int = 100, **where: Any) -> list[str]:
    """The keys of all pages."""
    keys: list[str] = []
    after: int | None = None
    for _ in range(50):
        async with database.connection() as connection:
            page = await list_jobs(connection, JobFilter(**where), after=after, limit=limit)
        assert len(page.jobs) <= limit
        keys += [job.key for job in page.jobs]
        if page.next is None:
            return keys
        after = page.next
    raise AssertionError("the pages never end")


@pytest.fixture
async def zoo(database: Database) -> dict[str, int]:
    """A job in each state."""
    ids = {"s": await enqueue(database, "zoo.a", "s-succeeded", payload={"n": 1})}
    await succeed(database, result='{"made": 7}')
    ids["d"] = await enqueue(database, "zoo.a", "d-dead", payload={"n": 2})
    await die(database)
    ids["r"] = await enqueue(database, "zoo.b", "r-running", lane="other")
    await claim(database, "other")
    ids["c"] = await enqueue(database, "zoo.b", "c-cancelled")
    async with database.connection() as connection:
        await connection.execute("SELECT handfast_engine.cancel($1, 'no need')", ids["c"])
    ids["y"] = await enqueue(database, "zoo.b", "y-ready", lane="other", priority=5)
    ids["z"] = await enqueue(database, "zoo.b", "z-scheduled", due="1 hour")
    ids["b"] = await enqueue(database, "zoo.c", "b-blocked", requires=[["zoo.b", "y-ready"]])
    return ids


@pytest.mark.parametrize("limit", [1, 2, 100])
async def test_lists(database: Database, zoo: dict[str, int], limit: int) -> None:
    assert [key[0] for key in await listed(database, limit)] == list("bzycrds")
    for state in JobState:
        keys = await listed(database, limit, state=state)
        assert [key[2:] for key in keys] == ([] if state == "skipped" else [state]), state
    assert await listed(database, limit, lane="other") == ["y-ready", "r-running"]
    assert await listed(database, limit, lane="other", state=JobState.READY) == ["y-ready"]
    assert await listed(database, limit, kind="zoo.a") == ["d-dead", "s-succeeded"]
    assert await listed(database, limit, kind="zoo.a", state=JobState.DEAD) == ["d-dead"]
    assert await listed(database, limit, kind="zoo.b", key="z-") == ["z-scheduled"]
    assert await listed(database, limit, key="y-") == ["y-ready"]
    assert await listed(database, limit, key="") == await listed(database, limit)
    assert await listed(database, limit, kind="zoo.none") == []
    assert await listed(database, limit, kind="zoo.b", state=JobState.RUNNING) == ["r-running"]


async def test_keys_of_several_kinds_are_paged_through(database: Database) -> None:
    for kind in ("a.a", "b.b", "c.c"):
        for number in range(5):
            await enqueue(database, kind, f"k%_{number}")
        await enqueue(database, kind, "kx")
    expected = [f"k%_{number}" for number in range(5)] * 3
    for limit in (1, 2, 5, 7, 100):
        assert await listed(database, limit, key="k%_") == expected


async def test_the_lane_of_an_ended_job_is_not_kept(database: Database) -> None:
    await enqueue(database, "a.b", "1")
    await succeed(database)
    assert await listed(database, lane="default", state=JobState.SUCCEEDED) == []
    assert await listed(database, lane="default") == []


async def test_a_page_that_looked_at_enough_goes_on(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_view, "SCAN_MAX", 10)
    await enqueue(database, "old.one", "first")
    await succeed(database)
    for number in range(35):
        await enqueue(database, "new.one", f"{number:03}", due="1 hour")
    assert await listed(database, state=JobState.SUCCEEDED) == ["first"]
    assert await listed(database, kind="old.one", state=JobState.SUCCEEDED) == ["first"]
    assert await listed(database, kind="new.one", state=JobState.SUCCEEDED) == []
    assert len(await listed(database, kind="new.one", state=JobState.SCHEDULED)) == 35
    assert len(await listed(database, limit=7)) == 36
    assert len(await listed(database, kind="new.one")) == 35


async def test_one_job_whole(database: Database, zoo: dict[str, int]) -> None:
    async with database.connection() as connection:
        done = await get_job(connection, zoo["s"])
        dead = await get_job(connection, zoo["d"])
        blocked = await get_job(connection, zoo["b"])
        awaited = await find_job(connection, "zoo.b", "y-ready")
        cancelled = await get_job(connection, zoo["c"])
        assert await find_job(connection, "zoo.b", "nobody") is None
        with pytest.raises(NotFound, match="no job 424242"):
            await get_job(connection, 424242)
    assert (done.state, done.payload, done.result) == ("succeeded", {"n": 1}, {"made": 7})
    assert [a.outcome for a in done.attempts] == ["succeeded"]
    assert done.attempts[0].seconds is not None
    assert not done.pruned
    assert (dead.state, dead.payload, dead.result) == ("dead", {"n": 2}, None)
    assert [(a.error_class, a.error) for a in dead.attempts] == [("logic", "boom")]
    assert [(r.key, r.met) for r in blocked.requires] == [("y-ready", False)]
    assert awaited is not None
    assert [r.key for r in awaited.awaited_by] == ["b-blocked"]
    assert awaited.lane == "other"
    assert cancelled.attempts[0].error == "no need"


async def test_progress_is_seen_while_it_runs(database: Database) -> None:
    job = await enqueue(database, "long.one", "1")
    token = (await claim(database))[job]
    async with database.connection() as connection:
        await connection.execute(
            "SELECT handfast_engine.report_progress($1, $2, 0.25, 'a quarter')", job, token
        )
        seen = await get_job(connection, job)
        page = await list_jobs(connection, JobFilter(state=JobState.RUNNING))
    assert (seen.progress, seen.message) == (0.25, "a quarter")
    assert (page.jobs[0].progress, page.jobs[0].message) == (0.25, "a quarter")


async def test_none_that_runs_is_left_out(database: Database) -> None:
    """However many do: more than a page may look at of those that wait."""
    few = [await enqueue(database, "few.one", str(number)) for number in range(3)]
    async with database.connection() as connection:
        await connection.execute(
            "SELECT count(*) FROM generate_series(1, $1) AS n,"
            " handfast_engine.enqueue('many.one', n::text, '{}')",
            jobs_view.SCAN_MAX,
        )
    await claim(database)
    async with database.connection() as connection:
        found = await list_jobs(connection, JobFilter(kind="few.one", state=JobState.RUNNING))
        assert [job.id for job in found.jobs] == few[::-1]
        seen, after = set(), None
        while True:
            page = await list_jobs(
                connection, JobFilter(state=JobState.RUNNING), after=after, limit=1000
            )
            seen |= {job.id for job in page.jobs}
            if (after := page.next) is None:
                break
    assert len(seen) == jobs_view.SCAN_MAX + 3


async def test_what_was_pruned_says_so(database: Database) -> None:
    job = await enqueue(database, "old.one", "1", payload={"n": 1})
    await succeed(database)
    async with database.connection() as connection:
        await connection.execute("DELETE FROM handfast_engine.attempts")
        found = await get_job(connection, job)
    assert (found.state, found.pruned, found.result) == ("succeeded", True, PRUNED)
    assert found.payload is None


async def test_workers(database: Database) -> None:
    async with database.connection() as connection:
        one = await connection.fetchval(
            "SELECT handfast_engine.register_worker('one', ARRAY['default'], interval '1 minute')"
        )
        await connection.fetchval(
            "SELECT handfast_engine.register_worker('late', ARRAY['default'], interval '-1 minute')"
        )
        await enqueue(database, "a.b", "1")
        await connection.fetch("SELECT handfast_engine.claim($1, ARRAY['default'], 10)", one)
        seen = {worker.name: worker for worker in await list_workers(connection)}
        assert (seen["one"].state, seen["one"].running) == ("busy", 1)
        assert seen["late"].state == "lost"
        await connection.fetch("SELECT handfast_engine.claim($1, ARRAY['default'], 10)", one)
        seen = {worker.name: worker for worker in await list_workers(connection)}
        assert (seen["one"].state, seen["one"].running) == ("busy", 1), "it wants more, and works"
        await connection.execute("SELECT handfast_engine.end_worker($1)", one)
        seen = {worker.name: worker for worker in await list_workers(connection)}
    assert seen["one"].state == "ended"


async def test_a_ready_job_that_nobody_takes_says_so(database: Database) -> None:
    job = await enqueue(database, "a.b", "1")
    register = "SELECT handfast_engine.register_worker('one', $1, interval '1 minute', $2)"
    said: list[str | None] = []
    async with database.connection() as connection:
        for lane, kinds in (("other", None), ("default", ["a.c"]), ("default", ["a.c", "a.b"])):
            await connection.fetchval(register, [lane], kinds)
            said.append((await get_job(connection, job)).reason)
    nobody = "no registered worker takes this kind on this lane"
    assert said == [nobody, nobody, None]


async def test_stats(database: Database, zoo: dict[str, int]) -> None:
    found = await read_stats(database)
    assert (found.scheduled, found.ready, found.running, found.blocked) == (1, 1, 1, 1)
    assert (found.dead, found.overdue, found.workers) == (1, 0, 0)
    by_lane = {(c.lane, c.state): (c.jobs, c.capped) for c in found.lanes}
    assert by_lane[("other", "ready")] == (1, False)
    assert by_lane[("other", "running")] == (1, False)
    recent = found.recent
    assert (recent.attempts, recent.succeeded, recent.failed, recent.died) == (2, 1, 1, 1)
    assert (recent.failure_rate, recent.completion_rate, recent.exhausted_rate) == (0.5, 0.5, 0.5)


async def test_overdue_and_the_oldest(database: Database) -> None:
    await freeze(database, datetime(2026, 3, 1, 12, tzinfo=UTC))
    for number, minutes in enumerate((10, 3, 2, 0)):
        await enqueue(database, "a.b", str(number), due=f"-{minutes} minutes", priority=number + 1)
        await enqueue(database, "g.g", str(number), due=f"-{minutes * 2} minutes", group="g")
    found = await read_stats(database)
    assert found.overdue == 6
    assert found.oldest_ready_seconds == timedelta(minutes=20).total_seconds()


async def test_nothing_has_no_rates(database: Database) -> None:
    found = await read_stats(database)
    assert found.oldest_ready_seconds == 0
    assert found.recent.failure_rate is None
    assert found.recent.p95_seconds is None


async def test_the_newest_history_is_read_as_far_as_the_window_goes(database: Database) -> None:
    """However many blocks that is, up to the bound; what is older is not read."""
    ended = """
        INSERT INTO handfast_engine.attempts
            (job_id, token, finished_at, started_at, attempt, outcome, kind)
        SELECT n, 1, t.at, t.at, 1, 'succeeded', 'bulk.one'
        FROM generate_series(1, $1::int) AS n, (SELECT handfast_db.now() - $2::interval) AS t(at)
    """
    newest = "SELECT sum(succeeded) FROM handfast_engine.recent_attempts(interval '5 minutes', $1)"
    async with database.connection() as connection:
        await connection.execute(ended, 20_000, timedelta(minutes=10))
        assert await connection.fetchval(newest, 500) is None
        await connection.execute(ended, 20_000, timedelta(minutes=1))
        assert await connection.fetchval(newest, 5000) == 20_000
        assert 1_000 < await connection.fetchval(newest, 50) < 10_000


async def test_figures_do_not_grow_with_the_tables(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in blocks, not in seconds: with 60,000 rows of each kind a look reads few of them."""
    async with database.connection() as connection:
        await connection.execute(
            """
            SELECT handfast_engine.enqueue_many(
                'bulk.one', array_agg(n::text), array_agg('{}'::jsonb), array_agg(
                    handfast_db.now() + CASE WHEN n % 2 = 0 THEN interval '1 day' ELSE '0' END
                ))
            FROM generate_series(1, 120000) AS n
            """
        )
        await connection.execute(
            """
            INSERT INTO handfast_engine.attempts
                (job_id, token, finished_at, started_at, attempt, outcome, kind)
            SELECT n, 1, handfast_db.now() - interval '10 minutes',
                   handfast_db.now() - interval '10 minutes', 1,
                   'succeeded', 'bulk.one'
            FROM generate_series(1, 120000) AS n
            """
        )
        await connection.execute("VACUUM ANALYZE handfast_engine.live")
        await connection.execute("VACUUM ANALYZE handfast_engine.jobs")
        async with connection.transaction():
            for sql, blocks_max in [
                ("SELECT * FROM handfast_engine.count_live(100)", 700),
                ("SELECT * FROM handfast_engine.backlog(100)", 300),
                # The whole table has some 1300.
                ("SELECT * FROM handfast_engine.recent_attempts(interval '5 minutes', 50)", 700),
            ]:
                await connection.fetch(sql)  # a new session reads the catalogue first
                plan = await connection.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}")
                top = json.loads(plan)[0]["Plan"]
                assert top["Shared Hit Blocks"] + top["Shared Read Blocks"] < blocks_max, sql
            for name, args in {
                "list_any": "(NULL, 999999999, 100, 20000)",
                "list_by_key": "('bulk.one', '11', NULL, NULL, 100, 20000)",
                "list_live": "(NULL, NULL, NULL, NULL, 999999999, 100, 20000)",
            }.items():
                await connection.execute(f"PREPARE {name} AS {load(f'engine.{name}')}")
                plan = await connection.fetchval(f"EXPLAIN (FORMAT JSON) EXECUTE {name}{args}")
                assert "Seq Scan" not in plan.replace('"Seq Scan", "Parent', ""), plan
    monkeypatch.setattr(stats, "COUNT_MAX", 100)
    found = await read_stats(database)
    assert found.ready == 100
    assert all(c.capped for c in found.lanes)
