"""The cookie of a session, as it is set and as it is read.

It is only for this site and no script can read it. Where the address is not that of this machine it
goes over TLS alone and bears the prefix by which browsers keep neighbours (another host of the same
domain, another path) from putting one there; on this machine, where there is no TLS, it has a name
without the prefix, which counts nowhere else.
"""

import ipaddress
from typing import Any

from handfast.engine.operating.sessions import LIFE

NAME = "handfast_session"
HOST_NAME = f"__Host-{NAME}"
# A page of somebody else's cannot send it: browsers ask us first, and we allow nobody.
CHANGE_HEADER = "X-Handfast-Change"


def session_secret(scope: Any) -> str | None:
    """What the browser holds, if it is a cookie of this address."""
    wanted = NAME if is_here(scope) else HOST_NAME
    sent = [value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie"]
    pairs = [part.strip().partition("=") for line in sent for part in line.split(";")]
    found = {value for name, _, value in pairs if name == wanted and value}
    return found.pop() if len(found) == 1 else None  # of two, one is somebody else's


def set_session(scope: Any, secret: str) -> str:
    """The header that gives it to the browser."""
    return _cookie(scope, secret, int(LIFE.total_seconds()))


def clear_session(scope: Any) -> str:
    return _cookie(scope, "", 0)


def says_change(scope: Any) -> bool:
    wanted = CHANGE_HEADER.lower().encode()
    return any(name == wanted and value for name, value in scope["headers"])


def is_foreign(scope: Any) -> bool:
    """Whether a page of another site has sent it, by the browser's own word: ``Sec-Fetch-Site``, or
    ``Origin`` where that is not sent. What is no browser sends neither."""
    headers = dict(scope["headers"])
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        return bool(site not in (b"same-origin", b"none"))
    origin = headers.get(b"origin")
    return origin is not None and origin.partition(b"://")[2] != headers.get(b"host")


def is_here(scope: Any) -> bool:
    """Whether the browser asked for an address of its own machine."""
    host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
    name = host.rpartition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
    return name == "localhost" or is_loopback(name)


def is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _cookie(scope: Any, value: str, seconds: int) -> str:
    parts = [f"Max-Age={seconds}", "Path=/", "HttpOnly", "SameSite=Strict"]
    if is_here(scope):
        return "; ".join([f"{NAME}={value}", *parts])
    return "; ".join([f"{HOST_NAME}={value}", *parts, "Secure"])
