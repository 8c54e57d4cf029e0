"""The limits of our own public addresses. Operators' wrong tokens are counted in ``auth``.

To limit an address, add its rule to ``RULES``; nothing else is needed:

    Rule("/auth/otp/send", methods={"POST"}, limits=[Limit("otp-send", 5, timedelta(minutes=10))])
"""

from datetime import timedelta
from typing import Any, cast

from litestar import Litestar
from litestar.types import ASGIApp

from handfast.services.limits.limit import Limit
from handfast.services.limits.middleware import RateLimited
from handfast.services.limits.rules import Rule

RULES: list[Rule] = []  # /health, /ready and /metrics have none on purpose: probes must not fail

READS = 10  # a run is read more often than started: a browser that polls asks every two seconds


def rate_limited(api: Litestar, inner: ASGIApp) -> ASGIApp:
    """The API, with what stands around it already (``inner``), behind its rules."""
    rules = [*RULES, *match_run_rules(api.state.system.settings.match_run_limit)]
    limited = RateLimited(cast("Any", inner), api.state.limiter, rules, proxies=api.state.proxies)
    return cast("ASGIApp", limited)


def match_run_rules(quota: int) -> list[Rule]:
    """Match runs are for anybody. Against load, not against guessing: not durable."""
    minute = timedelta(minutes=1)
    started = Limit("match-runs", quota, minute, durable=False)
    read = Limit("match-run-reads", quota * READS, minute, durable=False)
    return [
        Rule("/api/match/run", methods={"POST"}, limits=[started]),
        Rule("/api/match/run/{run_id}", methods={"GET"}, limits=[read]),
        Rule("/api/match/run/{run_id}/events", methods={"GET"}, limits=[read]),
    ]
