"""Photos of a user: the rows. The file is in the store before the row is committed; a file without
a row is nobody's, and goes by itself.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from handfast.apps.people.errors import PhotoKnown, PhotosTooMany
from handfast.apps.people.photos import thumbnails
from handfast.apps.people.photos.pictures import Picture
from handfast.apps.people.photos.store import PhotoStore, full, thumbnail
from handfast.apps.people.profiles.changing import ensure_user
from handfast.apps.people.profiles.profile import PhotoShown, photo_url
from handfast.base.errors import NotFound
from handfast.base.ids import new_id
from handfast.db import constraints
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.jobs.enqueue import enqueue

PHOTOS_MAX = 9  # for each user

constraints.register({"photo_known": PhotoKnown})


# (on, viewer, user): whether a live offer, a match or the like shows the one to the other.
IsShown = Callable[[Queryable, UUID, UUID], Awaitable[bool]]


class _AddedPhoto(msgspec.Struct, frozen=True):
    is_primary: bool
    created_at: datetime


class _UploadStanding(msgspec.Struct, frozen=True):
    photos: int
    known: bool


class StoredPhoto(msgspec.Struct, frozen=True):
    id: UUID
    user_id: UUID
    has_thumbnail: bool
    kept_apart: bool


_STANDING = statement("people.photos_so_far", row=_UploadStanding)
_ROOM = statement("people.photos_counted", row=int)
_ADD = statement("people.add_photo", row=_AddedPhoto)
_REMOVE = statement("people.remove_photo", row=UUID)
_PHOTO = statement("people.photo_for", row=StoredPhoto)


def digest_of(sent: bytes) -> bytes:
    return hashlib.sha256(sent).digest()


async def check_welcome(on: Queryable, user_id: UUID, digest: bytes) -> None:
    """Before a picture is looked at, which takes a while. It is checked again when it is added."""
    standing = await _STANDING.one(on, user_id, digest)
    if standing.known:
        raise PhotoKnown(
            "You have sent this photo before.", hint="GET /users/me lists your photos."
        )
    _check_room(standing.photos)


async def add_photo(
    tx: Transaction,
    store: PhotoStore,
    user_id: UUID,
    picture: Picture,
    digest: bytes,
    *,
    is_primary: bool | None = None,
) -> PhotoShown:
    """The first photo is the primary one whatever is said; a new primary one takes the place."""
    await ensure_user(tx, user_id)
    _check_room(await _ROOM.one(tx, user_id))
    photo_id = new_id()
    size = len(picture.jpeg)
    added = await _ADD.one(
        tx, photo_id, user_id, picture.width, picture.height, size, digest, bool(is_primary)
    )
    await store.put(user_id, full(photo_id), picture.jpeg)
    await enqueue(tx, thumbnails.KIND, str(photo_id), {"photo_id": photo_id}, options=thumbnails.ON)
    return PhotoShown(photo_id, photo_url(photo_id), added.is_primary, added.created_at)


async def remove_photo(tx: Transaction, user_id: UUID, photo_id: UUID) -> None:
    """Its files go a little later, as those of nobody. The oldest of the others becomes primary."""
    if await _REMOVE.maybe(tx, user_id, photo_id) is None:
        raise no_such_photo()


async def visible_photo(
    on: Queryable, viewer: UUID | None, photo_id: UUID, shown: Sequence[IsShown] = ()
) -> StoredPhoto:
    """To the owner, to operators (no ``viewer``), and to whom another capability says that the
    owner is shown. Everybody else is told that there is none."""
    found = await _PHOTO.maybe(on, photo_id, viewer)
    if found is None:
        raise no_such_photo()
    if viewer is None or viewer == found.user_id:
        return found
    if not found.kept_apart:
        for is_shown in shown:
            if await is_shown(on, viewer, found.user_id):
                return found
    raise no_such_photo()


async def read_photo(store: PhotoStore, photo: StoredPhoto, *, small: bool) -> bytes:
    """Until there is a thumbnail the full picture stands in for it."""
    if small and photo.has_thumbnail:
        content = await store.get(photo.user_id, thumbnail(photo.id))
        if content is not None:
            return content
    content = await store.get(photo.user_id, full(photo.id))
    if content is None:  # removed a moment ago
        raise no_such_photo()
    return content


def _check_room(photos: int) -> None:
    if photos >= PHOTOS_MAX:
        raise PhotosTooMany(
            f"There are {PHOTOS_MAX} photos already.", hint="Delete one and send this again."
        )


def no_such_photo() -> NotFound:
    return NotFound("There is no such photo.", hint="GET /users/me lists your own.")
