"""The proxy of the tests does to a connection what it says: see tests/support/silent_proxy.py."""

import asyncio

import asyncpg
import pytest

from handfast.db.embedded import EmbeddedServer
from tests.support.eventually import eventually_async
from tests.support.silent_proxy import SilentProxy

OTHERS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'behind the proxy'"


@pytest.mark.parametrize("server_is_gone", [False, True])
async def test_old_connections_swallow_and_new_ones_work(
    server: EmbeddedServer, server_is_gone: bool
) -> None:
    address = server.address
    observer = await asyncpg.connect(server.dsn("postgres"))
    async with SilentProxy(address.host, address.port) as proxy:
        dsn = proxy.dsn("postgres")
        old = await asyncpg.connect(dsn, server_settings={"application_name": "behind the proxy"})
        assert await old.fetchval("SELECT 1") == 1
        assert proxy.go_silent(server_is_gone=server_is_gone) == 1
        assert proxy.open_now == 0
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await old.execute("CREATE TABLE nobody_hears_this ()")
        old.terminate()

        async def session_is_as_it_should_be() -> bool:
            return bool(await observer.fetchval(OTHERS) == (0 if server_is_gone else 1))

        await eventually_async(session_is_as_it_should_be)
        new = await asyncpg.connect(dsn)
        assert await new.fetchval("SELECT to_regclass('nobody_hears_this')") is None
        assert proxy.open_now >= 1  # the driver may still be cancelling what was swallowed
        await new.close()
    await observer.close()
