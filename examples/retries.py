"""Failures, by class: what is tried again, what waits, and what is a dead letter at once.

Run it with `python examples/retries.py`.
"""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from handfast import Context, DataInconsistent, Handfast, JobState, RetryAt, RetryPolicy

hf = Handfast()
quickly = RetryPolicy(retries=3, waits=(0.05, 0.1, 0.2))


@hf.job("example.flaky", retry=quickly)
async def flaky(ctx: Context) -> str:
    if ctx.attempt < 3:
        raise ConnectionError("the provider is away")  # transient: the policy says when
    return f"succeeded in attempt {ctx.attempt}"


@hf.job("example.patient", retry=quickly)
async def patient(ctx: Context) -> str:
    if ctx.attempt == 1:  # not a failure: "not yet", and when to ask again
        raise RetryAt(datetime.now(UTC) + timedelta(milliseconds=100), "the file is not there yet")
    return f"succeeded in attempt {ctx.attempt}"


@hf.job("example.contradiction", retry=quickly)
async def contradiction(ctx: Context) -> None:
    raise DataInconsistent("the invoice has two totals")  # no retry can fix it


@hf.job("example.mistake", retry=quickly)
async def mistake(ctx: Context) -> None:
    len(None)  # type: ignore[arg-type]  # a TypeError: a fault in the program, the same


async def main() -> None:
    key = str(uuid4())
    kinds = (flaky, patient, contradiction, mistake)
    async with hf:
        worker = await hf.worker()
        working = asyncio.create_task(worker.run())
        for kind in kinds:
            job = await hf.enqueue_now(kind, key=key)
            while job.state not in (JobState.SUCCEEDED, JobState.DEAD):
                await asyncio.sleep(0.02)
                job = await hf.enqueue_now(kind, key=key)
            async with hf.transaction() as tx:
                attempts = await tx.fetch(
                    "SELECT outcome, error_class FROM handfast.attempts WHERE job_id = $1"
                    " ORDER BY attempt",
                    job.id,
                )
            told = ", ".join(f"{a['outcome']} ({a['error_class'] or 'fine'})" for a in attempts)
            print(f"{kind.__name__}: {job.state} after {told}")
        worker.stop()
        await working


if __name__ == "__main__":
    asyncio.run(main())
