"""What an answer says of a user: by the capability that knows more of them, or by us."""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from handfast.db.transaction import Queryable
from handfast.engine.capability import Capabilities, each
from handfast.services.identity.accounts import Account, get_account


class UserAccount(msgspec.Struct, frozen=True, rename="camel"):
    """What identity knows, and the user may see."""

    id: UUID
    phone_number: str | None
    status: str
    created_at: datetime
    last_active_at: datetime


def as_user(account: Account) -> UserAccount:
    return UserAccount(
        account.id, account.phone, account.status, account.created_at, account.last_active_at
    )


async def describe(on: Queryable, capabilities: Capabilities, user_id: UUID) -> Any:
    """A struct. Whoever has ``describe_user`` is asked first."""
    for ask in each(capabilities.on, "describe_user").values():
        described = await ask(on, user_id)
        if described is not None:
            return described
    return as_user(await get_account(on, user_id))


def onboarding_of(described: Any) -> str | None:
    """Where the user stands, if whoever described them knows of it."""
    return getattr(described, "onboarding_status", None)
