"""Blocks: who wants to see nothing of whom. Both ways for everybody else; undone only by whoever
made it. What else has to end with it follows from the fact ``pair.blocked``."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from handfast.apps.people.profiles.changing import ensure_user, no_such_user
from handfast.base.errors import InvalidRequest, NotFound
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.hooks import Hooks

BLOCKS_SHOWN_MAX = 10_000  # of one user: a list that nobody pages through


class BlockReason(StrEnum):
    INAPPROPRIATE = "inappropriate"
    HARASSMENT = "harassment"
    NO_REASON = "no_reason"


class UserBlock(msgspec.Struct, frozen=True, rename="camel"):
    user_id: UUID
    blocked_at: datetime


class _MadeBlock(msgspec.Struct, frozen=True):
    blocked_at: datetime
    new: bool


_EXISTS = statement("people.user_exists", row=bool)
_ADD = statement("people.add_block", row=_MadeBlock)
_ALL = statement("people.blocks", row=UserBlock)
_REMOVE = statement("people.remove_block", row=UUID)


async def block(
    tx: Transaction, hooks: Hooks, user_id: UUID, blocked_id: UUID, reason: BlockReason | None
) -> UserBlock:
    """Whoever is blocked already stays so, since then and for the reason given then."""
    if user_id == blocked_id:
        raise InvalidRequest("Nobody blocks themselves.", hint="Name somebody else's id.")
    if not await _EXISTS.one(tx, blocked_id):
        raise no_such_user()
    await ensure_user(tx, user_id)
    made = await _ADD.one(tx, user_id, blocked_id, reason)
    if made.new:
        await hooks.state(tx, "pair.blocked", user_id=user_id, blocked_id=blocked_id)
    return UserBlock(blocked_id, made.blocked_at)


async def list_blocks(on: Queryable, user_id: UUID) -> list[UserBlock]:
    """One's own, the newest first."""
    return await _ALL.all(on, user_id, BLOCKS_SHOWN_MAX)


async def unblock(tx: Transaction, user_id: UUID, blocked_id: UUID) -> None:
    if await _REMOVE.maybe(tx, user_id, blocked_id) is None:
        raise NotFound(
            "You have not blocked that user.", hint="GET /users/me/blocks lists your blocks."
        )
