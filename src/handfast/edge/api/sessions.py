"""Signing in with a browser."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec

from handfast.base.text import NO_NUL
from handfast.base.words import OneOf

Secret = Annotated[str, msgspec.Meta(min_length=1, max_length=500, pattern=NO_NUL)]


class StaffRole(StrEnum):
    OPERATOR = "operator"
    VIEWER = "viewer"


class TokenSignIn(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """An operator's or a viewer's token."""

    token: Secret


class CodeSignIn(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    code: Secret


class SessionView(msgspec.Struct, rename="camel"):
    """``caller`` is operator or viewer; ``ends_at`` is null for who came with a token."""

    caller: Annotated[str, OneOf(StaffRole)]
    name: str
    ends_at: datetime | None


class SessionEnded(msgspec.Struct, rename="camel"):
    """How many browsers were signed out."""

    ended: int
