"""A connection beside the pool: opened when needed, anew when it broke, closed in the end."""

import asyncio

import asyncpg
import pytest

from handfast.db.connect import Target
from handfast.db.line import Line
from handfast.db.pool import Database
from tests.support.eventually import eventually_async


async def backend(line: Line) -> int:
    async with line.held() as connection:
        return int(await connection.fetchval("SELECT pg_backend_pid()"))


async def test_the_same_connection_each_time(database: Database) -> None:
    line, other = database.line(), database.line()
    first = await backend(line)
    assert await backend(line) == first
    assert await backend(other) != first


async def test_it_waits_for_nobody_at_the_pool(dsn: str) -> None:
    async with await Database.open(Target(dsn), pool_size=1) as single:
        line = single.line()
        async with single.connection(), asyncio.timeout(20):
            assert await backend(line)


async def test_it_has_the_name_of_the_pool(dsn: str) -> None:
    async with (
        await Database.open(Target(dsn), application="shop") as database,
        database.line().held() as connection,
    ):
        assert await connection.fetchval("SHOW application_name") == "shop"


async def test_one_that_was_cut_is_replaced(database: Database) -> None:
    line = database.line()
    first = await backend(line)
    async with database.connection() as killer:
        await killer.execute("SELECT pg_terminate_backend($1, 5000)", first)
    await asyncio.sleep(0.05)
    assert await backend(line) != first


async def test_a_failed_use_is_not_continued(database: Database) -> None:
    line = database.line()
    first = await backend(line)
    with pytest.raises(asyncpg.DivisionByZeroError):
        async with line.held() as connection:
            await connection.execute("BEGIN; SELECT 1/0")
    assert await backend(line) != first


async def test_renewed_with_the_others(database: Database) -> None:
    line = database.line()
    async with line.held() as connection:
        first = await connection.fetchval("SELECT pg_backend_pid()")
        await database.renew_connections()
        assert await connection.fetchval("SELECT pg_backend_pid()") == first, "still in use"
    second = await backend(line)
    assert second != first
    assert await backend(line) == second


async def test_closed_with_the_database(dsn: str, database: Database) -> None:
    async with await Database.open(Target(dsn)) as other:
        pid = await backend(other.line())

    async def gone() -> bool:
        async with database.connection() as connection:
            alive = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1"
            return not await connection.fetchval(alive, pid)

    assert await eventually_async(gone)
