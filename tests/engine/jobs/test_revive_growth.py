"""Reviving one job costs what it costs, however many others there are."""

import pytest

from handfast.db.pool import Database

pytestmark = pytest.mark.on_every_postgres

MANY = 5000
FINISHED = """
WITH made AS (
    INSERT INTO handfast_engine.jobs (kind, key, enqueued_at, finished_at, state, came_from, token)
    SELECT 'mail', g::text, now(), now(), 'succeeded', 'running', 1
    FROM generate_series(1, $1::int) AS g
    RETURNING id
)
INSERT INTO handfast_engine.attempts (job_id, token, finished_at, attempt, outcome, kind, payload)
SELECT id, 1, now(), 1, 'succeeded', 'mail', '{"n": 1}' FROM made
"""
TOUCHED = """
SELECT sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::bigint FROM pg_stat_xact_user_tables
WHERE schemaname = 'handfast_engine'
"""


async def test_reviving_one_among_many_touches_a_few_rows(database: Database) -> None:
    async with database.connection() as connection:
        await connection.execute("SELECT handfast_engine.make_partitions(1)")
        await connection.execute(FINISHED, MANY)
        await connection.execute("ANALYZE")
    async with database.transaction() as tx:
        one = await tx.fetchval(
            "SELECT id FROM handfast_engine.jobs WHERE kind = 'mail' AND key = '4000'"
        )
        before = await tx.fetchval(TOUCHED)
        assert await tx.fetchval("SELECT handfast_engine.revive($1)", one)
        touched = await tx.fetchval(TOUCHED) - before
    assert touched < 50, f"{touched} rows"
