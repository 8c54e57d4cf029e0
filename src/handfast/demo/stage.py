"""What a scene stands on: a program, its database, its workers; and what it answers."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from handfast.db.pool import Database
from handfast.engine.crew import WorkerOptions
from handfast.facade import Handfast

PATIENCE_SECONDS = 30.0

_ATTEMPTS = """
SELECT attempt, outcome, started_at, finished_at, error
FROM handfast.attempts WHERE job_id = $1 ORDER BY finished_at, attempt"""


@dataclass(frozen=True)
class ShownFact:
    """``true`` says whether the numbers bear out the title."""

    title: str
    proof: str
    true: bool
    hint: str | None = None


@dataclass
class Stage:
    """What a scene may use."""

    hf: Handfast
    database: Database
    look_at_dead: str  # the command that shows dead letters
    url: str  # where the API answers
    workers: Callable[[WorkerOptions], Awaitable[None]]  # start one more worker in this process
    environment: dict[str, str]  # for a child process on the same database
    where: str = ""  # what a command needs to find the same database

    async def ended(self, kind: str, key: str, **payload: Any) -> int:
        """Wait until the job has ended; asking again answers the first one. Answers its id."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                job = await self.hf.enqueue_now(kind, key=key, **payload)
                if job.state.final:
                    return job.id
                await asyncio.sleep(0.05)

    async def ask(self, sql: str, *args: Any) -> Any:
        async with self.database.connection() as connection:
            return await connection.fetchval(sql, *args)

    async def attempts(self, job_id: int) -> list[Any]:
        async with self.database.connection() as connection:
            return await connection.fetch(_ATTEMPTS, job_id)


Scene = Callable[[Stage], Awaitable[ShownFact]]
