"""A transaction that is begun here and ended there, with a last word."""

import asyncio
from typing import Any

import asyncpg
import pytest

from handfast.base.errors import DatabaseError
from handfast.db.connect import Target
from handfast.db.errors import CommitUnknown, ConstraintViolated
from handfast.db.open_transaction import OpenTransaction, Prepared
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


READY = Prepared("thing", "SELECT count(*) FROM things WHERE name = $1")


async def test_what_is_prepared_is_prepared_once_on_each_connection(dsn: str) -> None:
    async with await Database.open(Target(dsn), pool_size=1) as single:
        for _ in range(3):
            tx = await OpenTransaction.begin(single, prepared=READY)
            assert tx.is_prepared
            await tx.execute("INSERT INTO things VALUES ('a')")
            await tx.commit("EXECUTE thing('a')")
        await single.renew_connections()
        tx = await OpenTransaction.begin(single, prepared=READY)
        await tx.commit("EXECUTE thing('a')")
        assert await names(single) == ["a"] * 3


async def test_what_cannot_be_prepared_leaves_no_connection_that_claims_it(dsn: str) -> None:
    wrong = Prepared("thing", "SELECT count(*) FROM nothing")
    async with await Database.open(Target(dsn), pool_size=1) as single:
        with pytest.raises(asyncpg.UndefinedTableError):
            await OpenTransaction.begin(single, prepared=wrong)
        tx = await OpenTransaction.begin(single, prepared=READY)
        await tx.commit("EXECUTE thing('a')")


async def test_who_throws_away_what_was_prepared_loses_one_transaction(dsn: str) -> None:
    async with await Database.open(Target(dsn), pool_size=1) as single:
        tx = await OpenTransaction.begin(single, prepared=READY)
        await tx.execute("INSERT INTO things VALUES ('a')")
        await tx.execute("DEALLOCATE thing")
        with pytest.raises(asyncpg.InvalidSQLStatementNameError):
            await tx.commit("EXECUTE thing('a')")
        assert await names(single) == []
        tx = await OpenTransaction.begin(single, prepared=READY)
        await tx.commit("EXECUTE thing('a')")


async def test_behind_a_pooler_nothing_is_prepared(dsn: str) -> None:
    async with await Database.open(Target(dsn, transaction_pooling=True)) as database:
        tx = await OpenTransaction.begin(database, prepared=READY)
        assert not tx.is_prepared
        await tx.commit()
        async with database.connection() as connection:
            assert await connection.fetchval("SELECT count(*) FROM pg_prepared_statements") == 0


@pytest.mark.parametrize("isolation", ["read_committed", "repeatable_read", "serializable"])
async def test_every_isolation_with_something_prepared(dsn: str, isolation: Isolation) -> None:
    async with await Database.open(Target(dsn), pool_size=1) as single:
        for _ in range(2):  # when it is prepared, and when it was
            tx = await OpenTransaction.begin(single, isolation, READY)
            assert await tx.fetchval("SHOW transaction_isolation") == isolation.replace("_", " ")
            await tx.commit("EXECUTE thing('a')")


async def test_a_line_that_is_cut_while_preparing_costs_no_place(
    dsn: str, database: Database
) -> None:
    async with await Database.open(Target(dsn), pool_size=1) as single:
        async with single.connection() as connection:
            pid = await connection.fetchval("SELECT pg_backend_pid()")
        async with database.transaction() as locked:
            await locked.execute("LOCK TABLE things")
            beginning = asyncio.create_task(OpenTransaction.begin(single, prepared=READY))
            await asyncio.sleep(0.1)
            await locked.execute("SELECT pg_terminate_backend($1)", pid)
            with pytest.raises((asyncpg.PostgresConnectionError, asyncpg.AdminShutdownError)):
                await beginning
        async with asyncio.timeout(20):
            tx = await OpenTransaction.begin(single, prepared=READY)
            await tx.commit("EXECUTE thing('a')")


async def test_a_line_that_is_cut_on_its_way_to_who_waits_costs_no_place(dsn: str) -> None:
    async with await Database.open(Target(dsn), pool_size=1) as single:
        lent = await single.lend()
        waiting = asyncio.create_task(OpenTransaction.begin(single, prepared=READY))
        await asyncio.sleep(0)
        line: Any = lent.connection._con  # type: ignore[attr-defined]
        await single.take_back(lent, well=True)  # handed over, and cut before it arrives
        line.terminate()
        with pytest.raises(asyncpg.InterfaceError):
            await waiting
        async with asyncio.timeout(20):
            tx = await OpenTransaction.begin(single, prepared=READY)
            await tx.commit("EXECUTE thing('a')")
