"""What happens here when an account is suspended or deleted: who waits in line leaves it, and the
stake becomes credit. What is matched is played; money stays the player's."""

from datetime import datetime
from uuid import UUID

from handfast.apps.stakes.queue.leaving import cancel_of_player
from handfast.apps.stakes.terms import terms_of
from handfast.base.settings import Settings
from handfast.db.transaction import Transaction
from handfast.engine.events import NewEvent


async def on_suspended(
    tx: Transaction, user_id: UUID, action_id: UUID, until: datetime | None, settings: Settings
) -> list[NewEvent]:
    return await cancel_of_player(tx, user_id, terms_of(settings))


async def on_deleted(tx: Transaction, user_id: UUID, settings: Settings) -> list[NewEvent]:
    return await cancel_of_player(tx, user_id, terms_of(settings))
