"""One server, many users: who starts it, who ends it, and what survives whose death."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import psutil
import pytest

from handfast.db.embedded import EmbeddedServer, find_binaries, status, stop
from tests.support.embedded import (
    BIN_DIR,
    PATIENCE_SECONDS,
    SOURCES,
    User,
    bystander,
    clean_folder,
    fetch,
    guardians,
    servers,
    until,
)
from tests.support.eventually import eventually_async

# How asyncpg says that a server has gone. The last one comes when the server's farewell (57P01)
# arrives just as the next query is sent.
LOST = (
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    with clean_folder(tmp_path) as folder:
        yield folder


def server_for(data_dir: Path, **settings: str) -> EmbeddedServer:
    return EmbeddedServer(data_dir, bin_dir=BIN_DIR, settings=settings)


def until_gone(data_dir: Path) -> None:
    until(lambda: not servers(data_dir) and not guardians(data_dir), "no process left")


def half_made(data_dir: Path) -> list[Path]:
    return list(data_dir.glob("pgdata.new-*/base"))


async def until_row(dsn: str, sql: str, wanted: object) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                assert await fetch(dsn, sql) == wanted
                return
            except LOST:
                await asyncio.sleep(0.02)


# --- one user ---------------------------------------------------------------------------------


async def test_data_survives_stop_and_start(data_dir: Path) -> None:
    server = server_for(data_dir)
    server.start()
    await fetch(server.dsn(), "CREATE TABLE kept AS SELECT 42 AS n")
    server.stop(wait=True)
    assert status(data_dir) is None
    assert not servers(data_dir)
    with server:
        assert await fetch(server.dsn(), "SELECT n FROM kept") == 42


async def test_start_twice_and_from_many_threads_is_one_server(data_dir: Path) -> None:
    with server_for(data_dir) as server:
        threads = [threading.Thread(target=server.ensure) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(guardians(data_dir)) == 1
        assert await fetch(server.dsn(), "SELECT 1") == 1


async def test_settings_are_durable_even_if_the_configuration_says_otherwise(
    data_dir: Path,
) -> None:
    server = server_for(data_dir)
    server.start()
    await fetch(server.dsn(), "ALTER SYSTEM SET fsync = off")
    server.stop(wait=True)
    with (data_dir / "pgdata" / "postgresql.conf").open("a") as conf:
        conf.write("\nsynchronous_commit = off\nfull_page_writes = off\n")
    with server:
        for name in ("fsync", "synchronous_commit", "full_page_writes", "data_checksums"):
            assert await fetch(server.dsn(), f"SHOW {name}") == "on", name
        assert await fetch(server.dsn(), "SHOW timezone") == "UTC"
        assert await fetch(server.dsn(), "SHOW server_encoding") == "UTF8"
        assert await fetch(server.dsn(), "SELECT upper('é')") == "É"
        assert await fetch(server.dsn(), "SELECT 'B' < 'a'"), "sorted by code point"


async def test_extra_settings_reach_the_server(data_dir: Path) -> None:
    with server_for(data_dir, max_connections="17", work_mem="5MB") as server:
        assert await fetch(server.dsn(), "SHOW max_connections") == "17"
        assert await fetch(server.dsn(), "SHOW work_mem") == "5MB"


async def test_nothing_listens_on_the_network(data_dir: Path) -> None:
    with server_for(data_dir):
        for process in servers(data_dir):
            with suppress(psutil.NoSuchProcess):  # a session's, which has just ended
                assert process.net_connections(kind="inet") == []
        facts = (data_dir / "run").stat()
        assert facts.st_mode & 0o777 == 0o700


async def test_another_database_is_created_beside_the_first(data_dir: Path) -> None:
    with server_for(data_dir) as server:
        with EmbeddedServer(data_dir, bin_dir=BIN_DIR, database='odd "name"') as other:
            address = other.address
            connection = await asyncpg.connect(
                host=address.host, port=address.port, user=address.user, database=address.database
            )
            assert await connection.fetchval("SELECT current_database()") == 'odd "name"'
            await connection.close()
        assert await fetch(server.dsn(), "SELECT current_database()") == "handfast"


async def test_a_full_server_is_still_a_server(data_dir: Path) -> None:
    tight = {"max_connections": "5", "superuser_reserved_connections": "0", "max_wal_senders": "0"}
    if find_binaries(BIN_DIR).major >= 16:
        tight["reserved_connections"] = "0"
    with server_for(data_dir, **tight) as server:
        held: list[asyncpg.Connection] = []

        async def full() -> bool:
            with suppress(asyncpg.TooManyConnectionsError):  # the launcher's own may still be there
                held.append(await asyncpg.connect(server.dsn()))
            return len(held) == 5

        await eventually_async(full)
        server.ensure()
        for connection in held:
            await connection.close()


# --- many users -------------------------------------------------------------------------------


async def test_ten_processes_start_at_once_on_an_empty_folder(data_dir: Path) -> None:
    users = [User(data_dir) for _ in range(10)]
    for user in users:
        user.tell("start")
    answers = [user.hear() for user in users]
    assert {answer.get("dsn") for answer in answers} == {answers[0]["dsn"]}, answers
    assert len(guardians(data_dir)) == 1
    before = status(data_dir)
    await fetch(answers[0]["dsn"], "CREATE TABLE t AS SELECT 7 AS n")

    with users[0] as first:  # the one that most likely started it
        first.leave()
    assert await fetch(answers[1]["dsn"], "SELECT n FROM t") == 7
    assert users[1].ask("ensure")["dsn"] == answers[1]["dsn"]
    assert status(data_dir) == before, "the server was not even restarted"

    for user in users[1:]:
        with user:
            pass
    until_gone(data_dir)


async def test_a_user_who_comes_as_the_last_one_leaves(data_dir: Path) -> None:
    with server_for(data_dir) as server:
        await fetch(server.dsn(), "CREATE TABLE t AS SELECT 7 AS n")
    for _ in range(8):  # each start meets the guardian of the one before on its way out
        with server_for(data_dir) as server:
            assert await fetch(server.dsn(), "SELECT n FROM t") == 7
    until_gone(data_dir)


async def test_ctrl_c_in_the_terminal_of_the_starter_is_not_for_the_server(data_dir: Path) -> None:
    with User(data_dir) as starter, User(data_dir) as other:
        starter.ask("start")
        dsn = other.ask("start")["dsn"]
        before = status(data_dir)
        os.killpg(starter.process.pid, signal.SIGINT)
        starter.process.wait(PATIENCE_SECONDS)
        assert await fetch(dsn, "SELECT 1") == 1
        assert status(data_dir) == before


# --- death ------------------------------------------------------------------------------------


async def test_the_only_user_is_killed_ten_times(data_dir: Path) -> None:
    for round_ in range(1, 11):
        with User(data_dir) as user:
            dsn = user.ask("start")["dsn"]
            await fetch(dsn, "CREATE TABLE IF NOT EXISTS t (n int)")
            await fetch(dsn, f"INSERT INTO t VALUES ({round_})")
            assert await fetch(dsn, "SELECT count(*) FROM t") == round_
            user.kill()
        until_gone(data_dir)


async def test_a_child_of_a_killed_user_does_not_hold_its_share(data_dir: Path) -> None:
    with User(data_dir) as user:
        user.ask("start")
        child = psutil.Process(user.ask("child")["child"])
        user.kill()
    until_gone(data_dir)
    assert child.is_running()
    child.kill()


async def test_the_guardian_is_killed(data_dir: Path) -> None:
    with server_for(data_dir) as server:
        await fetch(server.dsn(), "CREATE TABLE t AS SELECT 7 AS n")
        old = {process.pid for process in servers(data_dir)}
        guardians(data_dir)[0].kill()
        if sys.platform == "linux":
            until(lambda: not servers(data_dir), "the server goes with its guardian")
        server.ensure()
        assert await fetch(server.dsn(), "SELECT n FROM t") == 7
        assert not old & {process.pid for process in servers(data_dir)}
    until_gone(data_dir)


async def test_the_guardian_is_killed_and_ensure_does_not_wait(data_dir: Path) -> None:
    with server_for(data_dir) as server:
        await fetch(server.dsn(), "CREATE TABLE t AS SELECT 7 AS n")
        for _ in range(5):
            guardians(data_dir)[0].kill()
            # kill() returns before the guardian is dead, and until then its server is the right
            # answer. Dead is when its lock is free; the server may still be there, or stopping.
            until(lambda: status(data_dir) is None, "the guardian is dead")
            server.ensure()
            assert await fetch(server.dsn(), "SELECT n FROM t") == 7


async def test_the_postmaster_is_killed_and_comes_back_by_itself(data_dir: Path) -> None:
    with server_for(data_dir) as server:
        await fetch(server.dsn(), "CREATE TABLE t AS SELECT 7 AS n")
        before = status(data_dir)
        assert before is not None
        assert before.postmaster_pid is not None
        connection = await asyncpg.connect(server.dsn())
        asleep = asyncio.create_task(connection.execute("SELECT pg_sleep(300)"))
        psutil.Process(before.postmaster_pid).kill()
        await until_row(server.dsn(), "SELECT n FROM t", 7)
        with pytest.raises(LOST):
            await asleep
        connection.terminate()
        after = status(data_dir)
        assert after is not None
        assert after.guardian_pid == before.guardian_pid
        assert after.postmaster_pid != before.postmaster_pid


async def test_a_guardian_that_gave_up_is_replaced(data_dir: Path) -> None:
    with server_for(data_dir) as server:
        await fetch(server.dsn(), "CREATE TABLE t AS SELECT 7 AS n")
        first = guardians(data_dir)[0]

        def killed_again() -> bool:
            now = status(data_dir)
            if now is not None and now.ready and now.postmaster_pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(now.postmaster_pid, signal.SIGKILL)
            return not first.is_running()

        # Only deaths that follow each other closely count, and a busy disk draws recovery out.
        until(killed_again, "the guardian gives up", 4 * PATIENCE_SECONDS)
        server.ensure()
        assert await fetch(server.dsn(), "SELECT n FROM t") == 7


async def test_initdb_is_interrupted(data_dir: Path) -> None:
    with User(data_dir) as user:
        user.tell("start")
        until(lambda: half_made(data_dir), "initdb is at work")
        guardians(data_dir)[0].kill()
        user.kill()
    assert not (data_dir / "pgdata").exists()
    with server_for(data_dir) as server:
        assert await fetch(server.dsn(), "SELECT 1") == 1
    assert not half_made(data_dir)


async def test_a_half_made_cluster_is_cleared_away(data_dir: Path) -> None:
    leftover = data_dir / "pgdata.new-1"
    leftover.mkdir(parents=True)
    (leftover / "PG_VERSION").write_text("18\n")
    with server_for(data_dir):
        assert not leftover.exists()


async def test_users_come_and_leave_and_die_and_the_guardian_is_killed_among_them(
    data_dir: Path,
) -> None:
    """No script: five callers at once, each of whom may end in any way at any moment."""
    chance = random.Random(20261116)  # noqa: S311 - it only has to be the same each time
    written = 0

    async def come_and_go(rounds: int) -> None:
        nonlocal written
        for _ in range(rounds):
            with User(data_dir) as user:
                answer = await asyncio.to_thread(user.ask, "start")
                assert "dsn" in answer, answer
                if await insert_one(answer["dsn"]):
                    written += 1
                end = chance.choice(["leave", "kill", "guardian"])
                if end == "guardian":
                    for guardian in guardians(data_dir):
                        with suppress(psutil.NoSuchProcess):
                            guardian.kill()
                elif end == "kill":
                    user.kill()

    with server_for(data_dir) as server:
        await fetch(server.dsn(), "CREATE TABLE t (n int)")
    await asyncio.gather(*(come_and_go(6) for _ in range(5)))
    until_gone(data_dir)
    with server_for(data_dir) as server:
        found = await fetch(server.dsn(), "SELECT count(*) FROM t")
    assert found >= written > 0, "what was committed is there"


async def insert_one(dsn: str) -> bool:
    """False if the server went away under us: another caller may have killed its guardian."""
    try:
        await fetch(dsn, "INSERT INTO t VALUES (1)")
    except LOST:
        return False
    return True


# --- what a crash of the machine leaves -------------------------------------------------------


async def test_a_stale_file_whose_process_id_is_somebody_elses(data_dir: Path) -> None:
    with server_for(data_dir) as server:
        await fetch(server.dsn(), "CREATE TABLE t AS SELECT 7 AS n")
        words = (data_dir / "pgdata" / "postmaster.pid").read_text().splitlines()
        socket_dir = Path(server.address.host)
    until_gone(data_dir)
    with bystander() as innocent:
        stale = "\n".join([str(innocent.pid), *words[1:]]) + "\n"
        (data_dir / "pgdata" / "postmaster.pid").write_text(stale)
        (data_dir / "pgdata" / "postmaster.pid").chmod(0o600)
        (socket_dir / ".s.PGSQL.5432.lock").write_text(stale)
        with server_for(data_dir) as server:
            assert await fetch(server.dsn(), "SELECT n FROM t") == 7
        assert innocent.poll() is None, "nobody else's process was harmed"


ORPHAN_PROGRAM = """
import os, sys
from pathlib import Path
from handfast.db.embedded.privileges import step_down
pgdata, postgres, sockets = map(Path, sys.argv[1:])
step_down(pgdata, [pgdata.parent, postgres])
os.execv(postgres, [str(postgres), "-D", str(pgdata), "-c", "listen_addresses=",
                    "-c", f"unix_socket_directories={sockets}"])
"""


def start_orphan(data_dir: Path, sockets: str) -> "subprocess.Popen[bytes]":
    postgres = find_binaries(BIN_DIR).postgres
    return subprocess.Popen(
        [sys.executable, "-c", ORPHAN_PROGRAM, data_dir / "pgdata", postgres, sockets],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture
async def orphan(data_dir: Path) -> "subprocess.Popen[bytes]":
    """A server without a guardian, as a killed one leaves it where the kernel does not help."""
    with server_for(data_dir) as server:
        await fetch(server.dsn(), "CREATE TABLE t AS SELECT 7 AS n")
        dsn, sockets = server.dsn(), server.address.host
    until_gone(data_dir)
    process = start_orphan(data_dir, sockets)
    await until_row(dsn, "SELECT n FROM t", 7)
    return process


async def test_an_orphaned_server_is_replaced(
    data_dir: Path, orphan: "subprocess.Popen[bytes]"
) -> None:
    with server_for(data_dir) as server:
        assert orphan.wait(PATIENCE_SECONDS) == 0
        assert await fetch(server.dsn(), "SELECT n FROM t") == 7
        now = status(data_dir)
        assert now is not None
        assert now.postmaster_pid != orphan.pid


async def test_an_orphaned_server_can_be_stopped(
    data_dir: Path, orphan: "subprocess.Popen[bytes]"
) -> None:
    assert status(data_dir) is None
    assert stop(data_dir)
    assert orphan.wait(PATIENCE_SECONDS) == 0


# --- kept servers -----------------------------------------------------------------------------


async def test_a_kept_server_stays_until_it_is_stopped(data_dir: Path) -> None:
    with User(data_dir) as plain, User(data_dir, keep=True) as keeper:
        dsn = plain.ask("start")["dsn"]
        keeper.ask("start")
        before = status(data_dir)
        assert before is not None
        assert before.kept
    # Both are gone. The guardian had the lock, saw the wish, and let go of it again:
    with server_for(data_dir):
        assert status(data_dir) == before
    assert await fetch(dsn, "SELECT 1") == 1
    assert stop(data_dir)
    assert status(data_dir) is None
    assert not servers(data_dir)
    assert not stop(data_dir)


async def test_a_server_that_was_stopped_under_its_user_comes_back(data_dir: Path) -> None:
    with server_for(data_dir) as server:
        assert stop(data_dir)
        assert not servers(data_dir)
        server.ensure()
        assert await fetch(server.dsn(), "SELECT 1") == 1


def test_status_and_stop_of_a_folder_that_is_not_there(data_dir: Path) -> None:
    assert status(data_dir) is None
    assert not stop(data_dir)
    assert not data_dir.exists()
