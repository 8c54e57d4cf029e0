"""Workers in the test's own process, on a real database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.kinds import declare
from handfast.engine.worker import Worker, WorkerOptions
from handfast.facade import Handfast
from tests.support.eventually import eventually_async


class Shop:
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
            "SELECT coalesce(j.state, l.state)::text FROM engine.jobs AS j "
            "LEFT JOIN engine.live AS l ON l.id = j.id WHERE j.id = $1",
            job,
        )
        return found

    async def reaches(self, job: int, state: str, *, within: float = 15.0) -> None:
        async def is_there() -> bool:
            return await self.state(job) == state

        await eventually_async(is_there, within=within)

    async def drained(self, *, within: float = 20.0) -> None:
        async def is_empty() -> bool:
            return bool(await self.fetch("SELECT count(*) = 0 FROM engine.live"))

        await eventually_async(is_empty, within=within)

    def worker(self, **options: Any) -> Worker:
        given: dict[str, Any] = {"poll": 0.1, "grace": 1.0, "lease": timedelta(seconds=30)}
        return Worker(
            self.database,
            self.direct,
            self.hf.kinds,
            WorkerOptions(**(given | options)),
            self.hf.groups,
        )

    @asynccontextmanager
    async def working(self, **options: Any) -> AsyncIterator[Worker]:
        """A worker that runs in the background."""
        worker = self.worker(**options)
        task = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            worker.stop()
            await asyncio.wait_for(task, 30)
