"""What happens here when two are parted or an account goes: hooks, in the transaction of whoever
states the fact. A suspension needs none: while it lasts, offers of that person are not shown, and
they are there again when it ends."""

from types import NoneType
from uuid import UUID

from handfast.apps.offers.users.acting import lock_pair
from handfast.apps.offers.users.matches import close_match
from handfast.db.statements import statement
from handfast.db.transaction import Transaction

_LOCK = statement("offers.lock_publishing_alone", row=NoneType)
_CLOSE_OFFERS = statement("offers.close_offers", row=NoneType)
_PARTNERS = statement("offers.partners_of", row=UUID)
_FORGET = statement("offers.forget_member", row=NoneType)


async def on_blocked(tx: Transaction, user_id: UUID, blocked_id: UUID) -> None:
    """Nobody publishes meanwhile: who does so later sees the block."""
    await _LOCK.run(tx)
    await _part(tx, user_id, blocked_id, "blocked")


async def on_deleted(tx: Transaction, user_id: UUID) -> None:
    """What is closed does not come back with the account."""
    await _LOCK.run(tx)
    for partner in await _PARTNERS.all(tx, user_id):
        await _part(tx, user_id, partner, "deleted")


async def on_erased(tx: Transaction, user_id: UUID) -> None:
    """Offers and matches keep an id that means nothing any more."""
    await _FORGET.run(tx, user_id)


async def _part(tx: Transaction, user_id: UUID, partner: UUID, why: str) -> None:
    await lock_pair(tx, user_id, partner)
    await _CLOSE_OFFERS.run(tx, user_id, partner)
    await close_match(tx, user_id, partner, why)
