"""Connections kept at hand: quicker, and nobody waits longer or meets another's leftovers."""

import asyncio

import pytest

from handfast.db import connection_cache
from handfast.db.connect import Target
from handfast.db.errors import DatabaseUnreachable
from handfast.db.pool import Database
from tests.support.eventually import eventually_async


async def _backend(database: Database) -> int:
    async with database.connection() as connection:
        return int(await connection.fetchval("SELECT pg_backend_pid()"))


async def test_the_last_connection_is_taken_again(database: Database) -> None:
    assert len({await _backend(database) for _ in range(5)}) == 1


async def test_who_waits_at_the_pool_is_served(dsn: str) -> None:
    async with await Database.open(Target(dsn), pool_size=1) as database:
        async with asyncio.timeout(20):
            found = await asyncio.gather(*(_backend(database) for _ in range(20)))
        assert len(set(found)) == 1


async def test_who_gives_up_just_when_it_is_passed_over_is_cancelled(dsn: str) -> None:
    async with await Database.open(Target(dsn), pool_size=1) as database:
        lent = await database.lend()
        waiting = asyncio.create_task(database.lend())
        await asyncio.sleep(0)
        waiting.cancel()
        await database.take_back(lent, well=True)  # before the waiter has seen that it is cancelled
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await _backend(database)


async def test_a_failed_use_is_left_to_the_pool(database: Database) -> None:
    with pytest.raises(RuntimeError):
        async with database.connection() as connection:
            await connection.execute("BEGIN")
            raise RuntimeError
    async with database.connection() as connection:
        assert not connection.is_in_transaction()


async def test_a_transaction_left_open_is_not_handed_on(database: Database) -> None:
    async with database.connection() as connection:
        await connection.execute("BEGIN")
    async with database.connection() as connection:
        assert not connection.is_in_transaction()


async def test_one_that_was_cut_is_replaced(database: Database) -> None:
    first = await _backend(database)
    async with await Database.open(database.target) as other, other.connection() as killer:
        await killer.execute("SELECT pg_terminate_backend($1, 30000)", first)
    await asyncio.sleep(0.2)  # it is dead, and its farewell is read
    assert await _backend(database) != first


async def test_one_that_slept_long_is_the_pools_to_judge(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _backend(database)
    monkeypatch.setattr(connection_cache, "KEPT_SECONDS", 0.0)
    async with asyncio.timeout(20):
        await _backend(database)


async def test_what_nobody_wants_goes_back_to_the_pool(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_cache, "KEPT_SECONDS", 0.2)
    together = asyncio.Barrier(3)

    async def use() -> None:
        async with database.connection():
            await together.wait()

    await asyncio.gather(use(), use(), use())
    pool = database._pool
    assert pool.get_idle_size() == 0, "all three are at hand"
    async with asyncio.timeout(20):
        while pool.get_idle_size() < 2:
            await asyncio.sleep(0.05)
            await _backend(database)  # one of them is wanted all the time, and stays
    assert pool.get_idle_size() == 2

    async def all_are_back() -> bool:
        return pool.get_idle_size() == 3

    await eventually_async(all_are_back)


async def test_closing_waits_for_nobody_on_the_shelf(dsn: str) -> None:
    database = await Database.open(Target(dsn))
    in_use, may_end = asyncio.Event(), asyncio.Event()

    async def use() -> None:
        async with database.connection():
            in_use.set()
            await may_end.wait()

    await _backend(database)
    user = asyncio.create_task(use())
    await in_use.wait()
    closing = asyncio.create_task(database.close())
    await asyncio.sleep(0.05)
    may_end.set()  # given back after the shelf was cleared: must not land there
    async with asyncio.timeout(20):
        await closing
        await user


async def test_renewing_replaces_also_what_is_in_use(database: Database) -> None:
    async with database.connection() as connection:
        before = await connection.fetchval("SELECT pg_backend_pid()")
        await database.renew_connections()
    assert await _backend(database) != before


async def test_whoever_comes_while_they_are_replaced_gets_a_new_one(dsn: str) -> None:
    async with await Database.open(Target(dsn), pool_size=4) as database:
        together = asyncio.Barrier(4)

        async def use() -> int:
            async with database.connection() as connection:
                await together.wait()
                found: int = await connection.fetchval("SELECT pg_backend_pid()")
                return found

        before = await asyncio.gather(*(use() for _ in range(4)))
        renewing = asyncio.create_task(database.renew_connections())
        await asyncio.sleep(0)  # it has begun
        during = await asyncio.gather(*(_backend(database) for _ in range(4)))
        await renewing
        after = await asyncio.gather(*(use() for _ in range(4)))
        assert not set(before) & {*during, *after}


async def test_whoever_gives_up_waiting_leaves_no_gap(dsn: str) -> None:
    """Two connections, many users, and half of them are cancelled at every possible moment."""
    async with await Database.open(Target(dsn), pool_size=2) as database:
        served = 0

        async def use(number: int) -> None:
            nonlocal served
            async with database.connection() as connection:
                if number % 7 == 0:
                    await connection.execute("SELECT pg_sleep(0.002)")
                if number % 11 == 0:
                    raise ValueError("a use that ends badly")
                served += 1

        async def interrupted(number: int) -> None:
            task = asyncio.create_task(use(number))
            for _ in range(number % 9):
                await asyncio.sleep(0)
            if number % 2:
                task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        async with asyncio.timeout(60):
            for first in range(0, 600, 60):
                await asyncio.gather(*(interrupted(n) for n in range(first, first + 60)))
            backends = await asyncio.gather(*(_backend(database) for _ in range(10)))
        assert served > 200
        assert len(set(backends)) <= 2


async def test_who_waits_when_the_pool_closes_is_told(dsn: str) -> None:
    database = await Database.open(Target(dsn), pool_size=1)
    lent = await database.lend()
    waiting = asyncio.create_task(_backend(database))
    await asyncio.sleep(0.01)
    closing = asyncio.create_task(database.close())
    await asyncio.sleep(0.01)
    await database.take_back(lent, well=True)
    async with asyncio.timeout(20):
        await closing
        with pytest.raises(DatabaseUnreachable):
            await waiting
