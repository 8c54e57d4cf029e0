"""Suspending an account, and taking it back.

A suspension ends no sign-in: it is read with every request, so it holds for the next one in every
process, and leaves what a route's policy leaves (``suspended=True``). Whoever keeps something that
must follow hears of it in the same transaction.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from handfast.base.errors import NotFound
from handfast.base.ids import new_id
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.events import NewEvent
from handfast.engine.hooks import Hooks
from handfast.services.identity.accounts import Account, is_past, lock_account
from handfast.services.identity.errors import AlreadySuspended, NotSuspended
from handfast.services.identity.sign_ins import forget_answers, list_sign_ins

_SUSPEND = statement("identity.suspend_account", row=Account)
_REINSTATE = statement("identity.reinstate_account", row=Account)
_DUE = statement("identity.accounts_to_reinstate", row=UUID)


async def suspend(
    tx: Transaction,
    hooks: Hooks,
    user_id: UUID,
    *,
    until: datetime | None = None,
    action_id: UUID | None = None,
) -> Account:
    """``until`` None is for ever: a ban. ``action_id`` is the enforcement action, which an appeal
    names; without one it is made here."""
    account = await lock_account(tx, user_id)
    _not_erased(account)
    if account.suspended_at is not None:
        raise AlreadySuspended(
            f"The user {user_id} is suspended already, by {account.action_id}.",
            hint="Reinstate first, then suspend anew.",
        )
    action = action_id or new_id()
    suspended = await _SUSPEND.one(tx, user_id, action, until)
    # What was answered when somebody signed in is not replayed from now on; tokens stay good.
    await forget_answers(tx, [one.id for one in await list_sign_ins(tx, user_id)])
    data = {"userId": user_id, "actionId": action, "until": until}
    event = NewEvent("user.suspended", f"user:{user_id}", data, (user_id,))
    told = {"user_id": user_id, "action_id": action, "until": until}
    await hooks.state(tx, "user.suspended", event, **told)
    return suspended


async def reinstate(tx: Transaction, hooks: Hooks, user_id: UUID) -> Account:
    account = await lock_account(tx, user_id)
    _not_erased(account)  # others would begin anew with somebody who is gone
    if account.suspended_at is None:
        raise NotSuspended(f"The user {user_id} is not suspended.", hint="There is nothing to do.")
    reinstated = await _REINSTATE.one(tx, user_id)
    data = {"userId": user_id, "actionId": account.action_id}
    event = NewEvent("user.reinstated", f"user:{user_id}", data, (user_id,))
    await hooks.state(tx, "user.reinstated", event, user_id=user_id)
    return reinstated


async def reinstate_if_over(tx: Transaction, hooks: Hooks, user_id: UUID) -> None:
    """Unless an operator was faster, or has suspended anew."""
    account = await lock_account(tx, user_id)
    if account.erased_at is not None:
        return
    if account.suspended_until is not None and await is_past(tx, account.suspended_until):
        await reinstate(tx, hooks, user_id)


async def suspensions_over(on: Queryable, limit: int) -> Sequence[UUID]:
    """Whose time is up. Requests are let in already; others have yet to hear of it."""
    return await _DUE.all(on, limit)


def _not_erased(account: Account) -> None:
    if account.erased_at is not None:
        raise NotFound(f"The user {account.id} is erased.", hint="There is nothing to do.")
