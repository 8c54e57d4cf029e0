"""Nothing of ours is for everybody; what is granted is enough for those who use the face alone."""

from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest

from handfast.db.embedded import EmbeddedServer
from tests.support.corpus_rows import as_role

pytestmark = pytest.mark.on_every_postgres

OURS = "n.nspname = 'handfast' OR n.nspname LIKE 'handfast\\_%'"
CALLED_BY_ALL = f"""
SELECT p.oid::regprocedure::text FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
WHERE a.grantee = 0 AND ({OURS})
"""
GRANTED = f"""
SELECT DISTINCT c.oid::regclass::text || ' to ' || coalesce(r.rolname, 'PUBLIC')
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
CROSS JOIN LATERAL aclexplode(c.relacl) AS a LEFT JOIN pg_roles AS r ON r.oid = a.grantee
WHERE a.grantee <> c.relowner AND ({OURS}) AND c.relkind IN ('v', 'm')
"""
SCHEMAS_FOR_ALL = f"""
SELECT n.nspname::text FROM pg_namespace AS n CROSS JOIN LATERAL aclexplode(n.nspacl) AS a
WHERE a.grantee = 0 AND ({OURS})
"""


async def test_nothing_is_for_everybody(dsn: str) -> None:
    owner = await asyncpg.connect(dsn)
    try:
        assert [row[0] for row in await owner.fetch(CALLED_BY_ALL)] == []
        assert [row[0] for row in await owner.fetch(SCHEMAS_FOR_ALL)] == []
        # The corpus is no secret of the role that works on runs.
        granted = {row[0] for row in await owner.fetch(GRANTED)}
    finally:
        await owner.close()
    assert granted == {
        f"handfast.{view} to handfast_runs"
        for view in ("startup_uploads", "investors", "startup_investor_matches")
    }


@pytest.fixture
async def app(server: EmbeddedServer, dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """An application's login, with what docs/guides/own-postgres.md grants it and no more."""
    name = f"app_{uuid4().hex[:8]}"
    owner = await asyncpg.connect(dsn)
    await owner.execute(f"CREATE ROLE {name} LOGIN")
    await owner.execute(
        f"GRANT USAGE ON SCHEMA handfast TO {name};"
        f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA handfast TO {name};"
        f"GRANT SELECT ON handfast.jobs, handfast.dead_letters TO {name}"
    )
    connection = await asyncpg.connect(as_role(dsn, name))
    yield connection
    await connection.close()
    await owner.execute(f"DROP OWNED BY {name}; DROP ROLE {name}")
    await owner.close()


async def test_the_face_alone_is_enough(app: asyncpg.Connection) -> None:
    [made] = await app.fetch(
        "SELECT * FROM handfast.enqueue(kind => 'app.ship', key => 'a', payload => '{\"n\": 1}')"
    )
    assert (made["created"], made["state"]) == (True, "ready")
    [held] = await app.fetch("SELECT * FROM handfast.claim(kinds => '{app.ship}')")
    assert held["id"] == made["id"]
    state = "SELECT state FROM handfast.jobs WHERE id = $1"
    assert await app.fetchval(state, held["id"]) == "running"
    assert await app.fetchval("SELECT handfast.finish($1, $2)", held["id"], held["token"])
    assert await app.fetchval(state, held["id"]) == "succeeded"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM handfast_engine.jobs",
        "SELECT * FROM handfast_engine.known_jobs",
        "SELECT handfast_engine.enqueue('a', 'b')",
        "SELECT * FROM handfast.attempts",
        "DELETE FROM handfast.dead_letters",
        "CREATE TABLE handfast.mine (id int)",
    ],
)
async def test_and_nothing_else_is_allowed(app: asyncpg.Connection, sql: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await app.execute(sql)


async def test_a_login_without_grants_may_do_nothing(server: EmbeddedServer, dsn: str) -> None:
    name = f"nobody_{uuid4().hex[:8]}"
    owner = await asyncpg.connect(dsn)
    await owner.execute(f"CREATE ROLE {name} LOGIN")
    nobody = await asyncpg.connect(as_role(dsn, name))
    try:
        for sql in (
            "SELECT handfast.enqueue('a', 'b')",
            "TABLE handfast.jobs",
            "SELECT handfast_db.now()",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await nobody.execute(sql)
    finally:
        await nobody.close()
        await owner.execute(f"DROP ROLE {name}")
        await owner.close()
