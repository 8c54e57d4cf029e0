"""Views are replaced like functions: when they changed, in the files or in the database."""

import json
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handfast.db.connect import Target
from handfast.db.migrations.errors import MigrationFailed, MigrationsInvalid
from handfast.db.migrations.files import shipped
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database

pytestmark = pytest.mark.on_every_postgres

BOOTSTRAP = shipped().migrations[0].sql
ENGINE = (
    "CREATE SCHEMA handfast_engine; CREATE SCHEMA handfast;CREATE TABLE handfast_engine.t (id int);"
)
PRIVATE = "CREATE OR REPLACE VIEW handfast_engine.zeta AS SELECT t.id FROM handfast_engine.t AS t;"
# Its name comes before that of what it needs, and so does its room's part.
PUBLIC = "CREATE OR REPLACE VIEW handfast.alpha AS SELECT z.id{} FROM handfast_engine.zeta AS z;"
FUNCTION = (
    "CREATE OR REPLACE FUNCTION handfast.beta(id int) RETURNS bigint LANGUAGE sql"
    " AS 'SELECT count(*) FROM handfast.alpha';"
)


def write(root: Path, name: str, sql: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(textwrap.dedent(sql))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "migrations/db/0001_baseline.sql", BOOTSTRAP)
    write(tmp_path, "migrations/engine/0001_baseline.sql", ENGINE)
    write(tmp_path, "functions/engine/part/zeta.sql", PRIVATE)
    write(tmp_path, "functions/engine/face/alpha.sql", PUBLIC.format(""))
    write(tmp_path, "functions/engine/face/beta.sql", FUNCTION)
    return tmp_path


@pytest.fixture
async def empty(empty_dsn: str) -> AsyncIterator[Database]:
    async with await Database.open(Target(empty_dsn)) as database:
        yield database


async def value(database: Database, sql: str) -> object:
    async with database.connection() as connection:
        return await connection.fetchval(sql)


async def versions(database: Database) -> dict[str, str]:
    sql = (
        "SELECT jsonb_object_agg(c.oid::regclass, (SELECT max(r.xmin::text::bigint) FROM pg_rewrite"
        " AS r WHERE r.ev_class = c.oid))::text FROM pg_class AS c WHERE c.relkind = 'v'"
        " AND c.relnamespace IN ('handfast'::regnamespace, 'handfast_engine'::regnamespace)"
    )
    found: dict[str, str] = json.loads(str(await value(database, sql)))
    return found


async def test_views_come_after_what_they_mention(root: Path, empty: Database) -> None:
    await migrate(empty, shipped(root))
    assert await value(empty, "SELECT handfast.beta(1)") == 0


async def test_only_what_changed_is_replaced(root: Path, empty: Database) -> None:
    await migrate(empty, shipped(root))
    before = await versions(empty)
    await migrate(empty, shipped(root))
    assert await versions(empty) == before
    write(root, "functions/engine/face/alpha.sql", PUBLIC.format(", 1 AS more"))
    await migrate(empty, shipped(root))
    after = await versions(empty)
    assert {name for name in before if before[name] != after[name]} == {"handfast.alpha"}
    assert await value(empty, "SELECT count(more) FROM handfast.alpha") == 0


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE OR REPLACE VIEW handfast.alpha AS SELECT 7 AS id",
        "ALTER VIEW handfast.alpha SET (security_invoker = true)",
        "DROP VIEW handfast.alpha",
    ],
)
async def test_what_was_changed_by_hand_is_put_back(root: Path, empty: Database, sql: str) -> None:
    await migrate(empty, shipped(root))
    what = (
        "SELECT pg_get_viewdef(c.oid) || coalesce(c.reloptions::text, '') FROM pg_class AS c"
        " WHERE c.oid = 'handfast.alpha'::regclass"
    )
    before = await value(empty, what)
    async with empty.transaction() as tx:
        await tx.execute(sql)
    await migrate(empty, shipped(root))
    assert await value(empty, what) == before


async def test_a_view_only_grows(root: Path, empty: Database) -> None:
    """PostgreSQL holds us to it: a column that is gone is refused, and nothing was changed."""
    await migrate(empty, shipped(root))
    gone = "CREATE OR REPLACE VIEW handfast.alpha AS SELECT 1 AS other;"
    write(root, "functions/engine/face/alpha.sql", gone)
    with pytest.raises(
        MigrationFailed, match=r"handfast\.alpha: cannot change name of view column"
    ):
        await migrate(empty, shipped(root))
    assert await value(empty, "SELECT count(id) FROM handfast.alpha") == 0


async def test_what_a_release_no_longer_has_is_left_and_stays_ours(
    root: Path, empty: Database
) -> None:
    await migrate(empty, shipped(root))
    (root / "functions/engine/face/beta.sql").unlink()
    for _ in range(2):  # nobody takes it for a stranger's
        await migrate(empty, shipped(root))
    assert await value(empty, "SELECT handfast.beta(1)") == 0


def test_two_rooms_cannot_share_a_name_of_the_face(root: Path) -> None:
    write(root, "functions/db/face/alpha.sql", PUBLIC.format(""))
    with pytest.raises(MigrationsInvalid, match=r"handfast\.alpha is created by two files"):
        shipped(root)


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("functions/engine/face/gamma.sql", PUBLIC.format("")),
        ("functions/engine/part/beta.sql", FUNCTION),
        ("functions/engine/face/zeta.sql", PRIVATE),
    ],
)
def test_a_file_creates_what_it_is_called_where_it_stands(root: Path, name: str, sql: str) -> None:
    write(root, name, sql)
    with pytest.raises(MigrationsInvalid, match="does not create"):
        shipped(root)
