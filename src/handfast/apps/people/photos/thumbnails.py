"""The job that makes a photo small. A photo that is gone meanwhile needs none."""

from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.people.photos.pictures import THUMBNAIL_PIXELS, Pictures
from handfast.apps.people.photos.store import PhotoStore, full, thumbnail
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.engine.jobs.options import Options
from handfast.engine.work.context import Context

KIND = "people.thumbnail"
LANE = "people"
ON = Options(lane=LANE)


class _Owner(msgspec.Struct, frozen=True):
    user_id: UUID


_OWNER = statement("people.photo_owner", row=_Owner)
_MADE = statement("people.thumbnail_made", row=NoneType)


class Thumbnails:
    def __init__(self, database: Database, store: PhotoStore, pictures: Pictures) -> None:
        self._database = database
        self._store = store
        self._pictures = pictures

    async def make(self, ctx: Context, photo_id: UUID) -> None:
        """The row is held while its file is put: whoever erases the user comes after that and takes
        both, or has come before, and there is nothing to keep."""
        async with self._database.connection() as connection:
            owner = await _OWNER.maybe(connection, photo_id)
        whole = None if owner is None else await self._store.get(owner.user_id, full(photo_id))
        if owner is None or whole is None:
            return
        small = await self._pictures.remade(whole, THUMBNAIL_PIXELS)
        async with ctx.completing() as tx:
            if await _MADE.count(tx, photo_id):
                await self._store.put(owner.user_id, thumbnail(photo_id), small.jpeg)
