import asyncio
from collections.abc import Iterator
from uuid import uuid4

import asyncpg
import pytest

from handfast.db.embedded import EmbeddedServer
from tests.conftest import TEMPLATE


@pytest.fixture
def machine_dsn(server: EmbeddedServer) -> Iterator[str]:
    """A migrated database for a test that brings its own event loop."""
    name = f"test_{uuid4().hex[:12]}"

    async def run(sql: str) -> None:
        admin = await asyncpg.connect(server.dsn("postgres"))
        try:
            await admin.execute(sql)
        finally:
            await admin.close()

    asyncio.run(run(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}"))
    yield server.dsn(name)
    asyncio.run(run(f"DROP DATABASE {name} WITH (FORCE)"))
