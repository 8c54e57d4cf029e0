"""A worker of runs as a process of its own, to be killed anywhere: ``… runs_process DSN NAME``.

With ``stuck`` behind them it stops itself (SIGSTOP) in the middle of its first run, with the count
made and nothing written.
"""

import asyncio
import os
import signal
import sys
from datetime import timedelta
from typing import Any

from handfast.apps.runs import worker as module
from handfast.apps.runs.worker import LANE, runs_crew
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.crew import WorkerOptions
from handfast.engine.host import Host, HostOptions
from tests.support.corpus_rows import as_role

LEASE = timedelta(seconds=10)  # longer than a process takes to start on a busy machine


class Stuck:
    """Stands in front of a statement: stops the whole process before it is sent."""

    def __init__(self, statement: Any) -> None:
        self._statement = statement
        self._done = False

    async def all(self, *args: Any) -> Any:
        if not self._done:
            self._done = True
            os.kill(os.getpid(), signal.SIGSTOP)
        return await self._statement.all(*args)


async def main(dsn: str, name: str, how: str = "") -> None:
    if how == "stuck":
        module._TOP = Stuck(module._TOP)  # type: ignore[assignment]
    target = Target(dsn)
    async with (
        await Database.open(target, pool_size=4) as database,
        await Database.open(Target(as_role(dsn)), application="handfast-runs") as reader,
    ):
        options = WorkerOptions(lanes=(LANE,), concurrency=1, batch_max=1, lease=LEASE, name=name)
        crew = runs_crew(database, reader, options=options)
        await Host(database, target, [crew], HostOptions(poll=0.05)).run()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
