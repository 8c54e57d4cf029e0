"""Sessions of operators and viewers: a browser that need not hold a token.

A session is begun with a token of the settings, and known by a secret of its own, of which only the
digest is stored. What ties it to its token is a MAC of the token under that secret: while the
settings have the token it fits, so whoever changes a token ends its sessions, in every process and
without a write; and nobody who reads the table learns anything about a token.

A code begins one session. It is good once, and for five minutes.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import NoneType

import msgspec

from handfast.base.ids import new_token
from handfast.base.tokens import NamedToken
from handfast.db.statements import statement
from handfast.db.transaction import Queryable

LIFE = timedelta(hours=12)  # a working day, counted from the sign-in and never prolonged
CODE_LIFE = timedelta(minutes=5)
SECRET_LENGTH_MAX = 200  # characters of what a browser may send; ours have 54

Held = Mapping[str, Sequence[NamedToken]]  # the tokens of the settings, by the kind of caller


class BegunSession(msgspec.Struct, frozen=True):
    secret: str
    caller: str
    name: str
    ends_at: datetime


class SessionOwner(msgspec.Struct, frozen=True):
    caller: str
    name: str
    ends_at: datetime


class _StoredSession(msgspec.Struct, frozen=True):
    caller: str
    name: str
    token_digest: bytes
    ends_at: datetime


class _Code(msgspec.Struct, frozen=True):
    caller: str
    name: str
    token_digest: bytes
    fresh: bool


_BEGIN = statement("engine.begin_session", row=datetime)
_SESSION = statement("engine.session", row=_StoredSession)
_END = statement("engine.end_session", row=str)
_END_ALL = statement("engine.end_sessions", row=int)
_ADD_CODE = statement("engine.add_code", row=NoneType)
_TAKE_CODE = statement("engine.take_code", row=_Code)


async def begin_session(tx: Queryable, caller: str, held: NamedToken) -> BegunSession:
    """Always a new secret: what a browser sent before is never made good."""
    secret = new_token("hf_session")
    bound = _bound(secret, held.token)
    ends_at = await _BEGIN.one(tx, _digest(secret), caller, held.name, bound, LIFE)
    return BegunSession(secret, caller, held.name, ends_at)


async def session_owner(on: Queryable, secret: str, held: Held) -> SessionOwner | None:
    """Whose it is; None if it has ended, was never, or its token is no longer in the settings."""
    if len(secret) > SECRET_LENGTH_MAX:
        return None
    found = await _SESSION.maybe(on, _digest(secret))
    if found is None or _token(held, found.caller, found.name, secret, found.token_digest) is None:
        return None
    return SessionOwner(found.caller, found.name, found.ends_at)


async def end_session(tx: Queryable, secret: str) -> bool:
    return await _END.maybe(tx, _digest(secret)) is not None


async def end_sessions(tx: Queryable, caller: str, name: str) -> int:
    """All of this name, in every browser. Answers how many."""
    return await _END_ALL.one(tx, caller, name)


async def make_code(tx: Queryable, caller: str, held: NamedToken) -> str:
    code = new_token("hf_code")
    await _ADD_CODE.run(tx, _digest(code), caller, held.name, _bound(code, held.token), CODE_LIFE)
    return code


async def take_code(tx: Queryable, code: str, held: Held) -> tuple[str, NamedToken] | None:
    """Whom it signs in: once. None if it was used, is too old, or was never one."""
    if len(code) > SECRET_LENGTH_MAX:
        return None
    found = await _TAKE_CODE.maybe(tx, _digest(code))
    if found is None or not found.fresh:
        return None
    token = _token(held, found.caller, found.name, code, found.token_digest)
    return None if token is None else (found.caller, token)


def _token(held: Held, caller: str, name: str, secret: str, bound: bytes) -> NamedToken | None:
    """The token of the settings by which it was begun."""
    fitting = [
        one
        for one in held.get(caller, ())
        if one.name == name and hmac.compare_digest(_bound(secret, one.token), bound)
    ]
    return fitting[0] if fitting else None


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def _bound(secret: str, token: str) -> bytes:
    return hmac.new(secret.encode("utf-8", "replace"), token.encode(), "sha256").digest()
