"""An optional Redis or Valkey that may be slow, frozen or gone at any moment.

Nothing durable is kept there, so losing it must cost little. Every call has one short time limit
(``CALL_SECONDS``) and is never repeated by the library. The first call that Redis leaves without an
answer opens a circuit: from then on calls fail at once with ``RedisAway``, and the caller takes its
other way. A frozen Redis therefore costs one time limit and not one for each call. While the
circuit is open, a ``PING`` in the background finds out when Redis is back; nobody waits for it.

    redis = open_redis(settings)                    # None when there is no REDIS_URL
    try:
        value = await redis.call(lambda client: client.get("key"))
    except RedisAway:
        ...                                         # the other way
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec
from prometheus_client import Counter, Gauge

from handfast.base.errors import RedisAway
from handfast.base.logs import get_logger
from handfast.base.settings import Settings, mask_url
from handfast.base.telemetry import REGISTRY

if TYPE_CHECKING:  # slow to import, and rarely needed
    from redis.asyncio import Redis

T = TypeVar("T")

CALL_SECONDS = 0.25  # a healthy one answers in a thousandth of this, also in the next data centre
REST_SECONDS = 0.5  # between two looks whether it is back; doubled each time
REST_SECONDS_MAX = 5.0
CONNECTIONS_MAX = 50

FAILURES = Counter(
    "handfast_redis_failures_total", "Calls that Redis did not answer.", registry=REGISTRY
)
AWAY = Gauge(
    "handfast_redis_away", "1 while Redis does not answer and is not asked.", registry=REGISTRY
)

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
    ) -> None:
        """Connects to nothing yet; ``ValueError`` if ``url`` is not an address."""
        import redis.asyncio as library  # noqa: PLC0415
        from redis.asyncio.retry import Retry  # noqa: PLC0415
        from redis.backoff import NoBackoff  # noqa: PLC0415

        self.shown = mask_url(url)
        self._call_seconds = call_seconds
        self._first_rest = self._rest = rest_seconds
        self._look_after = 0.0  # by the monotonic clock; only read while the circuit is open
        self._away = False
        self._looking: asyncio.Task[None] | None = None
        self._refusal = library.ResponseError
        self._faults = (library.RedisError, OSError, TimeoutError)
        pool = library.BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS_MAX,
            timeout=call_seconds,
            socket_timeout=call_seconds,
            socket_connect_timeout=call_seconds,
            retry=Retry(NoBackoff(), 0),  # a script that was sent twice would count twice
        )
        # For what `call` does not fit, such as subscriptions; bring your own time limits.
        self.client: Redis = library.Redis.from_pool(pool)

    @property
    def away(self) -> bool:
        """True while the circuit is open: the last call got no answer, and no look did since."""
        return self._away

    async def call(self, command: Callable[["Redis"], Awaitable[T]]) -> T:
        """What ``command`` answers, in time, or ``RedisAway``."""
        if self._away:
            self._look_now_and_then()
            raise RedisAway(f"Redis at {self.shown} has not answered lately and is not asked.")
        return await self._ask(command)

    async def server(self) -> RedisServer:
        """Who answers, asked past the circuit: for ``handfast doctor`` and the like."""
        info: dict[str, Any] = await self._ask(lambda client: client.info("server"))
        if "valkey_version" in info:
            return RedisServer("Valkey", str(info["valkey_version"]))
        return RedisServer("Redis", str(info["redis_version"]))

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking
        await self.client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _ask(self, command: Callable[["Redis"], Awaitable[T]]) -> T:
        try:
            # Beside the socket's own limits: looking up a name has none, and several reads add up.
            async with asyncio.timeout(self._call_seconds):
                answer = await command(self.client)
        except self._faults as fault:
            FAILURES.inc()
            said = str(fault) or f"no answer within {self._call_seconds:g} s"
            # A refusal (no memory, a read-only replica, a wrong type) is an answer, and a quick
            # one: it closes nothing to others.
            if not isinstance(fault, self._refusal):
                self._open_circuit(said)
            raise RedisAway(f"Redis at {self.shown}: {said}.") from fault
        self._close_circuit()
        return answer

    def _open_circuit(self, said: str) -> None:
        if not self._away:
            log.warning("redis_away", redis=self.shown, reason=said)
            self._away, self._rest = True, self._first_rest
            AWAY.set(1)
        self._look_after = time.monotonic() + self._rest

    def _close_circuit(self) -> None:
        if self._away:
            log.info("redis_back", redis=self.shown)
            self._away = False
            AWAY.set(0)

    def _look_now_and_then(self) -> None:
        if time.monotonic() >= self._look_after and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._look(), name="handfast-redis-look")

    async def _look(self) -> None:
        self._rest = min(self._rest * 2, REST_SECONDS_MAX)
        with contextlib.suppress(RedisAway):
            await self._ask(lambda client: client.ping())


def open_redis(settings: Settings) -> GuardedRedis | None:
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
