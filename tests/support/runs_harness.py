"""Match runs in the test's own process: a worker on a real database, with the role's own pool."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from handfast.apps.runs.records import MatchRun, StartedRun, get_run, start_run
from handfast.apps.runs.worker import LANE, runs_crew
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.host import Host
from tests.support.corpus_rows import as_role
from tests.support.eventually import WITHIN, eventually_async
from tests.support.hosts import options_of, running


class RunsHarness:
    def __init__(self, database: Database) -> None:
        self.database = database

    async def start(self, url: str = "acme.com", *, fresh: bool = False) -> StartedRun:
        async with self.database.connection() as connection:
            return await start_run(connection, url, fresh=fresh)

    async def get(self, run_id: UUID) -> MatchRun:
        async with self.database.connection() as connection:
            return await get_run(connection, run_id)

    async def ended(self, run_id: UUID, *, within: float = WITHIN) -> MatchRun:
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
    async def working(self, **options: Any) -> AsyncIterator[Host]:
        given: dict[str, Any] = {
            "lanes": (LANE,),
            "poll": 0.05,
            "grace": 1.0,
            "lease": timedelta(days=30),  # outlives every jump of a frozen clock
            "name": "desk",
        }
        target = Target(as_role(self.database.target.dsn))
        async with await Database.open(target, application="handfast-runs") as reader:
            worker, host = options_of(given | options)
            crew = runs_crew(self.database, reader, options=worker)
            async with running(Host(self.database, self.database.target, [crew], host)) as one:
                yield one
