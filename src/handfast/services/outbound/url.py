"""The address of another server: whether it can be one, and what is made of it to connect.

One parser serves both, so that what was checked is what is used. What is known of a *name* here is
only a courtesy to whoever gives it: what a name resolves to is decided by somebody else at any
later moment, and is checked at each connect (see ``guard``).
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address

import httpx2

from handfast.services.outbound.addresses import why_not

URL_LENGTH_MAX = 2048  # what browsers, proxies and log lines commonly bear
DEFAULT_PORTS = {"http": 80, "https": 443}

# Letters, digits, hyphens and (in the wild) underscores; no escapes, no brackets.
_AUTHORITY_END = re.compile("[/?#]")
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?")
_NUMBER = re.compile(r"([0-9]+|0x[0-9a-f]*)\.?")
_EXAMPLE = "Give the whole address, for example https://shop.example.com/path."


class UrlUnusable(Exception):
    """No request can go there. ``detail`` says why, ``hint`` what to give instead."""

    def __init__(self, detail: str, *, hint: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint


@dataclass(frozen=True, slots=True)
class OutboundUrl:
    """An address taken apart. ``host`` is a name in ASCII, or an IP address without brackets."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def why_not_public(self) -> str | None:
        """What is wrong with a host that needs no resolver to be known; ``None`` if nothing is."""
        if _is_ip(self.host):
            return why_not(self.host)
        name = self.host.removesuffix(".")
        return "loopback" if name == "localhost" or name.endswith(".localhost") else None


def parse_url(url: str) -> OutboundUrl:
    """Take an address apart; raises ``UrlUnusable``."""
    if len(url) > URL_LENGTH_MAX:
        raise UrlUnusable(
            f"The address has {len(url)} characters.", hint=f"At most {URL_LENGTH_MAX} are kept."
        )
    try:
        parsed = httpx2.URL(url)
        host = parsed.raw_host.decode("ascii")
    except (httpx2.InvalidURL, UnicodeError) as wrong:
        raise UrlUnusable(f"{url!r} is not an address: {wrong}.", hint=_EXAMPLE) from None
    if parsed.scheme not in DEFAULT_PORTS:
        raise UrlUnusable(
            f"The scheme is {parsed.scheme!r}." if parsed.scheme else "The scheme is missing.",
            hint=f"Only https and http are spoken. {_EXAMPLE}",
        )
    if "@" in _AUTHORITY_END.split(url.partition("//")[2], maxsplit=1)[0]:
        raise UrlUnusable(  # the address is not repeated: it may hold a password
            "The address contains a user name or a password.",
            hint="Leave them out: an address is shown to people, and is in logs.",
        )
    if "\\" in url or parsed.fragment:
        raise UrlUnusable(
            f"{url!r} contains a {'#' if parsed.fragment else 'backslash'}.",
            hint="What follows a # is never sent, and a \\ is read differently by different "
            f"programs. {_EXAMPLE}",
        )
    _check_host(host)
    port = DEFAULT_PORTS[parsed.scheme] if parsed.port is None else parsed.port
    if not 1 <= port <= 65535:
        raise UrlUnusable(f"There is no port {port}.", hint="Ports go from 1 to 65535.")
    return OutboundUrl(parsed.scheme, host, port, parsed.raw_path.decode("ascii"))


def _check_host(host: str) -> None:
    if not host:
        raise UrlUnusable("The address names no host.", hint=_EXAMPLE)
    if _is_ip(host):
        return
    if len(host) > 254 or not _NAME.fullmatch(host):
        raise UrlUnusable(f"{host!r} is not the name of a host.", hint=_EXAMPLE)
    last = host.removesuffix(".").rpartition(".")[2]
    if _NUMBER.fullmatch(last):
        # 2130706433, 0x7f.1 and 0177.0.0.1 all are 127.0.0.1 to the resolver.
        raise UrlUnusable(
            f"{host!r} is an IP address in an unusual spelling.",
            hint="Write it as four numbers from 0 to 255 with dots, or use a name.",
        )


def _is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
