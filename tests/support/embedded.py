"""Real processes around the embedded server: users who live and die, and a look at what is left."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self, TypeVar

import asyncpg
import psutil

from handfast.db.embedded import find_binaries, stop

T = TypeVar("T")

SOURCES = Path(__file__).parents[2] / "src"
# The whole suite runs on another PostgreSQL when this names its programs.
_NAMED = os.environ.get("HANDFAST_POSTGRES_BIN")
BIN_DIR = Path(_NAMED) if _NAMED else None
PATIENCE_SECONDS = 30.0  # for a loaded machine; a healthy one needs a tenth

USER_PROGRAM = """
import json, os, signal, subprocess, sys
# A shell ignores Ctrl-C for what it runs in the background, and so would whatever we start.
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
from handfast.base.errors import HandfastError
from handfast.db.embedded import EmbeddedServer, folder

def say(**facts):
    print(json.dumps(facts), flush=True)

options = json.loads(sys.argv[2])
paths = {name: Path(options.pop(name)) for name in ("bin_dir", "socket_dir") if name in options}
if options.pop("ignore_room", False):
    folder.FIRST_START_BYTES_MIN = folder.LATER_START_BYTES_MIN = 0
server = EmbeddedServer(Path(sys.argv[1]), **paths, **options)
for order in sys.stdin:
    try:
        if order.strip() in ("start", "ensure"):
            getattr(server, order.strip())()
            say(host=server.address.host, dsn=server.dsn())
        elif order.strip() == "child":
            say(child=subprocess.Popen(["sleep", "300"], close_fds=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).pid)
        elif order.strip() == "stop":
            server.stop()
            say(stopped=True)
    except HandfastError as error:
        say(code=error.code, detail=error.detail, hint=error.hint)
"""


class User:
    """A process with a share in the server, which does as it is told."""

    def __init__(
        self,
        data_dir: Path,
        *,
        program: Sequence[str] = (sys.executable,),
        sources: Path = SOURCES,
        uid: int | None = None,
        environment: dict[str, str] | None = None,
        **options: Any,
    ) -> None:
        if BIN_DIR is not None:
            options.setdefault("bin_dir", str(BIN_DIR))
        self.process = subprocess.Popen(
            [*program, "-c", USER_PROGRAM, str(data_dir), json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(sources), **(environment or {})},
            user=uid,
            group=uid,
            extra_groups=[] if uid is not None else None,
            start_new_session=True,
            cwd="/",
        )

    def tell(self, order: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the user's process ended without an answer"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, order: str) -> dict[str, Any]:
        self.tell(order)
        return self.hear()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def leave(self) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(PATIENCE_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()
        assert self.process.stdout is not None
        self.process.stdout.close()


def until(look: Callable[[], T], what: str, seconds: float = PATIENCE_SECONDS) -> T:
    """Look until it is true; say what never came."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.01)
    return found


def guardians(data_dir: Path) -> list[psutil.Process]:
    return [
        process
        for process in _living()
        if "handfast.db.embedded.guardian" in process.info["cmdline"]
        and str(data_dir) in process.info["cmdline"]
    ]


def servers(data_dir: Path) -> list[psutil.Process]:
    """Every process of PostgreSQL on this folder: the postmaster, its children, initdb."""
    return [
        process
        for process in _living()
        if process.info["name"] in ("postgres", "initdb")
        and (
            any(str(data_dir / "pgdata") in word for word in process.info["cmdline"])
            or str(process.info["cwd"] or "").startswith(str(data_dir / "pgdata"))
        )
    ]


def _living() -> Iterator[psutil.Process]:
    for process in psutil.process_iter(["name", "cmdline", "cwd", "status"]):
        if process.info["status"] != psutil.STATUS_ZOMBIE and process.info["cmdline"]:
            yield process


@contextmanager
def bystander() -> "Iterator[subprocess.Popen[bytes]]":
    """A process that has nothing to do with any of this."""
    process = subprocess.Popen(["sleep", "300"])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def clean_folder(place: Path) -> Iterator[Path]:
    """A folder for data; afterwards nothing may be left running on it."""
    folder = place / "data"
    try:
        yield folder
    finally:
        if folder.is_dir():
            stop(folder)
        strays = servers(folder) + guardians(folder)
        for stray in strays:
            stray.kill()
        assert not strays


def reachable_home(place: Path) -> dict[str, Any]:
    """A Python, sources and PostgreSQL that a user without rights can reach, for ``User``."""
    sources = place / "src"
    shutil.copytree(SOURCES, sources, ignore=shutil.ignore_patterns("__pycache__"))
    bin_dir = find_binaries(BIN_DIR).bin
    if not _open_to_all(bin_dir):
        package = bin_dir.parents[1]
        shutil.copytree(bin_dir.parent, place / "lib" / package.name / bin_dir.parent.name)
        libraries = package.with_name(package.name + ".libs")
        if libraries.is_dir():
            shutil.copytree(libraries, place / "lib" / libraries.name)
        bin_dir = place / "lib" / package.name / bin_dir.parent.name / "bin"
    python = next(
        path
        for path in (sys.executable, "/usr/bin/python3")
        if _open_to_all(Path(path).resolve()) and _open_to_all(Path(path))
    )
    return {"program": (python,), "sources": sources, "bin_dir": str(bin_dir)}


def _open_to_all(path: Path) -> bool:
    return all(part.stat().st_mode & 0o001 for part in (path, *path.parents))


async def fetch(dsn: str, sql: str) -> Any:
    connection = await asyncpg.connect(dsn, timeout=10)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()
