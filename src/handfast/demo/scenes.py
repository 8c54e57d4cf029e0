"""The scenes: each does something, and answers a fact with the number that proves it.

The numbers are read from the database afterwards, never assumed: a scene that cannot show what it
promises says so.
"""

import asyncio
import os
import signal
import sys
from itertools import pairwise
from typing import Any

from handfast.demo.program import CRASH_LANE, ORDERS
from handfast.demo.stage import PATIENCE_SECONDS, ShownFact, Stage
from handfast.engine.crew import WorkerOptions
from handfast.engine.jobs.states import JobState

CALLERS = 20
SCHEDULERS = 3


async def one_identity(stage: Stage) -> ShownFact:
    wanted: dict[str, Any] = {"key": "welcome:ada", "name": "Ada"}
    answers = await asyncio.gather(
        *(stage.hf.enqueue_now("demo.welcome", **wanted) for _ in range(CALLERS))
    )
    jobs = len({answer.id for answer in answers})
    made = sum(answer.created for answer in answers)
    await stage.ended("demo.welcome", **wanted)
    earlier = "" if made else ", which an earlier run had made"
    return ShownFact(
        "One identity is one job", f"{CALLERS} callers, {jobs} job{earlier}", jobs == 1 and made < 2
    )


async def chain(stage: Stage) -> ShownFact:
    key, kinds = "2026-02-19", ("demo.extract", "demo.transform", "demo.load")
    async with stage.hf.transaction() as tx:
        before: list[tuple[str, str]] = []
        for kind in kinds:
            await stage.hf.enqueue(tx, kind, key=key, requires=before, day=key)
            before = [(kind, key)]
    ids = [await stage.ended(kind, key, day=key) for kind in kinds]
    ends = [(await stage.attempts(job_id))[-1] for job_id in ids]
    ordered = sum(
        later["started_at"] >= earlier["finished_at"] for earlier, later in pairwise(ends)
    )
    return ShownFact(
        "A chain keeps its order",
        f"{len(ids)} jobs, {ordered} of {len(ids) - 1} started after the one before had finished",
        ordered == len(ids) - 1,
    )


async def retries(stage: Stage) -> ShownFact:
    job_id = await stage.ended("demo.flaky", "provider")
    outcomes = [attempt["outcome"] for attempt in await stage.attempts(job_id)]
    return ShownFact(
        "A failure is tried again",
        f"{len(outcomes)} attempts: {', '.join(outcomes)}",
        outcomes == ["failed", "failed", "succeeded"],
    )


async def dead_letter(stage: Stage) -> ShownFact:
    job_id = await stage.ended("demo.invoice", "invoice-7", number=7)
    tries = len(await stage.attempts(job_id))
    letters = await stage.ask("SELECT count(*) FROM handfast.dead_letters WHERE id = $1", job_id)
    alerts = await stage.ask(
        "SELECT count(*) FROM handfast_engine.events WHERE type = 'job.dead' AND aggregate = $1",
        f"job:{job_id}",
    )
    return ShownFact(
        "What no retry can fix waits for a person",
        f"{tries} attempt, {letters} dead letter, {alerts} alert",
        (tries, letters, alerts) == (1, 1, 1),
        hint=stage.look_at_dead,
    )


async def schedule(stage: Stage) -> ShownFact:
    """Several schedulers find the ticks of a silence all at once."""
    schedulers = [await stage.hf.scheduler() for _ in range(SCHEDULERS)]
    await schedulers[0].scheduler.run_once()  # declares it: a schedule begins at its declaration
    # As if nobody had been there since three nights ago; only the first time.
    await stage.ask(
        "UPDATE handfast_engine.schedules SET cursor = cursor - interval '3 days' WHERE name = $1"
        " AND NOT EXISTS (SELECT 1 FROM handfast_engine.ticks WHERE schedule = $1)",
        "demo.nightly",
    )
    await asyncio.gather(*(one.scheduler.run_once() for one in schedulers))
    ticks = await stage.ask(
        "SELECT count(*) FROM handfast_engine.ticks WHERE schedule = 'demo.nightly'"
    )
    jobs = await stage.ask("SELECT count(*) FROM handfast.jobs WHERE kind = 'demo.digest'")
    return ShownFact(
        "A missed tick is caught up, once",
        f"{SCHEDULERS} schedulers, {ticks} missed nights, {jobs} jobs",
        ticks == jobs >= 3,
    )


async def gap(stage: Stage) -> ShownFact:
    """Three of five reports are enqueued; nobody thinks of the other two, but they are expected."""
    async with stage.hf.transaction() as tx:
        await tx.execute(
            "INSERT INTO public.demo_orders SELECT n, handfast_db.now() FROM generate_series(1,"
            " $1) AS n"
            " ON CONFLICT DO NOTHING",
            ORDERS,
        )
    for number in (1, 2, 3):
        await stage.hf.enqueue_now("demo.report", key=str(number), number=number)
    await stage.hf.repair_gaps("demo.reports")  # unless the worker's own look was there first
    for number in range(1, ORDERS + 1):
        await stage.ended("demo.report", str(number), number=number)
    left = (await stage.hf.gaps("demo.reports"))[0]
    reports = await stage.ask("SELECT count(*) FROM public.demo_reports")
    return ShownFact(
        "What nobody enqueued is noticed and made up for",
        f"3 of {left.expected} enqueued, then {left.missing} missing; {reports} reports",
        left.missing == 0 and reports == left.expected == ORDERS,
    )


async def killed(stage: Stage) -> ShownFact:
    """A worker dies by SIGKILL with its row written and not committed; another takes over."""
    job = await stage.hf.enqueue_now("demo.payment", key="payment-1", amount=100)
    if job.created:
        await _kill_a_worker_in_the_middle_of(stage, job.id)
    await stage.workers(WorkerOptions(lanes=(CRASH_LANE,), name="rescuer"))
    await stage.ended("demo.payment", "payment-1", amount=100)
    outcomes = [attempt["outcome"] for attempt in await stage.attempts(job.id)]
    rows = await stage.ask("SELECT count(*) FROM public.demo_payments WHERE job = 'payment-1'")
    return ShownFact(
        "A killed worker loses and repeats nothing",
        f"SIGKILL in the middle; attempts: {', '.join(outcomes)}; rows: {rows}",
        rows == 1 and outcomes[-1:] == [JobState.SUCCEEDED],
    )


async def _kill_a_worker_in_the_middle_of(stage: Stage, job_id: int) -> None:
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "handfast.demo.victim"), env={**os.environ, **stage.environment}
    )
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                if await stage.ask(
                    "SELECT progress IS NOT NULL FROM handfast.jobs WHERE id = $1", job_id
                ):
                    break
                await asyncio.sleep(0.05)
    finally:
        if child.returncode is None:
            child.send_signal(signal.SIGKILL)
        await child.wait()
