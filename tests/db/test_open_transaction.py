"""A transaction that is begun here and ended there, with a last word."""

import asyncpg
import pytest

from handfast.base.errors import CommitUnknown, ConstraintViolated, DatabaseError
from handfast.db.connect import Target
from handfast.db.open_transaction import OpenTransaction
from handfast.db.pool import Database

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
