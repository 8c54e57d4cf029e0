"""What happens here when an account is made, suspended, deleted, or comes back, and when an
operator removes what was reported: hooks, in the transaction of whoever states the fact."""

from datetime import datetime
from types import NoneType
from uuid import UUID

from handfast.apps.people.personal_data.erasure import erase
from handfast.apps.people.profiles.changing import ensure_user
from handfast.db.statements import statement
from handfast.db.transaction import Transaction

_SUSPENDED = statement("people.mark_suspended", row=NoneType)
_DELETED = statement("people.mark_deleted", row=NoneType)
_REMOVE = statement("people.remove_from_profile", row=NoneType)


async def on_created(tx: Transaction, user_id: UUID) -> None:
    await ensure_user(tx, user_id)


async def on_suspended(
    tx: Transaction, user_id: UUID, action_id: UUID, until: datetime | None
) -> None:
    await _SUSPENDED.run(tx, user_id, True)


async def on_reinstated(tx: Transaction, user_id: UUID) -> None:
    await _SUSPENDED.run(tx, user_id, False)


async def on_deleted(tx: Transaction, user_id: UUID) -> None:
    """Hidden at once; erased when the account is."""
    await _DELETED.run(tx, user_id, True)


async def on_restored(tx: Transaction, user_id: UUID) -> None:
    await _DELETED.run(tx, user_id, False)


async def on_erased(tx: Transaction, user_id: UUID) -> None:
    await erase(tx, user_id)


async def on_removed(tx: Transaction, type: str, subject_id: UUID, user_id: UUID) -> None:  # noqa: A002
    """Of a profile that was reported: what its owner wrote, and the photos. Their files go a little
    later, as those of nobody."""
    if type == "user":
        await _REMOVE.run(tx, user_id)
