"""Signing in and accounts, as they are asked for and answered."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta, Struct

from handfast.base.text import NO_NUL
from handfast.base.words import OneOf
from handfast.services.identity.accounts import Account, AccountStatus
from handfast.services.identity.sign_ins import SignIn
from handfast.services.identity.tokens.signing_keys import PublishedKey

DEVICE_LENGTH_MAX = 200
REFRESH_TOKEN_LENGTH_MAX = 200  # ours have 54
REASON_LENGTH_MAX = 500
DAYS_MAX = 3650

DeviceId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=DEVICE_LENGTH_MAX,
        pattern=NO_NUL,
        description="What the app calls this device: the same each time, and no other's.",
    ),
]


class CodeWanted(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    phone_number: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]{7,15}(?!\n)$",
            description="Digits, without the country's code.",
            examples=["15123456789"],
        ),
    ]
    country_code: Annotated[
        str, Meta(pattern=r"^[0-9]{1,3}(?!\n)$", description="Digits, without +.", examples=["49"])
    ]
    device_id: DeviceId | None = None


class CodeSent(Struct, frozen=True, rename="camel"):
    """``retryAfter`` seconds from now another message may be asked for."""

    request_id: UUID
    expires_at: datetime
    retry_after: int


class CodeTried(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    request_id: UUID
    code: Annotated[str, Meta(pattern=r"^[0-9]{6}(?!\n)$", examples=["123456"])]
    device_id: DeviceId | None = None


class RefreshAsked(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    refresh_token: Annotated[
        str, Meta(min_length=1, max_length=REFRESH_TOKEN_LENGTH_MAX, pattern=NO_NUL)
    ]
    device_id: DeviceId | None = None


class TokenPair(Struct, frozen=True, rename="camel"):
    """``expiresIn`` seconds the access token is good."""

    access_token: str
    refresh_token: str
    expires_in: int


class NewSession(Struct, frozen=True, rename="camel"):
    access_token: str
    refresh_token: str
    expires_in: int
    user: dict[str, Any]
    onboarding_status: str | None


class KeySet(Struct, frozen=True):
    """A JWK set (RFC 7517)."""

    keys: list[PublishedKey]


class SignInView(Struct, frozen=True, rename="camel"):
    id: UUID
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    current: bool


class SignInList(Struct, frozen=True):
    sessions: list[SignInView]


def sign_ins_view(found: list[SignIn], current: UUID | None = None) -> SignInList:
    return SignInList(
        [
            SignInView(one.id, one.created_at, one.last_used_at, one.expires_at, one.id == current)
            for one in found
        ]
    )


# --- operators ------------------------------------------------------------------------------------


class Suspending(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    reason: Annotated[str, Meta(min_length=1, max_length=REASON_LENGTH_MAX, pattern=NO_NUL)]
    days: (
        Annotated[int, Meta(ge=1, le=DAYS_MAX, description="How long; without it, for ever.")]
        | None
    ) = None


class Reinstating(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    reason: Annotated[str, Meta(min_length=1, max_length=REASON_LENGTH_MAX, pattern=NO_NUL)]


class AccountView(Struct, frozen=True, rename="camel"):
    """An account as operators see it."""

    id: UUID
    phone_number: str | None
    status: Annotated[str, OneOf(AccountStatus)]
    created_at: datetime
    last_active_at: datetime
    action_id: UUID | None
    suspended_at: datetime | None
    suspended_until: datetime | None
    deleted_at: datetime | None
    erased_at: datetime | None


class AccountList(Struct, frozen=True):
    users: list[AccountView]


class AccountDetail(Struct, frozen=True):
    """``user`` is what the user sees of themselves."""

    account: AccountView
    user: dict[str, Any]


def account_view(account: Account) -> AccountView:
    return AccountView(
        id=account.id,
        phone_number=account.phone,
        status=account.status,
        created_at=account.created_at,
        last_active_at=account.last_active_at,
        action_id=account.action_id,
        suspended_at=account.suspended_at,
        suspended_until=account.suspended_until,
        deleted_at=account.deleted_at,
        erased_at=account.erased_at,
    )


def as_document(described: Any) -> dict[str, Any]:
    """A struct of whichever capability describes users."""
    document: dict[str, Any] = msgspec.to_builtins(described)
    return document
