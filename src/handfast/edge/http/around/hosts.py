"""A ``Host`` that is none is refused, as HTTP wants it (RFC 9112, 3.2).

The framework makes a whole address of it when it says what is wrong with a request, and fails at a
port that is no number: the caller would be told of a fault of ours.
"""

from typing import cast
from urllib.parse import urlsplit

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from handfast.base.errors import RequestError
from handfast.base.problems import Send as AnySend
from handfast.base.problems import send_error


def hosts_checked(app: ASGIApp) -> ASGIApp:
    """Wrap the application."""

    async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            for name, value in scope["headers"]:
                if name == b"host" and not _is_host(value):
                    await send_error(cast("AnySend", send), _refusal())
                    return
        await app(scope, receive, send)

    return middleware


def _is_host(value: bytes) -> bool:
    try:
        urlsplit(f"//{value.decode('latin-1')}").port  # noqa: B018  # it is read when it is asked
    except ValueError:
        return False
    return True


def _refusal() -> RequestError:
    return RequestError(
        "The header Host is not the name of a host, or its port is no port.",
        hint="Send a name or an address, and a port behind a colon; an IPv6 address in brackets.",
    )
