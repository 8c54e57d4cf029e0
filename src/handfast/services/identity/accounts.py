"""Accounts: one for each phone. What a status is follows from what happened to the account.

Every function works in the caller's transaction. Whoever takes locks of both takes the account's
before those of its sign-ins.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from handfast.base.errors import NotFound
from handfast.base.ids import new_id
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction


class AccountStatus(StrEnum):
    ACTIVE = "active"
    SUSPENDED = "suspended"
    DELETED = "deleted"


class Account(msgspec.Struct, frozen=True):
    id: UUID
    phone: str | None  # E.164; None once it is erased
    status: str
    created_at: datetime
    last_active_at: datetime
    action_id: UUID | None
    suspended_until: datetime | None
    suspended_at: datetime | None
    deleted_at: datetime | None
    erased_at: datetime | None


class HeldAccount(msgspec.Struct, frozen=True):
    suspended: bool
    action_id: UUID | None
    suspended_until: datetime | None
    deleted: bool


_TAKE = statement("identity.take_account", row=Account)
_ONE = statement("identity.account", row=Account)
_OF_PHONE = statement("identity.account_of_phone", row=Account)
_LOCK = statement("identity.lock_account", row=Account)
_HOLD = statement("identity.hold_account", row=HeldAccount)
_IS_PAST = statement("identity.is_past", row=bool)
_INSTANT_AFTER = statement("identity.instant_after", row=datetime)


async def take_account(tx: Transaction, phone: str) -> tuple[Account, bool]:
    """The account of a phone, locked, and whether it was made now."""
    fresh = new_id()
    account = await _TAKE.one(tx, fresh, phone)
    return account, account.id == fresh


async def find_account(on: Queryable, user_id: UUID) -> Account | None:
    return await _ONE.maybe(on, user_id)


async def find_by_phone(on: Queryable, phone: str) -> Account | None:
    return await _OF_PHONE.maybe(on, phone)


async def get_account(on: Queryable, user_id: UUID) -> Account:
    return _found(await _ONE.maybe(on, user_id), user_id)


async def lock_account(tx: Transaction, user_id: UUID) -> Account:
    return _found(await _LOCK.maybe(tx, user_id), user_id)


async def hold_account(tx: Transaction, user_id: UUID) -> HeldAccount | None:
    """How it stands until the transaction ends. Comes before what its hooks lock."""
    return await _HOLD.maybe(tx, user_id)


async def is_past(on: Queryable, instant: datetime, after: timedelta = timedelta(0)) -> bool:
    """Whether so long has gone by since, by the database's clock."""
    return await _IS_PAST.one(on, instant, after)


async def instant_after(on: Queryable, wait: timedelta) -> datetime:
    """So long from now, by the database's clock."""
    return await _INSTANT_AFTER.one(on, wait)


def _found(account: Account | None, wanted: UUID) -> Account:
    if account is None:
        raise NotFound(
            f"There is no user {wanted}.", hint="GET /admin/users?phone=… finds one by its number."
        )
    return account
