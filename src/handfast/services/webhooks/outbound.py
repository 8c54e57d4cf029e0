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
from handfast.base.errors import InvalidEndpointUrl
from handfast.services.webhooks.answer import BODY_BYTES_MAX, Answer, excerpt, retry_after
from handfast.services.webhooks.bounded_stream import OVERHEAD_BYTES_MAX
from handfast.services.webhooks.connections import Connections
from handfast.services.webhooks.endpoint_url import EndpointUrl, check_url, parse_url
from handfast.services.webhooks.guard import (
    GuardedBackend,
    Refused,
    Resolver,
    Undeliverable,
    Unreachable,
    system_resolver,
)

__all__ = ["Answer", "Page", "Refused", "Sender", "Undeliverable", "Unreachable", "check_url"]

TIMEOUT_SECONDS = 15.0  # the promise to receivers: answer within this, or it counts as a failure
# Idle connections are kept for less than common servers keep theirs (5 s), so that we rarely
# write into one that is being closed.
KEEP_ALIVE_SECONDS = 4.0
IDLE_CONNECTIONS_MAX = 100
RESOLVER_THREADS_MAX = 64  # started as needed; each may hang for as long as a name server does

_HEADERS = {
    "content-type": "application/json",
    "user-agent": "Handfast-Webhooks/1",
    "accept": "*/*",
    # We read a few lines of the answer; a compressed one could be small on the way and huge here.
    "accept-encoding": "identity",
}


_ASKING = {
    "user-agent": "Handfast/1",
    "accept": "application/json, text/csv;q=0.9, */*;q=0.5",
    "accept-encoding": "identity",
}


@dataclass(frozen=True, slots=True)
class Page:
    """What was got, whole: a page that is longer than the cap is ``Unreachable`` instead."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class _Open:
    pool: Connections
    close: AsyncExitStack


class Sender:
    """Posts webhooks, reusing connections. One serves a whole process; use ``async with``."""

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
            threads = ThreadPoolExecutor(RESOLVER_THREADS_MAX, "webhooks-resolver")
            stack.callback(threads.shutdown, wait=False, cancel_futures=True)
            backend = GuardedBackend(
                self._resolver or system_resolver(threads),
                allow_private=self._allow_private,
                answer_max=self._body_cap + OVERHEAD_BYTES_MAX,
            )
            pool = Connections(  # whoever runs the deliveries decides how many at once
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

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Send, and return what was answered, whatever the status.

        Raises ``Refused`` if it will never be sent, ``Unreachable`` if no whole answer came.
        """
        sent = _HEADERS | {name.lower(): value for name, value in headers.items()}
        sent["content-length"] = str(len(body))
        started = time.monotonic()
        status, received, content = await self._ask("POST", url, sent, body)
        content = content[: self._body_cap]
        return Answer(
            status=status,
            retry_after=retry_after(received.get("retry-after"), utc_now()),
            excerpt=excerpt(content, received.get("content-encoding")),
            seconds=time.monotonic() - started,
        )

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Page:
        """What is at an address, whatever the status; redirects are not followed.

        Raises ``Refused`` and ``Unreachable`` as ``post`` does.
        """
        sent = _ASKING | {name.lower(): value for name, value in (headers or {}).items()}
        status, received, content = await self._ask("GET", url, sent, b"")
        if len(content) > self._body_cap:
            raise Unreachable("length", f"The answer has more than {self._body_cap:,} bytes.")
        return Page(status, received, content)

    async def _ask(
        self, method: str, url: str, sent: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        if self._open is None:
            raise RuntimeError("open the sender first: async with Sender() as sender")
        try:
            endpoint = parse_url(url)
        except InvalidEndpointUrl as wrong:
            raise Refused("url", wrong.detail) from wrong
        try:
            async with asyncio.timeout(self._timeout):
                return await self._exchange(self._open.pool, method, endpoint, sent, body)
        except TimeoutError:
            raise Unreachable(
                "timeout", f"{endpoint.host} took longer than {self._timeout:g} s."
            ) from None

    async def _exchange(
        self,
        pool: Connections,
        method: str,
        endpoint: EndpointUrl,
        sent: dict[str, str],
        body: bytes,
    ) -> tuple[int, dict[str, str], bytes]:
        try:
            async with pool.stream(
                method,
                httpcore2.URL(
                    scheme=endpoint.scheme,
                    host=endpoint.host,
                    port=endpoint.port,
                    target=endpoint.target,
                ),
                headers=list((sent | {"host": endpoint.host_header}).items()),
                content=body,
                # Certificates are made out to names without the root's dot.
                extensions={"sni_hostname": endpoint.host.removesuffix(".")},
            ) as response:
                content = await _first(response, self._body_cap)
                received = {
                    name.decode("latin-1").lower(): value.decode("latin-1")
                    for name, value in response.headers
                }
                return response.status, received, content
        except httpcore2.RemoteProtocolError as garbage:
            raise Unreachable("protocol", f"{endpoint.host} broke HTTP: {garbage}.") from garbage
        except httpcore2.ConnectError as failed:  # the guard reports its own: this is TLS
            raise Unreachable("tls", f"TLS with {endpoint.host} failed: {failed}.") from failed
        except (httpcore2.NetworkError, OSError) as broken:
            raise Unreachable(
                "reset", f"{endpoint.host} broke the connection: {broken}."
            ) from broken


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
