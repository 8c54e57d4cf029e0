"""What a client is told about its limits.

``Retry-After`` of RFC 9110 on a refusal, and on every limited answer the fields ``RateLimit`` and
``RateLimit-Policy`` of draft-ietf-httpapi-ratelimit-headers-11 (May 2026, not yet an RFC), which
are lists of RFC 9651:

    RateLimit-Policy: "login";q=10;w=60
    RateLimit: "login";r=7;t=18

``q`` units in ``w`` seconds; ``r`` of them are left, and all of them again after ``t`` seconds.
"""

import math

from handfast.services.limits.errors import TooManyRequests
from handfast.services.limits.limit import Limit, LimitDecision

Headers = list[tuple[str, str]]


def limit_headers(decision: LimitDecision) -> Headers:
    """In the order in which the limits were asked."""
    policies, states = [], []
    for verdict in decision.verdicts:
        limit = verdict.ask.limit
        # Names are limited to characters that need no escaping in a structured string.
        window = max(1, math.ceil(limit.period.total_seconds()))
        policies.append(f'"{limit.name}";q={limit.quota};w={window}')
        states.append(f'"{limit.name}";r={verdict.remaining};t={math.ceil(verdict.reset)}')
    headers: Headers = []
    if policies:
        headers += [("RateLimit-Policy", ", ".join(policies)), ("RateLimit", ", ".join(states))]
    if not decision.admitted:
        headers.append(("Retry-After", str(retry_after_seconds(decision))))
    return headers


def retry_after_seconds(decision: LimitDecision) -> int:
    """Whole seconds, rounded up: one who comes when told is not told to come again."""
    return max(1, math.ceil(decision.retry_after))


def too_many(decision: LimitDecision) -> TooManyRequests:
    """The refusal as an error, for the middleware and for commands that count themselves: which
    limit is used up, and when to come again."""
    refused = [verdict.ask.limit for verdict in decision.verdicts if not verdict.admitted]
    seconds = retry_after_seconds(decision)
    return TooManyRequests(
        "The limit "
        + " and ".join(f"{limit.name!r} ({_said(limit)})" for limit in refused)
        + " is used up.",
        hint=f"Try again in {seconds} s.",
        headers=dict(limit_headers(decision)),
    )


def _said(limit: Limit) -> str:
    return f"{limit.quota} in {limit.period.total_seconds():g} s"
