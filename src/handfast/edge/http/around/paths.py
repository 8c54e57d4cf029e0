"""One spelling for each path, before anybody compares it with anything.

Litestar takes //admin//jobs/ for /admin/jobs. What stands around it (limits, idempotency keys) goes
by the path too, and has to see the same one: otherwise a second slash is the way around a limit.
"""

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from handfast.base.routes import one_spelling


def spelled_once(app: ASGIApp) -> ASGIApp:
    """Wrap the application."""

    async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            scope["path"] = one_spelling(scope["path"])
        await app(scope, receive, send)

    return middleware
