"""The inbox: one record for each event, in the caller's transaction, through every driver."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import asyncpg
import psycopg
import pytest
from psycopg.rows import dict_row
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from handfast.base.errors import DatabaseError
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.services.webhooks.receiving.inbox import (
    PURGED_AT_ONCE_MAX,
    WebhookInbox,
    webhooks_inbox_ddl,
)

Open = Callable[[], AbstractAsyncContextManager[Any]]


@pytest.fixture
async def theirs(empty_dsn: str) -> str:
    """A database of somebody else's, with nothing of Handfast in it but the inbox's table."""
    connection = await asyncpg.connect(empty_dsn)
    await connection.execute(webhooks_inbox_ddl())
    await connection.execute(webhooks_inbox_ddl())  # again does no harm
    await connection.execute("CREATE TABLE handled (event_id text NOT NULL)")
    await connection.close()
    return empty_dsn


async def count(dsn: str, sql: str = "SELECT count(*) FROM handled") -> Any:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


@asynccontextmanager
async def with_handfast(dsn: str) -> AsyncIterator[Open]:
    async with await Database.open(Target(dsn), pool_size=20) as database:
        yield database.transaction


@asynccontextmanager
async def with_asyncpg(dsn: str) -> AsyncIterator[Open]:
    @asynccontextmanager
    async def transaction() -> AsyncIterator[Any]:
        connection = await asyncpg.connect(dsn)
        try:
            async with connection.transaction():
                yield connection
        finally:
            await connection.close()

    yield transaction


@asynccontextmanager
async def with_asyncpg_pool(dsn: str) -> AsyncIterator[Open]:
    async with asyncpg.create_pool(dsn, max_size=20) as pool:

        @asynccontextmanager
        async def transaction() -> AsyncIterator[Any]:
            async with pool.acquire() as connection, connection.transaction():
                yield connection

        yield transaction


@asynccontextmanager
async def with_psycopg(dsn: str) -> AsyncIterator[Open]:
    @asynccontextmanager
    async def transaction() -> AsyncIterator[Any]:
        # Rows as dictionaries, to be sure that nobody counts on tuples.
        opened = await psycopg.AsyncConnection.connect(dsn, row_factory=dict_row)
        async with opened as connection:
            yield connection

    yield transaction


@asynccontextmanager
async def with_sqlalchemy(dsn: str, driver: str = "asyncpg") -> AsyncIterator[Open]:
    # A socket's folder cannot be a host in every spelling of an address; psycopg's words can.
    found = psycopg.conninfo.conninfo_to_dict(dsn)
    engine = create_async_engine(
        f"postgresql+{driver}://",
        pool_size=20,
        connect_args={
            "host": found["host"],
            "user": found["user"],
            ("database" if driver == "asyncpg" else "dbname"): found["dbname"],
        },
    )
    try:
        yield engine.begin
    finally:
        await engine.dispose()


def with_sqlalchemy_psycopg(dsn: str) -> AbstractAsyncContextManager[Open]:
    return with_sqlalchemy(dsn, "psycopg")


@asynccontextmanager
async def with_sqlalchemy_session(dsn: str) -> AsyncIterator[Open]:
    async with with_sqlalchemy(dsn) as begin:

        @asynccontextmanager
        async def transaction() -> AsyncIterator[Any]:
            async with begin() as connection:
                yield AsyncSession(connection)

        yield transaction


DRIVERS = [
    *(with_handfast, with_asyncpg, with_asyncpg_pool, with_psycopg),
    *(with_sqlalchemy, with_sqlalchemy_psycopg, with_sqlalchemy_session),
]


@pytest.mark.parametrize("driver", DRIVERS)
async def test_once_through_every_driver(
    driver: Callable[[str], AbstractAsyncContextManager[Open]], theirs: str
) -> None:
    inbox = WebhookInbox()
    async with driver(theirs) as transaction:
        for expected in (True, False, False):
            async with transaction() as tx:
                assert await inbox.record(tx, "event-1") is expected
        with pytest.raises(RuntimeError, match="my work failed"):
            async with transaction() as tx:
                assert await inbox.record(tx, "event-2") is True
                raise RuntimeError("my work failed")
        async with transaction() as tx:
            assert await inbox.record(tx, "event-2") is True, "the record went with the work"


@pytest.mark.parametrize("driver", DRIVERS)
async def test_twenty_at_once_are_handled_once(
    driver: Callable[[str], AbstractAsyncContextManager[Open]], theirs: str
) -> None:
    inbox = WebhookInbox()
    async with driver(theirs) as transaction:

        async def deliver() -> bool:
            async with transaction() as tx:
                fresh = await inbox.record(tx, "event-1")
                if fresh:
                    await asyncio.sleep(0.1)  # the others are all here before it commits
                return fresh

        handled = await asyncio.gather(*[deliver() for _ in range(20)])
    assert sorted(handled) == [False] * 19 + [True]


async def test_if_the_first_rolls_back_exactly_one_other_takes_its_place(theirs: str) -> None:
    inbox = WebhookInbox()
    async with with_handfast(theirs) as transaction:
        began = 0

        async def deliver() -> bool:
            nonlocal began
            async with transaction() as tx:
                if not await inbox.record(tx, "event-1"):
                    return False
                began += 1
                await tx.execute("INSERT INTO handled VALUES ('event-1')")
                if began <= 3:
                    await asyncio.sleep(0.05)
                    raise RuntimeError("the first three fail")
                return True

        done = await asyncio.gather(*[deliver() for _ in range(20)], return_exceptions=True)
    assert len([one for one in done if isinstance(one, RuntimeError)]) == 3
    assert done.count(True) == 1
    assert done.count(False) == 16
    assert await count(theirs) == 1


async def test_receivers_in_one_database_do_not_take_from_each_other(theirs: str) -> None:
    async with with_handfast(theirs) as transaction, transaction() as tx:
        for name in ("billing", "mail"):
            assert await WebhookInbox(name).record(tx, "event-1") is True
            assert await WebhookInbox(name).record(tx, "event-1") is False


async def test_records_go_after_seven_days_a_few_at_a_time(theirs: str) -> None:
    async with with_handfast(theirs) as transaction:
        async with transaction() as tx:
            await tx.execute(
                "INSERT INTO handfast_webhooks_inbox (receiver, event_id, received_at)"
                " SELECT 'default', 'old-' || n, clock_timestamp() - interval '7 days 1 minute'"
                " FROM generate_series(1, 25) AS n"
                " UNION ALL SELECT 'default', 'young', clock_timestamp() - interval '6 days 23 h'"
            )
        left = []
        for number in range(4):
            async with transaction() as tx:
                assert await WebhookInbox().record(tx, f"new-{number}") is True
            left.append(await count(theirs, "SELECT count(*) FROM handfast_webhooks_inbox"))
        # 26 records; each new one comes, and up to ten old ones go.
        assert PURGED_AT_ONCE_MAX == 10
        assert left == [17, 8, 4, 5]
        async with transaction() as tx:
            assert await WebhookInbox().record(tx, "young") is False


async def test_an_old_record_that_is_still_there_counts(theirs: str) -> None:
    async with with_handfast(theirs) as transaction:
        async with transaction() as tx:
            await tx.execute(
                "INSERT INTO handfast_webhooks_inbox"
                " VALUES ('default', 'old', clock_timestamp() - interval '8 days')"
            )
        for _ in range(2):  # and does not go in the moment in which it is needed
            async with transaction() as tx:
                assert await WebhookInbox().record(tx, "old") is False


async def test_purging_does_not_wait_for_others(theirs: str) -> None:
    inbox = WebhookInbox()
    async with with_handfast(theirs) as transaction:
        async with transaction() as tx:
            await tx.execute(
                "INSERT INTO handfast_webhooks_inbox"
                " VALUES ('default', 'old', clock_timestamp() - interval '8 days')"
            )
        async with transaction() as one, transaction() as other, asyncio.timeout(30):
            assert await inbox.record(one, "a") is True  # holds the old row, to delete it
            assert await inbox.record(other, "b") is True


async def test_without_a_transaction_nothing_is_recorded(theirs: str) -> None:
    inbox = WebhookInbox()
    bare = await asyncpg.connect(theirs)
    try:
        with pytest.raises(DatabaseError, match="no open transaction"):
            await inbox.record(bare, "event-1")
    finally:
        await bare.close()
    async with await psycopg.AsyncConnection.connect(theirs, autocommit=True) as autocommit:
        with pytest.raises(DatabaseError, match="no open transaction"):
            await inbox.record(autocommit, "event-1")
        async with autocommit.transaction():
            assert await inbox.record(autocommit, "event-1") is True


async def test_what_is_no_transaction_is_refused(theirs: str) -> None:
    with psycopg.connect(theirs) as synchronous:
        for thing in (object(), None, theirs, synchronous):
            with pytest.raises(TypeError, match="cannot hold the inbox's record"):
                await WebhookInbox().record(thing, "event-1")


async def test_the_table_may_have_another_name_and_schema(theirs: str) -> None:
    async with with_handfast(theirs) as transaction, transaction() as tx:
        await tx.execute("CREATE SCHEMA shop")
        await tx.execute(webhooks_inbox_ddl("shop.inbox"))
        assert await WebhookInbox(table="shop.inbox").record(tx, "event-1") is True
        assert await tx.fetchval("SELECT count(*) FROM shop.inbox") == 1


@pytest.mark.parametrize(
    "table", ["", "Inbox", "a b", "a.b.c", "inbox; DROP TABLE handled", 'in"box', "a.", "x" * 60]
)
def test_a_name_that_would_need_quotes_is_refused(table: str) -> None:
    for use in (webhooks_inbox_ddl, lambda name: WebhookInbox(table=name)):
        with pytest.raises(ValueError, match="cannot be the inbox's table"):
            use(table)


@pytest.mark.parametrize("event_id", ["", "x" * 201])
async def test_an_id_has_bounds(event_id: str) -> None:
    with pytest.raises(ValueError, match="1 to 200 characters"):
        await WebhookInbox().record(object(), event_id)
