"""The database's clock, running and frozen."""

from datetime import UTC, datetime, timedelta

from handfast.db.pool import Database
from tests.support.clock import freeze

THEN = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


async def now(database: Database) -> datetime:
    async with database.connection() as connection:
        found: datetime = await connection.fetchval("SELECT handfast_db.now()")
        return found


async def test_it_runs_within_a_transaction(database: Database) -> None:
    async with database.transaction() as tx:
        first = await tx.fetchval("SELECT handfast_db.now()")
        await tx.execute("SELECT pg_sleep(0.01)")
        assert await tx.fetchval("SELECT handfast_db.now()") - first >= timedelta(milliseconds=10)


async def test_it_can_be_frozen_for_a_database(database: Database) -> None:
    await freeze(database, THEN)
    assert await now(database) == THEN
    await freeze(database, None)
    assert await now(database) > THEN
