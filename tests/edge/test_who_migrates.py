"""A database of the user's own is migrated by `migrate` and `up`, and by nobody else."""

from uuid import uuid4

import asyncpg
import pytest

from handfast import Handfast
from handfast.base.errors import MigrationsPending
from handfast.base.settings import load_settings
from handfast.db.embedded import EmbeddedServer
from handfast.wiring import open_system
from tests.edge.test_engine_cli import handfast
from tests.support.corpus import as_role

SCHEMAS = "SELECT count(*) FROM pg_namespace WHERE nspname IN ('db', 'engine')"


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
    older = "UPDATE db.functions SET checksum = 'x', version = '0.0.1' RETURNING version"
    await ask(dsn, older)
    with pytest.raises(MigrationsPending, match="functions"):
        await Handfast(database_url=dsn).open()
    await ask(dsn, "UPDATE db.functions SET version = '999.0' RETURNING version")
    async with Handfast(database_url=dsn):
        pass


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
