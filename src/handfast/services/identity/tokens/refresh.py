"""Refresh tokens: opaque, stored as a hash, spent once for one successor (ruling R23).

An app that refreshes twice at once, or whose answer was lost, comes again with a spent token: from
the same device and within 20 s it gets the same successor, which is kept encrypted for that.
Otherwise somebody else has the token too, and nobody can tell who is the thief: the sign-in ends.
"""

import hashlib
from datetime import datetime, timedelta
from types import NoneType
from uuid import UUID

import msgspec

from handfast.base.ids import new_token
from handfast.base.logs import get_logger
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.events import emit
from handfast.services.identity import metrics
from handfast.services.identity.secret import IdentitySecret, Purpose
from handfast.services.identity.sign_ins import IDLE, forget_answers

GRACE = timedelta(seconds=20)
PREFIX = "hf_refresh"

log = get_logger(__name__)


class _Spent(msgspec.Struct, frozen=True):
    outcome: str
    sign_in_id: UUID | None
    account_id: UUID | None
    successor: bytes | None
    at: datetime


class Refreshed(msgspec.Struct, frozen=True):
    """``token`` is the successor, when there is one; then it is known whose."""

    outcome: str
    user_id: UUID
    sign_in_id: UUID
    token: str | None


NOBODY = UUID(int=0)

_SPEND = statement("identity.spend_refresh_token", row=_Spent)
_ADD = statement("identity.add_refresh_token", row=NoneType)


async def add_refresh_token(tx: Transaction, sign_in_id: UUID) -> str:
    """The first of a sign-in."""
    token = new_token(PREFIX)
    await _ADD.run(tx, hash_of(token), sign_in_id)
    return token


async def refresh(
    tx: Transaction, secret: IdentitySecret, token: str, *, device: str | None, address: str
) -> Refreshed:
    """What becomes of a token that somebody sends. Theft has ended its sign-in then: the caller
    commits that before it refuses. What was answered at sign-in is not replayed from now on."""
    done = await _spent(tx, secret, token, device=device, address=address)
    metrics.REFRESHES.labels(done.outcome).inc()
    if done.outcome in ("spent", "again", "reused"):
        await forget_answers(tx, [done.sign_in_id])
    if done.outcome == "reused":
        data = {"userId": done.user_id, "signInId": done.sign_in_id}
        await emit(tx, "auth.refresh_reused", f"user:{done.user_id}", data, users=[done.user_id])
        log.warning("refresh_token_reused", user_id=str(done.user_id))
    return done


async def _spent(
    tx: Transaction, secret: IdentitySecret, token: str, *, device: str | None, address: str
) -> Refreshed:
    successor = new_token(PREFIX)
    hashed = hash_of(token)
    row = await _SPEND.one(
        tx,
        hashed,
        hash_of(successor),
        secret.seal(successor.encode(), hashed),
        None if device is None else secret.digests(Purpose.DEVICE, device),
        secret.digests(Purpose.ADDRESS, address),
        GRACE,
        IDLE,
    )
    kept = None if row.successor is None else secret.open(row.successor, hashed)
    return Refreshed(
        row.outcome,
        row.account_id or NOBODY,
        row.sign_in_id or NOBODY,
        None if kept is None else kept.decode(),
    )


def hash_of(token: str) -> bytes:
    """Without a key: 256 random bits are not guessed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
