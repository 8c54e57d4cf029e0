"""Who is being limited.

An address is taken from the connection itself. ``X-Forwarded-For`` is a claim that anybody can
write, so it is read only when the connection comes from a proxy that the operator has named, and
then from the right: each trusted proxy wrote down whom it spoke to, and the first address that is
not a trusted proxy's is the caller's. An IPv6 caller counts with its /64, because that is what one
customer gets; counted singly, one caller would have 18 quintillion quotas.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

Scope = Any  # an ASGI scope; every framework types its own
Address = IPv4Address | IPv6Address
Principal = Callable[[Scope], str | Awaitable[str | None] | None]

IPV6_PREFIX = 64
HOPS_MAX = 20  # a longer chain is made up; what is left of these decides


class Proxies:
    """The proxies whose word is taken: addresses and networks, separated by commas."""

    def __init__(self, trusted: str | None = None) -> None:
        """``ValueError`` when one of them is neither."""
        parts = [part.strip() for part in (trusted or "").split(",")]
        self._networks = [ip_network(part, strict=False) for part in parts if part]

    def trusts(self, address: Address) -> bool:
        return any(
            address in network for network in self._networks if network.version == address.version
        )

    def caller(self, scope: Scope) -> str:
        """The address to count by; ``unknown`` when the connection has none (a Unix socket)."""
        peer = _parsed((scope.get("client") or ("",))[0])
        if peer is None:
            return "unknown"
        for claimed in reversed(_claims(scope)):
            if not self.trusts(peer):
                break
            nearer = _parsed(claimed)
            if nearer is None:  # garbage from a trusted proxy: we know no more than its address
                break
            peer = nearer
        return _counted(peer)


def _claims(scope: Scope) -> Sequence[str]:
    values = [
        value.decode("latin-1")
        for name, value in scope.get("headers", ())
        if name.lower() == b"x-forwarded-for"
    ]
    return ",".join(values).rsplit(",", HOPS_MAX)[-HOPS_MAX:] if values else ()


@lru_cache(maxsize=1024)  # the same few call again and again, and proxies call for all
def _parsed(text: str) -> Address | None:
    """An address, also with a port behind it; an IPv4 address that is dressed as IPv6 is IPv4."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _counted(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((address, IPV6_PREFIX), strict=False))
