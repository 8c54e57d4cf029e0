"""Saving the embedded database to a file, and loading it into a folder that has none.

Done by the ``pg_dump`` and ``pg_restore`` that came with the server. A dump is what was committed
at one instant; everybody goes on working meanwhile. Loading is one transaction, and only into a
new database: two histories cannot be laid over each other.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from handfast.db.embedded.binaries import find_binaries
from handfast.db.embedded.errors import BackupFailed, BinariesMissing
from handfast.db.embedded.server import EmbeddedServer

LAST_WORDS_LINES = 5  # of what a program said before it failed


def save(server: EmbeddedServer, file: Path) -> int:
    """Write all of the database to ``file``, which is there when it is whole; its size in bytes."""
    if not server.folder.pgdata.exists():
        raise BackupFailed(
            f"There is no database in {server.folder.root}.",
            hint="Name the folder of the one to be saved: --data-dir or HANDFAST_DATA_DIR.",
        )
    if file.exists():
        raise BackupFailed(f"{file} is there already.", hint="Name another file, or move it away.")
    part = file.with_name(f"{file.name}.part")
    try:
        _make(part)
        try:
            with server:
                _run(server, "pg_dump", "--format=custom", f"--file={part}", server.dsn())
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise BackupFailed(f"{file} cannot be written: {error.strerror}.") from error
    return file.stat().st_size


def _make(part: Path) -> None:
    """New, and for its owner alone: payloads and secrets go into it. What is there already may be
    somebody else's, and readable, or another backup that is being written."""
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise BackupFailed(
            f"{part} is there already: another backup is being written, or was cut off.",
            hint="Wait for it, or remove that file; or name another one.",
        ) from None


def load(server: EmbeddedServer, file: Path) -> None:
    """Make a database of what ``save`` wrote, in a folder that has none."""
    if server.folder.pgdata.exists():
        raise BackupFailed(
            f"There is a database in {server.folder.root} already; it was not touched.",
            hint="Load the backup into a folder of its own: --data-dir or HANDFAST_DATA_DIR.",
        )
    if not file.is_file():
        raise BackupFailed(f"There is no file {file}.")
    _run(server, "pg_restore", "--list", f"--file={os.devnull}", str(file))  # is it one at all?
    try:
        with server:
            _run(
                server,
                *("pg_restore", "--single-transaction", "--exit-on-error"),
                *(f"--dbname={server.dsn()}", str(file)),
            )
            _run(server, "vacuumdb", "--analyze-only", "--quiet", f"--dbname={server.dsn()}")
    except BaseException:
        _remove(server)
        raise


def _remove(server: EmbeddedServer) -> None:
    """What was made for a load that failed: whoever started there would find an empty database, and
    whoever tried again would be told that there is one. Not if somebody uses it by now."""
    server.stop(wait=True)
    alone = server.folder.try_lock(server.folder.users_lock, fcntl.LOCK_EX)
    if alone is None:
        return
    try:
        if not server.folder.guarded():
            shutil.rmtree(server.folder.pgdata, ignore_errors=True)
    finally:
        os.close(alone)


def _run(server: EmbeddedServer, program: str, *words: str) -> None:
    path = find_binaries(server.bin_dir).bin / program
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PG")}
    try:
        done = subprocess.run(
            [path, *words],
            env={**environment, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError as missing:
        raise BinariesMissing(
            f"There is no {program} at {path}.",
            hint="HANDFAST_POSTGRES_BIN names a folder without PostgreSQL's client programs.",
        ) from missing
    if done.returncode != 0:
        said = " ".join(done.stderr.splitlines()[-LAST_WORDS_LINES:])
        raise BackupFailed(
            f"{program} ended with {done.returncode}: {said}",
            hint="Nothing that was there before has changed.",
        )
