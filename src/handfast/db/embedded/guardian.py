"""The process that runs PostgreSQL: ``python -m handfast.db.embedded.guardian <folder> <orders>``.

It is started by whoever first finds the data folder without one (see ``server``), holding the
guardian's lock as an inherited open file. It belongs to no terminal and to no parent: what ties it
to its users is their lock on ``users.lock``, for which one thread waits. When the lock is granted
nobody uses the server any more; the guardian stops PostgreSQL and ends, and only its end lets new
users in.

Everything else happens in the main thread, which alone starts processes, because the kernel ties a
child to the *thread* that forked it. At each fork the other thread sits in ``flock`` and holds no
lock of the interpreter's, so the short Python function between fork and exec is safe.

The first failure to start ends the guardian: the user waits for an answer. A server that once was
ready and died is started again, with growing pauses; after too many deaths in a row we give up and
say why.
"""

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from handfast.base.errors import HandfastError
from handfast.db.embedded import postmaster
from handfast.db.embedded.binaries import Binaries
from handfast.db.embedded.cluster import make_cluster
from handfast.db.embedded.errors import EmbeddedServerFailed
from handfast.db.embedded.folder import NO_SPACE, DataFolder, disk_full
from handfast.db.embedded.privileges import die_with_parent, step_down
from handfast.db.embedded.sockets import PORT

QUICK_DEATH_SECONDS = 5.0  # a server that lived longer starts with a clean slate
QUICK_DEATHS_MAX = 5
PAUSE_SECONDS_FIRST = 0.05
LINGER_SECONDS_MAX = 20.0  # how long a killed server's children may hold its shared memory
LINGER_PAUSE_SECONDS = 0.05
LINGER_WORDS = ("pre-existing shared memory block",)

# On the command line, which neither postgresql.conf nor ALTER SYSTEM can overrule.
DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
DEFAULTS = {
    "max_connections": "100",
    "shared_buffers": "256MB",
    "autovacuum_naptime": "15s",  # hot tables collect a million dead entries in a minute
    "jit": "off",  # compiling costs more than our short queries do
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",  # we look for words in the log
    "logging_collector": "off",
    "log_destination": "stderr",
}


class Guardian:
    def __init__(self, folder: DataFolder, orders: Mapping[str, Any]) -> None:
        self.folder = folder
        self.binaries = Binaries(Path(orders["bin"]), orders["version"], orders["major"])
        self.socket_dir = Path(orders["socket_dir"])
        self.settings: dict[str, str] = orders["settings"]
        self.told_to_stop = False
        self.unused = threading.Event()
        self.environment = {**os.environ, "LC_ALL": "C"}
        self.environment.pop("PYTHONPATH", None)
        self.bell, self.rope = os.pipe()
        os.set_blocking(self.bell, False)
        os.set_blocking(self.rope, False)

    @property
    def leaving(self) -> bool:
        return self.told_to_stop or self.unused.is_set()

    def run(self) -> None:
        self._listen_for_signals()
        self.folder.write_record(guardian=os.getpid())
        postmaster.settle(self.folder.pgdata)
        how = step_down(
            self.folder.pgdata, [self.folder.root, self.socket_dir, self.binaries.postgres]
        )
        threading.Thread(target=self._watch_users, daemon=True).start()
        try:
            if make_cluster(self.folder, self.binaries, self.environment, self._wait_unless_told):
                self._serve(how)
        finally:
            if self.socket_dir.parent != self.folder.root:
                with suppress(OSError):
                    self.socket_dir.rmdir()

    # --- who is still there -------------------------------------------------------------------

    def _watch_users(self) -> None:
        try:
            fd = os.open(self.folder.users_lock, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(fd, fcntl.LOCK_EX)
            if self.folder.keep.exists():
                os.close(fd)  # it stays until told to stop, so there is nothing to watch for
                return
        except OSError:
            traceback.print_exc()  # better to leave than to stay without knowing for whom
        self.unused.set()  # and keep the lock: nobody comes in while we leave
        os.write(self.rope, b".")

    def _listen_for_signals(self) -> None:
        def stop(_number: int, _frame: FrameType | None) -> None:
            self.told_to_stop = True

        def look(_number: int, _frame: FrameType | None) -> None:
            pass  # the wake-up pipe rings; what for is found out by looking

        signal.set_wakeup_fd(self.rope, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        signal.signal(signal.SIGCHLD, look)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def _sleep(self, seconds: float | None) -> None:
        """Until something happens, or for so long."""
        if select.select([self.bell], [], [], seconds)[0]:
            with suppress(BlockingIOError):
                os.read(self.bell, 4096)

    def _pause(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self.leaving and (left := deadline - time.monotonic()) > 0:
            self._sleep(left)

    def _wait_unless_told(self, process: "subprocess.Popen[bytes]") -> bool:
        """Wait for a child; False if we were told to leave first, and ended it."""
        while process.poll() is None:
            if self.leaving:
                process.terminate()
                process.wait()
                return False
            self._sleep(None)
        return True

    # --- the server ---------------------------------------------------------------------------

    def _serve(self, how: str) -> None:
        was_ready = False
        deaths = 0
        lingering_since: float | None = None
        while not self.leaving:
            postmaster.settle(self.folder.pgdata)
            log_before, born = self.folder.log_size(), time.monotonic()
            process = self._launch()
            self.folder.write_record(
                guardian=os.getpid(), postmaster=process.pid, privileges=how, started=time.time()
            )
            if not self._wait_or_halt(process):
                return
            said = self.folder.log_since(log_before)
            if any(words in said for words in LINGER_WORDS):
                lingering_since = lingering_since or born
                if born - lingering_since < LINGER_SECONDS_MAX:
                    self._pause(LINGER_PAUSE_SECONDS)
                    continue
            lingering_since = None
            was_ready = was_ready or self._had_been_ready(process)
            deaths = deaths + 1 if time.monotonic() - born < QUICK_DEATH_SECONDS else 1
            if not was_ready:
                raise self.folder.failure("The embedded PostgreSQL did not start.", said)
            if deaths > QUICK_DEATHS_MAX:
                raise self.folder.failure(
                    f"The embedded PostgreSQL died {deaths} times in a row.", said
                )
            self._pause(PAUSE_SECONDS_FIRST * 2 ** (deaths - 1) if deaths > 1 else 0)

    def _launch(self) -> "subprocess.Popen[bytes]":
        settings = {
            **DEFAULTS,
            **DURABLE,
            **self.settings,
            "listen_addresses": "",
            "port": str(PORT),
            "unix_socket_directories": '"' + str(self.socket_dir).replace('"', '""') + '"',
        }
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return subprocess.Popen(
            [self.binaries.postgres, "-D", self.folder.pgdata, *words],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            env=self.environment,
            preexec_fn=die_with_parent(signal.SIGINT),  # noqa: PLW1509 - see the top
        )

    def _had_been_ready(self, process: "subprocess.Popen[bytes]") -> bool:
        # Killed, it leaves its file as it was; stopped by somebody's pg_ctl, it ends well.
        found = postmaster.read(self.folder.pgdata)
        left = found is not None and found.pid == process.pid and found.ready
        return left or process.returncode == 0

    def _wait_or_halt(self, process: "subprocess.Popen[bytes]") -> bool:
        """Wait for the server to die. False if it was we who stopped it."""
        while process.poll() is None:
            if self.leaving:
                self._halt(process)
                return False
            self._sleep(None)
        return True

    def _halt(self, process: "subprocess.Popen[bytes]") -> None:
        for number, seconds in postmaster.STOP_STEPS:
            process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
                return


# --- the process ------------------------------------------------------------------------------


def _describe(error: BaseException) -> HandfastError:
    if isinstance(error, HandfastError):
        return error
    traceback.print_exception(error)
    if isinstance(error, OSError) and error.errno in NO_SPACE:
        return disk_full(Path(str(error.filename or "the data folder")), "")
    return EmbeddedServerFailed(
        f"The process that looks after the embedded PostgreSQL failed: {error!r}.",
        hint="This is a fault of Handfast; the traceback is in server.log in the data folder.",
    )


def _report(folder: DataFolder, error: HandfastError, pipe: int) -> None:
    """To our starter through the pipe, which works on a full disk; to others through the file."""
    said = {"code": error.code, "detail": error.detail, "hint": error.hint, "extra": error.extra}
    with suppress(OSError):
        os.write(pipe, json.dumps(said).encode())
    with suppress(OSError):
        folder.write_record(guardian=os.getpid(), failure=said)


def main() -> None:
    folder, orders = DataFolder(Path(sys.argv[1])), json.loads(sys.argv[2])
    if os.fork() > 0:  # our starter buries this one at once, and never has us as a child
        os._exit(0)
    os.set_inheritable(orders["lock_fd"], False)  # ours alone, or PostgreSQL would hold it too
    os.chdir("/")
    pipe = os.dup(1)
    os.dup2(2, 1)
    code = 0
    try:
        Guardian(folder, orders).run()
        with suppress(OSError):
            folder.record.unlink()
    except BaseException as error:  # whatever it is, somebody waits for the answer
        _report(folder, _describe(error), pipe)
        code = 1
    sys.stderr.flush()
    os._exit(code)  # the watching thread may wait for ever


if __name__ == "__main__":
    main()
