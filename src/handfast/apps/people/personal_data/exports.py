"""A copy of one's own data: asked for once a day, made by a job, fetched by a link.

The link lives for 15 minutes and is good for nobody but the sign-in that asked for it; the file is
gone after a day.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID, uuid4

import msgspec

from handfast.apps.people.errors import ExportTooSoon
from handfast.apps.people.photos.store import PhotoStore, export
from handfast.apps.people.profiles.changing import ensure_user
from handfast.base.errors import NotFound
from handfast.base.ids import new_id
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.jobs.options import Options

KIND = "people.export"
ON = Options(lane="people")
EVERY = timedelta(days=1)
KEPT = timedelta(hours=24)
LINK_LIVES = timedelta(minutes=15)


class ExportStatus(StrEnum):
    PENDING = "pending"
    READY = "ready"
    EXPIRED = "expired"


class Export(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`url` is for the sign-in that asked, until `expiresAt`."""

    status: ExportStatus
    requested_at: datetime
    url: str | None = None
    expires_at: datetime | None = None


class _Latest(msgspec.Struct, frozen=True):
    id: UUID
    requested_at: datetime
    ready_at: datetime | None
    gone: bool
    wait: float  # seconds, until another may be asked for


class _Linked(msgspec.Struct, frozen=True):
    id: UUID
    expires_at: datetime


_LOCK = statement("people.lock_user", row=UUID)
_LATEST = statement("people.latest_export", row=_Latest)
_ASK = statement("people.ask_export", row=datetime)
_LINK = statement("people.link_export", row=_Linked)
_FETCH = statement("people.fetch_export", row=UUID)


async def ask_export(tx: Transaction, user_id: UUID) -> Export:
    await ensure_user(tx, user_id)
    await _LOCK.one(tx, user_id)  # of two who ask at once the second sees what the first asked for
    latest = await _latest(tx, user_id)
    if latest is not None and latest.wait > 0:
        raise ExportTooSoon(
            "An export was asked for within the last day.",
            hint="GET /users/me/export says how far it is.",
            retry_after=int(latest.wait) + 1,
        )
    export_id = new_id()
    at = await _ASK.one(tx, export_id, user_id)
    payload = {"export_id": export_id, "user_id": user_id}
    await enqueue(tx, KIND, str(export_id), payload, options=ON)
    return Export(ExportStatus.PENDING, at)


async def get_export(tx: Transaction, user_id: UUID, sign_in_id: UUID) -> Export:
    """The latest one; if it is ready, with a link for this sign-in."""
    latest = await _latest(tx, user_id)
    if latest is None:
        raise NotFound("No export was asked for.", hint="POST /users/me/export asks for one.")
    if latest.gone:
        return Export(ExportStatus.EXPIRED, latest.requested_at)
    if latest.ready_at is None:
        return Export(ExportStatus.PENDING, latest.requested_at)
    link = await _LINK.one(tx, uuid4(), latest.id, sign_in_id, LINK_LIVES, KEPT)
    url = f"/users/me/export/{link.id}"
    return Export(ExportStatus.READY, latest.requested_at, url, link.expires_at)


async def fetch_export(
    on: Queryable, store: PhotoStore, user_id: UUID, sign_in_id: UUID, link: UUID
) -> bytes:
    export_id = await _FETCH.maybe(on, link, user_id, sign_in_id)
    content = None if export_id is None else await store.get(user_id, export(export_id))
    if content is None:
        raise NotFound(
            "There is no such link, or it is over.", hint="GET /users/me/export makes another."
        )
    return content


async def _latest(tx: Queryable, user_id: UUID) -> _Latest | None:
    return await _LATEST.maybe(tx, user_id, EVERY, KEPT)
