"""A store in Redis alone, for applications without PostgreSQL.

**Its window.** The handler's effects are in one place and the record of the answer in another. A
process that dies after the effect and before the record leaves a claim whose lease runs out, and
the next retry carries the request out again. A Redis that loses its memory (a crash without
``appendfsync always``, a failover, an eviction) forgets answers, and the same happens. Where that
must not be, use ``PostgresStore`` and the request's transaction. Set Redis to ``noeviction``.

Each step is one Lua script, so it is atomic, and Redis' own clock decides. What lies under the name
of a record and cannot be one is no record: the request is carried out, and it is replaced.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from handfast.base.errors import DatabaseError
from handfast.db.open_transaction import OpenTransaction
from handfast.db.pool import Database, Isolation
from handfast.db.redis import GuardedRedis
from handfast.services.idempotency.answers import KeptAnswer, pack, unpack
from handfast.services.idempotency.stores.encryption import Encryption
from handfast.services.idempotency.stores.redis_cache import PREFIX
from handfast.services.idempotency.stores.renewal import Renewals
from handfast.services.idempotency.stores.store import (
    Call,
    ClaimAnswer,
    ClaimOutcome,
    Released,
)

LEASE = timedelta(seconds=15)  # renewed at a third of it; a silent process is replaced after it
TIMEOUT_SECONDS = 2.0  # here Redis is the truth, and a moment's patience is right

_NOW = """
local t = redis.call('TIME')
local micros = tonumber(t[1]) * 1000000 + tonumber(t[2])
local now = math.floor(micros / 1000)
"""
_CLAIM = (
    _NOW
    + """
local r = redis.pcall('HMGET', KEYS[1], 'fingerprint', 'state', 'lease', 'token', 'status',
                      'response', 'encrypted')
local function readable()
  if r.err or #r[1] ~= #ARGV[1] or not ((tonumber(r[4]) or 0) < 2^53) then return false end
  if r[2] == 'done' then return string.match(r[5] or '', '^[1-5]%d%d$') end
  if r[2] == 'running' then return (tonumber(r[3]) or math.huge) < now + ARGV[3] + ARGV[2] end
  return r[2] == 'free'
end
if (r.err or r[1]) and not readable() then
  redis.call('DEL', KEYS[1])
  r = {}
end
if r[1] then
  if r[1] ~= ARGV[1] then return {'conflict'} end
  if r[2] == 'done' then return {'replay', r[5], r[6], r[7]} end
  if r[2] == 'running' and tonumber(r[3]) > now then return {'in_flight'} end
end
local token = math.max(micros, (tonumber(r[4]) or 0) + 1)
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'state', 'running',
           'lease', string.format('%.0f', now + ARGV[2]), 'token', string.format('%.0f', token))
if not r[1] then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return {'execute', string.format('%.0f', token), r[2] == 'running' and '1' or '0'}
"""
)
_RECORD = """
local r = redis.pcall('HMGET', KEYS[1], 'state', 'token')
if r[1] ~= 'running' or r[2] ~= ARGV[1] then return false end
redis.call('HSET', KEYS[1], 'state', 'done', 'status', ARGV[2], 'response', ARGV[3],
           'encrypted', ARGV[4])
redis.call('HDEL', KEYS[1], 'lease')
return 1
"""
_RELEASE = """
local r = redis.pcall('HMGET', KEYS[1], 'state', 'token')
if r[2] ~= ARGV[1] then return 'lost' end
if r[1] ~= 'running' then return r[1] == 'done' and 'done' or 'lost' end
if ARGV[2] == '1' then
  redis.call('HSET', KEYS[1], 'state', 'free')
  redis.call('HDEL', KEYS[1], 'lease')
else
  redis.call('DEL', KEYS[1])
end
return 'released'
"""
_FORGET = """
if redis.call('HGET', KEYS[1], 'response') == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""
_RENEW = (
    _NOW
    + """
local held = {}
for i, key in ipairs(KEYS) do
  local r = redis.pcall('HMGET', key, 'state', 'token')
  if r[1] == 'running' and r[2] == ARGV[i + 1] then
    redis.call('HSET', key, 'lease', string.format('%.0f', now + ARGV[1]))
    -- A key must not expire under a request that still runs.
    if redis.call('PTTL', key) < tonumber(ARGV[1]) then redis.call('PEXPIRE', key, ARGV[1]) end
    held[#held + 1] = r[2]
  end
end
return held
"""
)


class RedisStore:
    def __init__(
        self,
        url: str,
        *,
        seal: Encryption | None = None,
        lease: timedelta = LEASE,
        prefix: str = PREFIX,
    ) -> None:
        self.lease = lease
        self.can_seal = seal is not None
        self._seal = seal
        self._prefix = prefix
        # No circuit: an answer whose effect has happened must be recorded if that is possible.
        self._redis = GuardedRedis(url, call_seconds=TIMEOUT_SECONDS, circuit=False)
        self._claim = self._redis.script(_CLAIM)
        self._record = self._redis.script(_RECORD)
        self._release = self._redis.script(_RELEASE)
        self._forget = self._redis.script(_FORGET)
        self._renew = self._redis.script(_RENEW)
        self._renewals = Renewals(self)

    async def close(self) -> None:
        self._renewals.close()
        await self._redis.close()

    async def database(self) -> Database:
        raise DatabaseError(
            "There is no transaction to take part in: this application keeps its idempotency "
            "records in Redis.",
            hint="Open a transaction of your own and call idempotency.started(request) first; or "
            "use PostgresStore, and the answer commits together with what you write.",
        )

    async def begin(self, isolation: Isolation) -> OpenTransaction:
        await self.database()
        raise AssertionError("database() has refused")

    async def claim(self, call: Call) -> ClaimAnswer:
        keys = [self._name(call)]
        arguments = [call.fingerprint, _milliseconds(self.lease), _milliseconds(call.ttl)]
        while True:
            said = await self._claim.run(keys, arguments, read=_read_claim)
            try:
                return self._answer(call, said)
            except msgspec.DecodeError:
                # Unless somebody else has replaced it since: then that is looked at.
                await self._forget.run(keys, [said.packed], read=_ignore)

    def _answer(self, call: Call, said: "_ClaimSaid") -> ClaimAnswer:
        if said.outcome is ClaimOutcome.REPLAY:
            packed = self._opened(call, said.packed, encrypted=said.flag)
            return ClaimAnswer(said.outcome, answer=unpack(said.number, packed), source="redis")
        if said.outcome is ClaimOutcome.EXECUTE:
            self._renewals.hold(call, said.number)
            return ClaimAnswer(said.outcome, token=said.number, taken_over=said.flag)
        return ClaimAnswer(said.outcome)

    async def commit(self, call: Call, token: int, answer: KeptAnswer, tx: OpenTransaction) -> bool:
        raise AssertionError("there is no transaction to commit: database() has refused one")

    async def record(self, call: Call, token: int, answer: KeptAnswer) -> bool:
        self._renewals.drop(call)
        packed = pack(answer) if answer.tag is None else None  # nobody could drop it here
        sealed = call.encrypted and self._seal is not None and packed is not None
        if sealed and self._seal is not None and packed is not None:
            packed = self._seal.close(packed, call.name)
        return await self._record.run(
            [self._name(call)],
            [token, answer.status, packed or b"", int(sealed)],
            read=lambda recorded: recorded is not None,
        )

    async def has_tag(self, call: Call, tag: str) -> bool:
        return False  # answers with a tag are not kept in Redis

    async def release(self, call: Call, token: int, *, begun: bool) -> Released:
        self._renewals.drop(call)
        return await self._release.run(
            [self._name(call)], [token, int(begun)], read=lambda said: Released(said.decode())
        )

    async def renew(self, claims: Sequence[tuple[Call, int]]) -> set[int]:
        return await self._renew.run(
            [self._name(call) for call, _ in claims],
            [_milliseconds(self.lease), *(token for _, token in claims)],
            read=lambda held: {int(token) for token in held},
        )

    def publish(self, call: Call, answer: KeptAnswer | None, expires_at: datetime | None) -> None:
        """Those who wait look every few milliseconds, and Redis does not mind."""

    async def news(self, call: Call, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _name(self, call: Call) -> str:
        return f"{self._prefix}record:{call.scope.hex()}:{call.key}"

    def _opened(self, call: Call, packed: bytes, *, encrypted: bool) -> bytes | None:
        if not packed:
            return None
        if not encrypted:
            return packed
        return self._seal.open(packed, call.name) if self._seal is not None else None


class _ClaimSaid(NamedTuple):
    """What the claim's script returned. ``number`` is a status or a token, ``flag`` whether the
    answer is encrypted or the claim was taken over."""

    outcome: ClaimOutcome
    number: int = 0
    packed: bytes = b""
    flag: bool = False


def _read_claim(said: Any) -> _ClaimSaid:
    outcome = ClaimOutcome(said[0].decode())
    match outcome:
        case ClaimOutcome.REPLAY:
            return _ClaimSaid(outcome, int(said[1]), _bytes(said[2]), said[3] == b"1")
        case ClaimOutcome.EXECUTE:
            return _ClaimSaid(outcome, int(said[1]), flag=said[2] == b"1")
        case _:
            return _ClaimSaid(outcome)


def _bytes(said: Any) -> bytes:
    if not isinstance(said, bytes):
        raise TypeError(f"{said!r} is not bytes")
    return said


def _ignore(said: Any) -> None:
    pass


def _milliseconds(length: timedelta) -> int:
    return max(1, int(length.total_seconds() * 1000))
