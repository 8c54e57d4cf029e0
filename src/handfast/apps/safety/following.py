"""What happens here when an account is suspended, whoever did it, or erased: hooks, in the
transaction of whoever states the fact."""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from handfast.apps.safety.decisions import EnforcementAction, add_action
from handfast.apps.safety.forgetting import forget
from handfast.apps.safety.rules import Decision
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction

BY_HAND = "operator"  # the audit has the name

_OWN = statement("safety.own_data", row=str)


async def on_suspended(
    tx: Transaction, user_id: UUID, action_id: UUID, until: datetime | None
) -> None:
    """Every suspension can be appealed against, also one that no report led to."""
    decision = Decision.BAN if until is None else Decision.SUSPEND
    action = EnforcementAction(action_id, user_id, decision, until)
    await add_action(tx, action, actor=BY_HAND)


async def on_erased(tx: Transaction, user_id: UUID) -> None:
    await forget(tx, user_id)


async def own_data(on: Queryable, user_id: UUID) -> dict[str, Any]:
    """For a user's copy of their data."""
    found: dict[str, Any] = msgspec.json.decode(await _OWN.one(on, user_id))
    return found
