"""HEAD for everything that answers GET: load balancers ask for /health and /ready that way.

The application runs as for GET, and only the body is left out, so status and headers cannot differ.
The answer ends with its headers: a stream has no end of its own, and whatever comes next on the
connection (behind a proxy from anybody) would wait for it.
"""

from typing import Any, cast

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send


def heads_answered(app: ASGIApp) -> ASGIApp:
    """Wrap the application."""

    async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or scope["method"] != "HEAD":
            await app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                # Then the server tells the application that nobody is there any more.
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        # A copy: the server decides by its own scope how to end a HEAD.
        as_get = cast("Any", {**scope, "method": "GET"})
        try:
            await app(as_get, receive, send_without_body)
        finally:
            if "path_template" in as_get:  # what routing found out, for those around us
                scope["path_template"] = as_get["path_template"]

    return middleware
