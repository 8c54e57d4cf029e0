"""An optional Redis or Valkey that may be slow, frozen or gone at any moment.

Nothing durable is kept there, so losing it must cost little. Every call has one short time limit
(``CALL_SECONDS``) and is never repeated by the library. The first call that Redis leaves without an
answer opens a circuit: from then on calls fail at once with ``RedisAway``, and the caller takes its
other way. A frozen Redis therefore costs one time limit and not one for each call. While the
circuit is open, a ``PING`` in the background finds out when Redis is back; nobody waits for it.

    redis = open_redis(settings)                    # None when there is no REDIS_URL
    try:
        value = await redis.call(lambda client: client.get("key"), read=int)
    except RedisAway:
        ...                                         # the other way

``read`` makes of the answer what the caller wants. What answers may speak like Redis and be
something else, and then that fails: it is ``RedisAway`` too. Whoever talks to Redis does it through
here; there is no second guard.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

import msgspec
from prometheus_client import Counter, Gauge

from handfast.base.extras import extra
from handfast.base.logs import get_logger
from handfast.base.masking import mask_url
from handfast.base.telemetry import REGISTRY
from handfast.db.errors import RedisAway
from handfast.db.redis_address import client_of

if TYPE_CHECKING:  # slow to import, and rarely needed
    from redis.asyncio import Redis

    from handfast.base.settings import Settings

T = TypeVar("T")

CALL_SECONDS = 0.25  # a healthy one answers in a thousandth of this, also in the next data centre
REST_SECONDS = 0.5  # between two looks whether it is back; doubled each time
REST_SECONDS_MAX = 5.0
# What a ``read`` raises when the answer has another shape: a number where there should be a list.
_OF_ANOTHER_SHAPE = (TypeError, ValueError, LookupError, AttributeError)

FAILURES = Counter(
    "handfast_redis_failures_total", "Calls that Redis did not answer.", registry=REGISTRY
)
AWAY = Gauge(
    "handfast_redis_away", "1 while Redis does not answer and is not asked.", registry=REGISTRY
)

# A process has a guard for limits and one for kept answers, and one figure for both.
_AWAY_NOW: set[int] = set()

log = get_logger(__name__)


class RedisServer(msgspec.Struct):
    """Who answers."""

    name: str
    version: str


class GuardedRedis:
    """A client whose calls end in time, behind a circuit breaker. Belongs to one event loop."""

    def __init__(
        self,
        url: str,
        *,
        call_seconds: float = CALL_SECONDS,
        rest_seconds: float = REST_SECONDS,
        circuit: bool = True,
        on_fault: Callable[[Exception], None] | None = None,
    ) -> None:
        """Connects to nothing yet; ``ValueError`` if ``url`` is not an address.

        Without a ``circuit`` every call is tried, for those who have no other way. ``on_fault`` is
        told of whatever went wrong, also while looking whether Redis is back."""
        with extra("redis"):
            import redis.asyncio as library  # noqa: PLC0415

        self.shown = mask_url(url)
        self._call_seconds = call_seconds
        self._first_rest = self._rest = rest_seconds
        self._look_after = 0.0  # by the monotonic clock; only read while the circuit is open
        self._away = False
        self._circuit = circuit
        self._on_fault = on_fault
        self._looking: asyncio.Task[None] | None = None
        self._refusal = library.ResponseError
        self._faults = (library.RedisError, OSError, TimeoutError)
        # The client is for what `call` does not fit, such as subscriptions; bring your own time
        # limits, and say `failed` when it does.
        self.client: Redis
        self.client, self._sentinel = client_of(url, call_seconds)

    @property
    def away(self) -> bool:
        """True while the last call got no answer, and no look did since: the circuit is open."""
        return self._away

    @overload
    async def call(self, command: Callable[["Redis"], Awaitable[T]]) -> T: ...

    @overload
    async def call(
        self, command: Callable[["Redis"], Awaitable[Any]], *, read: Callable[[Any], T]
    ) -> T: ...

    async def call(
        self,
        command: Callable[["Redis"], Awaitable[Any]],
        *,
        read: Callable[[Any], Any] | None = None,
    ) -> Any:
        """What ``command`` answers, in time and as ``read`` understands it, or ``RedisAway``."""
        if self._away and self._circuit:
            self._look_now_and_then()
            raise RedisAway(f"Redis at {self.shown} has not answered lately and is not asked.")
        answer = await self._ask(command)
        return answer if read is None else self._understood(answer, read)

    def script(self, text: str) -> "RedisScript":
        """A Lua script, to be run as often as wanted."""
        return RedisScript(self, text)

    def failed(self, fault: Exception) -> None:
        """What was done with ``client`` itself went wrong: then nobody is to wait for it either."""
        self._note(fault)
        self._open_circuit(str(fault) or repr(fault))

    async def server(self) -> RedisServer:
        """Who answers, asked past the circuit: for ``handfast doctor`` and the like."""
        return self._understood(await self._ask(lambda client: client.info("server")), _server)

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking
        self._set_away(away=False)
        with contextlib.suppress(*self._faults):  # of one that is gone there is nothing to close
            await self.client.aclose()
        for node in () if self._sentinel is None else self._sentinel.sentinels:
            with contextlib.suppress(*self._faults):
                await node.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _ask(self, command: Callable[["Redis"], Awaitable[T]]) -> T:
        asked = _cancellations()
        try:
            # Beside the socket's own limits: looking up a name has none, and several reads add up.
            async with asyncio.timeout(self._call_seconds):
                answer = await command(self.client)
        except self._faults as fault:
            self._note(fault)
            said = str(fault) or f"no answer within {self._call_seconds:g} s"
            # A refusal (no memory, a read-only replica, a wrong type) is an answer, and a quick
            # one: it closes nothing to others.
            if not isinstance(fault, self._refusal):
                self._open_circuit(said)
            raise RedisAway(f"Redis at {self.shown}: {said}.") from fault
        self._close_circuit()
        if _cancellations() > asked:  # the library keeps it to itself when an answer comes as well
            raise asyncio.CancelledError
        return answer

    def _understood(self, answer: Any, read: Callable[[Any], T]) -> T:
        try:
            return read(answer)
        except _OF_ANOTHER_SHAPE as fault:
            self._note(fault)
            raise RedisAway(
                f"What answers as Redis at {self.shown} answers something else: {fault!r}."
            ) from fault

    def _note(self, fault: Exception) -> None:
        FAILURES.inc()
        if self._on_fault is not None:
            self._on_fault(fault)

    def _open_circuit(self, said: str) -> None:
        if not self._away:
            log.warning("redis_away", redis=self.shown, reason=said)
            self._rest = self._first_rest
            self._set_away(away=True)
        self._look_after = time.monotonic() + self._rest

    def _close_circuit(self) -> None:
        if self._away:
            log.info("redis_back", redis=self.shown)
            self._set_away(away=False)

    def _set_away(self, *, away: bool) -> None:
        self._away = away
        (_AWAY_NOW.add if away else _AWAY_NOW.discard)(id(self))
        AWAY.set(1 if _AWAY_NOW else 0)

    def _look_now_and_then(self) -> None:
        if time.monotonic() >= self._look_after and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._look(), name="handfast-redis-look")

    async def _look(self) -> None:
        self._rest = min(self._rest * 2, REST_SECONDS_MAX)
        with contextlib.suppress(RedisAway):
            await self._ask(lambda client: client.ping())


class RedisScript:
    """One Lua script behind the guard: one step, so it is atomic. It is sent by its digest, and
    whole again by the library when Redis has forgotten it."""

    def __init__(self, redis: GuardedRedis, text: str) -> None:
        self._redis = redis
        self._script = redis.client.register_script(text)

    async def run(
        self, keys: Sequence[str], arguments: Sequence[Any], *, read: Callable[[Any], T]
    ) -> T:
        """What it returns, as ``read`` understands it, or ``RedisAway``."""
        return await self._redis.call(lambda _: self._script(keys=keys, args=arguments), read=read)


def _cancellations() -> int:
    """How often the task that runs was asked to end."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


def _server(info: Any) -> RedisServer:
    if "valkey_version" in info:
        return RedisServer("Valkey", str(info["valkey_version"]))
    return RedisServer("Redis", str(info["redis_version"]))


def open_redis(settings: "Settings") -> GuardedRedis | None:
    """The Redis that ``REDIS_URL`` names. None without one, and, since everything works without
    Redis, also when it is no address; then the log says so."""
    if settings.redis_url is None:
        return None
    url = settings.redis_url.get_secret_value()
    try:
        return GuardedRedis(url)
    except ValueError as error:  # a port or a database that is not a number, and the like
        log.error("redis_url_unusable", reason=str(error))
        return None
