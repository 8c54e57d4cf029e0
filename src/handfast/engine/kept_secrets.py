"""Secrets that development makes once and keeps in the data folder; production wants them set."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from handfast.base.ids import new_token
from handfast.db.embedded.errors import DataFolderUnusable


@dataclass(frozen=True)
class KeptSecret:
    value: str
    made_now: bool  # in development it is made once; a token is printed only then


def kept_secret(file: Path, prefix: str, variable: str) -> KeptSecret:
    """What ``variable`` would be, from the file, or made now. Whoever comes first makes it."""
    try:
        return _made_once(file, prefix, variable)
    except OSError as error:
        raise DataFolderUnusable(
            f"What {variable} would be cannot be kept in {file}: {error.strerror}.",
            hint=f"Set {variable}, or name a folder that this user may write with --data-dir or "
            "HANDFAST_DATA_DIR.",
        ) from error


def _made_once(file: Path, prefix: str, variable: str) -> KeptSecret:
    """Of many processes that start at once one makes the token, and all of them use it.

    It is written beside its place and linked into it when whole. A link does not replace, so the
    first one stays; and a crash half-way leaves no file that is there but empty.
    """
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        token = new_token(prefix)
        descriptor, fresh = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")  # mode 0600
        try:
            with os.fdopen(descriptor, "w") as handle:
                handle.write(token + "\n")
                handle.flush()
                os.fsync(handle.fileno())
            os.link(fresh, file)
            return KeptSecret(token, made_now=True)
        except FileExistsError:
            pass  # another process was faster
        finally:
            Path(fresh).unlink()
    kept = file.read_text().strip()
    if not kept:
        raise DataFolderUnusable(
            f"The file {file} should hold what {variable} would be, and is empty.",
            hint=f"Remove it, and a new one is made; or set {variable}.",
        )
    return KeptSecret(kept, made_now=False)
