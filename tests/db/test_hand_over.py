"""Who waits to begin a transaction gets it begun, in the message that commits the one before."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest
from bench.roundtrips import counted

from handfast.db.connect import Target
from handfast.db.errors import CommitUnknown, ConstraintViolated, TransactionEnded
from handfast.db.open_transaction import OpenTransaction, Prepared
from handfast.db.pool import Database, Isolation
from tests.support.eventually import eventually_async

READY = Prepared("look", "SELECT count(*) FROM things WHERE name = $1")
LOOK = "EXECUTE look('a')"


@pytest.fixture(autouse=True)
async def _table(database: Database) -> None:
    async with database.connection() as connection:
        await connection.execute("CREATE TABLE things (name text CHECK (name <> 'bad'))")


@pytest.fixture
async def single(dsn: str) -> AsyncIterator[Database]:
    """A pool of one, so that whoever comes second waits."""
    async with await Database.open(Target(dsn), pool_size=1) as single:
        yield single


@asynccontextmanager
async def two(
    single: Database, isolation: Isolation = "read_committed"
) -> AsyncIterator[tuple[OpenTransaction, "asyncio.Task[OpenTransaction]"]]:
    """One that has written ``first``, and one that waits for its connection."""
    async with asyncio.timeout(20):
        first = await OpenTransaction.begin(single, prepared=READY)
        await first.execute("INSERT INTO things VALUES ('first')")
        waiting = asyncio.create_task(OpenTransaction.begin(single, isolation, READY))
        await asyncio.sleep(0)
        yield first, waiting
        await first.rollback()
        if not waiting.cancelled():
            await (await waiting).rollback()
        tx = await OpenTransaction.begin(single, prepared=READY)  # nobody's place was lost
        await tx.commit(LOOK)


async def names(database: Database) -> list[str]:
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT name FROM things ORDER BY name")
    return [row["name"] for row in rows]


@asynccontextmanager
async def shut(database: Database) -> AsyncIterator[str]:
    """A last word that is not over before this is left."""
    async with database.transaction() as tx:
        await tx.execute("SELECT pg_advisory_xact_lock(1)")
        yield f"{LOOK}; SELECT pg_advisory_xact_lock(1)"


async def held_up(database: Database, tx: OpenTransaction, last_word: str) -> "asyncio.Task[None]":
    """Commits, and has come to a ``pg_sleep``, or to what is ``shut``."""
    pid = await tx.fetchval("SELECT pg_backend_pid()")
    committing = asyncio.create_task(tx.commit(last_word))

    async def waits() -> bool:
        async with database.connection() as connection:
            doing = "SELECT wait_event FROM pg_stat_activity WHERE pid = $1"
            return await connection.fetchval(doing, pid) in ("PgSleep", "advisory")

    await eventually_async(waits)
    return committing


async def struck(database: Database, tx: OpenTransaction, last_word: str, blow: str) -> None:
    """Commits, and is hit by ``blow`` in its sleep."""
    pid = await tx.fetchval("SELECT pg_backend_pid()")
    committing = await held_up(database, tx, last_word)
    async with database.connection() as connection:
        await connection.execute(f"SELECT {blow}($1)", pid)
    await committing


async def test_two_transactions_of_their_own(single: Database, database: Database) -> None:
    async with two(single) as (first, waiting):
        await first.commit(LOOK)
        second = await waiting
        assert await names(database) == ["first"]
        await second.execute("INSERT INTO things VALUES ('second')")
        assert await names(database) == ["first"]
        await second.rollback()
        assert await names(database) == ["first"]


async def test_it_costs_no_round_trip(dsn: str) -> None:
    async with counted(dsn) as wire, await Database.open(Target(wire.dsn), pool_size=1) as single:
        first = await OpenTransaction.begin(single, prepared=READY)
        waiting = asyncio.create_task(OpenTransaction.begin(single, prepared=READY))
        await asyncio.sleep(0)
        wire.reset()
        await first.commit(LOOK)
        second = await waiting
        assert wire.trips == 1
        assert await second.fetchval("SELECT now() > statement_timestamp() - interval '9 s'")
        await second.commit(LOOK)
        assert wire.trips == 3


@pytest.mark.parametrize("isolation", ["read_committed", "repeatable_read", "serializable"])
async def test_begun_as_the_heir_would(single: Database, isolation: Isolation) -> None:
    async with two(single, isolation) as (first, waiting):
        await first.commit(LOOK)
        second = await waiting
        assert await second.fetchval("SHOW transaction_isolation") == isolation.replace("_", " ")


async def test_what_is_set_for_one_transaction_stays_there(single: Database) -> None:
    async with two(single) as (first, waiting):
        await first.execute("SET LOCAL statement_timeout = '77 s'")
        await first.commit(LOOK)
        assert await (await waiting).fetchval("SHOW statement_timeout") == "0"


async def test_a_last_word_that_fails_stops_only_its_own(single: Database) -> None:
    async with two(single) as (first, waiting):
        with pytest.raises(ConstraintViolated):
            await first.commit("INSERT INTO things VALUES ('bad')")
        second = await waiting
        await second.execute("INSERT INTO things VALUES ('second')")
        await second.commit(LOOK)
        assert await names(single) == ["second"]


async def test_a_transaction_that_has_failed_does_not_pass_for_a_commit(single: Database) -> None:
    async with two(single) as (first, waiting):
        with pytest.raises(asyncpg.DivisionByZeroError):
            await first.execute("SELECT 1/0")
        with pytest.raises(asyncpg.InFailedSQLTransactionError):
            await first.commit(LOOK)
        await (await waiting).commit(LOOK)
        assert await names(single) == []


async def test_an_heir_who_gives_up_leaves_no_transaction_open(
    single: Database, database: Database
) -> None:
    async with two(single) as (first, waiting):
        async with shut(database) as last_word:
            committing = await held_up(database, first, last_word)
            waiting.cancel()
        await committing
        async with single.connection() as connection:
            assert not connection.is_in_transaction()
        assert await names(single) == ["first"]


async def test_an_heir_who_gives_up_just_when_it_was_handed_over(single: Database) -> None:
    async with two(single) as (first, waiting):
        await first.commit(LOOK)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        async with single.connection() as connection:
            assert not connection.is_in_transaction()
        assert await names(single) == ["first"]


async def test_who_does_not_begin_gets_no_transaction(single: Database) -> None:
    first = await OpenTransaction.begin(single, prepared=READY)
    reading = asyncio.create_task(names(single))
    beginning = asyncio.create_task(OpenTransaction.begin(single, prepared=READY))
    await asyncio.sleep(0)
    await first.commit(LOOK)
    async with asyncio.timeout(20):
        assert await reading == []
        await (await beginning).commit(LOOK)


async def test_cut_while_committing(single: Database, database: Database) -> None:
    async with two(single) as (first, waiting):
        pid = await first.fetchval("SELECT pg_backend_pid()")
        with pytest.raises((CommitUnknown, asyncpg.PostgresError)):
            await struck(database, first, f"{LOOK}; SELECT pg_sleep(20)", "pg_terminate_backend")
        assert await (await waiting).fetchval("SELECT pg_backend_pid()") != pid
        assert await names(database) == []


async def test_interrupted_in_commit_nobody_knows(single: Database, database: Database) -> None:
    """A deferred trigger sleeps in COMMIT and is woken by a cancel: from outside this cannot be
    told from a cancel that came a moment later, behind COMMIT."""
    async with database.connection() as connection:
        await connection.execute(
            "CREATE FUNCTION doze() RETURNS trigger LANGUAGE plpgsql AS"
            " $$BEGIN PERFORM pg_sleep(20); RETURN NULL; END$$;"
            " CREATE CONSTRAINT TRIGGER dozing AFTER INSERT ON things DEFERRABLE"
            " INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION doze()"
        )
    async with two(single) as (first, waiting):
        with pytest.raises(CommitUnknown):
            await struck(database, first, LOOK, "pg_cancel_backend")
        await (await waiting).commit(LOOK)


async def test_interrupted_before_commit_it_is_known(single: Database, database: Database) -> None:
    async with two(single) as (first, waiting):
        with pytest.raises(asyncpg.QueryCanceledError):
            await struck(database, first, f"{LOOK}; SELECT pg_sleep(20)", "pg_cancel_backend")
        await (await waiting).commit(LOOK)


async def test_connections_that_are_to_be_replaced_are_not_handed_over(single: Database) -> None:
    async with two(single) as (first, waiting):
        pid = await first.fetchval("SELECT pg_backend_pid()")
        await single.renew_connections()
        await first.commit(LOOK)
        assert await (await waiting).fetchval("SELECT pg_backend_pid()") != pid


async def test_replaced_while_the_commit_is_on_its_way(
    single: Database, database: Database
) -> None:
    async with two(single) as (first, waiting):
        pid = await first.fetchval("SELECT pg_backend_pid()")
        async with shut(database) as last_word:
            committing = await held_up(database, first, last_word)
            await single.renew_connections()
        await committing
        assert await (await waiting).fetchval("SELECT pg_backend_pid()") != pid


async def test_nobody_depends_on_a_commit_that_takes_long(dsn: str) -> None:
    """The one that commits waits for a lock of the one that waits for its connection. Another
    connection becomes free, and resolves it."""
    async with await Database.open(Target(dsn), pool_size=3) as few, asyncio.timeout(20):
        first = await OpenTransaction.begin(few, prepared=READY)
        third = await OpenTransaction.begin(few, prepared=READY)

        async def second() -> None:
            async with few.transaction() as tx:
                await tx.execute("LOCK TABLE things")
                inner = await OpenTransaction.begin(few)
                await inner.commit("SELECT 1")

        holding = asyncio.create_task(second())
        await asyncio.sleep(0.1)
        committing = asyncio.create_task(first.commit("INSERT INTO things VALUES ('first')"))
        await asyncio.sleep(0.1)
        await third.commit("SELECT 1")
        await holding
        await committing
        assert await names(few) == ["first"]


async def test_the_longest_waiting_comes_first_whoever_commits_first(
    dsn: str, database: Database
) -> None:
    async with await Database.open(Target(dsn), pool_size=2) as few, asyncio.timeout(20):
        slow = await OpenTransaction.begin(few, prepared=READY)
        quick = await OpenTransaction.begin(few, prepared=READY)
        waiting = [asyncio.create_task(OpenTransaction.begin(few)) for _ in range(2)]
        await asyncio.sleep(0)
        async with shut(database) as last_word:
            committing = await held_up(database, slow, last_word)
            await quick.commit(LOOK)
            await (await waiting[0]).commit(LOOK)
            assert not committing.done()
        await committing
        await (await waiting[1]).commit(LOOK)


async def test_a_farewell_that_fails_does_not_undo_a_commit(
    single: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    tx = await OpenTransaction.begin(single, prepared=READY)
    await tx.execute("INSERT INTO things VALUES ('first')")
    await single.renew_connections()
    release = asyncpg.pool.Pool.release

    async def badly(pool: "asyncpg.Pool", connection: Any, **named: Any) -> None:
        await release(pool, connection, **named)
        raise BrokenPipeError

    monkeypatch.setattr(asyncpg.pool.Pool, "release", badly)
    await tx.commit(LOOK)
    monkeypatch.undo()
    assert await names(single) == ["first"]


async def test_committed_twice_is_refused(single: Database) -> None:
    async with two(single) as (first, waiting):
        await first.commit(LOOK)
        second = await waiting
        await second.execute("INSERT INTO things VALUES ('second')")
        with pytest.raises(TransactionEnded):
            await first.commit(LOOK)
        await second.rollback()
        assert await names(single) == ["first"]


async def test_behind_a_pooler_each_begins_by_itself(dsn: str) -> None:
    """Else one of its connections would stay ours for as long as somebody waits."""
    async with counted(dsn) as wire:
        pooled = Target(wire.dsn, transaction_pooling=True)
        async with await Database.open(pooled, pool_size=1) as single:
            first = await OpenTransaction.begin(single)
            waiting = asyncio.create_task(OpenTransaction.begin(single))
            await asyncio.sleep(0)
            wire.reset()
            await first.commit("SELECT 1")
            await (await waiting).commit("SELECT 1")
            assert wire.trips == 3


async def test_a_crowd_on_few_connections(dsn: str, database: Database) -> None:
    """Some fail, some give up, some only read: everybody else's row is there, once."""

    async def one(number: int, few: Database) -> str:
        tx = await OpenTransaction.begin(few, prepared=READY)
        try:
            await tx.execute("INSERT INTO things VALUES ($1)", str(number))
            await tx.commit("SELECT 1/0" if number % 7 == 0 else LOOK)
        except asyncpg.DivisionByZeroError:
            return ""
        finally:
            await tx.rollback()
        return str(number)

    async with await Database.open(Target(dsn), pool_size=3) as few, asyncio.timeout(60):
        tasks: list[asyncio.Task[object]] = []
        for number in range(400):
            tasks.append(asyncio.create_task(one(number, few)))
            if number % 11 == 0:
                tasks.append(asyncio.create_task(names(few)))
            if number % 13 == 0:
                quitter = asyncio.create_task(OpenTransaction.begin(few, prepared=READY))
                await asyncio.sleep(0)
                quitter.cancel()
            if number % 40 == 0:
                await asyncio.sleep(0.01)
        done = await asyncio.gather(*tasks)
        stored = sorted(name for name in done if isinstance(name, str) and name)
        assert len(stored) == 400 - 58
        assert await names(database) == stored
        async with few.connection() as connection:
            assert not connection.is_in_transaction()
