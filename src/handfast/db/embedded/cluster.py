"""``initdb``, whole or not at all.

The cluster is made beside its place and renamed into it when complete, so that a kill or a full
disk half-way leaves nothing that could be taken for a database. What is left behind is removed by
the next guardian. It is fsynced (initdb's default) before the rename, and the rename after it.
"""

import locale
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

from handfast.db.embedded.binaries import Binaries
from handfast.db.embedded.folder import LOG_TAIL_BYTES, DataFolder
from handfast.db.embedded.privileges import die_with_parent

# The superuser: for setting up, and for people (`handfast psql`). Not called like the schema
# handfast, or its search_path would find that before public.
USER = "handfast_owner"
APP_USER = "handfast_app"  # what our processes work as; sql/embedded.sql makes it
HALF_MADE = "pgdata.new-"
LAST_WORDS_SECONDS_MAX = 2.0  # a child of initdb's may hold the pipe a little longer than it


def make_cluster(
    folder: DataFolder,
    binaries: Binaries,
    environment: dict[str, str],
    wait: Callable[["subprocess.Popen[bytes]"], bool],
) -> bool:
    """Make ``pgdata`` if there is none. False if ``wait`` was told to stop before it was done."""
    for leftover in folder.root.glob(HALF_MADE + "*"):
        shutil.rmtree(leftover, ignore_errors=True)
    if (folder.pgdata / "PG_VERSION").exists():
        return True
    fresh = folder.root / f"{HALF_MADE}{os.getpid()}"
    process = subprocess.Popen(
        [binaries.initdb, *_options(binaries), "-D", fresh],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
        preexec_fn=die_with_parent(signal.SIGINT),  # noqa: PLW1509 - see guardian: no lock is held
    )
    words: list[bytes] = []
    # Not into the log: on a full disk, the very words "No space left" would find no space.
    listener = threading.Thread(target=lambda: words.extend(process.stderr or ()), daemon=True)
    listener.start()
    finished = wait(process)
    listener.join(LAST_WORDS_SECONDS_MAX)
    said = b"".join(words).decode(errors="replace").strip()
    if not finished or process.returncode != 0:
        shutil.rmtree(fresh, ignore_errors=True)
        if not finished:
            return False
        raise folder.failure("A new database could not be made.", said[-LOG_TAIL_BYTES:])
    if folder.pgdata.is_dir():
        folder.pgdata.rmdir()  # only an empty one gets this far
    fresh.rename(folder.pgdata)
    _sync(folder.root)
    return True


def _options(binaries: Binaries) -> list[str]:
    common = ["-U", USER, "-A", "trust", "-E", "UTF8", "-k", "--no-instructions"]
    if binaries.major >= 17:
        # Sorts by code point and knows all letters, whatever this machine has installed.
        return [*common, "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    return [*common, "--locale=" + ("C.UTF-8" if _machine_has("C.UTF-8") else "C")]


def _machine_has(name: str) -> bool:
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, name)
    except locale.Error:
        return False
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    return True


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
