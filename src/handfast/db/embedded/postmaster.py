"""Reading ``postmaster.pid`` without believing all of it.

The file tells clients where the socket is, and it outlives a server that was killed. After a crash
of the machine its process id may belong to somebody else. PostgreSQL then refuses to start for
ever, because it only asks whether *some* process of ours has that id; we ask which program it is.
"""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

FAST_SECONDS_MAX = 30.0  # a fast shutdown writes a checkpoint: allow for a slow disk
IMMEDIATE_SECONDS_MAX = 5.0  # nothing is written: only processes have to go
STOP_STEPS = (
    (signal.SIGINT, FAST_SECONDS_MAX),
    (signal.SIGQUIT, IMMEDIATE_SECONDS_MAX),
    (signal.SIGKILL, IMMEDIATE_SECONDS_MAX),
)
FILE = "postmaster.pid"


@dataclass(frozen=True, slots=True)
class PostmasterFile:
    pid: int
    port: int
    socket_dir: str
    ready: bool

    @property
    def socket(self) -> Path:
        return Path(self.socket_dir) / f".s.PGSQL.{self.port}"


def read(pgdata: Path) -> PostmasterFile | None:
    """What the file says, as far as it is written: the server fills it in while it starts."""
    try:
        # Lines end in \n alone: a folder's name may have in it what Python also takes for an end.
        lines = (pgdata / FILE).read_bytes().decode(errors="replace").split("\n")
        lines += [""] * (8 - len(lines))
        # A single-user server (initdb's) writes its process id as a negative number.
        pid, port = abs(int(lines[0])), int(lines[3] or 0)
    except (OSError, ValueError):
        return None
    return PostmasterFile(pid, port, socket_dir=lines[4], ready=lines[7].strip() == "ready")


def command_line(pid: int) -> str:
    """The words of a living process; empty if there is none (or only its unburied remains)."""
    if sys.platform == "linux":
        try:
            return (
                Path(f"/proc/{pid}/cmdline")
                .read_bytes()
                .replace(b"\0", b" ")
                .decode("utf-8", "surrogateescape")
            )
        except OSError:
            return ""
    listed = subprocess.run(
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    )
    return listed.stdout.strip() + " " if listed.stdout.strip() else ""


def is_server_of(pid: int, pgdata: Path) -> bool:
    line = command_line(pid)
    return f"-D {pgdata} " in line and _is_postgres(line)


def _is_postgres(line: str) -> bool:
    # "/…/bin/postgres -D …" is a server; "postgres: checkpointer" is a server's child.
    return any(
        f"/{name} " in line or line.startswith(f"{name} ") for name in ("postgres", "postmaster")
    )


def settle(pgdata: Path) -> None:
    """Make way for a new server: stop one that was left behind, disarm a file that misleads.

    Only for the holder of the guardian's lock.
    """
    found = read(pgdata)
    if found is None:
        return
    if is_server_of(found.pid, pgdata):
        _stop(found.pid, pgdata)
    elif (line := command_line(found.pid)) and not _is_postgres(line) and found.pid != os.getpid():
        _disarm(pgdata, found)
    # A process that calls itself postgres and names no folder stays: PostgreSQL will refuse, and
    # its own words reach the user.


def _stop(pid: int, pgdata: Path) -> None:
    for number, seconds in STOP_STEPS:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not is_server_of(pid, pgdata):
                return
            time.sleep(0.01)


def _disarm(pgdata: Path, found: PostmasterFile) -> None:
    """Put our own process id where the stale one is.

    PostgreSQL takes its parent's id for stale, yet still checks the shared memory that the rest of
    the file names. So nothing is lost if we are wrong, as it would be with a deleted file.
    """
    file = pgdata / FILE
    _, _, rest = file.read_text(errors="replace").partition("\n")
    with file.open("r+") as out:
        out.truncate()
        out.write(f"{os.getpid()}\n{rest}")
    if found.socket_dir:
        found.socket.with_name(found.socket.name + ".lock").unlink(missing_ok=True)
