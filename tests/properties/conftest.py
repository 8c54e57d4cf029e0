import asyncio
from collections.abc import Iterator
from uuid import uuid4

import asyncpg
import pytest

from handfast.db.embedded import EmbeddedServer
from tests.conftest import TEMPLATE, make_database


@pytest.fixture
def machine_dsn(server: EmbeddedServer) -> Iterator[str]:
    """A migrated database for a test that brings its own event loop."""
    name = f"test_{uuid4().hex[:12]}"

    async def run(*statements: str) -> None:
        admin = await asyncpg.connect(server.dsn("postgres"))
        try:
            for statement in statements:
                await admin.execute(statement)
        finally:
            await admin.close()

    asyncio.run(run(*make_database(name, TEMPLATE)))
    yield server.dsn(name)
    asyncio.run(run(f"DROP DATABASE {name} WITH (FORCE)"))
