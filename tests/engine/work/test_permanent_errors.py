"""Loops wait for a database that is away; what will be the same next time comes out of them."""

import asyncio
import contextlib
import threading
from datetime import timedelta
from uuid import uuid4

import asyncpg
import pytest

from handfast import Context
from handfast.engine.crew import Crew
from handfast.engine.schedules.scheduler import Scheduler
from handfast.services.webhooks.sending.attempt_recorder import AttemptRecorder, DeliveryAttempt
from handfast.services.webhooks.sending.verdict import DeliveryOutcome, DeliveryVerdict
from tests.support.jobs import claim, running_attempt
from tests.support.workers_here import Workers

PATIENCE = 10.0  # they used to go on for ever


async def test_declaring_kinds(shop: Workers) -> None:
    @shop.hf.job("t.job")
    async def job(_: Context) -> None: ...

    await shop.fetch("ALTER TABLE handfast_engine.kinds RENAME TO gone")
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(asyncpg.UndefinedTableError):
            await shop.worker().prepare()


async def test_looking_at_schedules(shop: Workers) -> None:
    await shop.fetch("ALTER TABLE handfast_engine.schedules RENAME TO gone")
    scheduler = Scheduler(shop.database, [Crew(shop.hf.kinds)])
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(asyncpg.UndefinedTableError):
            await scheduler._look()


async def test_recording_deliveries(shop: Workers) -> None:
    await shop.fetch("ALTER FUNCTION handfast_webhooks.record_attempts RENAME TO gone")
    await shop.enqueue("t.job")
    ((job, token),) = (await claim(shop.database)).items()
    recorder = AttemptRecorder(shop.database, timedelta(days=1))
    verdict = DeliveryVerdict(DeliveryOutcome.DELIVERED)
    made = DeliveryAttempt(job, uuid4(), uuid4(), 1, "t.event", verdict, 0.1)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(asyncpg.UndefinedFunctionError):
            await recorder.end(running_attempt(shop.database, job, token), made)
    assert await shop.state(job) == "running", "both or neither"
    await recorder.close()


async def test_a_goodbye_that_fails_leaves_no_heartbeat_behind(shop: Workers) -> None:
    """It would keep the lease of a job that nobody works on."""

    @shop.hf.job("t.long")
    async def long(_: Context) -> None:
        await asyncio.sleep(600)

    job = await shop.enqueue(long)
    worker = shop.worker(grace=0.1)
    running = asyncio.create_task(worker.run())
    await shop.reaches(job, "running")
    await shop.fetch("ALTER FUNCTION handfast_engine.hand_back RENAME TO gone")
    worker.stop()
    async with asyncio.timeout(6 * PATIENCE):
        with contextlib.suppress(asyncpg.UndefinedFunctionError):
            await running
    assert "handfast-heartbeat" not in {thread.name for thread in threading.enumerate()}
