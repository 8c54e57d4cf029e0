"""Connecting only where it is allowed.

The name is resolved once, every answer is checked, and the connection is opened to an address
that was checked, never to the name again: a resolver that says something else the second time
(DNS rebinding) is not asked a second time. TLS still proves the *name*, because that happens
above this module, on the stream that it hands out.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Executor
from typing import Any

import httpcore2

from handfast.services.outbound.addresses import why_not
from handfast.services.outbound.bounded_stream import BoundedStream

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]

# Hosts with more addresses than this exist; if four of them are dead, the next attempt is soon.
ADDRESSES_TRIED_MAX = 4
# One address that swallows packets must leave time for the others within the whole deadline.
CONNECT_SECONDS_MAX = 4.0


class NoAnswer(Exception):
    """A request that got no answer. ``reason`` is one word for logs and metrics."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class AddressRefused(NoAnswer):
    """We will not send there, now or later: trying again changes nothing."""


class Unreachable(NoAnswer):
    """It did not work this time."""


def system_resolver(executor: Executor) -> Resolver:
    """Ask the operating system, on threads of our own: a name server that does not answer must
    not use up the few threads that the event loop has for everybody."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        def ask() -> list[str]:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            return [str(address[0]) for *_, address in found]

        return await asyncio.get_running_loop().run_in_executor(executor, ask)

    return resolve


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Opens connections for the pool. There is no other way out of it."""

    def __init__(self, resolve: Resolver, *, allow_private: bool, answer_max: int) -> None:
        self._resolve = resolve
        self._answer_max = answer_max
        self._allow_private = allow_private
        self._sockets = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the library's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        failed: Exception | None = None
        for address in (await self._allowed(host, port))[:ADDRESSES_TRIED_MAX]:
            try:
                connected = await self._sockets.connect_tcp(
                    address,
                    port,
                    timeout=min(timeout or CONNECT_SECONDS_MAX, CONNECT_SECONDS_MAX),
                    local_address=local_address,
                    socket_options=socket_options,
                )
                return BoundedStream(connected, self._answer_max)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as refused:
                failed = refused
        slow = isinstance(failed, httpcore2.ConnectTimeout)
        said = "did not answer" if slow else f"did not accept a connection ({failed})"
        raise Unreachable("connect", f"{host}:{port} {said}.")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109  # the library's signature
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise AddressRefused("address", "Sockets of this machine are not connected to.")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _allowed(self, host: str, port: int) -> list[str]:
        try:
            # Twice the same address is one; the resolver's order is its preference.
            addresses = list(dict.fromkeys(await self._resolve(host, port)))
        except (OSError, UnicodeError) as unknown:
            raise Unreachable("dns", f"{host} was not found: {unknown}.") from unknown
        if not addresses:
            raise Unreachable("dns", f"{host} has no address.")
        if not self._allow_private:
            # All of them, not the first: a host that also names a private address is either
            # misconfigured or probing, and which of them gets connected would be luck.
            for address in addresses:
                about = why_not(address)
                if about is not None:
                    where = host if host == address else f"{host} leads to {address}, which"
                    raise AddressRefused("address", f"{where} is {about}.")
        return addresses
