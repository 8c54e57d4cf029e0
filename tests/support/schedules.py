"""Schedulers on a test's own database, and what they have done there."""

from datetime import datetime
from typing import Any

import asyncpg

from handfast import Context, Handfast
from handfast.db.pool import Database
from handfast.engine.crew import Crew
from handfast.engine.schedules.scheduler import Scheduler

KIND = "test.tick"


def program() -> Handfast:
    """A program with one kind of job, to declare schedules on."""
    hf = Handfast()

    @hf.job(KIND, priority=20)
    async def tick(_ctx: Context) -> None: ...

    return hf


def scheduler(database: Database, hf: Handfast, **options: Any) -> Scheduler:
    return Scheduler(database, [Crew(hf.kinds, schedules=hf.schedules)], **options)


async def rows(database: Database, sql: str, *args: Any) -> list[asyncpg.Record]:
    async with database.connection() as connection:
        return await connection.fetch(sql, *args)


async def ticks(database: Database, name: str) -> list[datetime]:
    """The ticks that fired, in order; each has its job."""
    found = await rows(
        database,
        "SELECT t.tick, t.job_id, l.due_at FROM handfast_engine.ticks t "
        "LEFT JOIN handfast_engine.live l ON l.id = t.job_id "
        "WHERE t.schedule = $1 AND t.skipped IS NULL ORDER BY t.tick, t.zone",
        name,
    )
    assert all(row["job_id"] is not None for row in found)
    assert all(row["due_at"] == row["tick"] for row in found)
    return [row["tick"] for row in found]


async def skips(database: Database, name: str) -> list[str]:
    found = await rows(
        database,
        "SELECT skipped FROM handfast_engine.ticks WHERE schedule = $1 AND skipped IS NOT NULL "
        "AND job_id IS NULL ORDER BY tick, zone",
        name,
    )
    return [row["skipped"] for row in found]


async def jobs(database: Database) -> int:
    found = await rows(database, "SELECT count(*) AS n FROM handfast_engine.jobs")
    return int(found[0]["n"])
