"""Who makes the role, and what is said to those who may not."""

from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest

from handfast.apps.runs.login import spare_rights
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from tests.edge.test_engine_cli import answer, handfast
from tests.support.corpus_rows import as_role


@pytest.fixture
async def humble(server: EmbeddedServer, empty_dsn: str) -> AsyncIterator[str]:
    """The address of an empty database, for a user who owns it and may make no roles."""
    name = f"humble_{uuid4().hex[:8]}"
    admin = await asyncpg.connect(server.dsn("postgres"))
    database = Target(empty_dsn).dsn.partition("@/")[2].partition("?")[0]
    await admin.execute(f"CREATE ROLE {name} LOGIN NOSUPERUSER NOCREATEROLE")
    await admin.execute(f"ALTER DATABASE {database} OWNER TO {name}")
    try:
        yield as_role(empty_dsn, name)
    finally:
        await admin.execute(f"ALTER DATABASE {database} OWNER TO handfast_owner")
        inside = await asyncpg.connect(empty_dsn)
        await inside.execute(f"REASSIGN OWNED BY {name} TO handfast_owner")
        await inside.execute(f"DROP OWNED BY {name}")
        await inside.close()
        await admin.execute(f"DROP ROLE {name}")
        await admin.close()


async def test_who_may_not_make_roles_still_grants(humble: str) -> None:
    """The role is there (roles are the server's): the tables' owner gives it what it needs."""
    async with await Database.open(Target(humble)) as database:
        report = await migrate(database)
        assert report.for_administrator == []
        assert (await migrate(database)).applied == [], "twice is the same"
    role = await asyncpg.connect(as_role(humble))
    try:
        assert await role.fetchval("SELECT count(*) FROM handfast_runs.startup_uploads") == 0
        assert await role.fetchval("SELECT handfast_runs.release_expired_leases()") == 0
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await role.execute("DELETE FROM handfast_runs.startup_uploads")
    finally:
        await role.close()


async def test_without_the_role_the_statements_are_printed(humble: str) -> None:
    """Looked at under another name of the role: that of the server's is shared by all tests."""
    async with await Database.open(Target(humble)) as database:
        await migrate(database)
        async with database.transaction() as tx:
            body = await tx.fetchval(
                "SELECT pg_get_functiondef('handfast_runs.after_migrate'::regproc)"
            )
            for said in ("rolname = '", "CREATE ROLE "):
                body = body.replace(f"{said}handfast_runs", f"{said}handfast_nobody")
            await tx.execute(body)
            left = [row[0] for row in await tx.fetch("SELECT handfast_runs.after_migrate()")]
    assert len(left) == 1
    assert left[0].startswith("CREATE ROLE handfast_nobody LOGIN PASSWORD")


async def test_the_command_prints_them(humble: str) -> None:
    done = await handfast(humble, "migrate")
    assert done.returncode == 0, done.stderr
    assert "CREATE ROLE" not in done.stdout
    assert (await answer(humble, "migrate"))["for_administrator"] == []


async def test_what_the_role_may_do_because_all_may(dsn: str) -> None:
    """Said, and left to the database's owner; what is said is enough."""
    role = as_role(dsn)
    async with await Database.open(Target(role), pool_size=1) as reader:
        spare = await spare_rights(reader)
        assert len(spare) == 2
        owner = await asyncpg.connect(dsn)
        try:
            for statement in spare:
                await owner.execute(statement)
        finally:
            await owner.close()
        assert await spare_rights(reader) == []
        async with reader.connection() as connection:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute("CREATE TEMPORARY TABLE t (id int)")
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute("SELECT lo_create(0)")
