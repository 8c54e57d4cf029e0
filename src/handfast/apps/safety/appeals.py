"""What somebody says against what was decided about them, and what comes of that.

One appeal for each action, and its decision is the last word. Whoever appeals and whoever decides
lock the action, and so see what the other did.
"""

from datetime import datetime
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.safety import metrics
from handfast.apps.safety.decisions import DECIDED
from handfast.apps.safety.errors import AppealDecided, AppealDuplicate
from handfast.apps.safety.forgetting import forget_if_erased
from handfast.apps.safety.rules import AppealOutcome, Decision, may_be_appealed
from handfast.base.errors import NotFound
from handfast.base.ids import new_id
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.events import emit
from handfast.engine.hooks import Hooks
from handfast.services.identity.accounts import lock_account
from handfast.services.identity.deletion import lift_ban
from handfast.services.identity.suspension import reinstate


class AppealReceipt(msgspec.Struct, frozen=True, rename="camel"):
    appeal_id: UUID


class Appeal(msgspec.Struct, frozen=True, rename="camel"):
    """`decision` and `until` are those of the action."""

    id: UUID
    action_id: UUID
    user_id: UUID
    created_at: datetime
    decided_at: datetime | None
    outcome: AppealOutcome | None
    decided_by: str | None
    reason: str
    note: str | None
    decision: Decision
    until: datetime | None


class AppealRow(msgspec.Struct, frozen=True):
    """As the statements answer it."""

    id: UUID
    action_id: UUID
    user_id: UUID
    created_at: datetime
    decided_at: datetime | None
    outcome: str | None
    decided_by: str | None
    reason: str
    note: str | None
    decision: str
    until: datetime | None

    def shown(self) -> Appeal:
        return msgspec.convert(self, Appeal, from_attributes=True)


class _LockedAction(msgspec.Struct, frozen=True):
    user_id: UUID
    decision: str
    reversed: bool


class _AppealMade(msgspec.Struct, frozen=True):
    id: UUID
    decided: bool


_LOCK = statement("safety.lock_action", row=_LockedAction)
_OF = statement("safety.appeal_of", row=_AppealMade)
_ADD = statement("safety.add_appeal", row=NoneType)
_APPEAL = statement("safety.appeal", row=AppealRow)
_END = statement("safety.end_appeal", row=UUID)
_REVERSE = statement("safety.reverse_action", row=NoneType)


async def submit_appeal(
    tx: Transaction, user_id: UUID, action_id: UUID, reason: str
) -> AppealReceipt:
    """By whom the action is about; nobody else has it."""
    action = await _LOCK.maybe(tx, action_id)
    if (
        action is None
        or action.user_id != user_id
        or not may_be_appealed(Decision(action.decision))
    ):
        raise NotFound(
            "There is no such action about you.",
            hint="`actionId` is in the problem that a suspended account gets, and in the event "
            "safety.moderation_decided.",
        )
    await _refuse_second(tx, action_id)
    appeal_id = new_id()
    await _ADD.run(tx, appeal_id, action_id, user_id, reason)
    metrics.APPEALS.labels("submitted").inc()
    return AppealReceipt(appeal_id)


async def _refuse_second(tx: Transaction, action_id: UUID) -> None:
    made = await _OF.maybe(tx, action_id)
    if made is None:
        return
    if made.decided:
        raise AppealDecided(
            f"Your appeal {made.id} is decided.",
            hint="There is one for each action.",
            existing_id=made.id,
        )
    raise AppealDuplicate(
        f"Your appeal {made.id} waits for a decision.",
        hint="There is one for each action.",
        existing_id=made.id,
    )


async def decide_appeal(
    tx: Transaction,
    hooks: Hooks,
    appeal_id: UUID,
    outcome: AppealOutcome,
    *,
    actor: str,
    note: str | None = None,
) -> Appeal:
    """Once. An action that is overturned is undone as far as it can be: a suspension ends; what was
    removed does not come back."""
    found = await _APPEAL.maybe(tx, appeal_id)
    if found is None:
        raise NotFound(
            f"There is no appeal {appeal_id}.", hint="GET /admin/appeals lists those that wait."
        )
    appeal = found.shown()
    account = await lock_account(tx, appeal.user_id)
    if outcome is AppealOutcome.OVERTURNED and account.erased_at is not None:
        await lift_ban(tx, appeal.action_id)  # before the action, as whoever signs in does
    action = await _LOCK.one(tx, appeal.action_id)
    if action.user_id != account.id:  # who is banned came back a moment ago
        account = await lock_account(tx, action.user_id)
        appeal = msgspec.structs.replace(appeal, user_id=account.id)
    if await _END.maybe(tx, appeal_id, outcome, actor, note) is None:
        raise AppealDecided(
            f"The appeal {appeal_id} is decided.",
            hint="GET /admin/appeals?status=open lists those that wait.",
            existing_id=appeal_id,
        )
    await forget_if_erased(tx, account)
    if outcome is AppealOutcome.OVERTURNED:
        await _REVERSE.run(tx, appeal.action_id)
        stands = account.suspended_at is not None and account.action_id == appeal.action_id
        if stands and account.erased_at is None:
            await reinstate(tx, hooks, appeal.user_id)
    await _tell(tx, appeal, outcome)
    metrics.APPEALS.labels(outcome).inc()
    return (await _APPEAL.one(tx, appeal_id)).shown()


async def _tell(tx: Transaction, appeal: Appeal, outcome: AppealOutcome) -> None:
    data = {
        "actionId": appeal.action_id,
        "userId": appeal.user_id,
        "appealId": appeal.id,
        "decision": appeal.decision,
        "outcome": outcome,
    }
    await emit(tx, DECIDED, f"user:{appeal.user_id}", data, users=[appeal.user_id])
