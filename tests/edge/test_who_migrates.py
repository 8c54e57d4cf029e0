"""A database of the user's own is migrated by `migrate` and `up`, and by nobody else."""

import asyncio
import json
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from handfast import Handfast
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.errors import DatabaseUnreleased, MigrationsPending
from handfast.wiring import load_settings, open_system
from tests.edge.test_engine_cli import handfast
from tests.support.command import run_handfast
from tests.support.corpus_rows import as_role

SCHEMAS = "SELECT count(*) FROM pg_namespace WHERE nspname IN ('handfast_db', 'handfast_engine')"


async def ask(dsn: str, sql: str) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


@pytest.mark.parametrize("words", ["jobs list", "dead list"])
async def test_other_commands_say_what_to_run(empty_dsn: str, words: str) -> None:
    done = await handfast(empty_dsn, *words.split())
    assert done.returncode == 6, done.stderr
    assert "MIGRATIONS_PENDING" in done.stderr or "has not been migrated" in done.stderr
    assert "handfast migrate" in done.stderr
    assert await ask(empty_dsn, SCHEMAS) == 0


async def test_a_program_says_what_to_run(empty_dsn: str) -> None:
    hf = Handfast(database_url=empty_dsn)
    with pytest.raises(MigrationsPending, match="handfast migrate"):
        await hf.open()
    await hf.close()
    assert await ask(empty_dsn, SCHEMAS) == 0
    async with open_system(load_settings(database_url=empty_dsn), may_migrate=True):  # as `up` does
        pass
    async with Handfast(database_url=empty_dsn):
        pass


async def test_older_functions_are_behind_too_and_newer_ones_are_not(dsn: str) -> None:
    older = (
        "UPDATE handfast_db.functions SET checksum = 'x', version = '0.0.1' WHERE schema = 'engine'"
        " RETURNING version"
    )
    await ask(dsn, older)
    with pytest.raises(MigrationsPending, match="functions"):
        await Handfast(database_url=dsn).open()
    await ask(
        dsn,
        "UPDATE handfast_db.functions SET version = '999.0' WHERE schema = 'engine' RETURNING"
        " version",
    )
    async with Handfast(database_url=dsn):
        pass


# --- databases of the builds before the first release ------------------------------------------

UNRELEASED = """
CREATE SCHEMA db;
COMMENT ON SCHEMA db IS 'Handfast: the record of migrations, and the clock';
CREATE TABLE db.migrations (
    number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, version text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO db.migrations VALUES (1, '0001_db_migrations.sql', 'x', '0.1.0');
"""
REFUSED = "The tables were made by a build of Handfast from before its first release"
TABLES = """
SELECT string_agg(c.oid::regclass::text, ' ') FROM pg_class AS c
WHERE c.relkind = 'r' AND c.relnamespace NOT IN (
    SELECT n.oid FROM pg_namespace AS n
    WHERE n.nspname ~ '^pg_' OR n.nspname = 'information_schema'
)
"""


async def execute(dsn: str, script: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(script)
    finally:
        await connection.close()


@pytest.fixture
async def unreleased_dsn(empty_dsn: str) -> str:
    await execute(empty_dsn, UNRELEASED)
    return empty_dsn


@pytest.mark.parametrize(
    "words",
    [
        *("migrate", "migrate --check", "up --port 0", "api --port 0", "jobs list", "runs list"),
        *("fixtures list", "worker --app tests.support.user_program:hf"),
    ],
)
async def test_an_unreleased_database_is_refused_by_all(unreleased_dsn: str, words: str) -> None:
    done = await handfast(unreleased_dsn, *words.split())
    assert done.returncode == 6, done.stderr
    said = " ".join(done.stderr.split())
    assert REFUSED in said
    assert "Start with an empty database" in said
    assert await ask(unreleased_dsn, TABLES) == "db.migrations", "nothing was made"


async def test_a_program_is_refused_an_unreleased_database(unreleased_dsn: str) -> None:
    with pytest.raises(DatabaseUnreleased, match="Nothing was changed"):
        await Handfast(database_url=unreleased_dsn).open()


async def test_doctor_knows_an_unreleased_database(unreleased_dsn: str) -> None:
    done = await handfast(unreleased_dsn, "doctor", "--json")
    assert done.returncode == 7
    found = {one["check"]: one for one in json.loads(done.stdout)["findings"]}["migrations"]
    assert found["verdict"] == "bad"
    assert found["found"].startswith(REFUSED)
    assert "HANDFAST_DATA_DIR" in found["advice"]


def test_a_data_folder_of_an_unreleased_build_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with EmbeddedServer(folder) as server:
        asyncio.run(execute(server.dsn(), UNRELEASED))
    for words in ("up --port 0", "jobs list"):
        done = run_handfast(*words.split(), "--data-dir", str(folder), env={"COLUMNS": "200"})
        assert done.returncode == 6, done.stderr
        assert REFUSED in " ".join(done.stderr.split())


async def test_somebody_elses_record_is_not_taken_for_one_of_ours(empty_dsn: str) -> None:
    await execute(
        empty_dsn,
        "CREATE SCHEMA handfast_db; CREATE TABLE handfast_db.migrations (id int, file text)",
    )
    done = await handfast(empty_dsn, "migrate")
    assert done.returncode == 6
    assert 'schema "db" already exists' in " ".join(done.stderr.split())


# --- rights -----------------------------------------------------------------------------------


@pytest.fixture
async def stranger(server: EmbeddedServer) -> str:
    """A role without any right."""
    name = f"stranger {uuid4().hex[:8]}"
    await ask(server.dsn("postgres"), f'CREATE ROLE "{name}" LOGIN')
    return name


async def test_who_may_not_make_schemas_is_told_the_grant(empty_dsn: str, stranger: str) -> None:
    as_stranger = as_role(empty_dsn, stranger.replace(" ", "%20"))
    refused = await handfast(as_stranger, "migrate")
    database = await ask(empty_dsn, "SELECT current_database()")
    grant = f'GRANT CREATE ON DATABASE {database} TO "{stranger}";'
    assert refused.returncode == 5
    assert grant in " ".join(refused.stderr.split())
    await ask(empty_dsn, grant)
    done = await handfast(as_stranger, "migrate")
    assert done.returncode == 0, done.stderr


async def test_who_does_not_own_the_schemas_is_told_the_grant(
    empty_dsn: str, stranger: str
) -> None:
    owner = f"owner_{uuid4().hex[:8]}"
    await ask(empty_dsn, f"CREATE ROLE {owner} LOGIN")
    database = await ask(empty_dsn, "SELECT current_database()")
    await ask(empty_dsn, f"GRANT CREATE ON DATABASE {database} TO {owner}")
    assert (await handfast(as_role(empty_dsn, owner), "migrate")).returncode == 0
    as_stranger = as_role(empty_dsn, stranger.replace(" ", "%20"))
    refused = await handfast(as_stranger, "jobs", "list")
    grant = f'GRANT {owner} TO "{stranger}";'
    assert refused.returncode == 5
    assert grant in " ".join(refused.stderr.split())
    await ask(empty_dsn, grant)
    done = await handfast(as_stranger, "jobs", "list")
    assert done.returncode == 0, done.stderr
