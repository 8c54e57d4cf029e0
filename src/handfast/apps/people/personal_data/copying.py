"""The job that makes the copy of somebody's data, and the chore that removes it a day later."""

import io
import zipfile
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from types import NoneType
from typing import Any
from uuid import UUID

import msgspec

from handfast.apps.people.personal_data.exports import KEPT
from handfast.apps.people.photos.orphans import was_removed
from handfast.apps.people.photos.store import PhotoStore, export, full
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.maintenance.chores import Chore
from handfast.engine.work.context import Context

# (on, user): what a capability keeps about a user, for their copy.
Keeps = Callable[[Queryable, UUID], Awaitable[Any]]

_PHOTOS = statement("people.photo_ids", row=UUID)
_READY = statement("people.export_ready", row=NoneType)


class _Old(msgspec.Struct, frozen=True):
    id: UUID
    user_id: UUID


_OLD = statement("people.old_exports", row=_Old)
_GONE = statement("people.export_gone", row=NoneType)


async def copy_of(
    database: Database, store: PhotoStore, keeps: Mapping[str, Keeps], user_id: UUID
) -> bytes:
    """The archive of one user."""
    async with database.connection() as connection:
        parts = {name: await kept(connection, user_id) for name, kept in keeps.items()}
        photos = await _PHOTOS.all(connection, user_id)
    pictures = {photo: await store.get(user_id, full(photo)) for photo in photos}
    return zipped(parts, {one: jpeg for one, jpeg in pictures.items() if jpeg is not None})


class Copying:
    def __init__(self, database: Database, store: PhotoStore, keeps: Mapping[str, Keeps]) -> None:
        self._database = database
        self._store = store
        self._keeps = keeps

    async def copy(self, ctx: Context, export_id: UUID, user_id: UUID) -> None:
        """The row is held while its file is put: whoever erases the user comes after that and takes
        both, or has come before, and there is nothing to keep."""
        archive = await copy_of(self._database, self._store, self._keeps, user_id)
        async with ctx.completing() as tx:
            if await _READY.count(tx, export_id):
                await self._store.put(user_id, export(export_id), archive)


def zipped(parts: Mapping[str, Any], pictures: Mapping[UUID, bytes]) -> bytes:
    """One JSON document for each capability, and the photos."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            text = msgspec.json.format(msgspec.json.encode(part, enc_hook=str), indent=2)
            archive.writestr(zipfile.ZipInfo(f"{name}.json"), text)
        for photo, jpeg in pictures.items():
            archive.writestr(zipfile.ZipInfo(f"photos/{photo}.jpg"), jpeg)
    return out.getvalue()


def removing_exports(database: Database, store: PhotoStore) -> Chore:
    async def work() -> None:
        await remove_old_exports(database, store)

    return Chore("people_exports", work, timedelta(minutes=10))


async def remove_old_exports(database: Database, store: PhotoStore) -> int:
    """The file first: a row that says gone is never wrong."""
    async with database.connection() as connection:
        old = await _OLD.all(connection, KEPT)
    gone = [one.id for one in old if await was_removed(store, one.user_id, export(one.id))]
    for export_id in gone:
        async with database.transaction() as tx:
            await _GONE.run(tx, export_id)
    return len(gone)
