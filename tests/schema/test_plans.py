"""With millions of jobs about, the hot statements still look at only what they need.

The rows are made directly. The server's own counters say what was scanned and how many pages were
touched inside the functions, whatever their plans look like from outside.
"""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

pytestmark = pytest.mark.on_every_postgres

READY, FUTURE, FINISHED = 1_000_000, 1_000_000, 200_000

FILL = f"""
ALTER TABLE handfast_engine.live SET (autovacuum_enabled = false);
ALTER TABLE handfast_engine.jobs SET (autovacuum_enabled = false);
SET synchronous_commit = off;
SET maintenance_work_mem = '256MB';
-- Indexes are built afterwards, which is many times quicker than row by row.
CREATE TEMP TABLE constraints AS
    SELECT conrelid::regclass::text AS tab, conname AS name, pg_get_constraintdef(oid) AS def
    FROM pg_constraint
    WHERE conrelid IN ('handfast_engine.live'::regclass, 'handfast_engine.jobs'::regclass) AND
    contype IN ('p', 'u');
CREATE TEMP TABLE indexes AS
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS def FROM pg_index
    WHERE indrelid = 'handfast_engine.live'::regclass AND NOT indisprimary;
DO $$ DECLARE c record; BEGIN
    FOR c IN SELECT * FROM constraints LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.tab, c.name);
    END LOOP;
    FOR c IN SELECT * FROM indexes LOOP EXECUTE 'DROP INDEX ' || c.name; END LOOP;
END $$;
SELECT handfast_engine.make_partitions(1);
INSERT INTO handfast_engine.workers (name, lanes, started_at, beat_at, lease_until)
    VALUES ('alive', '{{default}}', now(), now(), now() + interval '1 day'),
           ('gone', '{{default}}', now(), now(), now() - interval '1 day');
INSERT INTO handfast_engine.jobs (id, kind, key, enqueued_at)
    SELECT g, 't.job', g::text, now() FROM generate_series(1, {READY + FUTURE}) AS g;
INSERT INTO handfast_engine.live (id, token, due_at, first_due_at, state, kind, key, version)
    SELECT g, 0, now() - interval '1 h', now(), 'ready', 't.job', g::text, 2
    FROM generate_series(1, {READY}) AS g;
INSERT INTO handfast_engine.live (id, token, due_at, first_due_at, state, kind, key, deadline_at)
    SELECT g, 0, now() + interval '1 y', now(), 'scheduled', 't.job', g::text,
           now() + interval '1 y'
    FROM generate_series({READY + 1}, {READY + FUTURE}) AS g;
INSERT INTO handfast_engine.jobs (id, kind, key, enqueued_at, finished_at, state, came_from)
    SELECT g, 't.done', g::text, now(), now(), 'succeeded', 'running'
    FROM generate_series({READY + FUTURE + 1}, {READY + FUTURE + FINISHED}) AS g;
INSERT INTO handfast_engine.attempts (job_id, token, finished_at, attempt, outcome, kind)
    SELECT g, 1, now(), 1, 'succeeded', 't.done'
    FROM generate_series({READY + FUTURE + 1}, {READY + FUTURE + FINISHED}) AS g;
DO $$ DECLARE c record; BEGIN
    FOR c IN SELECT * FROM constraints LOOP
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.tab, c.name, c.def);
    END LOOP;
    FOR c IN SELECT * FROM indexes LOOP EXECUTE c.def; END LOOP;
END $$;
SELECT setval(pg_get_serial_sequence('handfast_engine.jobs', 'id'), 10000000);
ANALYZE handfast_engine.jobs, handfast_engine.live, handfast_engine.attempts,
handfast_engine.workers;
"""

SCANS = """
SELECT coalesce(sum(seq_scan), 0)::bigint FROM pg_stat_user_tables
WHERE schemaname = 'handfast_engine' AND (relname IN ('live', 'jobs') OR relname LIKE 'attempts%')
"""
PAGES = """
SELECT sum(coalesce(heap_blks_hit, 0) + coalesce(heap_blks_read, 0)
         + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::bigint
FROM pg_statio_user_tables WHERE schemaname = 'handfast_engine'
"""


class Watched:
    """A connection whose statements are counted: what they scan, how many pages they touch."""

    def __init__(self, connection: "asyncpg.Connection", watcher: "asyncpg.Connection") -> None:
        self.connection = connection
        self._watcher = watcher

    async def run(self, sql: str, *args: Any, pages_max: int) -> Any:
        """No scan of a big table, and no more pages than that."""
        answer, pages = await self.count(sql, *args)
        assert pages <= pages_max, f"{pages} pages: {sql}"
        return answer

    async def count(self, sql: str, *args: Any) -> tuple[Any, int]:
        """No scan of a big table; the answer, and how many pages it took."""
        await self._look()
        before = await self._look()
        answer = await self.connection.fetchval(sql, *args)
        scans, pages = await self._look()
        assert scans == before[0], f"scans a big table: {sql}"
        return answer, pages - before[1]

    async def _look(self) -> tuple[int, int]:
        await self.connection.execute("SELECT pg_stat_force_next_flush()")
        await self.connection.execute("SELECT 1")
        return await self._watcher.fetchval(SCANS), await self._watcher.fetchval(PAGES)


@pytest.fixture
async def crowd(dsn: str) -> AsyncIterator[Watched]:
    connection, watcher = await asyncpg.connect(dsn), await asyncpg.connect(dsn)
    try:
        await connection.execute(FILL)
        yield Watched(connection, watcher)
    finally:
        await connection.close()
        await watcher.close()


CLAIM = "SELECT array_agg(id) FROM handfast_engine.claim(1, $1::text[], 100)"
CLAIM_KINDS = """
SELECT array_agg(id) FROM handfast_engine.claim(
    1, ARRAY[$1::text], 100, NULL, $2::jsonb, $3::text[], $4::smallint[]
)
"""
# Behind the million, and again on a lane where there is nothing else: two kinds in two versions.
MINE = """
INSERT INTO handfast_engine.live (id, token, due_at, first_due_at, state, kind, key, version, lane)
    SELECT 20000000 + row_number() OVER (), 0, now() - interval '1 min' + g * interval '1 ms',
           now(), 'ready', kind, lane || kind || version || '-' || g, version, lane
    FROM unnest('{default,quiet}'::text[]) AS lane, unnest('{t.job,t.mine}'::text[]) AS kind,
         generate_series(0, 1) AS version, generate_series(1, 500) AS g
"""
FINISH = "SELECT handfast_engine.finish($1::bigint[], $2::bigint[])"
TOKENS = "SELECT array_agg(token) FROM handfast_engine.live WHERE id = ANY ($1::bigint[])"


async def claims_pass_by_what_they_do_not_know(crowd: Watched) -> None:
    """A million of another kind in front, or of a newer version of its own, cost nothing."""
    await crowd.connection.execute(MINE)
    known = "SELECT bool_and(version <= 1) FROM handfast_engine.live WHERE id = ANY ($1::bigint[])"
    for floors in (None, '[[10, "2020-01-01"]]'):
        for kinds in (["t.mine"], ["t.job"], ["t.job", "t.mine"]):
            given = floors, kinds, [1 for _ in kinds]
            for _ in range(2):  # the first time fills the caches of this session
                alone, without = await crowd.count(CLAIM_KINDS, "quiet", *given)
                behind, pages = await crowd.count(CLAIM_KINDS, "default", *given)
            assert len(alone) == len(behind) == 100
            assert await crowd.connection.fetchval(known, behind)
            assert pages <= without * 1.5, f"{pages} pages behind a million, {without} without"


async def test_no_hot_statement_scans(crowd: Watched) -> None:
    """One test, because filling the tables is what takes the time."""
    for lanes in (["default"], ["default", "other", "third"]):
        mine = await crowd.run(CLAIM, lanes, pages_max=8_000)
        assert len(mine) == 100
        tokens = await crowd.connection.fetchval(TOKENS, mine)  # one: it is one claim
        assert len(await crowd.run(FINISH, mine, tokens, pages_max=8_000)) == 100

    assert await crowd.run("SELECT promoted FROM handfast_engine.promote(1000)", pages_max=100) == 0
    assert await crowd.run("SELECT handfast_engine.escalate(1000)", pages_max=500) == 0

    await crowd.run(CLAIM, ["default"], pages_max=8_000)
    await crowd.connection.execute(
        "UPDATE handfast_engine.live SET worker = 2 WHERE state = 'running'"
    )
    assert await crowd.run("SELECT handfast_engine.rescue(500)", pages_max=20_000) == 100

    await crowd.run("SELECT id FROM handfast_engine.enqueue('t.job', '77')", pages_max=200)
    bulk = (
        "SELECT count(*) FROM handfast_engine.enqueue_many('t.job', $1::text[], "
        "array_fill('{}'::jsonb, '{100}'))"
    )
    keys = [f"new-{n}" for n in range(100)]
    assert await crowd.run(bulk, keys, pages_max=8_000) == 100

    mine = await crowd.run(CLAIM, ["default"], pages_max=8_000)
    tokens = await crowd.connection.fetchval(
        "SELECT array_agg(token ORDER BY o) FROM unnest($1::bigint[]) WITH ORDINALITY AS n(id, o) "
        "JOIN handfast_engine.live USING (id)",
        mine,
    )
    back = "SELECT handfast_engine.hand_back($1::bigint[], $2::bigint[])"
    assert len(await crowd.run(back, mine, tokens, pages_max=20_000)) == 100
    await crowd.run("SELECT handfast_engine.cancel($1, 'x')", mine[0], pages_max=500)
    await crowd.run("SELECT handfast_engine.beat(1, '1 h')", pages_max=500)
    orphans = "SELECT count(*) FROM handfast_engine.live WHERE worker = 1 AND state = 'running'"
    assert await crowd.run(orphans, pages_max=500) == 0

    await claims_pass_by_what_they_do_not_know(crowd)


async def test_what_forbids_scans_is_not_compiled(dsn: str) -> None:
    """Until PostgreSQL 18 a forbidden scan that is made all the same counts as ten billion: the
    server takes the statement for a long one and compiles it, at each call. A stake took 0.7 s."""
    connection = await asyncpg.connect(dsn)
    try:
        compiled = await connection.fetchval(
            "SELECT array_agg(p.oid::regproc::text) FROM pg_proc AS p"
            " WHERE p.pronamespace::regnamespace::text LIKE 'handfast%'"
            " AND 'enable_seqscan=off' = ANY (p.proconfig) AND NOT 'jit=off' = ANY (p.proconfig)"
        )
    finally:
        await connection.close()
    assert compiled is None
