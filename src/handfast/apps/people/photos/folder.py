"""A folder as the photo store: ``<folder>/<first two of the user's id>/<user>/<name>``.

A file is written beside its place and moved into it, so that nobody reads half of one. Several
processes, also on several machines, may share the folder.
"""

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from handfast.apps.people.photos.store import StoredFile

UNFINISHED = ".unfinished-"


class FolderStore:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, user_id: UUID, name: str, content: bytes) -> None:
        await asyncio.to_thread(self._put, self._path(user_id, name), content)

    async def get(self, user_id: UUID, name: str) -> bytes | None:
        try:
            return await asyncio.to_thread(self._path(user_id, name).read_bytes)
        except FileNotFoundError:
            return None

    async def remove(self, user_id: UUID, name: str) -> None:
        half = name.startswith(UNFINISHED) and "/" not in name  # of a process that was killed
        path = self._of(user_id) / name if half else self._path(user_id, name)
        await asyncio.to_thread(path.unlink, missing_ok=True)

    async def remove_all(self, user_id: UUID) -> None:
        await asyncio.to_thread(shutil.rmtree, self._of(user_id), ignore_errors=True)
        if self._of(user_id).exists():
            raise OSError(f"the files of {user_id} could not be removed")

    async def files(self) -> AsyncIterator[StoredFile]:
        for found in await asyncio.to_thread(lambda: list(self._files())):
            yield found

    def _files(self) -> Iterator[StoredFile]:
        for path in self._folder.glob("??/*/*"):
            with contextlib.suppress(ValueError, FileNotFoundError):  # not ours, or just gone
                at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                yield StoredFile(UUID(path.parent.name), path.name, at)

    def _of(self, user_id: UUID) -> Path:
        # By the last letters: ids that grow with time begin alike.
        return self._folder / user_id.hex[-2:] / str(user_id)

    def _path(self, user_id: UUID, name: str) -> Path:
        if "/" in name or name.startswith("."):
            raise ValueError(f"{name!r} is no name of a file")
        return self._of(user_id) / name

    def _put(self, path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, fresh = tempfile.mkstemp(dir=path.parent, prefix=UNFINISHED)  # mode 0600
        try:
            with os.fdopen(descriptor, "wb") as handle:
                handle.write(content)
                handle.flush()
                os.fsync(handle.fileno())
            Path(fresh).replace(path)
        except BaseException:
            Path(fresh).unlink(missing_ok=True)
            raise
