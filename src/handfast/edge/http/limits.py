"""The limits of our own public addresses. Operators' wrong tokens are counted in ``auth``.

To limit an address, add its rule to ``RULES``; nothing else is needed:

    Rule("/auth/otp/send", methods={"POST"}, limits=[Limit("otp-send", 5, timedelta(minutes=10))])
"""

from typing import Any, cast

from litestar import Litestar
from litestar.types import ASGIApp

from handfast.services.limits.middleware import RateLimited
from handfast.services.limits.rules import Rule

RULES: list[Rule] = []  # /health, /ready and /metrics have none on purpose: probes must not fail


def rate_limited(api: Litestar, inner: ASGIApp) -> ASGIApp:
    """The API, with what stands around it already (``inner``), behind its rules."""
    if not RULES:
        return inner
    limited = RateLimited(cast("Any", inner), api.state.limiter, RULES, proxies=api.state.proxies)
    return cast("ASGIApp", limited)
