"""Batches that end their jobs in a transaction of their own."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from handfast import Batch, Context, DataInconsistent, Retry, RetryPolicy
from handfast.base.errors import EngineError
from handfast.engine.errors import LeaseLost
from handfast.engine.work import heartbeat
from tests.support.eventually import eventually_async
from tests.support.workers_here import Workers

SOON = RetryPolicy(retries=3, waits=(0.0,))
INSERT = "INSERT INTO rows SELECT unnest($1::text[])"


class Number(msgspec.Struct):
    n: int


@pytest.fixture
async def store(shop: Workers) -> Workers:
    await shop.fetch("CREATE TABLE rows (key text NOT NULL)")
    return shop


async def put(shop: Workers, handler: Any, count: int = 10) -> list[int]:
    async with shop.database.transaction() as tx:
        jobs = [(str(n), {"n": n}) for n in range(count)]
        return [one.id for one in await shop.hf.enqueue_many(tx, handler, jobs)]


async def keys(shop: Workers) -> list[str]:
    return await shop.column("SELECT key FROM rows ORDER BY key::integer")


async def states(shop: Workers, jobs: list[int]) -> list[str]:
    return [await shop.state(job) for job in jobs]


async def test_rows_and_jobs_commit_together(store: Workers) -> None:
    @store.hf.batch_job("t.batch", payload=Number, size=10)
    async def batch(jobs: Batch) -> None:
        assert jobs.kind == "t.batch"
        async with jobs.completing() as tx:
            await tx.execute(INSERT, [job.key for job in jobs.held])
            for job in jobs:
                job.succeed({"twice": job.payload.n * 2} if job.payload.n else None)
        assert jobs.held == jobs.lost == []
        with pytest.raises(EngineError, match="no job to complete"):
            async with jobs.completing():
                raise AssertionError

    made = await put(store, batch)
    async with store.working():
        await store.drained()
    assert await states(store, made) == ["succeeded"] * 10
    assert await keys(store) == [str(n) for n in range(10)]
    results = await store.column("SELECT result FROM handfast_engine.attempts ORDER BY job_id")
    assert results == [None, *(f'{{"twice": {n * 2}}}' for n in range(1, 10))]


async def test_those_that_were_lost_are_told_before_anything_is_written(store: Workers) -> None:
    """Three were given to somebody else while the handler computed."""
    lost: list[str] = []

    @store.hf.batch_job("t.batch", payload=Number, size=10)
    async def batch(jobs: Batch) -> None:
        if jobs[0].attempt == 1:
            taken = [job.job_id for job in jobs if job.payload.n % 4 == 1]
            await store.fetch(
                "UPDATE handfast_engine.live SET token = token + 1 WHERE id = ANY ($1)", taken
            )
        async with jobs.completing() as tx:
            lost.extend(job.key for job in jobs.lost)
            await tx.execute(INSERT, [job.key for job in jobs.held])

    made = await put(store, batch)
    async with store.working():
        await store.reaches(made[0], "succeeded")
        assert lost == ["1", "5", "9"]
        assert await keys(store) == [str(n) for n in range(10) if n % 4 != 1]
        expected = ["running" if n % 4 == 1 else "succeeded" for n in range(10)]
        assert await states(store, made) == expected


async def test_when_none_is_left_there_is_nothing_to_do(store: Workers) -> None:
    raised: list[BaseException] = []

    @store.hf.batch_job("t.batch", payload=Number, size=10)
    async def batch(jobs: Batch) -> None:
        await store.fetch("UPDATE handfast_engine.live SET token = token + 1")
        try:
            async with jobs.completing():
                raise AssertionError
        except LeaseLost as lost:
            raised.append(lost)
            raise

    made = await put(store, batch, 3)
    async with store.working():
        await eventually_async(lambda: asyncio.sleep(0, bool(raised)))
    assert "None of 3 jobs" in str(raised[0])
    assert set(await states(store, made)) <= {"running", "ready"}, "nobody was told that it failed"
    assert await store.fetch("SELECT count(*) FROM handfast_engine.attempts WHERE error <> ''") == 0


async def test_if_the_block_raises_nothing_is_written_and_they_run_singly(store: Workers) -> None:
    sizes: list[int] = []

    @store.hf.batch_job("t.batch", payload=Number, size=10, retry=Retry.never)
    async def batch(jobs: Batch) -> None:
        sizes.append(len(jobs))
        async with jobs.completing() as tx:
            await tx.execute(INSERT, [job.key for job in jobs.held])
            if any(job.payload.n == 3 for job in jobs):
                raise DataInconsistent("three")

    made = await put(store, batch)
    async with store.working():
        await store.drained()
    assert sizes == [10] + [1] * 10
    assert await keys(store) == [str(n) for n in range(10) if n != 3]
    assert await states(store, made) == ["dead" if n == 3 else "succeeded" for n in range(10)]


async def test_each_ends_as_the_handler_says(store: Workers) -> None:
    """Failed and put-off ones in the same transaction as those that succeed."""
    later = datetime.now(UTC) + timedelta(days=1)

    @store.hf.batch_job("t.batch", payload=Number, size=10, retry=Retry.never)
    async def batch(jobs: Batch) -> None:
        async with jobs.completing() as tx:
            await tx.execute(INSERT, [job.key for job in jobs.held])
            jobs[2].fail(DataInconsistent("two"))
            jobs[3].retry_at(later)
            jobs[4].succeed({"four": 4})

    made = await put(store, batch, 5)
    async with store.working():
        await store.reaches(made[0], "succeeded")
        expected = ["succeeded", "succeeded", "dead", "scheduled", "succeeded"]
        assert await states(store, made) == expected
    assert await store.column("SELECT error_class FROM handfast_engine.dead") == ["data"]
    assert await store.fetch("SELECT due_at FROM handfast_engine.live") == later
    assert await store.column(
        "SELECT result FROM handfast_engine.attempts WHERE result IS NOT NULL"
    ) == ['{"four": 4}']


async def test_some_by_name_and_the_others_as_ever(store: Workers) -> None:
    @store.hf.batch_job("t.batch", payload=Number, size=10, retry=Retry.never)
    async def batch(jobs: Batch) -> None:
        async with jobs.completing(jobs[:2]) as tx:
            await tx.execute(INSERT, [job.key for job in jobs[:2]])
        with pytest.raises(EngineError, match="ended already"):
            async with jobs.completing(jobs[:1]):
                raise AssertionError
        jobs[3].fail(DataInconsistent("three"))
        if len(jobs.held) > 1:
            raise OSError("the rest of the call fails")

    made = await put(store, batch, 5)
    async with store.working():
        await store.drained()
    assert (await keys(store))[:2] == ["0", "1"]
    assert await states(store, made[:2]) == ["succeeded"] * 2, "what is committed stays"
    attempts = "SELECT count(*) FROM handfast_engine.attempts WHERE job_id = $1"
    assert [await store.fetch(attempts, job) for job in made[:2]] == [1, 1]


async def test_nobody_takes_them_while_the_block_is_open(store: Workers) -> None:
    rescued: list[int] = []

    @store.hf.batch_job("t.batch", payload=Number, size=10)
    async def batch(jobs: Batch) -> None:
        async with jobs.completing() as tx:
            await store.fetch("UPDATE handfast_engine.workers SET lost = true")
            rescued.append(await store.fetch("SELECT handfast_engine.rescue(100)"))
            await tx.execute(INSERT, [job.key for job in jobs.held])

    made = await put(store, batch, 5)
    async with store.working():
        for job in made:  # what another claim had taken is rescued first
            await store.reaches(job, "succeeded", within=240)
    assert rescued[0] == 0
    assert await keys(store) == [str(n) for n in range(5)]


async def test_cancelling_one_harms_no_other(
    store: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call is stopped; the one is cancelled, the others run again, together."""
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS_MAX", 0.5)  # with which it is told
    sizes: list[int] = []

    @store.hf.batch_job("t.batch", payload=Number, size=10, retry=Retry.never)
    async def batch(jobs: Batch) -> None:
        sizes.append(len(jobs))
        if len(sizes) == 1:
            await store.fetch("SELECT handfast_engine.cancel($1, 'not that')", jobs[4].job_id)
            await asyncio.sleep(600)
        async with jobs.completing() as tx:
            await tx.execute(INSERT, [job.key for job in jobs.held])

    made = await put(store, batch)
    async with store.working():
        await store.drained()
    assert sizes == [10, 9]
    expected = ["cancelled" if n == 4 else "succeeded" for n in range(10)]
    assert await states(store, made) == expected
    assert await store.fetch("SELECT max(failures) FROM handfast_engine.live") is None


async def test_versions_upgrade_and_horizon_as_for_single_jobs(store: Workers) -> None:
    def upgraded(payload: dict[str, Any], version: int) -> dict[str, Any]:
        return {"n": int(payload["number"]) + version}

    seen: list[int] = []

    @store.hf.batch_job(
        "t.batch",
        payload=Number,
        size=10,
        version=2,
        upgrade=upgraded,
        horizon=timedelta(days=3),
        durable_claim=True,
    )
    async def batch(jobs: Batch) -> None:
        seen.extend(job.payload.n for job in jobs)

    await store.declare()
    new = await put(store, batch, 2)
    old = await store.fetch(
        "SELECT id FROM handfast_engine.enqueue('t.batch', 'old', '{\"number\": \"40\"}', NULL,"
        " '{\"version\": 1}')"
    )
    async with store.working():
        await store.drained()
    assert sorted(seen) == [0, 1, 41]
    assert await states(store, [*new, old]) == ["succeeded"] * 3
    row = await store.column("SELECT (horizon, durable_claim, version) FROM handfast_engine.kinds")
    assert row == [(timedelta(days=3), True, 2)]


async def test_progress_of_one_and_of_all(store: Workers) -> None:
    told = asyncio.Event()
    looked = asyncio.Event()

    @store.hf.batch_job("t.batch", payload=Number, size=10)
    async def batch(jobs: Batch) -> None:
        await jobs.progress(0.5, "half")
        await jobs[1].progress(0.75)
        told.set()
        await looked.wait()

    made = await put(store, batch, 3)
    async with store.working():
        await told.wait()
        assert await store.column(
            "SELECT (fraction, message)::text FROM handfast_engine.progress ORDER BY job_id"
        ) == ["(0.5,half)", "(0.75,)", "(0.5,half)"]
        looked.set()
        await store.drained()
    assert await states(store, made) == ["succeeded"] * 3
    assert await store.fetch("SELECT count(*) FROM handfast_engine.progress") == 0


async def test_a_batch_that_takes_too_long_runs_singly(store: Workers) -> None:
    sizes: list[int] = []

    @store.hf.batch_job("t.batch", payload=Number, size=10, timeout=3.0)
    async def batch(jobs: Batch) -> None:
        sizes.append(len(jobs))
        async with jobs.completing() as tx:
            await tx.execute(INSERT, [job.key for job in jobs.held])
            if len(jobs) > 1:
                await asyncio.sleep(600)

    made = await put(store, batch, 3)
    async with store.working():
        await store.drained()
    assert sizes == [3, 1, 1, 1]
    assert await keys(store) == ["0", "1", "2"]
    assert await states(store, made) == ["succeeded"] * 3


async def test_a_crew_of_batches_claims_enough_for_a_batch(store: Workers) -> None:
    sizes: list[int] = []

    @store.hf.batch_job("t.batch", payload=Number, size=300)
    async def batch(jobs: Batch) -> None:
        sizes.append(len(jobs))
        await asyncio.sleep(0.3)  # longer than a claim may be old before the next is smaller

    await put(store, batch, 900)
    async with store.working(concurrency=1):
        await store.drained()
    assert sizes == [300, 300, 300]


async def test_a_crew_of_both_claims_as_many_as_it_says(store: Workers) -> None:
    """Where there are single jobs, too, a worker would claim as few as can begin at once."""
    sizes: list[int] = []

    @store.hf.job("t.single")
    async def single(ctx: Context) -> None:
        pass

    @store.hf.batch_job("t.batch", payload=Number, size=10)
    async def batch(jobs: Batch) -> None:
        sizes.append(len(jobs))

    await put(store, batch, 30)
    async with store.working(concurrency=1, batch_min=10):
        await store.drained()
    assert sizes == [10, 10, 10]


async def test_a_block_within_a_block_is_refused_at_once(store: Workers) -> None:
    """It would wait for the locks of the one around it until its statement was cut off."""
    refused: list[str] = []

    @store.hf.batch_job("t.batch", payload=Number, size=10)
    async def batch(jobs: Batch) -> None:
        async with jobs.completing(jobs[:1]) as tx:
            for inner in (None, jobs[:1]):
                with pytest.raises(EngineError, match="still open") as error:
                    async with jobs.completing(inner):
                        raise AssertionError
                refused.append(str(error.value))
            async with jobs.completing(jobs[1:]) as other:
                await other.execute(INSERT, [job.key for job in jobs[1:]])
            await tx.execute(INSERT, [jobs[0].key])

    made = await put(store, batch, 3)
    async with store.working():
        await store.drained()
    assert len(refused) == 2
    assert await states(store, made) == ["succeeded"] * 3
    assert await keys(store) == ["0", "1", "2"]


async def test_a_block_that_failed_may_be_tried_again_and_a_job_named_twice(
    store: Workers,
) -> None:
    @store.hf.batch_job("t.batch", payload=Number, size=10)
    async def batch(jobs: Batch) -> None:
        with pytest.raises(LookupError):
            async with jobs.completing():
                raise LookupError
        async with jobs.completing([*jobs, *jobs]) as tx:
            await tx.execute(INSERT, [job.key for job in jobs])

    made = await put(store, batch, 3)
    async with store.working():
        await store.drained()
    assert await states(store, made) == ["succeeded"] * 3
    assert await keys(store) == ["0", "1", "2"]
