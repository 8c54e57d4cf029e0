"""Connections that swallow what we say, as after a failover: nobody waits for them for long.

The limits are shortened here; what they are in earnest is in ``test_the_limits``.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from handfast import Context
from handfast.db import connection_cache, listen, open_transaction, pool, statements, transaction
from handfast.db.connect import Target, connect
from handfast.db.embedded import EmbeddedServer
from handfast.db.errors import CommitUnknown
from handfast.db.listen import Listener
from handfast.db.open_transaction import OpenTransaction
from handfast.db.outage import AWAY
from handfast.db.pool import Database
from handfast.db.server_facts import read_server
from handfast.db.statements import STATEMENTS
from tests.support.eventually import eventually_async
from tests.support.silent_proxy import SilentProxy
from tests.support.workers_here import Workers

LIMIT = 3.0  # long enough for a statement on a busy machine to be answered through the proxy
PATIENCE = 120.0


@pytest.fixture
async def proxy(server: EmbeddedServer, dsn: str) -> AsyncIterator[SilentProxy]:
    async with SilentProxy(server.address.host, 5432) as proxy:
        yield proxy


@pytest.fixture
def through(proxy: SilentProxy, dsn: str) -> Target:
    return Target(proxy.dsn(urlsplit(dsn).path.lstrip("/")))


@pytest.fixture
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in STATEMENTS.values():
        monkeypatch.setattr(one, "seconds", LIMIT)
    for module in (open_transaction, pool, transaction):
        monkeypatch.setattr(module, "WORD_SECONDS", LIMIT)
        monkeypatch.setattr(module, "COMMIT_SECONDS", LIMIT)
    monkeypatch.setattr(connection_cache, "RETURN_SECONDS_MAX", LIMIT)
    monkeypatch.setattr(pool, "CLOSE_SECONDS_MAX", LIMIT)
    monkeypatch.setattr(listen, "PROBE_SECONDS", LIMIT)
    monkeypatch.setattr(listen, "ANSWER_SECONDS", LIMIT)


async def test_the_limits() -> None:
    """A claim that is not answered, and the cancellation that is not: then it is replaced."""
    assert statements.SECONDS_MAX + connection_cache.RETURN_SECONDS_MAX < 30
    assert transaction.WORD_SECONDS + connection_cache.RETURN_SECONDS_MAX < 30
    assert listen.PROBE_SECONDS + listen.ANSWER_SECONDS < 30


async def test_the_kernel_looks_after_every_connection(through: Target) -> None:
    connection = await connect(through)
    try:
        line = connection._transport.get_extra_info("socket")  # type: ignore[attr-defined]
        with socket.socket(fileno=os.dup(line.fileno())) as handle:
            assert handle.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert handle.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 15
            assert handle.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000
    finally:
        await connection.close()


async def idle(database: Database, connections: int) -> None:
    """So many are at hand, and nobody uses them."""
    together = asyncio.Barrier(connections)

    async def use() -> None:
        async with database.connection():
            await together.wait()

    await asyncio.gather(*(use() for _ in range(connections)))


@pytest.mark.usefixtures("_short")
async def test_one_that_is_silent_is_replaced_and_those_beside_it_too(
    proxy: SilentProxy, through: Target
) -> None:
    async with asyncio.timeout(PATIENCE), await Database.open(through, pool_size=5) as database:
        await idle(database, 5)
        assert proxy.go_silent() == 5
        with pytest.raises(TimeoutError):
            async with database.connection() as connection:
                await read_server(connection)
        async with asyncio.timeout(2 * LIMIT):  # not one limit for each of the other four
            async with database.connection() as connection:
                await connection.fetchval("SELECT 1")


@pytest.mark.usefixtures("_short")
async def test_a_transaction_on_a_silent_connection_ends(
    proxy: SilentProxy, through: Target
) -> None:
    async with asyncio.timeout(PATIENCE), await Database.open(through, pool_size=1) as database:
        with pytest.raises(CommitUnknown):
            async with database.transaction() as tx:
                await tx.execute("SELECT 1")
                proxy.go_silent()
        with pytest.raises(KeyError):
            async with database.transaction():
                proxy.go_silent()
                raise KeyError
        begun = await OpenTransaction.begin(database)
        proxy.go_silent()
        with pytest.raises(CommitUnknown):
            await begun.commit("SELECT 1")
        await idle(database, 1)
        proxy.go_silent()
        with pytest.raises(AWAY):
            async with database.transaction():
                pass
        async with database.transaction() as tx:
            assert await tx.fetchval("SELECT 1") == 1


@pytest.mark.usefixtures("_short")
async def test_who_is_cancelled_on_a_silent_connection_gets_away(
    proxy: SilentProxy, through: Target
) -> None:
    async with asyncio.timeout(PATIENCE), await Database.open(through, pool_size=1) as database:
        in_there = asyncio.Event()

        async def work() -> None:
            async with database.transaction() as tx:
                proxy.go_silent()
                in_there.set()
                await tx.execute("SELECT pg_sleep(60)")  # a handler's own: it may take its time

        working = asyncio.create_task(work())
        await in_there.wait()
        await asyncio.sleep(0)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        async with database.connection() as connection:
            assert await connection.fetchval("SELECT 1") == 1


@pytest.mark.usefixtures("_short")
async def test_a_database_closes_though_its_connections_are_silent(
    proxy: SilentProxy, through: Target
) -> None:
    database = await Database.open(through, pool_size=3)
    await idle(database, 3)
    line = database.dedicated()
    async with line.held() as connection:
        await connection.execute("SELECT 1")
    proxy.go_silent()
    async with asyncio.timeout(PATIENCE):
        await database.close()


@pytest.mark.usefixtures("_short")
async def test_a_listener_hears_again(
    proxy: SilentProxy, through: Target, database: Database
) -> None:
    heard: list[str] = []
    listener = Listener(through)
    listener.subscribe("jobs", heard.append)
    async with listener:
        await asyncio.wait_for(listener.connected.wait(), PATIENCE)
        proxy.go_silent()

        async def hears() -> bool:
            async with database.connection() as connection:
                await connection.execute("SELECT pg_notify('jobs', 'news')")
            return "news" in heard

        await eventually_async(hears, within=PATIENCE)


@pytest.mark.usefixtures("_short")
@pytest.mark.parametrize("server_is_gone", [False, True])
async def test_a_worker_is_back_at_work(
    proxy: SilentProxy, through: Target, dsn: str, server_is_gone: bool
) -> None:
    async with (
        await Database.open(through, pool_size=5) as database,
        await Database.open(Target(dsn)) as beside,
    ):
        shop = Workers(beside)

        @shop.hf.job("t.job")
        async def job(_: Context) -> None: ...

        await shop.declare()
        shop.database, shop.direct = database, through
        async with shop.working(notifications=False):
            shop.database = beside
            await shop.reaches(await shop.enqueue("t.job", "before"), "succeeded")
            await several_work(proxy)
            assert proxy.go_silent(server_is_gone=server_is_gone) > 1
            after = await shop.enqueue("t.job", "after")
            await shop.reaches(after, "succeeded", within=PATIENCE)
            await several_work(proxy)


async def several_work(proxy: SilentProxy) -> None:
    """Also that of the heartbeat, which notices by itself."""
    await eventually_async(lambda: asyncio.sleep(0, proxy.open_now > 1))
