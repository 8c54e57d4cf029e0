"""What happens here when two are parted or an account goes: hooks, in the transaction of whoever
states the fact."""

from collections.abc import Sequence
from datetime import datetime
from types import NoneType
from uuid import UUID

from handfast.apps.offers.users.acting import lock_pair
from handfast.apps.offers.users.matches import close_match
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.events import NewEvent
from handfast.engine.hooks import Hooks

_LOCK = statement("offers.lock_publishing_alone", row=NoneType)
_CLOSE_OFFERS = statement("offers.close_offers", row=NoneType)
_PARTNERS = statement("offers.partners_of", row=UUID)
_FORGET = statement("offers.forget_member", row=NoneType)


async def on_blocked(
    tx: Transaction, user_id: UUID, blocked_id: UUID, hooks: Hooks
) -> list[NewEvent]:
    """Nobody publishes meanwhile: who does so later sees the block."""
    return await _part_all(tx, hooks, user_id, [blocked_id], "blocked")


async def on_reported(tx: Transaction, reporter_id: UUID, user_id: UUID) -> None:
    """They are offered to each other no more; whether they stay matched is for them to say."""
    await _LOCK.run(tx)
    await lock_pair(tx, reporter_id, user_id)
    await _CLOSE_OFFERS.run(tx, reporter_id, user_id)


async def on_suspended(
    tx: Transaction, user_id: UUID, action_id: UUID | None, until: datetime | None
) -> None:
    """Nothing is written: while it lasts, offers of that person are not shown, and they are there
    again when it ends. But who publishes later knows of it."""
    await _LOCK.run(tx)


async def on_deleted(tx: Transaction, user_id: UUID, hooks: Hooks) -> list[NewEvent]:
    """What is closed does not come back with the account."""
    await _LOCK.run(tx)  # whoever publishes has done so, and is among the partners
    return await _part_all(tx, hooks, user_id, await _PARTNERS.all(tx, user_id), "deleted")


async def on_erased(tx: Transaction, user_id: UUID) -> None:
    """Offers and matches keep an id that means nothing any more."""
    await _FORGET.run(tx, user_id)


async def _part_all(
    tx: Transaction, hooks: Hooks, user_id: UUID, partners: Sequence[UUID], why: str
) -> list[NewEvent]:
    await _LOCK.run(tx)
    events = []
    for partner in partners:
        await lock_pair(tx, user_id, partner)
        await _CLOSE_OFFERS.run(tx, user_id, partner)
        closed = await close_match(tx, hooks, user_id, partner, why)
        events += [] if closed is None else [closed]
    return events
