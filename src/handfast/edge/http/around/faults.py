"""What goes wrong around the routes is a problem, too.

The framework answers for handlers that fail. What stands around it asks the database who is
calling, how often, and with which key, and a database that is stopped meanwhile breaks off in the
middle of its answer. The server would say "Internal Server Error" to that, and nothing else.
"""

from typing import Any, cast

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from handfast.base.errors import HandfastError
from handfast.base.logs import get_logger
from handfast.base.problems import send_error
from handfast.db.errors import DatabaseUnreachable
from handfast.db.outage import AWAY
from handfast.edge.http.problems import hidden

log = get_logger(__name__)


def faults_answered(app: ASGIApp) -> ASGIApp:
    """Wrap the application."""

    async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await app(scope, receive, send)
            return
        began = False

        async def send_noted(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await app(scope, receive, send_noted)
        except Exception as error:
            if began:  # it has been answered, or half of it: the server hangs up
                raise
            await send_error(cast("Any", send), _told(scope["path"], error))

    return middleware


def _told(path: str, error: Exception) -> HandfastError:
    if isinstance(error, HandfastError):
        return error
    if isinstance(error, AWAY):
        return DatabaseUnreachable(f"The database connection broke: {error}.")
    log.error("unexpected_error", path=path, exc_info=error)
    return hidden()
