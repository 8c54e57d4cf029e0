"""The user's own tables: read, and in every other respect as they were."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from handfast.apps.runs.corpus.intake.load import LoadOptions, load_tables
from handfast.apps.runs.corpus.intake.rejects import MaxBad
from handfast.apps.runs.corpus.rebuild import rebuild_from_tables
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.corpus.versions.publish import publish
from handfast.apps.runs.errors import CorpusColumnsWrong, CorpusFileUnreadable
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from tests.support.corpus_files import ids, pairs, rejected

THEIRS = """
CREATE SCHEMA crm;
CREATE TABLE crm.companies (
    id bigint PRIMARY KEY, title varchar(80) NOT NULL, site text NOT NULL, industry text[],
    ask numeric(12, 2), notes text);
CREATE INDEX companies_title ON crm.companies (title);
INSERT INTO crm.companies SELECT n, 'Company ' || n, 'https://company' || n || '.com',
    ARRAY['ai', 'saas'], n * 1000, 'x' FROM generate_series(1, 30) AS n;
CREATE VIEW crm.startup_uploads AS SELECT id AS startup_id, title AS name, site AS url,
    industry AS sectors, ask AS raising, notes FROM crm.companies;
CREATE TABLE crm.investors (
    investor_id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text NOT NULL, sectors text,
    cheque_min integer, cheque_max integer, secret text);
INSERT INTO crm.investors (name, sectors, cheque_min, cheque_max)
    SELECT 'Fund ' || n, 'ai; health', n * 100, n * 10000 FROM generate_series(1, 12) AS n;
CREATE TABLE crm.startup_investor_matches AS SELECT c.id AS startup_id, i.investor_id,
    (abs(hashtext(c.id || i.name)) % 1001)::smallint AS score FROM crm.companies c, crm.investors i;
"""

# Everything the catalogue knows of them, and the rows' own versions.
CATALOGUE = """
SELECT c.relname, c.relfilenode, c.relkind, c.relacl::text, c.reloptions::text, c.relhasindex,
    c.relhastriggers, c.relnatts, c.xmin::text AS row_of_class,
    (SELECT array_agg(format('%s %s %s', a.attname, a.atttypid, a.xmin) ORDER BY a.attnum)
     FROM pg_attribute AS a WHERE a.attrelid = c.oid)::text AS columns,
    (SELECT array_agg(pg_get_indexdef(i.indexrelid) || i.xmin ORDER BY i.indexrelid)
     FROM pg_index AS i WHERE i.indrelid = c.oid)::text AS indexes,
    (SELECT array_agg(pg_get_constraintdef(k.oid) || k.xmin ORDER BY k.oid)
     FROM pg_constraint AS k WHERE k.conrelid = c.oid)::text AS constraints
FROM pg_class AS c WHERE c.relnamespace = 'crm'::regnamespace ORDER BY c.relname"""
ROWS = """
SELECT format('%s %s %s', ctid, xmin, xmax) FROM crm.companies
UNION ALL SELECT format('%s %s %s', ctid, xmin, xmax) FROM crm.investors
UNION ALL SELECT format('%s %s %s', ctid, xmin, xmax) FROM crm.startup_investor_matches"""


async def theirs(database: Database) -> list[Any]:
    async with database.connection() as connection:
        return [await connection.fetch(CATALOGUE), await connection.fetch(ROWS)]


@pytest.fixture
async def crm(database: Database) -> Database:
    async with database.connection() as connection:
        await connection.execute(THEIRS)
    return database


async def test_they_are_read_and_nothing_else(crm: Database) -> None:
    before = await theirs(crm)
    loaded = await load_tables(crm.target, "crm")
    assert [(t.part, t.rows, t.bad) for t in loaded.taken] == [
        ("startups", 30, 0),
        ("investors", 12, 0),
        ("matches", 360, 0),
    ]
    assert (await publish(crm, loaded.version)).switched is not None
    again = await rebuild_from_tables(crm.target, "crm", keep=5)
    assert again.scored == 150
    await migrate(crm)
    assert await theirs(crm) == before
    assert len(await pairs(crm, again.version)) == 150
    assert "30" in await ids(crm, CorpusPart.STARTUPS, again.version)
    async with crm.connection() as connection:
        raising = await connection.fetchval(
            "SELECT raising FROM handfast_runs.startup_uploads WHERE version = $1 AND"
            " startup_id = '7'",
            loaded.version,
        )
        unmarked = await connection.fetchval(
            "SELECT count(*) FROM pg_class WHERE relname ~ '_v[0-9]+$' AND relallvisible < relpages"
        )
    assert raising == 7000
    assert unmarked == 0, "the transaction that read them was over before the vacuum"


async def test_their_writers_do_not_wait(crm: Database) -> None:
    """While they are read somebody writes, and even alters nothing that waits for us."""
    locks: set[str] = set()

    async def look() -> None:
        connection = await asyncpg.connect(crm.target.dsn)
        rows = await connection.fetch(
            "SELECT DISTINCT l.mode FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation"
            " JOIN pg_stat_activity AS a ON a.pid = l.pid"
            " WHERE c.relnamespace = 'crm'::regnamespace AND l.pid <> pg_backend_pid()"
            " AND a.backend_type = 'client backend'"  # autovacuum comes by every few seconds
        )
        locks.update(row[0] for row in rows)
        await connection.close()

    # In a thread of its own, for which whoever reads has to wait: it must not be done by then.
    with ThreadPoolExecutor(1) as thread:
        options = LoadOptions(progress=lambda *_: thread.submit(asyncio.run, look()).result())
        await load_tables(crm.target, "crm", options)
    assert locks == {"AccessShareLock"}


async def test_bad_rows_of_tables(
    crm: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with crm.connection() as connection:
        await connection.execute(
            "UPDATE crm.companies SET site = 'nowhere at all' WHERE id = 3;"
            "UPDATE crm.companies SET ask = 1.5 WHERE id = 4"
        )
    loaded = await load_tables(crm.target, "crm", LoadOptions(max_bad=MaxBad(share=0.5)))
    assert loaded.taken[0].bad == 2
    said = [reason for _, reason in rejected(tmp_path / "crm.startup_uploads.rejects.csv")]
    assert sorted(reason.split(" ")[0] for reason in said) == ["raising", "url"]
    assert loaded.taken[2].bad == 24, "their pairs have nobody"


async def test_what_is_missing_is_said(crm: Database) -> None:
    with pytest.raises(CorpusFileUnreadable, match="has none of the tables"):
        await load_tables(crm.target, "nowhere")
    with pytest.raises(CorpusFileUnreadable, match="No schema"):
        await load_tables(crm.target, None)
    async with crm.connection() as connection:
        await connection.execute("ALTER TABLE crm.investors RENAME COLUMN name TO title")
    with pytest.raises(CorpusColumnsWrong, match=r"crm.investors: 'name' is missing"):
        await load_tables(crm.target, "crm")


async def test_a_table_of_which_no_column_is_known(crm: Database) -> None:
    async with crm.connection() as connection:
        await connection.execute("CREATE SCHEMA odd; CREATE TABLE odd.investors (fund text)")
    with pytest.raises(CorpusColumnsWrong, match="'investor_id', 'name' are missing"):
        await load_tables(crm.target, "odd")


async def test_a_schema_with_an_awkward_name(crm: Database) -> None:
    async with crm.connection() as connection:
        await connection.execute('ALTER SCHEMA crm RENAME TO "Our ""CRM"""')
    assert (await load_tables(crm.target, 'Our "CRM"')).taken[0].rows == 30
