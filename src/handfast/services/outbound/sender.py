"""One request to somebody else's server, which may be slow, broken or hostile.

Built on the connections that lie beneath httpx2, because that layer has no redirects to follow, no
proxies from the environment, no cookies and no decompression: what is not there need not be
switched off. Every step, from the name server to the last byte that we care to read, happens
within one deadline.
"""

import asyncio
import ssl
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Self

import httpcore2

from handfast.base.clock import utc_now
from handfast.services.outbound.answer import (
    BODY_BYTES_MAX,
    ServerAnswer,
    retry_after,
)
from handfast.services.outbound.bounded_stream import OVERHEAD_BYTES_MAX
from handfast.services.outbound.connections import Connections
from handfast.services.outbound.guard import (
    AddressRefused,
    GuardedBackend,
    NoAnswer,
    Resolver,
    Unreachable,
    system_resolver,
)
from handfast.services.outbound.url import OutboundUrl, UrlUnusable, parse_url

__all__ = ["AddressRefused", "NoAnswer", "Sender", "ServerAnswer", "Unreachable"]

TIMEOUT_SECONDS = 15.0  # for a whole exchange, where the caller does not say
# Idle connections are kept for less than common servers keep theirs (5 s), so that we rarely
# write into one that is being closed.
KEEP_ALIVE_SECONDS = 4.0
IDLE_CONNECTIONS_MAX = 100
RESOLVER_THREADS_MAX = 64  # started as needed; each may hang for as long as a name server does

_HEADERS = {
    "user-agent": "Handfast/1",
    "accept": "*/*",
    # A compressed answer could be small on the way and huge here.
    "accept-encoding": "identity",
}


@dataclass(slots=True)
class _Open:
    pool: Connections
    close: AsyncExitStack


class Sender:
    """Asks servers, reusing connections. One serves a whole process; use ``async with``."""

    def __init__(
        self,
        *,
        allow_private: bool = False,
        timeout: float = TIMEOUT_SECONDS,
        body_cap: int = BODY_BYTES_MAX,
        resolver: Resolver | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._allow_private = allow_private
        self._timeout = timeout
        self._body_cap = body_cap
        self._resolver = resolver
        self._ssl_context = ssl_context
        self._open: _Open | None = None

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            threads = ThreadPoolExecutor(RESOLVER_THREADS_MAX, "outbound-resolver")
            stack.callback(threads.shutdown, wait=False, cancel_futures=True)
            backend = GuardedBackend(
                self._resolver or system_resolver(threads),
                allow_private=self._allow_private,
                answer_max=self._body_cap + OVERHEAD_BYTES_MAX,
            )
            pool = Connections(  # whoever asks decides how many at once
                idle_max=IDLE_CONNECTIONS_MAX,
                keep_alive=KEEP_ALIVE_SECONDS,
                ssl_context=self._ssl_context or ssl.create_default_context(),
                network_backend=backend,
            )
            await stack.enter_async_context(pool)
            self._open = _Open(pool, stack.pop_all())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._open is not None:
            opened, self._open = self._open, None
            await opened.close.aclose()

    @property
    def connections(self) -> int:
        """How many connections are open, busy or idle."""
        return 0 if self._open is None else len(self._open.pool.connections)

    @property
    def idle_connections(self) -> int:
        """How many of them wait to be used again."""
        held = [] if self._open is None else self._open.pool.connections
        return sum(connection.is_idle() for connection in held)

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> ServerAnswer:
        """Send, and return what was answered, whatever the status, of a long answer the beginning.

        Raises ``AddressRefused`` if it will never be sent, ``Unreachable`` if no answer came.
        """
        return await self._ask("POST", url, {**headers, "content-length": str(len(body))}, body)

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> ServerAnswer:
        """What is at an address, whole, whatever the status; redirects are not followed.

        Raises as ``post`` does; an answer that is longer than the cap is ``Unreachable``.
        """
        answer = await self._ask("GET", url, headers or {}, b"")
        if answer.is_cut:
            raise Unreachable("length", f"The answer has more than {self._body_cap:,} bytes.")
        return answer

    async def _ask(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> ServerAnswer:
        if self._open is None:
            raise RuntimeError("open the sender first: async with Sender() as sender")
        try:
            target = parse_url(url)
        except UrlUnusable as wrong:
            raise AddressRefused("url", wrong.detail) from wrong
        sent = _HEADERS | {name.lower(): value for name, value in headers.items()}
        try:
            async with asyncio.timeout(self._timeout):
                return await self._exchange(self._open.pool, method, target, sent, body)
        except TimeoutError:
            raise Unreachable(
                "timeout", f"{target.host} took longer than {self._timeout:g} s."
            ) from None

    async def _exchange(
        self,
        pool: Connections,
        method: str,
        target: OutboundUrl,
        sent: dict[str, str],
        body: bytes,
    ) -> ServerAnswer:
        started = time.monotonic()
        try:
            async with pool.stream(
                method,
                httpcore2.URL(
                    scheme=target.scheme,
                    host=target.host,
                    port=target.port,
                    target=target.target,
                ),
                headers=list((sent | {"host": target.host_header}).items()),
                content=body,
                # Certificates are made out to names without the root's dot.
                extensions={"sni_hostname": target.host.removesuffix(".")},
            ) as response:
                content = await _first(response, self._body_cap)
                return self._answer(response, content, time.monotonic() - started)
        except httpcore2.RemoteProtocolError as garbage:
            raise Unreachable("protocol", f"{target.host} broke HTTP: {garbage}.") from garbage
        except httpcore2.ConnectError as failed:  # the guard reports its own: this is TLS
            raise Unreachable("tls", f"TLS with {target.host} failed: {failed}.") from failed
        except (httpcore2.NetworkError, OSError) as broken:
            raise Unreachable("reset", f"{target.host} broke the connection: {broken}.") from broken

    def _answer(self, response: httpcore2.Response, content: bytes, seconds: float) -> ServerAnswer:
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in response.headers
        }
        return ServerAnswer(
            status=response.status,
            headers=headers,
            body=content[: self._body_cap],
            is_cut=len(content) > self._body_cap,
            retry_after=retry_after(headers.get("retry-after"), utc_now()),
            seconds=seconds,
        )


async def _first(response: httpcore2.Response, cap: int) -> bytes:
    """The beginning of the body, more than ``cap`` if there is more. What was read to its end
    leaves the connection fit for reuse; of the rest nothing is read, and the connection is
    closed."""
    content = bytearray()
    async for chunk in response.aiter_stream():
        content += chunk
        if len(content) > cap:
            break
    return bytes(content)
