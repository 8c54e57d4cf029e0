"""Everything about a user goes: rows in the transaction of the fact, files by a job after it.

What others have about them keeps an id that leads nowhere: their blocks, and reports."""

from types import NoneType
from uuid import UUID

from handfast.apps.people.photos.store import PhotoStore
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.jobs.options import Options
from handfast.engine.work.context import Context

KIND = "people.remove_files"
ON = Options(lane="people")

_ERASE = statement("people.erase_user", row=NoneType)


async def erase(tx: Transaction, user_id: UUID) -> None:
    await _ERASE.run(tx, user_id)
    await enqueue(tx, KIND, str(user_id), {"user_id": user_id}, options=ON)


class RemovingFiles:
    def __init__(self, store: PhotoStore) -> None:
        self._store = store

    async def remove(self, ctx: Context, user_id: UUID) -> None:
        await self._store.remove_all(user_id)
