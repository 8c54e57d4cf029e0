"""Names that somebody else has: all of them are said, and nothing is changed."""

import json
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from handfast.db.connect import Target
from handfast.db.migrations.errors import NamesTaken
from handfast.db.migrations.files import SCHEMAS, in_database
from handfast.db.migrations.migrate import migrate, require_migrated, status
from handfast.db.pool import Database
from tests.edge.test_engine_cli import handfast

pytestmark = pytest.mark.on_every_postgres

# Everything that is in the database and not PostgreSQL's, as one number.
STATE = """
SELECT md5(string_agg(o.said, ' ' ORDER BY o.said)) FROM (
    SELECT c.oid::regclass::text || c.relkind::text || c.xmin AS said FROM pg_class AS c
    WHERE c.oid > 16383
    UNION ALL SELECT p.oid::regprocedure::text || p.xmin FROM pg_proc AS p WHERE p.oid > 16383
    UNION ALL SELECT n.nspname || n.xmin FROM pg_namespace AS n WHERE n.oid > 16383
    UNION ALL SELECT t.oid::regtype::text || t.xmin FROM pg_type AS t WHERE t.oid > 16383
) AS o
"""


@pytest.fixture
async def empty(empty_dsn: str) -> AsyncIterator[Database]:
    async with await Database.open(Target(empty_dsn)) as database:
        yield database


@pytest.fixture
async def bob(empty: Database) -> str:
    """Somebody else."""
    name = f"bob_{uuid4().hex[:8]}"
    async with empty.transaction() as tx:
        await tx.execute(f"CREATE ROLE {name}")
    return name


async def execute(database: Database, *statements: str) -> None:
    async with database.transaction() as tx:
        for sql in statements:
            await tx.execute(sql)


async def state(database: Database) -> object:
    async with database.connection() as connection:
        return await connection.fetchval(STATE)


async def refused(database: Database, *, schemas: list[str] | None = None) -> str:
    """What is said, the same by migrate and by what doctor and --check ask."""
    before = await state(database)
    with pytest.raises(NamesTaken) as first:
        await migrate(database, schemas=schemas)
    with pytest.raises(NamesTaken) as second:
        await status(database, schemas=schemas)
    assert str(first.value) == str(second.value)
    assert await state(database) == before
    return str(first.value)


@pytest.mark.parametrize("schema", ["handfast", *map(in_database, SCHEMAS)])
async def test_a_schema_of_somebody_elses(empty: Database, bob: str, schema: str) -> None:
    await execute(empty, f"CREATE SCHEMA {schema} AUTHORIZATION {bob}")
    said = await refused(empty)
    assert f"the schema {schema} (owner: {bob})" in said
    assert said.endswith("Nothing was changed.")


async def test_all_of_them_are_said_at_once(empty: Database, bob: str) -> None:
    await execute(
        empty, *(f"CREATE SCHEMA {s} AUTHORIZATION {bob}" for s in ("handfast", "handfast_runs"))
    )
    said = await refused(empty)
    assert said.count("the schema") == 2


async def test_what_is_not_wanted_is_not_in_the_way(empty: Database, bob: str) -> None:
    """Nor is a schema whose name merely looks like ours."""
    await execute(
        empty,
        f"CREATE SCHEMA handfast_runs AUTHORIZATION {bob}",
        f"CREATE SCHEMA handfast_backup AUTHORIZATION {bob}",
        f"CREATE SCHEMA handfastish AUTHORIZATION {bob}",
    )
    await migrate(empty, schemas=["webhooks"])
    said = await refused(empty, schemas=["webhooks", "runs"])
    assert said.count("the schema") == 1
    await require_migrated(empty, schemas=["webhooks"], functions=True)


OBJECTS = {
    "table": "CREATE TABLE handfast.match_runs (id int)",
    "view": "CREATE VIEW handfast.mine AS SELECT 1 AS one",
    "function": "CREATE FUNCTION handfast.helper() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "sequence": "CREATE SEQUENCE handfast.numbers",
    "type": "CREATE TYPE handfast.match_run_status AS ENUM ('a')",
}


@pytest.mark.parametrize(("what", "sql"), OBJECTS.items(), ids=OBJECTS)
async def test_an_object_in_the_public_schema(empty: Database, what: str, sql: str) -> None:
    """Put there after the first migrate, before the next."""
    await migrate(empty, schemas=["webhooks"])
    await execute(empty, sql)
    said = await refused(empty, schemas=["webhooks"])
    assert f"the {what} handfast." in said
    assert said.count("owner:") == 1


async def test_a_second_signature_of_ours(database: Database) -> None:
    await execute(
        database, "CREATE FUNCTION handfast.enqueue(a int) RETURNS int LANGUAGE sql AS 'SELECT 1'"
    )
    assert "the function handfast.enqueue" in await refused(database)


async def test_ours_are_not_in_our_own_way(database: Database) -> None:
    assert (await migrate(database)).applied == []
    assert (await migrate(database, schemas=["limits"])).applied == [], "nor those of other rooms"


async def test_the_commands_say_it(empty: Database, empty_dsn: str, bob: str) -> None:
    await execute(empty, f"CREATE SCHEMA handfast AUTHORIZATION {bob}")
    for words in (["migrate"], ["migrate", "--check"], ["up", "--port", "0"]):
        done = await handfast(empty_dsn, *words)
        assert done.returncode == 6, done.stderr
        assert f"the schema handfast (owner: {bob})" in " ".join(done.stderr.split())
    found = {one["check"]: one for one in (await answer_bad(empty_dsn))["findings"]}["migrations"]
    assert found["verdict"] == "bad"
    assert "the schema handfast" in found["found"]


async def answer_bad(dsn: str) -> dict[str, list[dict[str, str]]]:
    done = await handfast(dsn, "doctor", "--json")
    assert done.returncode == 7, done.stderr
    found: dict[str, list[dict[str, str]]] = json.loads(done.stdout)
    return found
