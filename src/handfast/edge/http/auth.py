"""Who is calling. For now there is one kind of caller with rights: the operator.

Wrong tokens are counted by the caller's address, in the database: whoever has tried too many is
refused whatever it sends next, also the right one, or the refusals would tell which one was right.
"""

import hmac
from datetime import timedelta
from typing import Any

from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler

from handfast.base.errors import NotAllowed, NotAuthenticated
from handfast.services.limits.limit import Decision, Limit
from handfast.services.limits.limiter import Limiter
from handfast.services.limits.middleware import too_many
from handfast.services.limits.subject import Proxies


def operator_logins(quota: int) -> Limit:
    """How many wrong tokens one address may send."""
    return Limit("operator-logins", quota=quota, period=timedelta(minutes=1))


async def operator_only(
    connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler
) -> None:
    """Guard for everything under /admin: the operator's token as ``Authorization: Bearer``."""
    await check_operator(connection.scope, connection.app.state)


async def check_operator(scope: Any, state: State) -> None:
    """Raises unless the request of this ASGI scope has the operator's token."""
    authorization = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise NotAuthenticated(
            "This address is for operators.",
            hint="Send the operator's token: Authorization: Bearer <HANDFAST_ADMIN_TOKEN>.",
        )
    # Compared as bytes and in constant time: neither odd characters nor timing tell anything.
    expected: str = state.admin_token
    right = hmac.compare_digest(token.strip().encode(), expected.encode())
    await _count(scope, state, cost=0 if right else 1)
    if not right:
        raise NotAllowed(
            "That is not the operator's token.",
            hint="It is the value of HANDFAST_ADMIN_TOKEN; in development it was printed at the "
            "first start and is kept in the data folder.",
        )


async def _count(scope: Any, state: State, *, cost: int) -> None:
    """A wrong token takes one; the right one only looks whether there is one left."""
    limiter: Limiter = state.limiter
    proxies: Proxies = state.proxies
    subject = f"address:{proxies.caller(scope)}"
    verdict = await limiter.take(state.operator_logins, subject, cost)
    if not verdict.admitted:
        raise too_many(Decision([verdict]))
