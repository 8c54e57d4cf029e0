"""Old history goes by whole days; identities stay, unless their kind gives them a horizon."""

import asyncio
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from handfast.db.pool import Database
from handfast.engine.jobs.enqueue import PRUNED, enqueue
from handfast.engine.jobs.kinds import Kind, declare, payload_of
from handfast.engine.jobs.states import JobState
from handfast.engine.maintenance.retention import Retention
from tests.support.clock import freeze

pytestmark = pytest.mark.on_every_postgres

THEN = datetime(2026, 3, 1, 12, tzinfo=UTC)


async def handler(_ctx: object, n: int) -> None: ...


KEPT = Kind("test.kept", handler, payload_of(handler))
FORGOTTEN = Kind("test.forgotten", handler, payload_of(handler), horizon=timedelta(days=1))


async def finish_one(database: Database, kind: Kind, key: str) -> None:
    async with database.transaction() as tx:
        await enqueue(tx, kind, key, {"n": 1})
        worker = await tx.fetchval(
            "SELECT handfast_engine.register_worker('t', ARRAY['default'], interval '1 hour')"
        )
        row = await tx.fetchrow(
            "SELECT id, token FROM handfast_engine.claim($1, ARRAY['default'], 1)", worker
        )
        assert row is not None
        await tx.execute(
            "SELECT handfast_engine.finish(ARRAY[$1::bigint], ARRAY[$2::bigint])", *row
        )


async def partitions(database: Database) -> list[str]:
    async with database.connection() as connection:
        rows = await connection.fetch(
            "SELECT inhrelid::regclass::text AS name FROM pg_inherits"
            " WHERE inhparent = 'handfast_engine.attempts'::regclass ORDER BY 1"
        )
    return [row["name"] for row in rows]


async def test_days_are_dropped_and_identities_stay(database: Database) -> None:
    await freeze(database, THEN)
    await declare(database, [KEPT, FORGOTTEN])
    retention = Retention(database, history=timedelta(days=7))
    await retention.make_partitions()
    assert "handfast_engine.attempts_20260301" in await partitions(database)
    for kind in (KEPT, FORGOTTEN):
        await finish_one(database, kind, "a")

    await freeze(database, THEN + timedelta(days=7))
    while await retention.forget() == 0.0:
        pass
    assert "handfast_engine.attempts_20260301" in await partitions(database), "not a day too early"

    await freeze(database, THEN + timedelta(days=9))
    await retention.make_partitions()
    while await retention.forget() == 0.0:
        pass
    assert "handfast_engine.attempts_20260301" not in await partitions(database)
    async with database.transaction() as tx:
        kept = await enqueue(tx, KEPT, "a", {"n": 1})
        again = await enqueue(tx, FORGOTTEN, "a", {"n": 1})
    assert (kept.created, kept.state, kept.result) == (False, JobState.SUCCEEDED, PRUNED)
    assert again.created, "its horizon has passed"


async def test_what_no_day_takes_is_kept_and_pruned(database: Database) -> None:
    await freeze(database, THEN)
    await declare(database, [KEPT])
    await finish_one(database, KEPT, "a")  # no partition was made: the catch-all takes it
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM handfast_engine.attempts_other") == 1
    await freeze(database, THEN + timedelta(days=9))
    await Retention(database, history=timedelta(days=7)).forget()
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM handfast_engine.attempts_other") == 0


async def test_who_reads_the_history_for_long_keeps_only_its_days(
    database: Database, dsn: str
) -> None:
    """As pg_dump does for hours: a day cannot be dropped meanwhile, and all else is pruned."""
    await freeze(database, THEN)
    await declare(database, [FORGOTTEN])
    await finish_one(database, FORGOTTEN, "a")  # into the catch-all: its day is not made yet
    await freeze(database, THEN + timedelta(days=1))
    retention = Retention(database, history=timedelta(days=7))
    await retention.make_partitions()
    day = "handfast_engine.attempts_20260302"
    assert day in await partitions(database)

    await freeze(database, THEN + timedelta(days=10))
    reader = await asyncpg.connect(dsn)
    try:
        await reader.execute("BEGIN; SELECT FROM handfast_engine.attempts")
        assert await retention.forget() is None, "not again at once"
        assert day in await partitions(database)
        async with database.connection() as connection:
            for table in ("attempts_other", "jobs"):
                left = f"SELECT count(*) FROM handfast_engine.{table}"
                assert await connection.fetchval(left) == 0, table
    finally:
        await reader.close()
    assert await retention.forget() == 0.0
    assert day not in await partitions(database)


async def test_who_reads_the_history_for_long_keeps_nobody_from_writing_it(
    database: Database, dsn: str
) -> None:
    """A day that is to be made behind a dump would be waited for by all who finish a job."""
    await freeze(database, THEN)
    reader = await asyncpg.connect(dsn)
    retention = Retention(database)
    try:
        await reader.execute("BEGIN; SELECT FROM handfast_engine.attempts")
        before = await partitions(database)
        again = await asyncio.wait_for(retention.make_partitions(), 10)
        assert again is not None
        assert again <= 60
        assert await partitions(database) == before
    finally:
        await reader.close()
    assert await retention.make_partitions() is None
    assert "handfast_engine.attempts_20260301" in await partitions(database)
