"""A transaction that is begun here and ended there, with a last word."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from handfast.base.errors import CommitUnknown, ConstraintViolated, DatabaseError
from handfast.db.connect import Target
from handfast.db.open_transaction import OpenTransaction
from handfast.db.pool import Database, Isolation

TABLE = "CREATE TABLE things (name text CONSTRAINT thing_name CHECK (name <> 'bad'))"


@pytest.fixture(autouse=True)
async def _table(database: Database) -> None:
    async with database.connection() as connection:
        await connection.execute(TABLE)


async def names(database: Database) -> list[str]:
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT name FROM things ORDER BY name")
    return [row["name"] for row in rows]


async def test_the_last_word_is_in_the_same_commit(database: Database) -> None:
    tx = await OpenTransaction.begin(database)
    await tx.execute("INSERT INTO things VALUES ($1)", "a")
    assert await names(database) == []
    await tx.commit("INSERT INTO things VALUES ('b')")
    assert await names(database) == ["a", "b"]
    await tx.rollback()
    assert await names(database) == ["a", "b"]


async def test_a_last_word_that_fails_takes_everything_with_it(
    dsn: str, database: Database
) -> None:
    async with await Database.open(Target(dsn), pool_size=1) as single:
        tx = await OpenTransaction.begin(single)
        await tx.execute("INSERT INTO things VALUES ('a')")
        with pytest.raises(ConstraintViolated):
            await tx.commit("INSERT INTO things VALUES ('bad')")
        assert await names(single) == [], "and the only connection is free again"


async def test_rolled_back(database: Database) -> None:
    tx = await OpenTransaction.begin(database, "serializable")
    assert await tx.fetchval("SHOW transaction_isolation") == "serializable"
    await tx.execute("INSERT INTO things VALUES ('a')")
    await tx.rollback()
    await tx.rollback()
    assert await names(database) == []


async def test_savepoints(database: Database) -> None:
    tx = await OpenTransaction.begin(database)
    await tx.execute("INSERT INTO things VALUES ('a')")
    with pytest.raises(ConstraintViolated):
        async with tx.savepoint():
            await tx.execute("INSERT INTO things VALUES ('b')")
            async with tx.savepoint():
                await tx.execute("INSERT INTO things VALUES ('bad')")
    async with tx.savepoint():
        await tx.execute("INSERT INTO things VALUES ('c')")
    await tx.commit()
    assert await names(database) == ["a", "c"]


async def test_an_aborted_transaction_does_not_pass_for_a_commit(database: Database) -> None:
    """PostgreSQL answers COMMIT of an aborted transaction with a quiet ROLLBACK."""
    for last_word, error in (("SELECT 1", asyncpg.PostgresError), ("", DatabaseError)):
        tx = await OpenTransaction.begin(database)
        with pytest.raises(asyncpg.PostgresError):
            await tx.execute("SELECT 1/0")
        with pytest.raises(error):
            await tx.commit(last_word)


async def test_a_broken_connection_is_commit_unknown(database: Database) -> None:
    tx = await OpenTransaction.begin(database)
    pid = await tx.fetchval("SELECT pg_backend_pid()")
    async with database.connection() as connection:
        await connection.execute("SELECT pg_terminate_backend($1)", pid)
    with pytest.raises(CommitUnknown):
        await tx.commit("SELECT 1")
    assert await names(database) == []


# --- a transaction that somebody waits to begin -----------------------------------------------


@pytest.fixture
async def single(dsn: str) -> AsyncIterator[Database]:
    async with await Database.open(Target(dsn), pool_size=1) as database:
        yield database


@pytest.mark.parametrize("isolation", ["read_committed", "serializable"])
async def test_it_is_begun_with_the_commit_before(
    single: Database, isolation: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await OpenTransaction.begin(single)
    await first.execute("INSERT INTO things VALUES ('a')")
    waiting = asyncio.create_task(OpenTransaction.begin(single, isolation))
    await asyncio.sleep(0.01)
    said: list[str] = []
    execute = asyncpg.Connection.execute

    async def listen(self: asyncpg.Connection, sql: str, *args: object) -> str:
        said.append(sql)
        return await execute(self, sql, *args)

    monkeypatch.setattr(asyncpg.Connection, "execute", listen)
    await first.commit("SELECT 1")
    second = await waiting
    level = isolation.replace("_", " ")
    assert said == [f"SELECT 1; COMMIT; BEGIN ISOLATION LEVEL {level}"]
    assert await second.fetchval("SHOW transaction_isolation") == level
    assert await second.fetchval("SELECT count(*) FROM things") == 1
    await second.execute("INSERT INTO things VALUES ('b')")
    await second.rollback()
    assert await names(single) == ["a"], "they are two transactions"


async def test_who_wanted_it_and_left_leaves_nothing_open(single: Database) -> None:
    first = await OpenTransaction.begin(single)
    await first.execute("INSERT INTO things VALUES ('a')")
    waiting = asyncio.create_task(OpenTransaction.begin(single))
    await asyncio.sleep(0.01)
    committing = asyncio.create_task(first.commit("SELECT pg_sleep(0.2)"))
    await asyncio.sleep(0.05)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await committing
    async with single.connection() as connection:
        assert not connection.is_in_transaction()
    assert await names(single) == ["a"]


async def test_another_who_waits_for_a_plain_connection_gets_it_clean(single: Database) -> None:
    first = await OpenTransaction.begin(single)
    leaving = asyncio.create_task(OpenTransaction.begin(single))
    await asyncio.sleep(0.01)
    plain = asyncio.create_task(names(single))
    await asyncio.sleep(0.01)
    committing = asyncio.create_task(first.commit("SELECT pg_sleep(0.2)"))
    await asyncio.sleep(0.05)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    await committing
    assert await plain == []
    async with single.connection() as connection:
        assert not connection.is_in_transaction()


@pytest.mark.parametrize(
    ("last_word", "before"),
    [
        ("INSERT INTO things VALUES ('bad')", "SELECT 1"),
        ("SELECT 1", "INSERT INTO late VALUES (1), (1)"),  # found out by COMMIT alone
    ],
)
async def test_when_the_commit_fails_the_next_begins_by_itself(
    single: Database, last_word: str, before: str
) -> None:
    async with single.connection() as connection:
        await connection.execute("CREATE TABLE late (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
    first = await OpenTransaction.begin(single)
    await first.execute("INSERT INTO things VALUES ('a')")
    await first.execute(before)
    waiting = asyncio.create_task(OpenTransaction.begin(single))
    await asyncio.sleep(0.01)
    with pytest.raises(ConstraintViolated):
        await first.commit(last_word)
    second = await waiting
    await second.execute("INSERT INTO things VALUES ('b')")
    await second.commit("SELECT 1")
    assert await names(single) == ["b"]


async def test_many_of_them_some_of_whom_leave(dsn: str) -> None:
    """Two connections, and every transaction is whole or not there at all."""
    async with await Database.open(Target(dsn), pool_size=2) as database:
        committed: list[str] = []

        async def work(number: int) -> None:
            tx = await OpenTransaction.begin(database)
            try:
                await tx.execute("INSERT INTO things VALUES ($1)", f"{number:03}")
                if number % 5 == 0:
                    await tx.rollback()
                    return
                await tx.commit(f"INSERT INTO things VALUES ('{number:03}')")
                committed.append(f"{number:03}")
            finally:
                await tx.rollback()

        async def interrupted(number: int) -> None:
            task = asyncio.create_task(work(number))
            for _ in range(number % 13):
                await asyncio.sleep(0)
            if number % 3 == 0:
                task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        async with asyncio.timeout(60):
            await asyncio.gather(*(interrupted(n) for n in range(300)))
        stored = await names(database)
        assert stored[::2] == stored[1::2], "both rows or none"
        assert set(committed) <= set(stored)
        assert len(committed) > 100
        async with database.connection() as connection:
            assert not connection.is_in_transaction()
