"""``python -m handfast.demo.victim``: a worker process that exists to be killed."""

import asyncio
from datetime import timedelta

from handfast.demo.program import CRASH_LANE, program
from handfast.engine.crew import WorkerOptions
from handfast.wiring import load_settings

# Short, so that nobody waits long for the end of it; but it must not end before the worker has
# connected and written, or it runs the job again by itself and nobody has to be killed.
LEASE = timedelta(seconds=5)


async def main() -> None:
    async with program(load_settings()) as hf:
        options = WorkerOptions(lanes=(CRASH_LANE,), lease=LEASE, name="victim")
        await (await hf.worker(options)).run()


if __name__ == "__main__":
    asyncio.run(main())
