"""Files that no row knows go after an hour: of uploads that were not committed, of photos that were
deleted, of verifications and exports that are over.

An hour, because a file is there before its row is committed.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from handfast.apps.people.photos.store import PhotoStore, StoredFile, id_of
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.engine.maintenance.chores import Chore

EVERY = timedelta(minutes=20)
AGE_MIN = timedelta(hours=1)
BATCH = 1000  # files whose rows are looked for at once

_UNKNOWN = statement("people.unknown_files", row=UUID)
_NOW = statement("people.now", row=datetime)

log = get_logger(__name__)


def removing_orphans(database: Database, store: PhotoStore) -> Chore:
    async def work() -> None:
        removed = await remove_orphans(database, store)
        if removed:
            log.info("orphan_files_removed", files=removed)

    return Chore("people_files", work, EVERY)


async def remove_orphans(database: Database, store: PhotoStore) -> int:
    async with database.connection() as connection:
        now = await _NOW.one(connection)
    old: list[StoredFile] = []
    removed = 0
    async for file in store.files():
        if now - file.modified_at >= AGE_MIN:
            old.append(file)
        if len(old) == BATCH:
            removed += await _remove_unknown(database, store, old)
            old = []
    return removed + await _remove_unknown(database, store, old)


async def _remove_unknown(
    database: Database, store: PhotoStore, files: Sequence[StoredFile]
) -> int:
    """A file whose name is none of ours (half of one, mostly) has no row either."""
    ids = {file.name: id_of(file.name) for file in files}
    known = [one for one in ids.values() if one is not None]
    async with database.connection() as connection:
        unknown = set(await _UNKNOWN.all(connection, known))
    orphans = [file for file in files if (i := ids[file.name]) is None or i in unknown]
    removed = [await was_removed(store, file.user_id, file.name) for file in orphans]
    return sum(removed)


async def was_removed(store: PhotoStore, user_id: UUID, name: str) -> bool:
    """One that cannot be removed keeps no other: it is tried again the next time."""
    try:
        await store.remove(user_id, name)
    except Exception as fault:  # of any store; and folders have what is none of ours
        log.warning("file_not_removed", user_id=str(user_id), reason=repr(fault))
        return False
    return True
