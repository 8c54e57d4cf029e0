"""A server whose log writer hardly ever writes by itself, and which can be crashed: what was not
waited for really is lost."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

import psutil

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.pool import Database
from tests.support.eventually import eventually_async

SETTINGS: Mapping[str, str] = {
    "wal_writer_delay": "10000ms",
    "wal_writer_flush_after": "1GB",
    "autovacuum": "off",
    "bgwriter_delay": "10000ms",
}


def forgetful_server(folder: Path, bin_dir: Path | None) -> EmbeddedServer:
    return EmbeddedServer(folder, bin_dir=bin_dir, settings=SETTINGS)


def target_of(server: EmbeddedServer) -> Target:
    """Whoever connects starts it again."""
    return Target(server.dsn(), setting=None, revive=server.ensure)


async def just_after_a_flush(database: Database) -> None:
    """The log writer looks every ten seconds, which is as rarely as it can be told to. What is
    written from here on has nearly all of them before it looks again. Nothing else may write."""
    async with database.connection() as connection:
        async with connection.transaction():
            await connection.execute("SET LOCAL synchronous_commit = off")
            await connection.execute("SELECT pg_current_xact_id()")  # else it would write nothing
            before = await connection.fetchval("SELECT pg_current_wal_insert_lsn()::text")

        async def flushed() -> bool:
            sql = "SELECT pg_current_wal_flush_lsn() > $1::text::pg_lsn"
            return bool(await connection.fetchval(sql, before))

        await eventually_async(flushed)


async def postmaster_of(database: Database) -> psutil.Process:
    async with database.connection() as connection:
        backend = await connection.fetchval("SELECT pg_backend_pid()")
    postmaster = psutil.Process(backend).parent()
    assert postmaster is not None
    return postmaster


def kill_all(postmaster: psutil.Process) -> None:
    """Every process of the server dies at once, with what it had in memory."""
    postmaster.suspend()  # it must not tidy up after the first that dies
    for process in [*postmaster.children(), postmaster]:
        with contextlib.suppress(psutil.NoSuchProcess):  # some end by themselves at any time
            process.kill()


async def crash(database: Database) -> None:
    kill_all(await postmaster_of(database))
