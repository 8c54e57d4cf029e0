"""The pool: what is retried, what never is, and what is said when there is no database."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import asyncpg
import pytest
import uvloop

from handfast.db import connect as connecting
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.errors import (
    CommitUnknown,
    DatabaseTooOld,
    DatabaseUnreachable,
    TransactionContention,
)
from handfast.db.open_transaction import OpenTransaction
from handfast.db.pool import ATTEMPTS_MAX, Database
from handfast.db.transaction import Transaction, joined
from tests.support.ports import free_port
from tests.support.tcp_servers import serving

pytestmark = pytest.mark.on_lowest


@pytest.fixture
async def counters(database: Database) -> Database:
    async with database.transaction() as tx:
        await tx.execute("CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL)")
        await tx.execute("INSERT INTO counter VALUES (1, 0), (2, 0)")
    return database


async def total(database: Database) -> int:
    async with database.connection() as connection:
        found: int = await connection.fetchval("SELECT sum(n) FROM counter")
        return found


async def test_serialization_failures_are_retried(counters: Database) -> None:
    runs = 0

    async def increment(tx: Transaction) -> None:
        nonlocal runs
        runs += 1
        n = await tx.fetchval("SELECT n FROM counter WHERE id = 1")
        await asyncio.sleep(0.01)  # long enough for the others to read the same
        await tx.execute("UPDATE counter SET n = $1 WHERE id = 1", n + 1)

    await asyncio.gather(
        *(
            counters.run_in_transaction(increment, isolation="serializable", attempts=50)
            for _ in range(8)
        )
    )
    assert await total(counters) == 8
    assert runs > 8, "nothing was retried, so nothing was shown"


async def test_deadlocks_are_retried(counters: Database) -> None:
    both_hold_one = asyncio.Barrier(2)
    runs = 0

    async def crosswise(tx: Transaction, first: int, second: int) -> None:
        nonlocal runs
        runs += 1
        await tx.execute("UPDATE counter SET n = n + 1 WHERE id = $1", first)
        if runs <= 2:
            await both_hold_one.wait()
        await tx.execute("UPDATE counter SET n = n + 1 WHERE id = $1", second)

    await asyncio.gather(
        counters.run_in_transaction(lambda tx: crosswise(tx, 1, 2)),
        counters.run_in_transaction(lambda tx: crosswise(tx, 2, 1)),
    )
    assert await total(counters) == 4
    # Who lost may be back before the other has noticed that the row is free, and lose once more.
    assert runs > 2, "nothing was retried, so nothing was shown"


async def test_retries_are_bounded(counters: Database) -> None:
    runs = 0

    async def always_loses(tx: Transaction) -> None:
        nonlocal runs
        runs += 1
        await tx.execute("UPDATE counter SET n = n + 1")
        raise asyncpg.SerializationError("could not serialize access")

    with pytest.raises(TransactionContention):
        await counters.run_in_transaction(always_loses)
    assert runs == ATTEMPTS_MAX
    assert await total(counters) == 0


async def test_a_plain_transaction_is_never_retried(counters: Database) -> None:
    with pytest.raises(asyncpg.SerializationError):
        async with counters.transaction("repeatable_read") as tx:
            await tx.fetchval("SELECT n FROM counter WHERE id = 1")
            async with counters.transaction() as rival:
                await rival.execute("UPDATE counter SET n = 5 WHERE id = 1")
            await tx.execute("UPDATE counter SET n = 6 WHERE id = 1")
    assert await total(counters) == 5


async def test_other_errors_are_not_retried(counters: Database) -> None:
    runs = 0

    async def broken(tx: Transaction) -> None:
        nonlocal runs
        runs += 1
        await tx.execute("SELECT 1 / 0")

    with pytest.raises(asyncpg.DivisionByZeroError):
        await counters.run_in_transaction(broken)
    assert runs == 1


@pytest.fixture
async def cut_line(server: EmbeddedServer, dsn: str) -> AsyncIterator[tuple[Target, asyncio.Event]]:
    """The database behind a line that is cut after the server has received a COMMIT."""
    arm = asyncio.Event()
    folder = server.address.host
    name = dsn.partition("@/")[2].partition("?")[0]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.5432")
        committing = asyncio.Event()

        async def upwards() -> None:
            while data := await reader.read(65536):
                if arm.is_set() and b"COMMIT" in data:
                    committing.set()
                up_writer.write(data)

        async def downwards() -> None:
            while data := await up_reader.read(65536):
                if committing.is_set():  # the server's answer to COMMIT: it never arrives
                    writer.transport.abort()
                    return
                writer.write(data)

        tasks = [asyncio.create_task(upwards()), asyncio.create_task(downwards())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            up_writer.close()
            await up_writer.wait_closed()

    async with serving(serve) as port:
        yield Target(f"postgresql://handfast_owner@127.0.0.1:{port}/{name}?sslmode=disable"), arm


async def test_an_unknown_commit_is_raised_and_not_retried(
    counters: Database, cut_line: tuple[Target, asyncio.Event]
) -> None:
    target, arm = cut_line
    runs = 0

    async def increment(tx: Transaction) -> None:
        nonlocal runs
        runs += 1
        await tx.execute("UPDATE counter SET n = n + 1 WHERE id = 1")
        arm.set()

    database = await Database.open(target, pool_size=1)
    with pytest.raises(CommitUnknown):
        await database.run_in_transaction(increment)
    arm.clear()
    await database.close()
    assert runs == 1
    assert await total(counters) == 1, "it was committed: a retry would have counted twice"


async def test_connections_that_the_server_ended_are_replaced(counters: Database) -> None:
    async with counters.connection() as connection:
        pid = connection.get_server_pid()
        async with counters.connection() as other:
            await other.execute("SELECT pg_terminate_backend($1)", pid)
        with pytest.raises(
            (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
        ):
            for _ in range(100):
                await connection.execute("SELECT")
                await asyncio.sleep(0.01)
    assert await total(counters) == 0


async def test_nobody_listens() -> None:
    with pytest.raises(DatabaseUnreachable, match="unset DATABASE_URL") as caught:
        await Database.open(Target(f"postgresql://u:hunter2@127.0.0.1:{free_port()}/d"))
    assert "hunter2" not in str(caught.value)
    assert caught.value.exit_code == 5


@pytest.mark.parametrize("runner", [asyncio.run, uvloop.run])
def test_a_refusal_has_the_same_words_under_every_loop(
    runner: Callable[[Coroutine[Any, Any, Any]], Any],
) -> None:
    port = free_port()
    for host in ("127.0.0.1", "localhost"):
        with pytest.raises(DatabaseUnreachable) as caught:
            runner(connecting.connect(Target(f"postgresql://u@{host}:{port}/d")))
        assert caught.value.detail.endswith(f"{port}/d: Connection refused.")


@pytest.mark.parametrize("setting", ["DATABASE_URL", "HANDFAST_DIRECT_DATABASE_URL", None])
async def test_advice_names_the_setting_that_was_used(setting: str | None) -> None:
    with pytest.raises(DatabaseUnreachable) as caught:
        await connecting.connect(
            Target(f"postgresql://u@127.0.0.1:{free_port()}/d", setting=setting)
        )
    hint = str(caught.value.hint)
    assert set(re.findall(r"\w*DATABASE_URL", hint)) == ({setting} if setting else set())


async def test_no_such_database(dsn: str) -> None:
    with pytest.raises(DatabaseUnreachable, match="Create the database first"):
        await Database.open(Target(dsn.replace("/test_", "/missing_")))


async def test_a_server_that_never_answers() -> None:
    async def silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with serving(silent) as port:
        with pytest.raises(DatabaseUnreachable, match="HANDFAST_CONNECT_TIMEOUT"):
            await Database.open(Target(f"postgresql://u@127.0.0.1:{port}/d", connect_timeout=0.2))


async def test_a_server_that_is_too_old(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "SERVER_VERSION_MIN", 99)
    with pytest.raises(DatabaseTooOld, match="needs 99 or newer"):
        await Database.open(Target(dsn))


async def test_an_address_that_is_not_one() -> None:
    with pytest.raises(DatabaseUnreachable):
        await Database.open(Target("postgresql://u@h:notaport/d"))


async def test_a_gone_server_is_revived() -> None:
    """The pool asks for the embedded server again before it gives up."""
    revived: list[int] = []
    gone = Target(f"postgresql://u@127.0.0.1:{free_port()}/d", revive=lambda: revived.append(1))
    with pytest.raises(DatabaseUnreachable):
        await Database.open(gone)
    assert len(revived) == connecting.REVIVALS - 1


async def test_what_changed_is_heard_after_the_commit_and_only_then(database: Database) -> None:
    heard: list[list[int]] = []
    end = database.hear("toys", lambda ids: heard.append(list(ids)))
    async with database.transaction() as tx:
        assert tx.changes is not None
        tx.changes.append(("toys", [1, 2]))
        tx.changes.append(("nobody's", [9]))
        assert heard == []
    assert heard == [[1, 2]]
    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as tx:
            assert tx.changes is not None
            tx.changes.append(("toys", [3]))
            raise ZeroDivisionError
    async with database.connection() as connection, connection.transaction():
        assert joined(connection).changes is None, "of somebody else's commit we learn nothing"
    begun = await OpenTransaction.begin(database)
    assert begun.changes is not None
    begun.changes.append(("toys", [4]))
    await begun.commit()
    assert heard == [[1, 2], [4]]
    end()
    database.tell_here("toys", [5])
    assert heard == [[1, 2], [4]]
