"""Workers in the test's own process, on a real database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.crew import Crew
from handfast.engine.host import Host
from handfast.engine.jobs.kinds import declare
from handfast.engine.maintenance.chores import Chore
from handfast.facade import Handfast
from tests.support.eventually import WITHIN, eventually_async
from tests.support.hosts import options_of, running


class Workers:
    """A ``Handfast`` to declare jobs on, and the database they are in."""

    def __init__(self, database: Database, direct: Target | None = None) -> None:
        self.hf = Handfast()
        self.database = database
        self.direct = direct or database.target

    async def declare(self) -> None:
        await declare(self.database, list(self.hf.kinds), self.hf.groups)

    async def enqueue(self, kind: Any, key: str = "one", **given: Any) -> int:
        async with self.database.transaction() as tx:
            return (await self.hf.enqueue(tx, kind, key=key, **given)).id

    async def fetch(self, sql: str, *args: Any) -> Any:
        async with self.database.connection() as connection:
            return await connection.fetchval(sql, *args)

    async def column(self, sql: str, *args: Any) -> list[Any]:
        async with self.database.connection() as connection:
            return [row[0] for row in await connection.fetch(sql, *args)]

    async def state(self, job: int) -> str:
        found: str = await self.fetch(
            "SELECT coalesce(j.state, l.state)::text FROM handfast_engine.jobs AS j "
            "LEFT JOIN handfast_engine.live AS l ON l.id = j.id WHERE j.id = $1",
            job,
        )
        return found

    async def reaches(self, job: int, state: str, *, within: float = WITHIN) -> None:
        async def is_there() -> bool:
            return await self.state(job) == state

        await eventually_async(is_there, within=within)

    async def drained(self, *, within: float = WITHIN) -> None:
        async def is_empty() -> bool:
            return bool(await self.fetch("SELECT count(*) = 0 FROM handfast_engine.live"))

        await eventually_async(is_empty, within=within)

    def worker(self, *chores: Chore, **options: Any) -> Host:
        given: dict[str, Any] = {"poll": 0.1, "grace": 1.0, "lease": timedelta(seconds=30)}
        worker, host = options_of(given | options)
        crew = Crew(self.hf.kinds, worker, self.hf.groups, chores=chores)
        return Host(self.database, self.direct, [crew], host)

    @asynccontextmanager
    async def working(self, **options: Any) -> AsyncIterator[Host]:
        """A worker that runs in the background."""
        async with running(self.worker(**options)) as host:
            yield host
