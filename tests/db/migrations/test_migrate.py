"""Migrations: whole or not at all, once however many try, and never behind anybody's back."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from handfast import __version__
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations import lock
from handfast.db.migrations.errors import (
    DatabaseNewer,
    MigrationEdited,
    MigrationFailed,
    MigrationsInvalid,
    MigrationsPending,
)
from handfast.db.migrations.files import shipped
from handfast.db.migrations.migrate import migrate, require_migrated, status
from handfast.db.migrations.versions import parsed
from handfast.db.pool import Database
from tests.support.eventually import eventually_async

BOOTSTRAP = shipped().migrations[0].sql
KILLS_MIN = 3


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of files of our own, with the baseline of db in it."""
    write(tmp_path, "migrations/db/0001_baseline.sql", BOOTSTRAP)
    (tmp_path / "functions" / "db").mkdir(parents=True)
    return tmp_path


@pytest.fixture
async def empty(empty_dsn: str) -> AsyncIterator[Database]:
    async with await Database.open(Target(empty_dsn)) as database:
        yield database


def write(root: Path, name: str, sql: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(textwrap.dedent(sql))


async def value(database: Database, sql: str) -> object:
    async with database.connection() as connection:
        return await connection.fetchval(sql)


@pytest.mark.on_every_postgres
async def test_twice_is_once(empty: Database) -> None:
    first = await migrate(empty)
    assert first.applied == [m.full_name for m in shipped().migrations]
    second = await migrate(empty)
    assert second.applied == []
    report = await status(empty)
    assert (report.pending, len(report.applied)) == ([], len(first.applied))


async def test_ten_processes_on_an_empty_database(empty_dsn: str, empty: Database) -> None:
    environment = {**os.environ, "DATABASE_URL": empty_dsn}
    command = [sys.executable, "-m", "handfast", "migrate", "--json"]
    processes = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(10)
    ]
    outputs = await asyncio.gather(*(asyncio.to_thread(p.communicate) for p in processes))
    assert [p.returncode for p in processes] == [0] * 10, outputs
    applied = sum(out.count(b"db/0001_baseline.sql") for out, _ in outputs)
    assert applied == 1, "exactly one of them did it"
    assert (await status(empty)).pending == []


async def test_killed_at_any_moment(
    root: Path, empty_dsn: str, empty: Database, chance: random.Random
) -> None:
    """SIGKILL at random moments; each file is there as a whole and recorded, or not at all."""
    numbers = range(2, 10)
    write_parts(root, numbers)
    program = textwrap.dedent("""
        import asyncio, sys
        from pathlib import Path
        from handfast.db.connect import Target
        from handfast.db.migrations.migrate import migrate
        from handfast.db.migrations.files import shipped
        from handfast.db.pool import Database
        async def main():
            async with await Database.open(Target(sys.argv[1])) as database:
                print("go", flush=True)
                await migrate(database, shipped(Path(sys.argv[2])))
        asyncio.run(main())
    """)
    kills, patience = 0, 0.12
    while (await status(empty, shipped(root))).pending:
        process = subprocess.Popen(
            [sys.executable, "-c", program, empty_dsn, str(root)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        await asyncio.to_thread(process.stdout.readline)
        try:
            await asyncio.to_thread(process.wait, chance.uniform(0.0, patience))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            kills += 1
            patience *= 1.2  # a busy machine needs more time to get anywhere
        await asyncio.to_thread(process.wait)
        process.stdout.close()
        applied = (await status(empty, shipped(root))).applied
        # The killed session may live on for a moment, and commit what it was told to commit.
        await eventually_async(lambda: no_other_sessions(empty))
        applied = (await status(empty, shipped(root))).applied
        parts = await value(
            empty,
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'handfast_db' AND tablename ~"
            " '^part'",
        )
        assert parts == max(0, len(applied) - 1)
        if kills < KILLS_MIN and len(applied) == numbers.stop - 1:
            # It got through while we were held up ourselves: there is more to do.
            numbers = range(2, numbers.stop + 8)
            write_parts(root, numbers)
    assert kills >= KILLS_MIN, "nothing was interrupted, so nothing was shown"
    for number in numbers:
        assert await value(empty, f"SELECT count(*) FROM handfast_db.part_{number}") == 1


def write_parts(root: Path, numbers: range) -> None:
    for number in numbers:
        write(
            root,
            f"migrations/db/{number:04d}_part.sql",
            f"""
            CREATE TABLE handfast_db.part_{number} (id int);
            SELECT pg_sleep(0.03);
            INSERT INTO handfast_db.part_{number} VALUES (1);
            """,
        )


async def no_other_sessions(database: Database) -> bool:
    async with database.connection() as connection:
        return bool(
            await connection.fetchval(
                "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database()"
                " AND state <> 'idle' AND pid <> pg_backend_pid()"
            )
        )


async def test_a_failing_file_leaves_nothing(root: Path, empty: Database) -> None:
    write(root, "migrations/db/0002_good.sql", "CREATE TABLE handfast_db.good (id int);")
    write(
        root, "migrations/db/0003_bad.sql", "CREATE TABLE handfast_db.half (id int); SELECT 1 / 0;"
    )
    with pytest.raises(MigrationFailed, match=r"db/0003_bad\.sql: division by zero"):
        await migrate(empty, shipped(root))
    report = await status(empty, shipped(root))
    assert report.pending == ["db/0003_bad.sql"]
    assert await value(empty, "SELECT to_regclass('handfast_db.half')") is None
    write(root, "migrations/db/0003_bad.sql", "CREATE TABLE handfast_db.half (id int);")
    assert (await migrate(empty, shipped(root))).applied == ["db/0003_bad.sql"]


async def test_an_edited_file_is_refused(root: Path, empty: Database) -> None:
    write(root, "migrations/db/0002_more.sql", "CREATE TABLE handfast_db.more (id int);")
    await migrate(empty, shipped(root))
    write(root, "migrations/db/0002_more.sql", "CREATE TABLE handfast_db.more (id bigint);")
    write(root, "migrations/db/0003_next.sql", "CREATE TABLE handfast_db.next (id int);")
    with pytest.raises(MigrationEdited, match=r"db/0002_more\.sql was applied on"):
        await migrate(empty, shipped(root))
    assert await value(empty, "SELECT to_regclass('handfast_db.next')") is None


async def test_a_newer_database_is_refused(root: Path, empty: Database) -> None:
    old = shipped(root)
    write(root, "migrations/db/0002_more.sql", "CREATE TABLE handfast_db.more (id int);")
    await migrate(empty, shipped(root))
    with pytest.raises(DatabaseNewer, match=r"db/0002_more\.sql"):
        await migrate(empty, old)
    await require_migrated(empty, old)  # an old worker may go on meanwhile


async def test_older_functions_never_replace_newer_ones(root: Path, empty: Database) -> None:
    function = (
        "CREATE OR REPLACE FUNCTION handfast_db.answer() RETURNS int LANGUAGE sql AS 'SELECT {}';"
    )
    write(root, "functions/db/part/answer.sql", function.format(2))
    await migrate(empty, shipped(root))
    async with empty.transaction() as tx:
        await tx.execute("UPDATE handfast_db.functions SET version = '99.0.0'")
    write(root, "functions/db/part/answer.sql", function.format(1))
    with pytest.raises(DatabaseNewer, match=rf"99\.0\.0; this is {__version__}"):
        await migrate(empty, shipped(root))
    assert await value(empty, "SELECT handfast_db.answer()") == 2


async def test_functions_are_put_back(root: Path, empty: Database) -> None:
    function = (
        "CREATE OR REPLACE FUNCTION handfast_db.answer() RETURNS int LANGUAGE sql AS 'SELECT {}';"
    )
    write(root, "functions/db/part/answer.sql", function.format(1))
    await migrate(empty, shipped(root))
    write(root, "functions/db/part/answer.sql", function.format(2))
    await migrate(empty, shipped(root))
    assert await value(empty, "SELECT handfast_db.answer()") == 2
    async with empty.transaction() as tx:
        await tx.execute(function.format(3))
    await migrate(empty, shipped(root))
    assert await value(empty, "SELECT handfast_db.answer()") == 2, (
        "what was changed by hand is put back"
    )


async def test_only_what_changed_is_replaced(root: Path, empty: Database) -> None:
    """In the files, or in the database; also an attribute, or one that was dropped."""
    names = ("one", "two", "three", "four")
    function = (
        "CREATE OR REPLACE FUNCTION handfast_db.{}() RETURNS int LANGUAGE sql AS 'SELECT {}';"
    )
    for name in names:
        write(root, f"functions/db/part/{name}.sql", function.format(name, 1))
    await migrate(empty, shipped(root))
    versions = (
        "SELECT jsonb_object_agg(proname, xmin::text)::text FROM pg_proc"
        " WHERE pronamespace = 'handfast_db'::regnamespace"
    )
    before = json.loads(str(await value(empty, versions)))
    await migrate(empty, shipped(root))
    assert json.loads(str(await value(empty, versions))) == before
    write(root, "functions/db/part/one.sql", function.format("one", 2))
    async with empty.transaction() as tx:
        await tx.execute("ALTER FUNCTION handfast_db.two() SECURITY DEFINER")
        await tx.execute("DROP FUNCTION handfast_db.three()")
    await migrate(empty, shipped(root))
    after = json.loads(str(await value(empty, versions)))
    assert {name for name in names if after[name] != before[name]} == {"one", "two", "three"}
    assert not await value(empty, "SELECT bool_or(prosecdef) FROM pg_proc WHERE proname = 'two'")


async def test_nothing_new_writes_next_to_nothing(
    tmp_path: Path, postgres_bin: Path | None
) -> None:
    """On a server of its own, where nobody else writes. It was half a megabyte."""
    alone = EmbeddedServer(
        tmp_path / "alone", bin_dir=postgres_bin, settings={"autovacuum": "off", "fsync": "off"}
    )
    with alone:
        async with await Database.open(Target(alone.dsn())) as database:
            await migrate(database)
            before = await value(database, "SELECT pg_current_wal_insert_lsn()::text")
            await migrate(database)
            after = await value(database, "SELECT pg_current_wal_insert_lsn()::text")
            written = await value(database, f"SELECT pg_wal_lsn_diff('{after}', '{before}')")
    assert int(str(written)) < 16384, "what reading the catalogue tidies up, and no more"


async def test_a_changed_signature_wants_a_new_name(root: Path, empty: Database) -> None:
    function = (
        "CREATE OR REPLACE FUNCTION handfast_db.answer({}) RETURNS int LANGUAGE sql AS 'SELECT 1';"
    )
    write(root, "functions/db/part/answer.sql", function.format(""))
    await migrate(empty, shipped(root))
    write(root, "functions/db/part/answer.sql", function.format("a int"))
    with pytest.raises(MigrationsInvalid, match=r"db\.answer would exist with two signatures"):
        await migrate(empty, shipped(root))
    assert await value(empty, "SELECT handfast_db.answer()") == 1


async def test_a_busy_table_is_not_waited_for_for_ever(
    root: Path, empty: Database, empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "TABLE_TIMEOUT", "100ms")
    write(root, "migrations/db/0002_busy.sql", "CREATE TABLE handfast_db.busy (id int);")
    await migrate(empty, shipped(root))
    write(root, "migrations/db/0003_alter.sql", "ALTER TABLE handfast_db.busy ADD COLUMN more int;")
    reader = await asyncpg.connect(empty_dsn)
    try:
        async with reader.transaction():
            await reader.execute("SELECT * FROM handfast_db.busy")
            with pytest.raises(MigrationFailed, match="another session is using the same table"):
                await migrate(empty, shipped(root))
    finally:
        await reader.close()
    assert (await migrate(empty, shipped(root))).applied == ["db/0003_alter.sql"]


async def test_a_lock_that_is_never_let_go_is_not_waited_for_for_ever(
    root: Path, empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "LOCK_SECONDS_MAX", 0.2)
    async with empty.transaction() as tx:
        await tx.execute("SELECT pg_advisory_xact_lock($1)", lock.LOCK)
        with pytest.raises(MigrationFailed, match=r"migrating .* for 0\.2 seconds"):
            await migrate(empty, shipped(root))
    assert (await migrate(empty, shipped(root))).applied == ["db/0001_baseline.sql"]


def test_versions_compare() -> None:
    order = ["what", "0.1.0", "0.2.0.dev3", "0.2.0a1", "0.2.0rc1", "0.2.0rc2", "0.2.0"]
    order += ["0.2.0.post1", "0.2.1", "0.10.0", "1.0"]
    found = [parsed(version) for version in order]
    assert found == sorted(found)
    assert len(set(found)) == len(order)
    assert parsed("0.2") == parsed("0.2.0")


async def test_require_migrated(root: Path, empty: Database) -> None:
    with pytest.raises(MigrationsPending, match="handfast migrate"):
        await require_migrated(empty, shipped(root))
    await migrate(empty, shipped(root))
    await require_migrated(empty, shipped(root))


# --- concurrent index builds ------------------------------------------------------------------


def with_index(root: Path) -> None:
    write(root, "migrations/db/0002_big.sql", "CREATE TABLE handfast_db.big (id int);")
    write(
        root,
        "migrations/db/0003_big_index.concurrent.sql",
        "-- why: lookups\nCREATE UNIQUE INDEX CONCURRENTLY big_id ON handfast_db.big (id);",
    )


async def test_a_concurrent_index_is_built(root: Path, empty: Database) -> None:
    with_index(root)
    await migrate(empty, shipped(root))
    assert await value(
        empty, "SELECT indisvalid FROM pg_index WHERE indexrelid = 'handfast_db.big_id'::regclass"
    )


async def test_a_cut_off_index_build_is_resumed(root: Path, empty: Database) -> None:
    with_index(root)
    async with empty.transaction() as tx:
        await tx.execute(BOOTSTRAP)
        await tx.execute("CREATE TABLE handfast_db.big (id int)")
        await tx.execute("INSERT INTO handfast_db.big VALUES (1), (1)")
        for migration in shipped(root).migrations[:2]:
            await tx.execute(
                "INSERT INTO handfast_db.migrations VALUES ('db', $1, $2, $3, $4)",
                *(migration.number, migration.name, migration.checksum, __version__),
            )
    with pytest.raises(MigrationFailed, match="could not create unique index"):
        await migrate(empty, shipped(root))
    invalid = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('handfast_db.big_id')"
    assert await value(empty, invalid) is False, "the build left its remains behind"
    async with empty.transaction() as tx:
        await tx.execute("DELETE FROM handfast_db.big")
    assert (await migrate(empty, shipped(root))).applied == ["db/0003_big_index.concurrent.sql"]
    assert await value(empty, invalid) is True


async def test_a_built_index_that_was_not_recorded_is_kept(root: Path, empty: Database) -> None:
    """Killed between the build and its record: the next run records it and builds nothing."""
    with_index(root)
    await migrate(empty, shipped(root))
    made = "SELECT 'handfast_db.big_id'::regclass::oid"
    before = await value(empty, made)
    async with empty.transaction() as tx:
        await tx.execute("DELETE FROM handfast_db.migrations WHERE number = 3")
    await migrate(empty, shipped(root))
    assert await value(empty, made) == before


async def test_many_build_one_index(root: Path, empty: Database, empty_dsn: str) -> None:
    with_index(root)
    pools = [await Database.open(Target(empty_dsn), pool_size=2) for _ in range(5)]
    reports = await asyncio.gather(*(migrate(pool, shipped(root)) for pool in pools))
    for pool in pools:
        await pool.close()
    assert sum(len(report.applied) for report in reports) == 3


# --- files that are not in order --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sql", "said"),
    [
        ("migrations/db/0003_hole.sql", "SELECT 1;", "should be number 0002"),
        ("migrations/db/0001_twice.sql", "SELECT 1;", "should be number"),
        ("migrations/db/2_short.sql", "SELECT 1;", "is not a migration's name"),
        ("migrations/nowhere/0001_x.sql", "SELECT 1;", "nowhere is not a schema of ours"),
        ("migrations/0002_x.sql", "SELECT 1;", "in the folder of their schema"),
        ("migrations/db/0002_x.concurrent.sql", "CREATE TABLE a (b int);", "exactly one statement"),
        (
            "migrations/db/0002_x.concurrent.sql",
            "CREATE INDEX CONCURRENTLY i ON handfast_db.t (a); DROP TABLE handfast_db.t;",
            "exactly one statement",
        ),
        (
            "functions/db/part/other.sql",
            "CREATE OR REPLACE FUNCTION handfast_db.name() …",
            "does not create",
        ),
    ],
)
def test_files_that_are_not_in_order(root: Path, name: str, sql: str, said: str) -> None:
    write(root, name, sql)
    with pytest.raises(MigrationsInvalid, match=said):
        shipped(root)


async def test_a_pool_of_one_is_enough(root: Path, empty_dsn: str) -> None:
    """An index that is built concurrently needs a connection beside the one that holds the lock."""
    with_index(root)
    async with await Database.open(Target(empty_dsn), pool_size=1) as database:
        async with asyncio.timeout(60):
            report = await migrate(database, shipped(root))
    assert "db/0003_big_index.concurrent.sql" in report.applied


def test_the_order_of_functions_is_not_the_file_systems(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files of one name in two parts: a checksum must be the same wherever they lie."""
    for schema, part in (("db", "part"), ("handfast", "face")):
        create = (
            f"CREATE OR REPLACE FUNCTION {'handfast_db' if schema == 'db' else schema}.answer()"
        )
        write(root, f"functions/db/{part}/answer.sql", f"{create} RETURNS int RETURN 1;")
    listed = Path.glob
    orders = []
    for turn in (list, lambda files: list(files)[::-1]):
        monkeypatch.setattr(Path, "glob", lambda at, what, turn=turn: turn(listed(at, what)))
        orders.append([function.full_name for function in shipped(root).functions])
        monkeypatch.undo()
    assert orders[0] == orders[1] == ["handfast.answer", "handfast_db.answer"]
