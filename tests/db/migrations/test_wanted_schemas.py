"""Only what is wanted is made, asked for and kept up to date; the rest can come later."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handfast import Context
from handfast.db.connect import Target
from handfast.db.migrations.errors import DatabaseNewer, MigrationsInvalid, MigrationsPending
from handfast.db.migrations.files import ALWAYS, SCHEMAS, in_database, shipped
from handfast.db.migrations.migrate import migrate, require_migrated, status
from handfast.db.pool import Database
from tests.schema.test_schema_direction import NEEDED
from tests.support.snapshot import dump
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_every_postgres

CORE = ("db", "engine")
OTHERS = [schema for schema in SCHEMAS if schema not in ALWAYS]
OURS = "SELECT nspname::text FROM pg_namespace WHERE nspname = ANY ($1::text[])"
# What somebody above has hung on a table of the engine.
HUNG = """
SELECT g.tgname::text
FROM pg_trigger AS g JOIN pg_proc AS p ON p.oid = g.tgfoid JOIN pg_class AS c ON c.oid = g.tgrelid
WHERE NOT g.tgisinternal AND c.relnamespace = 'handfast_engine'::regnamespace
  AND p.pronamespace NOT IN ('handfast_db'::regnamespace, 'handfast_engine'::regnamespace)
"""
DAYS = """
SELECT i.inhrelid::regclass::text FROM pg_inherits AS i
WHERE i.inhparent = 'handfast_engine.attempts'::regclass
  AND i.inhrelid <> 'handfast_engine.attempts_other'::regclass
"""


@pytest.fixture
async def empty(empty_dsn: str) -> AsyncIterator[Database]:
    async with await Database.open(Target(empty_dsn)) as database:
        yield database


async def column(database: Database, sql: str, *given: object) -> list[str]:
    async with database.connection() as connection:
        return [row[0] for row in await connection.fetch(sql, *given)]


async def schemas_of(database: Database) -> set[str]:
    there = await column(database, OURS, [in_database(schema) for schema in SCHEMAS])
    return {name.removeprefix("handfast_") for name in there}


def migrations_of(*schemas: str) -> list[str]:
    return [one.full_name for one in shipped().migrations if one.schema in schemas]


async def works(database: Database) -> None:
    """A job is enqueued, claimed and finished."""
    shop = Workers(database)

    @shop.hf.job("t.greet")
    async def greet(ctx: Context) -> None: ...

    async with shop.working():
        job = await shop.enqueue(greet, key="once")
        await shop.reaches(job, "succeeded")


async def forget_history(database: Database) -> None:
    """Days of history are tables that a worker has made, and no part of the schema."""
    days = await column(database, DAYS)
    async with database.transaction() as tx:
        for day in days:
            await tx.execute(f"DROP TABLE {day}")
    assert days, "a worker makes them"


async def test_one_after_the_other_ends_where_all_at_once_does(
    empty: Database, empty_dsn: str, dsn: str
) -> None:
    first = await migrate(empty, schemas=CORE)
    assert first.applied == migrations_of(*CORE)
    assert await schemas_of(empty) == set(CORE)
    assert await column(empty, HUNG) == []
    await works(empty)
    await forget_history(empty)

    second = await migrate(empty, schemas=["webhooks"])
    assert second.applied == migrations_of("webhooks"), "db and engine are always wanted"
    assert await schemas_of(empty) == {*CORE, "webhooks"}
    assert await column(empty, HUNG) == [], "what others hang on it is in its outbox"

    third = await migrate(empty)
    assert third.applied == migrations_of(*set(SCHEMAS) - {*CORE, "webhooks"})
    assert await asyncio.to_thread(dump, empty_dsn) == await asyncio.to_thread(dump, dsn)
    await require_migrated(empty, functions=True)


@pytest.mark.parametrize("schema", OTHERS)
async def test_each_stands_on_the_engine_and_what_it_requires(empty: Database, schema: str) -> None:
    wanted = [schema, *NEEDED.get(schema, ())]
    await migrate(empty, schemas=wanted)
    assert await schemas_of(empty) == {*CORE, *wanted}
    await require_migrated(empty, schemas=wanted, functions=True)


async def test_the_face_has_only_what_is_switched_on(empty: Database) -> None:
    """A capability's part comes with its schema; so do the types that it names."""
    await migrate(empty, schemas=CORE)
    views = "SELECT relname::text FROM pg_class WHERE relnamespace = 'handfast'::regnamespace"
    assert set(await column(empty, views)) == {"jobs", "attempts", "dead_letters"}
    names = {f.name for f in shipped().only(CORE).functions if f.public and not f.view}
    functions = "SELECT proname::text FROM pg_proc WHERE pronamespace = 'handfast'::regnamespace"
    assert set(await column(empty, functions)) == names
    assert await column(empty, "SELECT to_regtype('handfast.match_run_status')::text") == [None]
    await migrate(empty, schemas=["runs"])
    assert "match_runs" in await column(empty, views)
    assert "start_match_run" in await column(empty, functions)
    await migrate(empty, schemas=CORE)  # somebody else's process, which has no runs
    assert "match_runs" in await column(empty, views)


async def test_only_what_is_wanted_is_required(empty: Database) -> None:
    await migrate(empty, schemas=["limits"])
    await require_migrated(empty, schemas=CORE, functions=True)
    await require_migrated(empty, schemas=["limits"], functions=True)
    with pytest.raises(MigrationsPending, match=r"lacks 1 migration: runs/0001_baseline\.sql"):
        await require_migrated(empty, schemas=["limits", "runs"])
    report = await status(empty, schemas=["runs"])
    assert report.pending == ["runs/0001_baseline.sql"]
    assert report.applied == migrations_of(*CORE)
    assert report.functions == len(shipped().only(["runs"]).functions)


async def test_what_is_not_wanted_any_more_is_left_alone(database: Database) -> None:
    """Its functions too, whoever changed them; until it is wanted again."""
    changed = (
        "CREATE OR REPLACE FUNCTION handfast_webhooks.stop() RETURNS int LANGUAGE sql AS 'SELECT 7'"
    )
    async with database.transaction() as tx:
        await tx.execute("DROP FUNCTION handfast_webhooks.wants")
        await tx.execute("DELETE FROM handfast_db.migrations WHERE schema = 'runs'")
        await tx.execute("UPDATE handfast_db.migrations SET checksum = 'x' WHERE schema = 'limits'")
        await tx.execute(
            "UPDATE handfast_db.functions SET version = '99.0' WHERE schema = 'idempotency'"
        )
        await tx.execute(changed)  # a second signature
    await require_migrated(database, schemas=CORE, functions=True)
    assert (await migrate(database, schemas=CORE)).applied == []
    there = "SELECT proname::text FROM pg_proc WHERE proname = 'wants'"
    assert await column(database, there) == []
    async with database.transaction() as tx:
        await tx.execute("DROP FUNCTION handfast_webhooks.stop()")
    await migrate(database, schemas=["webhooks"])
    assert await column(database, there) == ["wants"]
    with pytest.raises(DatabaseNewer, match=r"functions of idempotency .* Handfast 99\.0"):
        await migrate(database, schemas=["idempotency"])


async def test_functions_of_a_newer_version_are_met_before_anything_is_made(
    empty: Database,
) -> None:
    await migrate(empty, schemas=CORE)
    async with empty.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_db.functions SET version = '99.0' WHERE schema = 'engine'"
        )
    with pytest.raises(DatabaseNewer, match="functions of engine"):
        await migrate(empty)
    assert await schemas_of(empty) == set(CORE)


async def test_each_schema_has_a_record_of_its_functions(database: Database) -> None:
    rows = await column(
        database,
        "SELECT schema || ' ' || count(*) FROM handfast_db.functions,"
        " LATERAL jsonb_object_keys(installed) GROUP BY schema",
    )
    files = shipped()
    counts = {s: sum(f.schema == s for f in files.functions) for s in files.schemas}
    assert sorted(rows) == sorted(f"{schema} {count}" for schema, count in counts.items())


async def test_two_with_other_wishes_at_once(empty_dsn: str, empty: Database) -> None:
    wishes = [CORE, ("webhooks",), ("runs", "fixtures"), None]
    pools = [await Database.open(Target(empty_dsn), pool_size=2) for _ in wishes]
    reports = await asyncio.gather(
        *(migrate(pool, schemas=wish) for pool, wish in zip(pools, wishes, strict=True))
    )
    for pool in pools:
        await pool.close()
    applied = [name for report in reports for name in report.applied]
    assert sorted(applied) == sorted(m.full_name for m in shipped().migrations), "each once"
    await require_migrated(empty, functions=True)


def test_a_schema_that_nobody_has_cannot_be_wanted() -> None:
    with pytest.raises(MigrationsInvalid, match="no schema poeple"):
        shipped().only(["poeple"])


def test_the_baseline_of_a_schema_makes_it() -> None:
    files = shipped()
    assert files.schemas == SCHEMAS
    for schema in SCHEMAS:
        first = next(m for m in files.migrations if m.schema == schema)
        assert (first.number, first.name) == (1, "0001_baseline.sql")
        assert f"CREATE SCHEMA {in_database(schema)};" in first.sql


def test_files_are_in_the_order_of_their_schemas(tmp_path: Path) -> None:
    for name in ("webhooks/0001_a", "engine/0002_b", "engine/0001_a", "db/0001_a"):
        file = tmp_path / "migrations" / f"{name}.sql"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("SELECT 1;")
    names = [m.full_name.removesuffix(".sql") for m in shipped(tmp_path).migrations]
    assert names == ["db/0001_a", "engine/0001_a", "engine/0002_b", "webhooks/0001_a"]
