"""A folder for the server's socket: short enough, and ours alone.

The socket is the only way in and asks for no password, so the folder's mode is the whole of the
server's access control. That is why a folder that somebody else could have put in our way (a link,
another owner, open to others) is refused rather than repaired.
"""

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from handfast.db.embedded.errors import DataFolderUnusable, SocketPathTooLong

PORT = 5432  # there is no TCP listener: it is only the socket's name
SOCKET_NAME = f".s.PGSQL.{PORT}"
PATH_BYTES_MAX = 107 if sys.platform == "linux" else 103  # sun_path, less the final zero
AWKWARD = frozenset(",\"'\\\n\r@")  # characters with which clients or PostgreSQL split a host list


def fits(folder: Path) -> bool:
    return len(os.fsencode(folder / SOCKET_NAME)) <= PATH_BYTES_MAX


def check(wanted: Path | None) -> None:
    """Refuse a folder that somebody asked for and that no socket fits in."""
    if wanted is not None and not fits(wanted):
        length = len(os.fsencode(wanted / SOCKET_NAME))
        raise SocketPathTooLong(
            f"The socket would be {wanted / SOCKET_NAME}, which is {length} bytes long; this "
            f"system allows {PATH_BYTES_MAX}.",
            hint="Name a folder with a shorter path in HANDFAST_SOCKET_DIR, or unset it: Handfast "
            "then finds one itself.",
        )


def make(data_dir: Path, wanted: Path | None) -> Path:
    """Make, or check, the folder for this data folder's socket."""
    check(wanted)
    if wanted is not None:
        return _private(wanted, data_dir)
    for folder in _candidates(data_dir):
        if fits(folder):
            return _private(folder, data_dir)
    raise SocketPathTooLong(
        f"No place for the socket of {data_dir} has a path of {PATH_BYTES_MAX} bytes or fewer.",
        hint="Name a folder with a short path in HANDFAST_SOCKET_DIR.",
    )


def _candidates(data_dir: Path) -> Iterator[Path]:
    if not AWKWARD & set(str(data_dir)):
        yield data_dir / "run"
    name = "hf-" + hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    for parent in (runtime, tempfile.gettempdir(), "/tmp"):  # noqa: S108 - checked by _private
        if parent.startswith("/") and os.access(parent, os.W_OK | os.X_OK):
            yield Path(parent) / name


def _private(folder: Path, data_dir: Path) -> Path:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise DataFolderUnusable(
            f"The socket folder {folder} cannot be made: {error.strerror}.",
            hint="Name another in HANDFAST_SOCKET_DIR: a folder of yours with mode 0700, or one "
            "that can be made because its parent exists and is writable for this user.",
        ) from error
    facts = folder.lstat()
    # Root may use the folder of the data folder's owner: it is root who asks.
    owners = {os.geteuid()} | ({data_dir.stat().st_uid} if os.geteuid() == 0 else set())
    wrong = (
        "is not a folder (or is a link to one)"
        if not stat.S_ISDIR(facts.st_mode)
        else f"belongs to user {facts.st_uid}"
        if facts.st_uid not in owners
        else f"is open to others (mode {stat.S_IMODE(facts.st_mode):04o})"
        if facts.st_mode & 0o077
        else None
    )
    if wrong:
        raise DataFolderUnusable(
            f"The socket folder {folder} {wrong}; whoever can enter it owns the database.",
            hint="Remove it if you know it, or name another in HANDFAST_SOCKET_DIR; it must be a "
            "real folder of yours with mode 0700.",
        )
    return folder
