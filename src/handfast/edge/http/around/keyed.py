"""Requests may carry an idempotency key: the same middleware that we offer to others, with rules
that come from the policies of the routes.
"""

from typing import Any, cast

from litestar import Litestar
from litestar.types import ASGIApp

from handfast.edge.http.auth import authenticate
from handfast.edge.http.identity import STRANGER
from handfast.edge.http.policies import BODY_BYTES_MAX
from handfast.edge.http.route_table import RouteTable
from handfast.engine.system import System
from handfast.services.idempotency import (
    Encryption,
    IdempotencyMiddleware,
    PostgresStore,
    RedisCache,
)
from handfast.services.idempotency.asgi.principals import device_of
from handfast.services.idempotency.asgi.rules import NOWHERE


def keyed(api: Litestar) -> ASGIApp:
    """Wrap the application."""
    system: System = api.state.system
    table: RouteTable = api.state.routes
    redis = system.settings.redis_url
    store = PostgresStore(
        system.database,
        seal=Encryption(api.state.idempotency_secret.split(",")),
        cache=RedisCache(redis.get_secret_value()) if redis else None,
    )
    api.on_shutdown.append(store.close)

    async def principal(scope: Any) -> str | None:
        """Whose key it is. Who is asking is found out here, before anything is looked up: wrong
        tokens are counted, whatever else the request carries."""
        asked = table.of(scope["method"], scope["path"])
        if asked is None:  # unreachable: the rules are of the same table
            return None
        caller = await authenticate(scope, api.state, asked.policy)
        if asked.policy.key.principal is not None:
            return asked.policy.key.principal(scope)
        if caller is STRANGER:
            return f"address:{api.state.proxies.caller(scope)}:{device_of(scope)}"
        return caller.principal

    middleware = IdempotencyMiddleware(
        cast("Any", api),
        store,
        principal=principal,
        rules=table.key_rules(),
        default=NOWHERE,
        body_max=BODY_BYTES_MAX,
    )
    return cast("ASGIApp", middleware)
