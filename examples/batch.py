"""A handler that takes many jobs in one call, and reports an outcome for each.

Run it with `python examples/batch.py`.
"""

import asyncio

import msgspec

from handfast import Batch, Handfast, Retry

hf = Handfast()
calls: list[int] = []


class Reading(msgspec.Struct):
    sensor: str
    value: float


@hf.batch_job("example.store_reading", payload=Reading, size=50, retry=Retry.never)
async def store(jobs: Batch) -> None:
    calls.append(len(jobs))
    for job in jobs:
        if job.payload.value < 0:
            job.fail(ValueError(f"{job.payload.sensor} measured {job.payload.value}"))
        else:
            job.succeed({"stored": job.payload.value})


async def main() -> None:
    readings = [
        (f"sensor-{n}", {"sensor": f"sensor-{n}", "value": 20.0 + n if n != 13 else -1.0})
        for n in range(100)
    ]
    async with hf:
        async with hf.transaction() as tx:
            made = await hf.enqueue_many(tx, store, readings)  # one statement
        print(f"{sum(job.created for job in made)} of {len(made)} jobs are new")
        worker = await hf.worker()
        working = asyncio.create_task(worker.run())
        ids = [job.id for job in made]
        counted = "SELECT count(*) FROM handfast.jobs WHERE id = ANY ($1) AND state = $2"
        while True:
            async with hf.transaction() as tx:
                good = await tx.fetchval(counted, ids, "succeeded")
                dead = await tx.fetchval(counted, ids, "dead")
            if good + dead == len(ids):
                break
            await asyncio.sleep(0.02)
        worker.stop()
        await working
        print(f"{good} succeeded, {dead} dead, in fewer than {len(ids)} calls: {len(calls) < 100}")


if __name__ == "__main__":
    asyncio.run(main())
