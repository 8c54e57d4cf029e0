"""A proven phone becomes a sign-in: of its account, which may be new, or deleted lately."""

from uuid import UUID

import msgspec

from handfast.db.transaction import Transaction
from handfast.engine.hooks import Hooks
from handfast.services.identity.accounts import Account, take_account
from handfast.services.identity.deletion import ban_of, erase, is_due, undelete
from handfast.services.identity.secret import IdentitySecret, Purpose
from handfast.services.identity.sign_ins import add_sign_in
from handfast.services.identity.suspension import suspend
from handfast.services.identity.tokens.refresh import add_refresh_token


class NewSignIn(msgspec.Struct, frozen=True):
    user_id: UUID
    sign_in_id: UUID
    refresh_token: str


async def sign_in(
    tx: Transaction, hooks: Hooks, secret: IdentitySecret, phone: str, device: str | None = None
) -> NewSignIn:
    """The caller has seen proof that the phone is theirs. A suspended account may sign in."""
    account = await _standing_account(tx, hooks, secret, phone)
    hashed = None if device is None else secret.digest(Purpose.DEVICE, device)
    made = await add_sign_in(tx, account.id, hashed)
    return NewSignIn(account.id, made, await add_refresh_token(tx, made))


async def _standing_account(
    tx: Transaction, hooks: Hooks, secret: IdentitySecret, phone: str
) -> Account:
    account, is_new = await take_account(tx, phone)
    if await is_due(tx, account):  # nobody has come by to erase it yet
        await erase(tx, hooks, secret, account.id)
        account, is_new = await take_account(tx, phone)
    if is_new:
        await hooks.state(tx, "user.created", user_id=account.id)
        action = await ban_of(tx, secret, phone)
        if action is not None:
            await suspend(tx, hooks, account.id, action_id=action)
    elif account.deleted_at is not None:
        await undelete(tx, hooks, account.id)
    return account
