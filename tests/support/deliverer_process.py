"""A deliverer as a process of its own, to be killed anywhere: ``… deliverer_process DSN``.

Its lease is a second, so that a test need not wait; with ``usual`` behind the DSN it is as shipped.
"""

import asyncio
import os
import sys
from datetime import timedelta

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.crew import WorkerOptions
from handfast.engine.host import Host, HostOptions
from handfast.services.webhooks.sending.deliverer import LANE, webhooks_crew


async def main(dsn: str, *, usual: bool) -> None:
    target = Target(dsn)
    async with await Database.open(target, pool_size=4) as database:
        options = WorkerOptions(
            lanes=(LANE,), concurrency=8, batch_max=8, lease=timedelta(seconds=1),
            name=f"deliverer:{os.getpid()}",
        )  # fmt: skip
        crew = webhooks_crew(
            database,
            allow_private=True,
            disable_after=timedelta(days=5),
            options=None if usual else options,
        )
        await Host(database, target, [crew], HostOptions(poll=1.0 if usual else 0.1)).run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], usual=sys.argv[2:] == ["usual"]))
