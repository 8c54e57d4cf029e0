"""Requests may carry an idempotency key: the same middleware that we offer to others.

Operators are one principal; those who start match runs are told apart by address and device.
"""

from typing import TYPE_CHECKING, Any, cast

from litestar import Litestar
from litestar.types import ASGIApp

from handfast.edge.http.auth import check_operator
from handfast.edge.http.bodies import (
    BODY_BYTES_MAX,
    FIXTURES_BODY_BYTES_MAX,
    RUN_BODY_BYTES_MAX,
)
from handfast.services.idempotency import (
    IdempotencyMiddleware,
    PostgresStore,
    Rule,
    Seal,
    optional,
)
from handfast.services.idempotency.principals import device_of
from handfast.services.idempotency.rules import NOWHERE
from handfast.wiring import System

if TYPE_CHECKING:
    from handfast.services.idempotency import RedisCache

OPERATOR = "operator"  # there is one token, so there is one principal
PUBLIC = "/api/match/"


# Which requests take a key. Signing secrets are shown once: their answers are kept encrypted.
RULES: list[Rule] = [
    optional("POST /admin/*"),
    optional("POST /api/match/run", body_max=RUN_BODY_BYTES_MAX),
    optional("POST /fixtures", body_max=FIXTURES_BODY_BYTES_MAX),
    optional("POST /webhooks/endpoints", encrypted=True),
    optional("POST /webhooks/endpoints/{id}/rotate", encrypted=True),
    optional("POST /webhooks/endpoints/{id}/replay"),
    optional("PATCH /webhooks/endpoints/{id}"),
]


def _cache(url: str) -> "RedisCache":
    from handfast.services.idempotency import RedisCache  # noqa: PLC0415 - heavy, and optional

    return RedisCache(url)


def keyed(api: Litestar) -> ASGIApp:
    """Wrap the application."""
    system: System = api.state.system
    redis = system.settings.redis_url
    store = PostgresStore(
        system.database,
        seal=Seal(api.state.idempotency_secret.split(",")),
        cache=_cache(redis.get_secret_value()) if redis else None,
    )
    api.on_shutdown.append(store.close)

    async def principal(scope: Any) -> str:
        """An operator's token is checked here, before anything is looked up, and by the guard
        again. The same check: wrong tokens are counted, whatever else the request carries."""
        if scope["path"].startswith(PUBLIC):
            return f"address:{api.state.proxies.caller(scope)}:{device_of(scope)}"
        await check_operator(scope, api.state)
        return OPERATOR

    middleware = IdempotencyMiddleware(
        cast("Any", api),
        store,
        principal=principal,
        rules=RULES,
        default=NOWHERE,
        body_max=BODY_BYTES_MAX,
    )
    return cast("ASGIApp", middleware)
