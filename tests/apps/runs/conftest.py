from collections.abc import AsyncIterator

import asyncpg
import pytest


@pytest.fixture
async def connection(dsn: str) -> AsyncIterator["asyncpg.Connection"]:
    connection = await asyncpg.connect(dsn)
    try:
        yield connection
    finally:
        await connection.close()
