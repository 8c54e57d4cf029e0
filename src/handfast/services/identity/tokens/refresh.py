"""Refresh tokens: opaque, stored as a hash, spent once for one successor (ruling R23).

An app that refreshes twice at once, or whose answer was lost, comes again with a spent token: from
the same device and within 20 s it gets the same successor, which is kept encrypted for that.
Otherwise somebody else has the token too, and nobody can tell who is the thief: the sign-in ends.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

import msgspec

from handfast.base.ids import new_token
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.services.identity.secret import IdentitySecret, Purpose
from handfast.services.identity.sign_ins import IDLE

GRACE = timedelta(seconds=20)
PREFIX = "hf_refresh"

Outcome = Literal["spent", "again", "reused", "revoked", "expired", "unknown"]


class _Spent(msgspec.Struct, frozen=True):
    outcome: str
    sign_in_id: UUID | None
    account_id: UUID | None
    successor: bytes | None
    at: datetime


class Refreshed(msgspec.Struct, frozen=True):
    """``token`` is the successor, when there is one."""

    outcome: Outcome
    user_id: UUID | None
    sign_in_id: UUID | None
    token: str | None


_SPEND = statement("identity.spend_refresh_token", row=_Spent)
_ADD = statement("identity.add_refresh_token", row=type(None))


async def add_refresh_token(tx: Transaction, sign_in_id: UUID) -> str:
    """The first of a sign-in."""
    token = new_token(PREFIX)
    await _ADD.run(tx, hash_of(token), sign_in_id)
    return token


async def spend(
    tx: Transaction, secret: IdentitySecret, token: str, *, device: str | None, address: str
) -> Refreshed:
    """What becomes of a token that somebody sends; theft has ended its sign-in then, and the caller
    commits that before it refuses."""
    successor = new_token(PREFIX)
    spent = hash_of(token)
    row = await _SPEND.one(
        tx,
        spent,
        hash_of(successor),
        secret.seal(successor.encode(), spent),
        None if device is None else secret.digest(Purpose.DEVICE, device),
        secret.digest(Purpose.ADDRESS, address),
        GRACE,
        IDLE,
    )
    outcome: Outcome = row.outcome  # type: ignore[assignment]
    return Refreshed(outcome, row.account_id, row.sign_in_id, _opened(secret, row, spent))


def _opened(secret: IdentitySecret, row: _Spent, spent: bytes) -> str | None:
    if row.successor is None:
        return None
    token = secret.open(row.successor, spent)
    return None if token is None else token.decode()


def hash_of(token: str) -> bytes:
    """Without a key: 256 random bits are not guessed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
