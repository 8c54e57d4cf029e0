"""Sign-ins: a device that is signed in. At most five of an account; a sixth ends the oldest.

Whether one stands is read for every request, with its account and its key, in one statement by
primary keys: nothing is cached, so what ends a sign-in or suspends an account holds for the next
request of every process. That one has ended is an event on the user's own stream: streams that were
opened with it end then.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from handfast.base.errors import NotFound
from handfast.base.ids import new_id
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.events import NewEvent, emit_many
from handfast.services.idempotency import drop_tag

SIGNED_OUT = "auth.signed_out"
SIGN_INS_MAX = 5
IDLE = timedelta(days=30)
LONGEST = timedelta(days=90)


class Standing(msgspec.Struct, frozen=True):
    """What a request needs to know of its token's sign-in; ``at`` is the database's time."""

    account_id: UUID
    ended: bool
    expired: bool
    suspended: bool
    action_id: UUID | None
    suspended_until: datetime | None
    key_stands: bool
    at: datetime


class SignIn(msgspec.Struct, frozen=True):
    id: UUID
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime


_STANDING = statement("identity.standing", row=Standing)
_STILL_STANDS = statement("identity.still_stands", row=bool)
_ADD = statement("identity.add_sign_in", row=datetime)
_END_OLDEST = statement("identity.end_oldest_sign_ins", row=UUID)
_END = statement("identity.end_sign_in", row=UUID)
_END_ALL = statement("identity.end_sign_ins_of", row=UUID)
_LIST = statement("identity.sign_ins_of", row=SignIn)


async def standing(on: Queryable, sign_in_id: UUID, kid: str) -> Standing | None:
    return await _STANDING.maybe(on, sign_in_id, kid)


async def add_sign_in(tx: Transaction, user_id: UUID, device: bytes | None = None) -> UUID:
    """The account is locked by the caller. ``device`` is its keyed hash."""
    made = new_id()
    await _ADD.one(tx, made, user_id, device, IDLE, LONGEST)
    ended = await _END_OLDEST.all(tx, user_id, SIGN_INS_MAX)
    await forget_answers(tx, ended)
    await tell_ended(tx, user_id, ended)
    return made


async def list_sign_ins(on: Queryable, user_id: UUID) -> list[SignIn]:
    """Those that stand, the newest first."""
    return await _LIST.all(on, user_id)


async def end_sign_in(tx: Transaction, user_id: UUID, sign_in_id: UUID, why: str) -> None:
    """Another user's is not there, as one that has ended."""
    ended = await _END.maybe(tx, user_id, sign_in_id, why)
    if ended is None:
        raise NotFound(
            f"There is no sign-in {sign_in_id}.", hint="GET /auth/sessions lists those there are."
        )
    await forget_answers(tx, [ended])
    await tell_ended(tx, user_id, [ended])


async def still_stands(on: Queryable, sign_in_id: UUID) -> bool:
    """Neither ended nor expired, and its account is not suspended: for who is connected still."""
    return await _STILL_STANDS.maybe(on, sign_in_id) is True


async def end_sign_ins(tx: Transaction, user_id: UUID, why: str) -> list[UUID]:
    """All that an account has; answers which. The caller says so at its end: ``tell_ended``, or an
    event of its own on the user's stream."""
    ended = await _END_ALL.all(tx, user_id, why)
    await forget_answers(tx, ended)
    return ended


async def tell_ended(tx: Transaction, user_id: UUID, sign_ins: Sequence[UUID]) -> None:
    """As the last statement: it locks the user's stream."""
    if sign_ins:
        await emit_many(tx, [_ended(user_id, one) for one in sign_ins])


def _ended(user_id: UUID, sign_in_id: UUID) -> NewEvent:
    data = {"userId": user_id, "signInId": sign_in_id}
    return NewEvent(SIGNED_OUT, f"user:{user_id}", data, (user_id,))


def tag_of(sign_in_id: UUID) -> str:
    """Under which kept answers show its tokens."""
    return f"sign-in:{sign_in_id}"


async def forget_answers(tx: Transaction, sign_ins: list[UUID]) -> None:
    """What was answered when they began shows their tokens, and is not replayed from now on."""
    for sign_in_id in sign_ins:
        await drop_tag(tx, tag_of(sign_in_id))
