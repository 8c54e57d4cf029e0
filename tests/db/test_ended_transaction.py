"""A transaction that has ended refuses, whoever has its connection now; and what was raised in its
block comes out as it is, also when the connection was cut."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from handfast.db.connect import Target
from handfast.db.errors import TransactionEnded
from handfast.db.open_transaction import OpenTransaction
from handfast.db.pool import Database
from handfast.db.transaction import Transaction, joined

WRITE = "INSERT INTO things VALUES ($1)"


@pytest.fixture
async def single(dsn: str) -> AsyncIterator[Database]:
    """A pool of one: whoever comes next has the connection of whoever was before."""
    async with await Database.open(Target(dsn), pool_size=1) as single:
        async with single.connection() as connection:
            await connection.execute("CREATE TABLE things (name text)")
        yield single


async def names(database: Database) -> list[str]:
    async with database.connection() as connection:
        return [row["name"] for row in await connection.fetch("SELECT name FROM things")]


async def refuses(tx: Transaction) -> None:
    with pytest.raises(TransactionEnded):
        await tx.execute(WRITE, "lost")
    for ask in (tx.fetch, tx.fetchrow, tx.fetchval):
        with pytest.raises(TransactionEnded):
            await ask("SELECT 1")
    with pytest.raises(TransactionEnded):
        await tx.executemany(WRITE, [("lost",)])
    with pytest.raises(TransactionEnded):
        async with tx.savepoint():
            pass
    with pytest.raises(TransactionEnded):
        tx.connection.is_closed()


async def test_after_its_block(single: Database) -> None:
    async with single.transaction() as first:
        await first.execute(WRITE, "first")
        raw = first.connection
    async with single.transaction() as second:
        await second.execute(WRITE, "second")
        await refuses(first)
        with pytest.raises(asyncpg.InterfaceError, match="released"):
            await raw.execute(WRITE, "lost")
    assert await names(single) == ["first", "second"]


async def test_after_it_was_rolled_back(single: Database) -> None:
    with pytest.raises(KeyError):
        async with single.transaction() as first:
            raise KeyError
    async with single.transaction():
        await refuses(first)


async def test_a_connection_that_was_kept(single: Database) -> None:
    async with single.connection() as kept:
        pass
    async with single.transaction():
        with pytest.raises(asyncpg.InterfaceError, match="released"):
            await kept.execute(WRITE, "lost")
    assert await names(single) == []


async def test_one_that_was_begun_by_hand(single: Database) -> None:
    for end in (OpenTransaction.commit, OpenTransaction.rollback):
        first = await OpenTransaction.begin(single)
        await end(first)
        async with single.transaction():
            await refuses(first)
            with pytest.raises(TransactionEnded):
                await first.commit()


async def test_one_whose_connection_was_handed_over(single: Database) -> None:
    first = await OpenTransaction.begin(single)
    raw = first.connection
    waiting = asyncio.create_task(OpenTransaction.begin(single))
    await asyncio.sleep(0)
    await first.commit("INSERT INTO things VALUES ('first')")
    second = await waiting
    await refuses(first)
    with pytest.raises(asyncpg.InterfaceError, match="released"):
        await raw.execute(WRITE, "lost")
    await second.rollback()
    assert await names(single) == ["first"]


async def test_a_savepoint_that_outlives_it(single: Database) -> None:
    """It is left after the transaction's end, when the connection is in another one."""
    for raised in (None, KeyError()):
        async with single.transaction() as first:
            part = first.savepoint()
            await part.__aenter__()
        async with single.transaction() as second, second.savepoint():
            await second.execute(WRITE, "second")
            with pytest.raises(KeyError if raised else TransactionEnded):
                if (
                    not await part.__aexit__(type(raised) if raised else None, raised, None)
                    and raised
                ):
                    raise raised
    assert await names(single) == ["second", "second"]


async def test_one_that_was_joined(dsn: str, single: Database) -> None:
    mine = await asyncpg.connect(dsn)
    try:
        async with mine.transaction():
            first = joined(mine)
            async with mine.transaction():  # a part of the same one
                await first.execute(WRITE, "first")
        await refuses(first)
        async with mine.transaction():
            await refuses(first)
            async with joined(mine).savepoint():
                await joined(mine).execute(WRITE, "second")
    finally:
        await mine.close()
    assert await names(single) == ["first", "second"]


async def test_one_that_was_joined_to_a_pools(dsn: str, single: Database) -> None:
    async with asyncpg.create_pool(dsn, min_size=1, max_size=1) as pool:
        async with pool.acquire() as connection, connection.transaction():
            first = joined(connection)
        async with pool.acquire() as connection, connection.transaction():
            with pytest.raises((TransactionEnded, asyncpg.InterfaceError)):
                await first.execute(WRITE, "lost")
    assert await names(single) == []


class NotYet(Exception):
    """As RetryAt: it says something, and must arrive."""


async def cut(database: Database, tx: Transaction) -> None:
    """The server ends the connection, and we have noticed."""
    async with await Database.open(database.target) as other, other.connection() as killer:
        await killer.execute(
            "SELECT pg_terminate_backend($1, 30000)", tx.connection.get_server_pid()
        )
    with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError)):
        while True:
            await tx.execute("SELECT 1")


async def test_an_exception_comes_out_of_a_cut_transaction_as_it_is(single: Database) -> None:
    with pytest.raises(NotYet):
        async with single.transaction() as tx:
            await cut(single, tx)
            raise NotYet
    with pytest.raises(NotYet):
        async with single.transaction() as tx, tx.savepoint():
            await cut(single, tx)
            raise NotYet
    tx = await OpenTransaction.begin(single)
    with pytest.raises(NotYet):
        async with tx.savepoint():
            await cut(single, tx)
            raise NotYet
    await tx.rollback()
    assert await names(single) == [], "and the place of the connection is free again"


async def test_a_cancellation_comes_out_of_a_cut_transaction(single: Database) -> None:
    is_cut = asyncio.Event()

    async def work() -> None:
        async with single.transaction() as tx:
            await cut(single, tx)
            is_cut.set()
            await asyncio.Event().wait()

    working = asyncio.create_task(work())
    await is_cut.wait()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert working.cancelled()


async def test_a_savepoint_that_cannot_be_undone_takes_everything_with_it(
    single: Database,
) -> None:
    """Else its part would be committed with the rest, though the block had failed."""
    with pytest.raises(Exception, match=r"broke|closed|released"):
        async with single.transaction() as tx:
            with pytest.raises(NotYet):
                async with tx.savepoint():
                    await tx.execute(WRITE, "part")
                    other = asyncio.create_task(tx.execute("SELECT pg_sleep(60)"))
                    await asyncio.sleep(0)
                    raise NotYet
    await asyncio.gather(other, return_exceptions=True)
    assert await names(single) == []
