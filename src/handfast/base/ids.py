"""Identifiers that we make ourselves."""

import secrets
from uuid import UUID

import uuid_utils.compat as uuid_utils

SECRET_LENGTH_MIN = 32  # characters: what a 256-bit key should be derived from
TOKEN_BYTES = 32  # 256 bits: not guessable, and still one line in a terminal


def new_id() -> UUID:
    """A UUID version 7: unique, and growing with time, so that indexes stay compact."""
    return uuid_utils.uuid7()


def new_token(prefix: str) -> str:
    """A secret for a bearer header. The prefix tells people and secret scanners what it is."""
    return f"{prefix}_{secrets.token_urlsafe(TOKEN_BYTES)}"
