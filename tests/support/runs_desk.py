"""Match runs in the test's own process: a worker on a real database, with the role's own pool."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from handfast.apps.runs.records import MatchRun, StartedRun, get_run, start_run
from handfast.apps.runs.worker import LANE, RunsWorker
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.worker import WorkerOptions
from tests.support.corpus import as_role
from tests.support.eventually import eventually_async


class RunsDesk:
    def __init__(self, database: Database) -> None:
        self.database = database

    async def start(self, url: str = "acme.com", *, fresh: bool = False) -> StartedRun:
        async with self.database.connection() as connection:
            return await start_run(connection, url, fresh=fresh)

    async def get(self, run_id: UUID) -> MatchRun:
        async with self.database.connection() as connection:
            return await get_run(connection, run_id)

    async def ended(self, run_id: UUID, *, within: float = 15) -> MatchRun:
        async def look() -> MatchRun | None:
            run = await self.get(run_id)
            return run if run.ended else None

        found = await eventually_async(look, within=within)
        assert found is not None
        return found

    async def fetch(self, sql: str, *args: Any) -> Any:
        async with self.database.connection() as connection:
            return await connection.fetchval(sql, *args)

    @asynccontextmanager
    async def working(self, **options: Any) -> AsyncIterator[RunsWorker]:
        given: dict[str, Any] = {
            "lanes": (LANE,),
            "poll": 0.05,
            "grace": 1.0,
            "lease": timedelta(days=30),  # outlives every jump of a frozen clock
            "name": "desk",
        }
        target = Target(as_role(self.database.target.dsn))
        async with await Database.open(target, application="handfast-runs") as reader:
            worker = RunsWorker(
                self.database,
                self.database.target,
                reader,
                options=WorkerOptions(**(given | options)),
            )
            task = asyncio.create_task(worker.run())
            try:
                yield worker
            finally:
                worker.stop()
                await asyncio.wait_for(task, 30)
