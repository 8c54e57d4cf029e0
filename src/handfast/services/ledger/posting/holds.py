"""Money that is set aside: a hold names its part of escrow, and is resolved at most once.

The transfer that resolves a hold and the hold's new state are one statement. A second one finds the
hold resolved and moves nothing; if somebody wrote to the table by hand, a trigger would refuse.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec

from handfast.base.errors import HandfastError, NotFound
from handfast.base.words import OneOf
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.services.ledger.posting.commands import transfer_many
from handfast.services.ledger.rules import release
from handfast.services.ledger.values import Back, HoldEnding

EXPIRED_MAX = 500  # holds of one statement: their accounts are locked until it is committed


class HoldState(StrEnum):
    HELD = "held"
    SETTLED = "settled"
    RELEASED = "released"
    EXPIRED = "expired"


class Hold(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    owner: str
    currency: str
    amount: int
    from_credit: int
    from_wallet: int
    queue_id: int | None
    session_id: int | None
    state: Annotated[str, OneOf(HoldState)]
    taken: int | None
    transfer_id: int
    resolved_by: int | None
    created_at: datetime
    expires_at: datetime | None
    deadline: datetime
    resolved_at: datetime | None


class _DueHold(msgspec.Struct, frozen=True):
    id: int
    currency: str


_ONE = statement("ledger.hold", row=Hold)
_OPEN = statement("ledger.open_holds", row=Hold)
_DUE = statement("ledger.due_holds", row=_DueHold)
_MOVE = statement("ledger.move_hold", row=int)


async def get_hold(on: Queryable, hold: int) -> Hold:
    found = await _ONE.maybe(on, hold)
    if found is None:
        raise NotFound(f"There is no hold {hold}.")
    return found


async def open_holds(on: Queryable, owner: str) -> list[Hold]:
    """What of a player's money is set aside, the oldest first."""
    return await _OPEN.all(on, owner)


async def move_holds(tx: Queryable, holds: list[int], session_id: int) -> int:
    """Into the pot of a session, while they are held. Answers how many were."""
    return len(await _MOVE.all(tx, holds, session_id))


async def expire_holds(tx: Queryable, *, limit: int = EXPIRED_MAX) -> int:
    """Those that are past their own end become credit, the oldest first. Whom somebody else is
    about to resolve is left to them. Answers how many."""
    due = await _DUE.all(tx, limit)
    requests = [
        release(
            f"hold:{hold.id}:expired",
            [hold.id],
            hold.currency,
            back=Back.CREDIT,
            ending=HoldEnding.EXPIRED,
        )
        for hold in due
    ]
    outcomes = await transfer_many(tx, requests)
    return sum(not isinstance(one, HandfastError) for one in outcomes)
