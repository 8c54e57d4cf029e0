"""A connection beside the pool: opened when needed, anew when it broke, closed in the end."""

import asyncio

import asyncpg
import pytest

from handfast.db import dedicated_connection as line_module
from handfast.db.connect import Target
from handfast.db.dedicated_connection import DedicatedConnection
from handfast.db.pool import Database
from tests.support.eventually import eventually_async


async def backend(line: DedicatedConnection) -> int:
    async with line.held() as connection:
        return int(await connection.fetchval("SELECT pg_backend_pid()"))


async def test_the_same_connection_each_time(database: Database) -> None:
    line, other = database.dedicated(), database.dedicated()
    first = await backend(line)
    assert await backend(line) == first
    assert await backend(other) != first


async def test_it_waits_for_nobody_at_the_pool(dsn: str) -> None:
    async with await Database.open(Target(dsn), pool_size=1) as single:
        line = single.dedicated()
        async with single.connection(), asyncio.timeout(20):
            assert await backend(line)


async def test_it_has_the_name_of_the_pool(dsn: str) -> None:
    async with (
        await Database.open(Target(dsn), application="shop") as database,
        database.dedicated().held() as connection,
    ):
        assert await connection.fetchval("SHOW application_name") == "shop"


async def test_one_that_was_cut_is_replaced(database: Database) -> None:
    line = database.dedicated()
    first = await backend(line)
    async with database.connection() as killer:
        await killer.execute("SELECT pg_terminate_backend($1, 30000)", first)
    await asyncio.sleep(0.05)
    assert await backend(line) != first


async def test_a_failed_use_is_not_continued(database: Database) -> None:
    line = database.dedicated()
    first = await backend(line)
    with pytest.raises(asyncpg.DivisionByZeroError):
        async with line.held() as connection:
            await connection.execute("BEGIN; SELECT 1/0")
    assert await backend(line) != first


async def test_renewed_with_the_others(database: Database) -> None:
    line = database.dedicated()
    async with line.held() as connection:
        first = await connection.fetchval("SELECT pg_backend_pid()")
        await database.renew_connections()
        assert await connection.fetchval("SELECT pg_backend_pid()") == first, "still in use"
    second = await backend(line)
    assert second != first
    assert await backend(line) == second


async def test_users_take_turns(database: Database) -> None:
    line = database.dedicated()
    found = await asyncio.gather(*(backend(line) for _ in range(10)))
    assert len(set(found)) == 1


async def test_one_that_slept_for_long_is_not_trusted(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = database.dedicated()
    first = await backend(line)
    assert await backend(line) == first
    monkeypatch.setattr(line_module, "IDLE_SECONDS_MAX", 0.05)
    await asyncio.sleep(0.1)
    assert await backend(line) != first


async def test_closing_lets_what_is_on_its_way_arrive_and_nothing_more(database: Database) -> None:
    line = database.dedicated()

    async def slow() -> str:
        async with line.held() as connection:
            return str(await connection.fetchval("SELECT 'there' FROM pg_sleep(0.3)"))

    await backend(line)  # it is open: else closing might meet it while it is being opened
    coming = asyncio.create_task(slow())
    await asyncio.sleep(0)  # it has its turn, and its statement is on its way
    late = asyncio.create_task(backend(line))
    await asyncio.sleep(0)
    await line.close()
    assert await coming == "there"
    with pytest.raises(asyncpg.InterfaceError, match="closed"):
        await late


async def test_closed_while_it_is_being_opened(dsn: str, database: Database) -> None:
    async with await Database.open(Target(dsn), application="brief") as other:
        opening = asyncio.create_task(backend(other.dedicated()))
        await asyncio.sleep(0)
    with pytest.raises(asyncpg.InterfaceError, match="closed"):
        await opening

    async def gone() -> bool:
        async with database.connection() as connection:
            left = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'brief'"
            return not await connection.fetchval(left)

    assert await eventually_async(gone)


async def test_closed_with_the_database(dsn: str, database: Database) -> None:
    async with await Database.open(Target(dsn)) as other:
        pid = await backend(other.dedicated())

    async def gone() -> bool:
        async with database.connection() as connection:
            alive = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1"
            return not await connection.fetchval(alive, pid)

    assert await eventually_async(gone)
