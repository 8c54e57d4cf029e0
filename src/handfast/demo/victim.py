"""``python -m handfast.demo.victim``: a worker process that exists to be killed."""

import asyncio
from datetime import timedelta

from handfast.demo.program import CRASH_LANE, program
from handfast.engine.crew import WorkerOptions
from handfast.wiring import load_settings

LEASE = timedelta(seconds=2)  # short, so that nobody waits long for the end of it


async def main() -> None:
    async with program(load_settings()) as hf:
        options = WorkerOptions(lanes=(CRASH_LANE,), lease=LEASE, name="victim")
        await (await hf.worker(options)).run()


if __name__ == "__main__":
    asyncio.run(main())
