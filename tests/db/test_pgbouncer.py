"""Behind a PgBouncer in transaction mode: prepared statements off, migrations and LISTEN direct."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from handfast.db.connect import Target, connect
from handfast.db.embedded import EmbeddedServer
from handfast.db.listen import Listener
from handfast.db.migrations.migrate import status
from handfast.db.pool import Database
from handfast.db.server_facts import read_server
from handfast.wiring import load_settings, open_system
from tests.support.pgbouncer import pgbouncer

pytestmark = pytest.mark.needs("pgbouncer")

SERVERS = 2  # connections that the pooler keeps to the server


@pytest.fixture
async def pooled(
    server: EmbeddedServer, dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[str]:
    name = dsn.partition("@/")[2].partition("?")[0]
    with pgbouncer(server, tmp_path_factory.mktemp("bouncer"), pool_size=SERVERS) as port:
        yield f"postgresql://handfast_owner@127.0.0.1:{port}/{name}?sslmode=disable"


async def test_many_clients_share_few_connections(pooled: str) -> None:
    target = Target(pooled, transaction_pooling=True)
    async with await Database.open(target, pool_size=10) as database:

        async def work(number: int) -> int:
            async with database.transaction() as tx:
                await tx.execute("SET LOCAL application_name = 'work'")
                await tx.fetchval("SELECT $1::int", number)
                await read_server(tx)
                found: int = await tx.fetchval("SELECT $1::int + 1", number)
                return found

        answers = await asyncio.gather(*(work(n) for n in range(100)))
    assert answers == list(range(1, 101))


async def test_without_the_setting_it_would_break(pooled: str) -> None:
    """The setting is there for a reason: prepared statements meet a connection without them."""
    client = await connect(Target(pooled))
    others = [await connect(Target(pooled, transaction_pooling=True)) for _ in range(SERVERS)]
    async with client.transaction():
        assert await client.fetchval("SELECT $1::int", 1) == 1, "prepared on this server connection"
        prepared_on = await client.fetchval("SELECT pg_backend_pid()")
    # Take every server connection, then give back all but the one that knows the statement.
    holds = {}
    for other in others:
        transaction = other.transaction()
        await transaction.start()
        holds[await other.fetchval("SELECT pg_backend_pid()")] = transaction
    kept = holds.pop(prepared_on)
    for transaction in holds.values():
        await transaction.rollback()
    with pytest.raises(asyncpg.InvalidSQLStatementNameError):
        await client.fetchval("SELECT $1::int", 1)
    await kept.rollback()
    for connection in (client, *others):
        await connection.close()


async def test_the_whole_system_behind_a_pooler(
    pooled: str, dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", pooled)
    monkeypatch.setenv("HANDFAST_TRANSACTION_POOLING", "true")
    monkeypatch.setenv("HANDFAST_DIRECT_DATABASE_URL", dsn)
    monkeypatch.setenv("HANDFAST_DATA_DIR", str(tmp_path / "unused"))
    async with open_system(load_settings()) as system:
        assert (await status(system.database)).pending == []
        heard: asyncio.Queue[str] = asyncio.Queue()
        listener = Listener(system.direct)
        listener.subscribe("jobs", heard.put_nowait)
        async with listener:
            assert await asyncio.wait_for(heard.get(), 60) == ""
            async with system.database.transaction() as tx:
                await tx.execute("SELECT pg_notify('jobs', 'through the pooler')")
            assert await asyncio.wait_for(heard.get(), 60) == "through the pooler"
    assert not (tmp_path / "unused").exists(), "no embedded server was started"
