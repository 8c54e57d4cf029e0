"""What the rest of Handfast uses: a share in the server of a data folder.

``start`` and ``ensure`` do the same thing. We hold our share, so nobody stops a server under us;
then we look until a server answers. Without a guardian we take its lock and start one, with one we
wait for it, and if it gave up since we began to wait, its reason is raised here as the error that
it was there. Each look may find the world changed, so each one starts from nothing.
"""

import fcntl
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from handfast.base.errors import MachineError
from handfast.db.embedded import postmaster, sockets, wire
from handfast.db.embedded.binaries import find_binaries
from handfast.db.embedded.cluster import APP_USER, USER
from handfast.db.embedded.errors import (
    BinariesMissing,
    DataFolderUnusable,
    DataFolderVersion,
    DiskFull,
    EmbeddedServerFailed,
    SocketPathTooLong,
)
from handfast.db.embedded.folder import LEAVE_SECONDS_MAX, LOOK_SECONDS, DataFolder
from handfast.db.embedded.privileges import NO_NAMESPACE

START_SECONDS_MAX = 60.0  # recovery after a crash on a slow disk; longer looks like a hang
GUARDIANS_LOST_MAX = 3  # killed while we waited, without a word
MAINTENANCE = "postgres"

BY_CODE: dict[str, type[MachineError]] = {
    error.code: error
    for error in (
        BinariesMissing,
        DataFolderUnusable,
        DataFolderVersion,
        DiskFull,
        EmbeddedServerFailed,
        SocketPathTooLong,
    )
}
# The guardian's environment: what programs need to run, and nothing that would steer Python (it
# must start even when ours is told to turn warnings into errors) or PostgreSQL (PGDATA, PGPORT, …).
PASSED_ON = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", NO_NAMESPACE)


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int
    user: str
    database: str

    def dsn(self, database: str | None = None) -> str:
        name = quote(database or self.database, safe="")
        host = quote(self.host, safe="/")
        return f"postgresql://{self.user}@/{name}?host={host}&port={self.port}"


class EmbeddedServer:
    """A share in the PostgreSQL server of ``data_dir``, which runs while anybody has one."""

    def __init__(
        self,
        data_dir: Path,
        *,
        bin_dir: Path | None = None,
        socket_dir: Path | None = None,
        keep: bool = False,
        settings: Mapping[str, str] | None = None,
        database: str = "handfast",
        start_seconds_max: float = START_SECONDS_MAX,
    ) -> None:
        self.folder = DataFolder.at(data_dir)
        self.bin_dir = bin_dir
        self.socket_dir = socket_dir.absolute() if socket_dir is not None else None
        self.keep = keep
        self.settings = dict(settings or {})
        self.database = database
        self.start_seconds_max = start_seconds_max
        self._share: int | None = None
        self._address: Address | None = None
        self._turn = threading.Lock()  # callers come from a thread pool

    # --- in and out ---------------------------------------------------------------------------

    def start(self) -> None:
        """Take a share and wait until the server answers. Doing it again does no harm."""
        with self._turn:
            deadline = time.monotonic() + self.start_seconds_max
            fresh = self._share is None
            try:
                if self._share is None:
                    find_binaries(self.bin_dir)
                    sockets.check(self.socket_dir)
                    self.folder.prepare()
                    self._share = self._take_share(deadline)
                self._address = self._bring_up(deadline)
                if self.keep:
                    self.folder.keep.touch(mode=0o600)
            except BaseException:
                if fresh:
                    self._let_go()
                raise

    def ensure(self) -> None:
        """After a lost connection: make sure that there is a server, whatever became of it."""
        self.start()

    def stop(self, *, wait: bool = False) -> None:
        """Give the share back. The server goes with its last user; ``wait`` to see it gone.

        Waiting ends at once when others use the server or it is kept.
        """
        with self._turn:
            self._let_go()
        if wait:
            _wait_for_leave(self.folder)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def address(self) -> Address:
        if self._address is None:
            raise RuntimeError("the embedded server has not been started")
        return self._address

    def dsn(self, database: str | None = None) -> str:
        """As the superuser, who gets in when the others' connections are used up."""
        return self.address.dsn(database)

    def app_dsn(self) -> str:
        """As the role that our processes work as."""
        return replace(self.address, user=APP_USER).dsn()

    def _take_share(self, deadline: float) -> int:
        # A guardian that is leaving keeps us out until it is gone.
        while (share := self.folder.try_lock(self.folder.users_lock, fcntl.LOCK_SH)) is None:
            if time.monotonic() > deadline:
                raise EmbeddedServerFailed(
                    f"The server in {self.folder.root} has been shutting down for "
                    f"{self.start_seconds_max:.0f} seconds and has not ended.",
                    hint=f"Look into {self.folder.log}, and end the process if it hangs: "
                    f"{self.folder.read_record().get('guardian', 'unknown')}.",
                )
            time.sleep(LOOK_SECONDS)
        return share

    def _let_go(self) -> None:
        # Closed, not unlocked: a forked child of ours that still uses the server keeps its share.
        if self._share is not None:
            os.close(self._share)
        self._share = self._address = None

    # --- until it answers ---------------------------------------------------------------------

    def _bring_up(self, deadline: float) -> Address:
        began = time.monotonic_ns()
        reports: list[int] = []
        state = "nothing has answered yet"
        try:
            while True:
                lock = self.folder.try_lock(self.folder.guardian_lock, fcntl.LOCK_EX)
                if lock is not None:
                    self._raise_reported(reports, lock)
                    reports.append(self._start_guardian(lock))
                try:
                    return self._answering()
                except (wire.ConnectionRefusedByServer, OSError) as error:
                    state = str(error)
                self._raise_recorded(began)
                if time.monotonic() > deadline:
                    raise self._too_slow(state)
                _hear(reports, LOOK_SECONDS)
        finally:
            for pipe in reports:
                os.close(pipe)

    def _answering(self) -> Address:
        """The address of the guardian's server, if it lets us in."""
        found = postmaster.read(self.folder.pgdata)
        # A server that is not this guardian's is about to be stopped, even if it answers.
        if found is None or found.pid != self.folder.read_record().get("postmaster"):
            raise ConnectionRefusedError("there is no server yet")
        if not found.ready:
            raise ConnectionRefusedError("the server is starting or recovering")
        try:
            wire.knock(found.socket, user=USER, database=self.database)
        except wire.ConnectionRefusedByServer as refusal:
            if refusal.sqlstate == wire.ROLE_MISSING:
                raise self._unreleased() from refusal
            if refusal.sqlstate == wire.DATABASE_MISSING:
                self._create_database(found.socket)
            elif refusal.sqlstate != wire.TOO_MANY_CONNECTIONS:  # busy, but very much alive
                raise
        self._set_up_roles(found.socket)
        return Address(found.socket_dir, found.port, USER, self.database)

    def _unreleased(self) -> DataFolderUnusable:
        return DataFolderUnusable(
            f"The server in {self.folder.root} does not know the role {USER}: it was made by a "
            "build of Handfast from before its first release, and there is no upgrade from those.",
            hint="Choose another data folder (--data-dir, HANDFAST_DATA_DIR). Nothing was changed.",
        )

    def _create_database(self, socket: Path) -> None:
        try:
            sql = f"CREATE DATABASE {wire.quoted(self.database)}"
            wire.order(socket, sql, user=USER, database=MAINTENANCE)
        except wire.ConnectionRefusedByServer as refusal:
            if refusal.sqlstate not in wire.DATABASE_EXISTS:
                raise
            # Somebody else is creating it, and may not have finished.
            wire.knock(socket, user=USER, database=self.database)
        self._order_set_up(socket)

    def _set_up_roles(self, socket: Path) -> None:
        """In a data folder of an older version; later there is nothing to do."""
        try:
            wire.knock(socket, user=APP_USER, database=self.database)
        except wire.ConnectionRefusedByServer as refusal:
            if refusal.sqlstate == wire.ROLE_MISSING:
                self._order_set_up(socket)
            elif refusal.sqlstate != wire.TOO_MANY_CONNECTIONS:
                raise

    def _order_set_up(self, socket: Path) -> None:
        sql = (resources.files("handfast.sql") / "embedded.sql").read_text()
        wire.order(socket, sql, user=USER, database=self.database)

    def _start_guardian(self, lock: int) -> int:
        """Start a guardian that takes over ``lock``; returns the pipe on which it reports."""
        pipe, their_end = os.pipe()
        try:
            binaries = find_binaries(self.bin_dir)
            self.folder.check_version(binaries)
            self.folder.check_room()
            self.folder.record.unlink(missing_ok=True)
            orders = {
                "lock_fd": lock,
                "bin": str(binaries.bin),
                "version": binaries.version,
                "major": binaries.major,
                "socket_dir": str(sockets.make(self.folder.root, self.socket_dir)),
                "settings": self.settings,
            }
            log = self.folder.open_log()
            try:
                _run_guardian(self.folder, orders, stdout=their_end, stderr=log)
            finally:
                os.close(log)
        except BaseException:
            os.close(pipe)
            raise
        finally:
            os.close(their_end)
            os.close(lock)
        return pipe

    def _raise_reported(self, reports: list[int], lock: int) -> None:
        """The guardian that we started has gone: say what it said."""
        if not reports:
            return
        said = b"".join(iter(lambda: os.read(reports[-1], 65536), b""))
        if said:
            os.close(lock)
            raise _error_from(json.loads(said))
        if len(reports) > GUARDIANS_LOST_MAX:
            os.close(lock)
            raise self.folder.failure(
                "The process that looks after the embedded PostgreSQL ended without a word, "
                f"{len(reports)} times.",
                self.folder.log_since(0),
            )

    def _raise_recorded(self, began: int) -> None:
        record = self.folder.read_record()
        # An older failure is of an earlier attempt, which may have been mended since.
        if "failure" in record and record.get("at", 0) > began:
            raise _error_from(record["failure"])

    def _too_slow(self, state: str) -> EmbeddedServerFailed:
        return EmbeddedServerFailed(
            f"The embedded PostgreSQL in {self.folder.root} has not answered within "
            f"{self.start_seconds_max:.0f} seconds; at the last look: {state}. The end of its log: "
            f"{self.folder.log_since(0) or '(empty)'}",
            hint="If it is recovering from a crash it goes on by itself: start again in a moment. "
            f"The whole log is {self.folder.log}.",
            log=str(self.folder.log),
        )


def _run_guardian(
    folder: DataFolder, orders: Mapping[str, Any], *, stdout: int, stderr: int
) -> None:
    package_home = Path(__file__).parents[3]
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    process = subprocess.Popen(
        # -P: nothing from the current folder. -S: the standard library is enough, and faster.
        [
            *(sys.executable, "-P", "-S", "-m", "handfast.db.embedded.guardian"),
            *(str(folder.root), json.dumps(orders)),
        ],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        env={**environment, "PYTHONPATH": str(package_home), "LC_ALL": "C.UTF-8"},
        pass_fds=[orders["lock_fd"]],
        start_new_session=True,  # a Ctrl-C in our terminal is not meant for the database
    )
    process.wait()  # it forks at once and leaves


def _hear(reports: list[int], seconds: float) -> None:
    """Pause, but no longer than until the guardian says something."""
    if not (reports and select.select([reports[-1]], [], [], seconds)[0]):
        time.sleep(0 if reports else seconds)
        return
    time.sleep(LOOK_SECONDS / 10)  # it has spoken, or is gone; its lock follows within the instant


def _error_from(said: Mapping[str, Any]) -> MachineError:
    kind = BY_CODE.get(said["code"], EmbeddedServerFailed)
    return kind(said["detail"], hint=said["hint"], **said["extra"])


def _wait_for_leave(folder: DataFolder) -> None:
    deadline = time.monotonic() + LEAVE_SECONDS_MAX
    while folder.guarded() and not folder.keep.exists() and time.monotonic() < deadline:
        alone = folder.try_lock(folder.users_lock, fcntl.LOCK_EX)
        if alone is not None:
            os.close(alone)  # the guardian has not noticed yet
        elif (shared := folder.try_lock(folder.users_lock, fcntl.LOCK_SH)) is not None:
            os.close(shared)
            return  # others hold shares
        time.sleep(LOOK_SECONDS)
