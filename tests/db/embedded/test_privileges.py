"""Not being root, in each of the ways; and what must not change on the machine meanwhile."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from handfast.db.embedded import EmbeddedServer, status
from handfast.db.embedded.privileges import CAP_DAC_OVERRIDE, NO_NAMESPACE
from tests.support.embedded import (
    BIN_DIR,
    User,
    clean_folder,
    fetch,
    guardians,
    reachable_home,
    servers,
    until,
)

ROOT = os.geteuid() == 0
needs_root = pytest.mark.as_root


@pytest.fixture
def closed_place() -> Iterator[Path]:
    """A folder that only its owner can enter, as /root is."""
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        yield place
    finally:
        shutil.rmtree(place)


def facts(place: Path) -> list[tuple[str, int, int, int]]:
    """Mode and owner of every folder from here up."""
    found = [(path, path.stat()) for path in (place, *place.parents)]
    return [(str(path), each.st_mode, each.st_uid, each.st_gid) for path, each in found]


def accounts() -> tuple[str, str]:
    return Path("/etc/passwd").read_text(), Path("/etc/group").read_text()


def owners(pgdata: Path) -> set[int]:
    found: set[int] = set()
    for path in (pgdata, *pgdata.rglob("*")):
        with suppress(FileNotFoundError):  # a running server's files come and go
            found.add(path.lstat().st_uid)
    return found


def capabilities(data_dir: Path) -> set[int]:
    """Of the server's processes; the one of a session may end while we look."""
    found: set[int] = set()
    for process in servers(data_dir):
        with suppress(FileNotFoundError, ProcessLookupError):
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            found |= {int(line.split()[1], 16) for line in lines if line.startswith("CapEff:")}
    return found


def users(data_dir: Path) -> set[int]:
    """As whom the server's processes run."""
    found: set[int] = set()
    for process in servers(data_dir):
        with suppress(psutil.NoSuchProcess):
            found.add(process.uids().effective)
    return found


def way_down(data_dir: Path) -> str | None:
    now = status(data_dir)
    assert now is not None
    return now.privileges


@needs_root
@pytest.mark.parametrize("forbidden", [False, True])
async def test_root_makes_no_account_and_opens_no_folder(
    closed_place: Path, forbidden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if forbidden:
        monkeypatch.setenv(NO_NAMESPACE, "1")
    before = accounts(), facts(closed_place)
    with clean_folder(closed_place) as data_dir, EmbeddedServer(data_dir, bin_dir=BIN_DIR) as one:
        assert way_down(data_dir) == ("capabilities" if forbidden else "namespace")
        assert await fetch(one.dsn(), "SELECT 1") == 1
        wanted = 65534 if forbidden else 0
        assert owners(data_dir / "pgdata") == {wanted}
        assert users(data_dir) == {wanted}
        assert data_dir.stat().st_uid == 0
    assert (accounts(), facts(closed_place)) == before


@needs_root
async def test_without_namespaces_the_server_has_one_capability_and_dies_with_its_guardian(
    closed_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NO_NAMESPACE, "1")
    with clean_folder(closed_place) as data_dir, EmbeddedServer(data_dir, bin_dir=BIN_DIR) as one:
        await fetch(one.dsn(), "CREATE TABLE t AS SELECT 7 AS n")
        assert capabilities(data_dir) == {1 << CAP_DAC_OVERRIDE}
        guardians(data_dir)[0].kill()
        until(lambda: not servers(data_dir), "the server goes with its guardian")
        one.ensure()
        assert await fetch(one.dsn(), "SELECT n FROM t") == 7


@needs_root
async def test_a_folder_made_in_a_namespace_moves_to_a_machine_without(
    closed_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with clean_folder(closed_place) as data_dir:
        server = EmbeddedServer(data_dir, bin_dir=BIN_DIR)
        server.start()
        await fetch(server.dsn(), "CREATE TABLE t AS SELECT 7 AS n")
        server.stop(wait=True)

        monkeypatch.setenv(NO_NAMESPACE, "1")
        with server:
            assert way_down(data_dir) == "capabilities"
            assert owners(data_dir / "pgdata") == {65534}
            assert await fetch(server.dsn(), "SELECT n FROM t") == 7
            server.stop(wait=True)

        monkeypatch.delenv(NO_NAMESPACE)  # and back: it stays with its owner
        with server:
            assert way_down(data_dir) == "capabilities"
            assert await fetch(server.dsn(), "SELECT n FROM t") == 7


# A user namespace with all the users of this machine, in which the limit of namespaces is zero: as
# in a container whose profile forbids them, unshare fails there, and all else is as usual.
WORLD_WITHOUT_NAMESPACES = """
import ctypes, os, sys
ready, go = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    assert ctypes.CDLL(None).unshare(0x10000000) == 0
    os.write(ready[1], b".")
    os.read(go[0], 1)
    open("/proc/sys/user/max_user_namespaces", "w").write("0")
    assert ctypes.CDLL(None).unshare(0x10000000) != 0, "still allowed"
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
os.read(ready[0], 1)
for name in ("uid_map", "gid_map"):
    open(f"/proc/{child}/{name}", "w").write("0 0 65536")
os.write(go[1], b".")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@needs_root
@pytest.mark.on_linux
async def test_where_the_kernel_forbids_namespaces(closed_place: Path) -> None:
    world = (sys.executable, "-c", WORLD_WITHOUT_NAMESPACES)
    with clean_folder(closed_place) as data_dir, User(data_dir, program=world) as user:
        answer = user.ask("start")
        assert "dsn" in answer, answer
        assert way_down(data_dir) == "capabilities"
        assert await fetch(answer["dsn"], "SELECT 1") == 1
        assert owners(data_dir / "pgdata") == {65534}


@pytest.fixture
def open_place(closed_place: Path) -> Path:
    closed_place.chmod(0o755)
    return closed_place


@needs_root
@pytest.mark.parametrize(("uid", "way"), [(65534, "unchanged"), (12345, "namespace")])
async def test_an_ordinary_user_with_and_without_a_name(
    open_place: Path, uid: int, way: str
) -> None:
    home = reachable_home(open_place)
    with clean_folder(folder_of(uid, open_place)) as data_dir:
        with User(data_dir, uid=uid, **home) as user:
            answer = user.ask("start")
            assert "dsn" in answer, answer
            assert way_down(data_dir) == way
            await fetch(answer["dsn"], "CREATE TABLE t AS SELECT 7 AS n")
            assert owners(data_dir / "pgdata") == {uid}
            user.kill()
        until(lambda: not servers(data_dir) and not guardians(data_dir), "no process left")
        # Root, on the same folder, leaves it to its owner.
        with EmbeddedServer(data_dir, bin_dir=BIN_DIR) as server:
            assert way_down(data_dir) == "capabilities"
            assert await fetch(server.dsn(), "SELECT n FROM t") == 7
            server.stop(wait=True)
        assert owners(data_dir / "pgdata") == {uid}
        with User(data_dir, uid=uid, **home) as user:
            assert await fetch(user.ask("start")["dsn"], "SELECT n FROM t") == 7


def folder_of(uid: int, place: Path) -> Path:
    folder = place / "theirs"
    folder.mkdir()
    os.chown(folder, uid, uid)
    return folder


@pytest.mark.as_user
async def test_whoever_we_are_if_not_root(tmp_path: Path) -> None:
    with clean_folder(tmp_path) as data_dir, EmbeddedServer(data_dir, bin_dir=BIN_DIR) as server:
        assert way_down(data_dir) == "unchanged"
        assert await fetch(server.dsn(), "SELECT 1") == 1
