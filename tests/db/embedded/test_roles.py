"""Who works in the embedded database: an ordinary role, which leaves the superuser a way in."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import asyncpg
import pytest

from handfast.apps.runs.work import runs_target
from handfast.db.connect import Target, connect
from handfast.db.embedded import EmbeddedServer
from handfast.db.embedded.errors import DataFolderUnusable
from handfast.db.errors import DatabaseUnreachable
from handfast.wiring import load_settings, open_system
from tests.support.embedded import BIN_DIR, clean_folder, fetch


@pytest.fixture
async def data_dir(tmp_path: Path) -> AsyncIterator[Path]:
    with clean_folder(tmp_path) as folder:
        yield folder


async def test_a_full_server_leaves_room_for_a_person(data_dir: Path) -> None:
    few = {"max_connections": "12"}  # of which three are reserved
    with EmbeddedServer(data_dir, bin_dir=BIN_DIR, settings=few) as server:
        target = Target(server.app_dsn(), setting=None)
        async with AsyncExitStack() as stack:
            with pytest.raises(DatabaseUnreachable, match="fewer processes") as full:
                for _ in range(12):
                    connection = await connect(target)
                    stack.push_async_callback(connection.close)
            assert "connection slots" in full.value.detail
            assert await fetch(server.dsn(), "SELECT current_setting('is_superuser')") == "on"
            with EmbeddedServer(data_dir, bin_dir=BIN_DIR):  # nor does it look dead
                pass


async def test_a_folder_of_an_unreleased_build_is_refused(data_dir: Path) -> None:
    """Its superuser was called like the schema handfast."""
    with EmbeddedServer(data_dir, bin_dir=BIN_DIR) as server:
        await fetch(server.dsn(), "CREATE ROLE helper SUPERUSER LOGIN")
        helper = server.dsn().replace("handfast_owner@", "helper@")
        await fetch(helper, "ALTER ROLE handfast_owner RENAME TO handfast")
        with pytest.raises(DataFolderUnusable, match=r"before its first release.*--data-dir"):
            EmbeddedServer(data_dir, bin_dir=BIN_DIR).start()


async def test_nobody_is_called_like_the_schema(data_dir: Path) -> None:
    with EmbeddedServer(data_dir, bin_dir=BIN_DIR) as server:
        roles = "SELECT string_agg(rolname, ' ' ORDER BY rolname) FROM pg_roles WHERE rolcanlogin"
        assert await fetch(server.dsn(), roles) == "handfast_app handfast_owner handfast_runs"


async def test_all_of_it_works_without_a_superuser(data_dir: Path) -> None:
    """Also in a folder of an older version, whose tables are the superuser's."""
    settings = load_settings(data_dir=data_dir, postgres_bin=BIN_DIR)
    with EmbeddedServer(data_dir, bin_dir=BIN_DIR) as server:
        connection = await asyncpg.connect(server.dsn())
        try:  # as an older version left it
            await connection.execute("CREATE TABLE public.theirs (id int)")
            await connection.execute("DROP OWNED BY handfast_app")
            await connection.execute("DROP ROLE handfast_app")
            await connection.execute("GRANT TEMPORARY ON DATABASE handfast TO PUBLIC")
        finally:
            await connection.close()
        async with open_system(settings) as system, system.database.transaction() as tx:
            assert await tx.fetchval("SELECT current_user::text") == "handfast_app"
            assert await tx.fetchval("SELECT current_setting('is_superuser')") == "off"
            await tx.execute("ALTER TABLE public.theirs ADD COLUMN more int")
            await tx.execute("CREATE TEMPORARY TABLE ours (id int)")
            reader = await asyncpg.connect(runs_target(system).dsn)
        try:
            for refused in (
                "CREATE TEMPORARY TABLE t (id int)",
                "SELECT lo_create(0)",
                "SELECT lo_creat(-1)",
                "SELECT lo_from_bytea(0, 'x')",
            ):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await reader.execute(refused)
        finally:
            await reader.close()
