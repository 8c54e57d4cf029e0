"""Redis in front of the store: kept responses, read first, and wake-ups for those who wait.

Redis is never believed. An entry carries the scope, the key and the fingerprint that it belongs
to, until when it may be used, and a MAC made with a secret that lies in PostgreSQL; whatever does
not fit is a miss. So are an error, silence and a Redis that is not there (``db/redis.py``).
"""

import asyncio
import contextlib
import hmac
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from handfast.base import supervise
from handfast.db.errors import RedisAway
from handfast.db.redis import GuardedRedis
from handfast.services.idempotency import metrics
from handfast.services.idempotency.answers import KeptAnswer
from handfast.services.idempotency.stores.store import Call

if TYPE_CHECKING:  # slow to import, and rarely needed
    from redis.asyncio import Redis

TIMEOUT_SECONDS = 0.1  # PostgreSQL answers sooner than a Redis that needs longer
ENTRY_SECONDS_MAX = 3600  # a database that is restored from a backup is believed within the hour
PREFIX = "handfast:idempotency:"
_CHANNEL = PREFIX + "wake"
_MAC_BYTES = 32


class _Entry(msgspec.Struct, array_like=True):
    scope: bytes
    key: bytes
    fingerprint: bytes
    expires_at: float
    answer: KeptAnswer


_decoder = msgspec.msgpack.Decoder(_Entry)


class RedisCache:
    def __init__(self, url: str, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._timeout = timeout
        self._redis = GuardedRedis(url, call_seconds=timeout, on_fault=_count)
        self._waiters: dict[str, set[asyncio.Event]] = {}
        self._listening: asyncio.Task[None] | None = None

    async def close(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        await self._redis.close()

    async def find(self, call: Call, secret: bytes) -> KeptAnswer | None:
        """The kept answer to exactly this call, if Redis has it and it is ours."""
        try:
            raw: Any = await self._redis.call(lambda client: client.get(_name(call)))
        except RedisAway:
            return None
        return None if raw is None else _believed(raw, call, secret)

    async def tell(
        self, call: Call, answer: KeptAnswer | None, expires_at: datetime | None, secret: bytes
    ) -> None:
        """Wake those who wait, and leave the answer for those who will ask."""

        async def write(client: "Redis") -> None:
            pipe = client.pipeline(transaction=False)
            if answer is not None and answer.body is not None and expires_at is not None:
                seconds = min(ENTRY_SECONDS_MAX, int(expires_at.timestamp() - time.time()))
                if seconds > 0:
                    pipe.set(_name(call), sealed(call, answer, expires_at, secret), ex=seconds)
            pipe.publish(_CHANNEL, _name(call))
            await pipe.execute()

        with contextlib.suppress(RedisAway):
            await self._redis.call(write)

    async def news(self, call: Call, seconds: float) -> None:
        """Woken when the call's claim ends; at the latest after so many seconds."""
        event, name = asyncio.Event(), _name(call)
        self._waiters.setdefault(name, set()).add(event)
        if self._listening is None or self._listening.done():
            self._listening = supervise.start("idempotency-news", self._listen)
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await event.wait()
        finally:
            self._waiters[name].discard(event)
            if not self._waiters[name]:
                del self._waiters[name]

    async def _listen(self) -> None:
        """While somebody waits. Its trouble is nobody's: waiters look for themselves anyway."""
        if self._redis.away:
            return
        try:
            async with self._redis.client.pubsub() as channel:
                async with asyncio.timeout(self._timeout):
                    await channel.subscribe(_CHANNEL)
                while self._waiters:
                    message: dict[str, Any] | None = await channel.get_message(
                        ignore_subscribe_messages=True, timeout=1.0
                    )
                    if message is not None:
                        for event in self._waiters.get(_text(message["data"]), ()):
                            event.set()
        except Exception as trouble:  # also the library's own, about what is no Redis
            self._redis.failed(trouble)


def _count(trouble: Exception) -> None:
    metrics.CACHE_ERRORS.labels(type(trouble).__name__).inc()


def sealed(call: Call, answer: KeptAnswer, expires_at: datetime, secret: bytes) -> bytes:
    text = msgspec.msgpack.encode(
        _Entry(call.scope, call.key.bytes, call.fingerprint, expires_at.timestamp(), answer)
    )
    return hmac.digest(secret, text, "sha256") + text


def _believed(raw: Any, call: Call, secret: bytes) -> KeptAnswer | None:
    if not isinstance(raw, bytes):  # what answers is no Redis
        metrics.CACHE_ERRORS.labels("unreadable").inc()
        return None
    mac, text = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
    if not hmac.compare_digest(mac, hmac.digest(secret, text, "sha256")):
        metrics.CACHE_ERRORS.labels("forged").inc()
        return None
    try:
        entry = _decoder.decode(text)
    except msgspec.DecodeError:  # we wrote it, but another version of us
        metrics.CACHE_ERRORS.labels("unreadable").inc()
        return None
    if (entry.scope, entry.key, entry.fingerprint) != (
        call.scope,
        call.key.bytes,
        call.fingerprint,
    ):
        return None  # another request under the same key: the store will say that it conflicts
    return entry.answer if entry.expires_at > time.time() else None


def _name(call: Call) -> str:
    return f"{PREFIX}{call.scope.hex()}:{call.key}"


def _text(data: Any) -> str:
    return data.decode("ascii", "replace") if isinstance(data, bytes) else str(data)
