"""Looking at a server and stopping it, from outside: without a share in it."""

import fcntl
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from handfast.db.embedded import postmaster
from handfast.db.embedded.errors import EmbeddedServerFailed
from handfast.db.embedded.folder import LEAVE_SECONDS_MAX, LOOK_SECONDS, DataFolder


@dataclass(frozen=True, slots=True)
class ServerStatus:
    data_dir: Path
    guardian_pid: int
    postmaster_pid: int | None
    ready: bool
    socket_dir: str | None
    kept: bool
    privileges: str | None
    started: float | None


def status(data_dir: Path) -> ServerStatus | None:
    """What runs in the folder, or None. Takes no share."""
    folder = DataFolder.at(data_dir)
    if not folder.guarded():
        return None
    record, found = folder.read_record(), postmaster.read(folder.pgdata)
    if "guardian" not in record:
        return None  # being started, or just gone
    if found is not None and (
        found.pid != record.get("postmaster")
        or not postmaster.is_server_of(found.pid, folder.pgdata)
    ):
        found = None  # left by a server that is dead, and not replaced yet
    return ServerStatus(
        data_dir=folder.root,
        guardian_pid=record["guardian"],
        postmaster_pid=record.get("postmaster"),
        ready=found is not None and found.ready,
        socket_dir=found.socket_dir if found is not None else None,
        kept=folder.keep.exists(),
        privileges=record.get("privileges"),
        started=record.get("started"),
    )


def stop(data_dir: Path) -> bool:
    """Stop the server in the folder, even a kept one. False if there was none.

    Users who are left start it again when they need it: this is for a server that nobody uses.
    """
    folder = DataFolder.at(data_dir)
    with suppress(FileNotFoundError):
        folder.keep.unlink()
    if not folder.root.is_dir():
        return False
    lock = folder.try_lock(folder.guardian_lock, fcntl.LOCK_EX)
    if lock is not None:
        try:
            found = postmaster.read(folder.pgdata)
            orphaned = found is not None and postmaster.is_server_of(found.pid, folder.pgdata)
            if orphaned:
                postmaster.settle(folder.pgdata)
            return orphaned
        finally:
            os.close(lock)
    deadline, asked = time.monotonic() + LEAVE_SECONDS_MAX, None
    while time.monotonic() < deadline:
        pid = folder.read_record().get("guardian")
        if not folder.guarded() or (asked is not None and pid not in (None, asked)):
            return True  # the one we asked is gone, though a user may have started another
        if asked is None and pid is not None and _is_guardian(pid, folder):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            asked = pid
        time.sleep(LOOK_SECONDS)
    raise EmbeddedServerFailed(
        f"The server in {folder.root} did not stop within {LEAVE_SECONDS_MAX:.0f} seconds.",
        hint=f"Look into {folder.log}.",
        log=str(folder.log),
    )


def _is_guardian(pid: int, folder: DataFolder) -> bool:
    line = postmaster.command_line(pid)
    return "handfast.db.embedded.guardian" in line and f" {folder.root} " in line
