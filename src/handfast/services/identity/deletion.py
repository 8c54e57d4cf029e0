"""Deleting an account: hidden and signed out at once, erased after 30 days, undone by signing in.

What we erase is the phone, the sign-ins with their tokens, and the codes; what others keep of the
person they erase in the same transaction (``user.erased``). The id stays, so that what refers to it
refers to somebody who was. Of a banned phone a keyed hash outlives the erasure: the ban goes on. It
cannot be made anew under another secret, so each says which secret it needs.
"""

from collections.abc import Sequence
from datetime import timedelta
from types import NoneType
from uuid import UUID

import msgspec

from handfast.base.logs import get_logger
from handfast.base.settings import Settings
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.events import NewEvent
from handfast.engine.hooks import Hooks
from handfast.services.identity.accounts import Account, is_past, lock_account
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.secret import IdentitySecret, Purpose
from handfast.services.identity.sign_ins import end_sign_ins

ERASED_AFTER = timedelta(days=30)
BANS_BACK = (
    "Put the secret that they were made under back into HANDFAST_IDENTITY_SECRET of every process, "
    "after the newer one, with a comma between."
)


class _BansUnder(msgspec.Struct, frozen=True):
    made_under: bytes
    bans: int


_DELETE = statement("identity.delete_account", row=NoneType)
_RESTORE = statement("identity.restore_account", row=NoneType)
_ERASE = statement("identity.erase_account", row=NoneType)
_DUE = statement("identity.accounts_to_erase", row=UUID)
_BAN = statement("identity.ban_phone", row=NoneType)
_UNBAN = statement("identity.unban_phone", row=NoneType)
_LIFT = statement("identity.lift_ban", row=NoneType)
_BAN_OF = statement("identity.ban_of", row=UUID)
_BANS_UNDER = statement("identity.secrets_of_bans", row=_BansUnder)
_FORGET_SIGN_INS = statement("identity.forget_sign_ins_of", row=NoneType)
_FORGET_CODES = statement("identity.forget_otp_requests_of", row=NoneType)

log = get_logger(__name__)


async def delete(tx: Transaction, hooks: Hooks, user_id: UUID) -> None:
    """A second time means nothing."""
    account = await lock_account(tx, user_id)
    if account.deleted_at is not None:
        return
    await _DELETE.run(tx, user_id)
    await end_sign_ins(tx, user_id, "deletion")
    event = NewEvent("user.deleted", f"user:{user_id}", {"userId": user_id}, (user_id,))
    await hooks.state(tx, "user.deleted", event, user_id=user_id)


async def undelete(tx: Transaction, hooks: Hooks, user_id: UUID) -> None:
    """The account is locked by the caller, and not erased."""
    await _RESTORE.run(tx, user_id)
    await hooks.state(tx, "user.restored", user_id=user_id)


async def is_due(on: Queryable, account: Account) -> bool:
    """Whether the 30 days are over."""
    return account.deleted_at is not None and await is_past(on, account.deleted_at, ERASED_AFTER)


async def deletions_due(on: Queryable, limit: int) -> Sequence[UUID]:
    return await _DUE.all(on, ERASED_AFTER, limit)


async def erase(tx: Transaction, hooks: Hooks, secret: IdentitySecret, user_id: UUID) -> None:
    account = await lock_account(tx, user_id)
    if account.phone is None or account.deleted_at is None:
        return
    await hooks.state(tx, "user.erased", user_id=user_id)
    if account.suspended_at is not None and account.suspended_until is None:
        hashed = secret.digest(Purpose.PHONE, account.phone)
        await _BAN.run(tx, hashed, account.action_id, secret.fingerprints()[0])
    await _FORGET_SIGN_INS.run(tx, user_id)
    await _FORGET_CODES.run(tx, account.phone)
    await _ERASE.run(tx, user_id)


async def erase_if_due(
    tx: Transaction, hooks: Hooks, secret: IdentitySecret, user_id: UUID
) -> None:
    """Unless somebody has signed in since it was found, and perhaps deleted it anew."""
    if await is_due(tx, await lock_account(tx, user_id)):
        await erase(tx, hooks, secret, user_id)


async def ban_of(tx: Transaction, secret: IdentitySecret, phone: str) -> UUID | None:
    """The action that banned a phone whose account was erased. It is told once: the new account
    carries the ban from then on."""
    hashes = secret.digests(Purpose.PHONE, phone)
    action = await _BAN_OF.maybe(tx, hashes)
    if action is not None:
        await _UNBAN.run(tx, hashes)
    return action


async def lift_ban(tx: Transaction, action_id: UUID) -> None:
    """The action is undone: what is left of the account that it banned bans nobody any more."""
    await _LIFT.run(tx, action_id)


async def lost_bans(on: Queryable, settings: Settings) -> int:
    """How many are not known here, because their secret is not configured. Without any, nobody
    asks for a secret."""
    made = await _BANS_UNDER.all(on)
    if not made:
        return 0
    known = TokenAuthority(settings).secret.fingerprints()
    return sum(one.bans for one in made if one.made_under not in known)


async def warn_of_lost_bans(on: Queryable, settings: Settings) -> None:
    """No reason to refuse: whoever was banned may come back, but everybody else needs us."""
    lost = await lost_bans(on, settings)
    if lost:
        log.warning("bans_are_lost", bans=lost, what_to_do=BANS_BACK)
