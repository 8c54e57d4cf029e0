"""A scheduler as a process of its own, to be killed anywhere.

Looks as fast as it can, at a clock that the test turns: the single row of ``public.clock``.
"""

import asyncio
import sys

from handfast import CatchUp
from handfast.db.connect import Target
from handfast.db.pool import Database
from tests.support.schedules import KIND, program, scheduler


async def main(dsn: str) -> None:
    hf = program()
    hf.cron("often", KIND, "*/3 * * * *", catch_up=CatchUp.all)
    hf.cron("rarely", KIND, "30 2 * * *", zone="Europe/Berlin", catch_up=CatchUp.all)
    async with await Database.open(Target(dsn), pool_size=2) as database:
        one = scheduler(database, hf)
        while True:
            async with database.connection() as connection:
                now = await connection.fetchval("SELECT at FROM public.clock")
            await one.run_once(now)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
