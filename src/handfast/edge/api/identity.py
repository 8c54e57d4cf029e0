"""Sign-ins, as they are asked for and answered."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from handfast.base.text import NO_NUL
from handfast.services.identity.sign_ins import SignIn
from handfast.services.identity.tokens.signing_keys import PublishedKey

DEVICE_LENGTH_MAX = 200

DeviceId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=DEVICE_LENGTH_MAX,
        pattern=NO_NUL,
        description="What the app calls this device: the same each time, and no other's.",
    ),
]


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


class TokenPair(Struct, frozen=True, rename="camel"):
    access_token: str
    refresh_token: str
    expires_in: int


class NewSession(TokenPair, frozen=True, rename="camel"):
    user: dict[str, Any]
    onboarding_status: str | None
