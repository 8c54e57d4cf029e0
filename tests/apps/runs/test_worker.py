"""The worker: six steps, many runs at once, on a pool that can only read."""

import asyncio
import itertools

import asyncpg
import pytest

from handfast.apps.runs import worker as module
from handfast.apps.runs.errors import RunsLoginUnfit
from handfast.apps.runs.login import check_login
from handfast.db.connect import Target
from handfast.db.pool import Database
from tests.support.corpus_rows import acme, add_version, as_role
from tests.support.eventually import eventually_async
from tests.support.job_metrics import job_metrics
from tests.support.runs_harness import RunsHarness


@pytest.fixture
def desk(database: Database) -> RunsHarness:
    return RunsHarness(database)


async def test_six_steps_timed_and_in_order(database: Database, desk: RunsHarness) -> None:
    version, counted = await acme(database), job_metrics(module.KIND)
    async with desk.working():
        started = await desk.start()
        run = await desk.ended(started.run_id)
    more = {what: n - counted.get(what, 0) for what, n in job_metrics(module.KIND).items()}
    assert {what: n for what, n in more.items() if n} == {"succeeded": 1, "timed": 1}
    assert (run.status, run.step, run.match_count) == ("ready", "finalize", 3)
    assert (run.startup_id, run.corpus_version) == ("acme", version)
    async with database.connection() as connection:
        steps = await connection.fetch(
            "SELECT step::text, began_at, ended_at FROM handfast_runs.steps ORDER BY began_at, step"
        )
    assert [row["step"] for row in steps] == [
        *("resolve", "extract", "parse", "match", "rank", "finalize")
    ]
    for before, after in itertools.pairwise(steps):
        assert before["began_at"] <= before["ended_at"] <= after["began_at"]
    assert await desk.fetch("SELECT outcome::text FROM handfast_engine.attempts") == "succeeded"
    assert await desk.fetch("SELECT count(*) FROM handfast_engine.live") == 0


async def test_the_pool_logs_in_as_the_role(database: Database, desk: RunsHarness) -> None:
    await acme(database)
    async with desk.working():
        await desk.ended((await desk.start()).run_id)
        users = await desk.fetch(
            "SELECT array_agg(DISTINCT usename::text) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'handfast-runs'"
        )
    assert users == ["handfast_runs"]


async def test_a_handler_that_would_write_is_refused_by_postgres(
    database: Database, desk: RunsHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault in our own code: the count has become an update."""
    await acme(database)
    real = module._COUNT

    class Evil:
        async def one(self, on: asyncpg.Connection, *args: object) -> int:
            await on.execute("UPDATE handfast_runs.startup_investor_matches SET score = 1000")
            return await real.one(on, *args)

    monkeypatch.setattr(module, "_COUNT", Evil())
    async with desk.working():
        started = await desk.start()
        error = await eventually_async(
            lambda: desk.fetch(
                "SELECT error FROM handfast_engine.attempts WHERE outcome = 'failed'"
            )
        )
    assert "permission denied for table startup_investor_matches" in error
    assert (await desk.get(started.run_id)).status == "queued"
    assert await desk.fetch("SELECT max(score) FROM handfast_runs.startup_investor_matches") == 900


async def test_unknown_lonely_and_without_a_corpus(database: Database, desk: RunsHarness) -> None:
    async with desk.working():
        first = await desk.ended((await desk.start()).run_id)
        assert (first.status, first.error_code) == ("error", "NO_CORPUS")
        await acme(database)
        second = await desk.ended((await desk.start("nobody.com")).run_id)
        assert (second.status, second.error_code, second.step) == (
            "error",
            "STARTUP_NOT_FOUND",
            "resolve",
        )
        third = await desk.ended((await desk.start("lonely.com")).run_id)
        assert (third.status, third.match_count) == ("ready", 0)
        fourth = await desk.ended((await desk.start()).run_id)
        assert (fourth.status, fourth.match_count) == ("ready", 3)
    assert await desk.fetch("SELECT count(*) FROM handfast_engine.dead") == 0, (
        "none of it is a dead letter"
    )


async def test_many_at_once(database: Database, desk: RunsHarness) -> None:
    startups = {f"s{n}": f"https://s{n}.com" for n in range(100)}
    await add_version(database, startups, {name: [("inv", 500)] for name in startups})
    async with desk.working(concurrency=32):
        runs = await asyncio.gather(*(desk.start(url) for url in startups.values()))
        ended = [await desk.ended(run.run_id) for run in runs]
    assert {(run.status, run.match_count) for run in ended} == {("ready", 1)}
    assert {run.startup_id for run in ended} == set(startups)
    assert (
        await desk.fetch("SELECT count(*) FROM handfast_engine.events WHERE type = 'run.ready'")
        == 100
    )


async def test_a_handler_that_always_fails_ends_the_run(
    database: Database, desk: RunsHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    await acme(database)

    class Broken:
        async def one(self, *_: object) -> int:
            raise AssertionError("a fault of ours")

    monkeypatch.setattr(module, "_COUNT", Broken())
    async with desk.working():
        run = await desk.ended((await desk.start()).run_id)
    assert (run.status, run.error_code) == ("error", "RUN_FAILED")
    assert await desk.fetch("SELECT count(*) FROM handfast_engine.dead") == 1
    monkeypatch.undo()
    async with desk.working():
        again = await desk.start()
        assert again.run_id != run.run_id
        assert (await desk.ended(again.run_id)).status == "ready"
        # An operator requeues the dead letter: there is nothing left to do, and it goes.
        await desk.fetch(
            "SELECT handfast_engine.requeue(ARRAY(SELECT job_id FROM handfast_engine.dead))"
        )
        await eventually_async(lambda: desk.fetch("SELECT count(*) = 0 FROM handfast_engine.live"))
    assert (await desk.get(run.run_id)).error_code == "RUN_FAILED"


async def test_a_job_whose_run_is_forgotten_goes(database: Database, desk: RunsHarness) -> None:
    """A dead letter of last month, requeued: it must not come back for ever."""
    await acme(database)
    await desk.start()
    await desk.fetch("DELETE FROM handfast_runs.records")
    async with desk.working():
        await eventually_async(lambda: desk.fetch("SELECT count(*) = 0 FROM handfast_engine.live"))
    assert await desk.fetch("SELECT count(*) FROM handfast_engine.attempts") == 1


async def test_a_job_that_somebody_else_made_ends(database: Database, desk: RunsHarness) -> None:
    await acme(database)
    run = await desk.start()
    await desk.fetch(
        "SELECT id FROM handfast_engine.enqueue('runs.match', 'mine',"
        " jsonb_build_object('run_id', $1::uuid), NULL,"
        ' \'{"lane": "runs"}\')',
        run.run_id,
    )
    async with desk.working():
        await eventually_async(lambda: desk.fetch("SELECT count(*) = 0 FROM handfast_engine.live"))
    assert (await desk.get(run.run_id)).status == "ready"
    assert (
        await desk.fetch("SELECT state::text FROM handfast_engine.jobs WHERE key = 'mine'")
        == "dead"
    )


async def test_old_runs_are_forgotten(database: Database, desk: RunsHarness) -> None:
    await acme(database)
    async with desk.working():
        old = await desk.ended((await desk.start()).run_id)
        new = await desk.ended((await desk.start(fresh=True)).run_id)
    prune = "SELECT handfast_runs.prune(interval '30 days', 10)"
    assert await desk.fetch(prune) == 0
    async with database.connection() as connection:
        await connection.execute("ALTER TABLE handfast_runs.records DISABLE TRIGGER records_moves")
        await connection.execute(
            "UPDATE handfast_runs.records SET created_at = created_at - interval '31 days',"
            " ended_at = ended_at - interval '31 days' WHERE run_id = $1",
            old.run_id,
        )
        await connection.execute("ALTER TABLE handfast_runs.records ENABLE TRIGGER records_moves")
    assert await desk.fetch(prune) == 1
    assert (
        await desk.fetch("SELECT count(*) FROM handfast_runs.steps WHERE run_id = $1", old.run_id)
        == 0
    )
    assert (await desk.get(new.run_id)).status == "ready"


async def test_a_login_that_may_write_is_refused(database: Database, dsn: str) -> None:
    async with await Database.open(Target(as_role(dsn)), pool_size=1) as reader:
        assert await check_login(reader) == "handfast_runs"
    with pytest.raises(RunsLoginUnfit, match="superuser"):
        await check_login(database)
    async with database.connection() as connection:
        name = "runs_" + await connection.fetchval("SELECT current_database()")
        await connection.execute(f"CREATE ROLE {name} LOGIN")
        try:
            async with await Database.open(Target(as_role(dsn, name)), pool_size=1) as reader:
                with pytest.raises(RunsLoginUnfit, match="not do enough"):
                    await check_login(reader)
                await connection.execute(f"GRANT handfast_runs TO {name}")
                assert await check_login(reader) == name, "a login of one's own in the role"
                await connection.execute(f"GRANT INSERT ON handfast_runs.investors TO {name}")
                with pytest.raises(RunsLoginUnfit, match="may write to the corpus"):
                    await check_login(reader)
        finally:
            await connection.execute(f"DROP OWNED BY {name}")
            await connection.execute(f"DROP ROLE {name}")
