"""The limits that the policies of our routes name. Wrong tokens are counted in ``auth``.

/health, /ready and /metrics name none on purpose: probes must not fail.
"""

from typing import Any, cast

from litestar import Litestar
from litestar.types import ASGIApp

from handfast.edge.http.auth import authenticate
from handfast.edge.http.identity import STRANGER
from handfast.edge.http.route_table import RouteTable
from handfast.services.limits.middleware import RateLimited


def rate_limited(api: Litestar, inner: ASGIApp) -> ASGIApp:
    """The API, with what stands around it already (``inner``), behind its limits."""
    table: RouteTable = api.state.routes

    async def principal(scope: Any) -> str | None:
        """For limits by principal; a stranger has none and counts by address."""
        asked = table.of(scope["method"], scope["path"])
        if asked is None:  # unreachable: the rules are of the same table
            return None
        caller = await authenticate(scope, api.state, asked.policy)
        return None if caller is STRANGER else caller.principal

    limited = RateLimited(
        cast("Any", inner),
        api.state.limiter,
        table.limit_rules(api.state.system.settings),
        principal=principal,
        proxies=api.state.proxies,
    )
    return cast("ASGIApp", limited)
