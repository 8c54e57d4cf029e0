"""``OPTIONS``: which methods an address takes, for anybody, from the table of all routes.

The framework answers it by itself, but from the first handler that was registered for an address:
the others would be left out of ``Allow``.
"""

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from handfast.edge.http.route_table import RouteTable


def options_answered(app: ASGIApp, table: RouteTable) -> ASGIApp:
    """Wrap the application."""

    async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
        is_asked = scope["type"] == ScopeType.HTTP and scope["method"] == "OPTIONS"
        allowed = table.methods_of(scope["path"]) if is_asked else []
        if not allowed:
            await app(scope, receive, send)
            return
        headers = [(b"allow", ", ".join(allowed).encode())]
        await send({"type": "http.response.start", "status": 204, "headers": headers})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return middleware
