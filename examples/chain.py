"""A chain: each job waits for the one before it, and is freed by its success.

Run it with `python examples/chain.py`.
"""

import asyncio
from datetime import date

from handfast import Context, Handfast, JobState

hf = Handfast()


@hf.job("example.extract")
async def extract(ctx: Context, day: date) -> str:
    print(f"extract {day}")
    return "42 rows"


@hf.job("example.transform")
async def transform(ctx: Context, day: date) -> str:
    print(f"transform {day}")
    return "41 good ones"


@hf.job("example.load")
async def load(ctx: Context, day: date) -> str:
    print(f"load {day}")
    return "loaded"


async def main() -> None:
    day = date(2026, 2, 19)
    key = day.isoformat()
    async with hf:
        async with hf.transaction() as tx:
            # In any case the prerequisite exists before its dependant: so no cycle can be made.
            first = await hf.enqueue(tx, extract, key=key, day=day)
            second = await hf.enqueue(tx, transform, key=key, requires=[(extract, key)], day=day)
            third = await hf.enqueue(tx, load, key=key, requires=[(transform, key)], day=day)
        print(f"enqueued: {first.state}, {second.state}, {third.state}")

        workers = [await hf.worker() for _ in range(2)]
        working = [asyncio.create_task(worker.run()) for worker in workers]
        job = third
        while job.state is not JobState.SUCCEEDED:
            await asyncio.sleep(0.02)
            job = await hf.enqueue_now(load, key=key, day=day)
        print(f"the last one: {job.state}")
        for worker in workers:
            worker.stop()
        await asyncio.gather(*working)


if __name__ == "__main__":
    asyncio.run(main())
