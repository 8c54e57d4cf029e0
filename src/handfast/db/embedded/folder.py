"""What lies in a data folder, and whether it can be used at all.

pgdata/         the cluster; appears whole, by a rename
users.lock      shared by everyone who uses the server
guardian.lock   held by the one guardian
guardian.json   what the guardian does at the moment, or why it gave up
keep            if present, the server stays when nobody uses it
server.log      PostgreSQL's own words; the last run's is server.log.1
run/            the socket, if its path is short enough
"""

import errno
import fcntl
import json
import os
import pwd
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handfast.db.embedded.binaries import Binaries
from handfast.db.embedded.errors import (
    DataFolderUnusable,
    DataFolderVersion,
    DiskFull,
    EmbeddedServerFailed,
)

FIRST_START_BYTES_MIN = 64 << 20  # initdb writes 40 MB, our database 8 more
LATER_START_BYTES_MIN = 32 << 20  # a WAL segment is 16 MB, and recovery may need one more
NO_ROOM_BYTES = 64 << 10  # not enough for the files that every start writes
LEAVE_SECONDS_MAX = 45.0  # all of the guardian's steps to stop a server, and a little
LOOK_SECONDS = 0.01  # between two looks at somebody else's lock
LOG_BYTES_MAX = 8 << 20
LOG_TAIL_BYTES = 4000  # enough for the reason, short enough for a terminal
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
NO_SPACE_WORDS = ("No space left on device", "Disk quota exceeded", "Check free disk space")
ELSEWHERE = "Choose another folder with --data-dir or HANDFAST_DATA_DIR"


@dataclass(frozen=True, slots=True)
class DataFolder:
    root: Path

    @classmethod
    def at(cls, path: Path) -> "DataFolder":
        # One folder must have one name: the socket's folder is derived from it.
        return cls(Path(os.path.realpath(path.expanduser())))

    @property
    def pgdata(self) -> Path:
        return self.root / "pgdata"

    @property
    def users_lock(self) -> Path:
        return self.root / "users.lock"

    @property
    def guardian_lock(self) -> Path:
        return self.root / "guardian.lock"

    @property
    def record(self) -> Path:
        return self.root / "guardian.json"

    @property
    def keep(self) -> Path:
        return self.root / "keep"

    @property
    def log(self) -> Path:
        return self.root / "server.log"

    # --- is it usable? ------------------------------------------------------------------------

    def prepare(self) -> None:
        """Make the folder if it is not there; refuse, with the reason, if we cannot live in it."""
        if "\n" in str(self.root):
            raise DataFolderUnusable(
                f"The data folder {str(self.root)!r} has a line break in its name; PostgreSQL "
                "writes the name into a file of lines (postmaster.pid), and cannot read it back.",
                hint=f"{ELSEWHERE}.",
            )
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise DataFolderUnusable(
                f"The data folder {self.root} cannot be made: there is a file in its place.",
                hint=f"{ELSEWHERE}, or move the file away.",
            ) from error
        except OSError as error:
            raise self.unusable(error) from error
        if not os.access(self.root, os.R_OK | os.W_OK | os.X_OK):
            raise self.unusable(PermissionError(errno.EACCES, os.strerror(errno.EACCES)))

    def unusable(self, error: OSError) -> DataFolderUnusable | DiskFull:
        if error.errno in NO_SPACE:
            return disk_full(self.root, "")
        place = next(path for path in (self.root, *self.root.parents) if path.exists())
        return DataFolderUnusable(
            f"The data folder {self.root} cannot be used: {error.strerror}. {place} belongs to "
            f"{_user_name(place.stat().st_uid)}, and this process runs as "
            f"{_user_name(os.geteuid())}.",
            hint=f"{ELSEWHERE}, or make this one writable for {_user_name(os.geteuid())}.",
        )

    def check_version(self, binaries: Binaries) -> None:
        try:
            found = (self.pgdata / "PG_VERSION").read_text().strip()
        except FileNotFoundError:
            if self.pgdata.is_dir() and any(self.pgdata.iterdir()):
                raise DataFolderUnusable(
                    f"The folder {self.pgdata} holds files, but no PostgreSQL database: it has no "
                    "PG_VERSION. Handfast did not make it and will not touch it.",
                    hint=f"{ELSEWHERE}, or move {self.pgdata} away.",
                ) from None
            return
        except OSError as error:
            raise self.unusable(error) from error
        if found != str(binaries.major):
            raise DataFolderVersion(
                f"The database in {self.pgdata} was made by PostgreSQL {found}, and the programs "
                f"in {binaries.bin} are PostgreSQL {binaries.version}; a new major version cannot "
                "read the files of another.",
                hint=f"Save it by the programs of PostgreSQL {found}, whose folder "
                "HANDFAST_POSTGRES_BIN names: handfast backup FILE. Then load it into a new "
                "folder: handfast restore FILE --data-dir NEW. Or start afresh with another "
                "folder by --data-dir or HANDFAST_DATA_DIR.",
            )

    def check_room(self) -> None:
        needed = LATER_START_BYTES_MIN if self.pgdata.exists() else FIRST_START_BYTES_MIN
        free = self.room()
        if free < needed:
            raise disk_full(
                self.root, f" {free >> 20} MB are free and {needed >> 20} MB are needed to start."
            )

    def room(self) -> int:
        facts = os.statvfs(self.root)
        return facts.f_bavail * facts.f_frsize

    # --- locks --------------------------------------------------------------------------------

    def try_lock(self, path: Path, kind: int) -> int | None:
        """An open file that holds the lock, or None if somebody else's lock is in the way.

        Closing the file lets go, and so does dying. It is never inherited across an exec unless
        somebody says so (Python opens files close-on-exec).
        """
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise self.unusable(error) from error
        try:
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return None
        except BaseException:
            os.close(fd)
            raise
        return fd

    def guarded(self) -> bool:
        """Whether a guardian lives. Asking takes the lock for an instant, and only shares it."""
        if not self.guardian_lock.exists():
            return False
        fd = self.try_lock(self.guardian_lock, fcntl.LOCK_SH)
        if fd is not None:
            os.close(fd)
        return fd is None

    # --- the guardian's record ----------------------------------------------------------------

    def write_record(self, **facts: Any) -> None:
        fresh = self.record.with_suffix(f".{os.getpid()}.new")
        try:
            fresh.write_text(json.dumps({**facts, "at": time.monotonic_ns()}))
            fresh.replace(self.record)
        finally:
            fresh.unlink(missing_ok=True)

    def read_record(self) -> dict[str, Any]:
        try:
            found = json.loads(self.record.read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    # --- the log ------------------------------------------------------------------------------

    def open_log(self) -> int:
        with suppress(OSError):
            if self.log.stat().st_size > LOG_BYTES_MAX:
                self.log.replace(self.log.with_suffix(".log.1"))
        try:
            return os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise self.unusable(error) from error

    def log_size(self) -> int:
        try:
            return self.log.stat().st_size
        except OSError:
            return 0

    def log_since(self, offset: int) -> str:
        try:
            with self.log.open("rb") as file:
                file.seek(max(offset, self.log_size() - LOG_TAIL_BYTES))
                return file.read().decode(errors="replace").strip()
        except OSError:
            return ""

    def failure(self, what: str, said: str) -> DiskFull | EmbeddedServerFailed:
        """The error for a program that ended badly after saying this."""
        # On a full disk the log may be silent: then the disk itself is the witness.
        if any(words in said for words in NO_SPACE_WORDS) or self.room() < NO_ROOM_BYTES:
            return disk_full(self.root, " PostgreSQL could not write.")
        return EmbeddedServerFailed(
            f"{what} Its last words: {said or '(none)'}",
            hint=f"The whole log is {self.log}. If the cause is not clear from it, start with "
            "another folder (--data-dir or HANDFAST_DATA_DIR) to see whether this one is the "
            "reason.",
            log=str(self.log),
        )


def disk_full(place: Path, why: str) -> DiskFull:
    return DiskFull(
        f"There is no room left on the disk that holds {place}.{why}",
        hint=f"Free some space and start again: nothing that was committed is lost. {ELSEWHERE} to "
        "use another disk.",
    )


def _user_name(uid: int) -> str:
    try:
        return f"user {pwd.getpwuid(uid).pw_name} ({uid})"
    except KeyError:
        return f"user {uid}"
