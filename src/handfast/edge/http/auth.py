"""Who is calling. For now there is one kind of caller with rights: the operator."""

import hmac
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from handfast.base.errors import NotAllowed, NotAuthenticated


def operator_only(
    connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler
) -> None:
    """Guard for everything under /admin: the operator's token as ``Authorization: Bearer``."""
    check_operator(connection.headers.get("authorization", ""), connection.app.state.admin_token)


def check_operator(authorization: str, expected: str) -> None:
    """Raises unless the header's value is the operator's token."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise NotAuthenticated(
            "This address is for operators.",
            hint="Send the operator's token: Authorization: Bearer <HANDFAST_ADMIN_TOKEN>.",
        )
    # Compared as bytes and in constant time: neither odd characters nor timing tell anything.
    if not hmac.compare_digest(token.strip().encode(), expected.encode()):
        raise NotAllowed(
            "That is not the operator's token.",
            hint="It is the value of HANDFAST_ADMIN_TOKEN; in development it was printed at the "
            "first start and is kept in the data folder.",
        )
