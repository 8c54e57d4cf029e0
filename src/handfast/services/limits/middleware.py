"""Rate limits around any ASGI application. Knows no framework.

    app = RateLimited(app, limiter, [Rule("/runs", limits=[...])])

A refused request never reaches the application: it gets a 429 problem. Admitted ones get the same
headers on their answers.
"""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from handfast.base.errors import HandfastError, TooManyRequests
from handfast.base.logs import get_logger
from handfast.services.limits.headers import Headers, limit_headers, retry_after_seconds
from handfast.services.limits.limit import Ask, Decision
from handfast.services.limits.limiter import Limiter
from handfast.services.limits.rules import Rule
from handfast.services.limits.subject import Principal, Proxies, Scope

Message = Any
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
App = Callable[[Any, Any, Any], Awaitable[None]]

log = get_logger(__name__)

UNREACHABLE_SECONDS = 1  # when nobody can count: how soon it is worth asking again


class RateLimited:
    """``principal`` says who is calling, or None; ``proxies`` whose X-Forwarded-For is believed."""

    def __init__(
        self,
        app: App,
        limiter: Limiter,
        rules: Sequence[Rule],
        *,
        principal: Principal | None = None,
        proxies: Proxies | None = None,
    ) -> None:
        self._app = app
        self._limiter = limiter
        self._rules = rules
        self._principal = principal
        self._proxies = proxies or Proxies()
        if principal is None and any(rule.by == "principal" for rule in rules):
            raise ValueError("A rule counts by principal, and nothing says who that is.")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        rules = [] if scope["type"] != "http" else self._fitting(scope)
        if not rules:
            await self._app(scope, receive, send)
            return
        try:
            decision = await self._limiter.take_all(await self._asks(scope, rules))
        except HandfastError as error:  # nobody is let through uncounted
            waits = [("Retry-After", str(UNREACHABLE_SECONDS))] if error.status == 503 else []
            await _answer(send, error, waits)
            return
        headers = limit_headers(decision)
        if not decision.admitted:
            await _answer(send, too_many(decision), headers)
            return
        raw = [(name.lower().encode(), value.encode()) for name, value in headers]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *raw]
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _fitting(self, scope: Scope) -> list[Rule]:
        method, path = scope["method"], scope["path"]
        return [rule for rule in self._rules if rule.fits(method, path)]

    async def _asks(self, scope: Scope, rules: list[Rule]) -> list[Ask]:
        address = f"address:{self._proxies.caller(scope)}"
        subjects = {"address": address, "principal": address}
        if self._principal is not None and any(rule.by == "principal" for rule in rules):
            who = self._principal(scope)
            if inspect.isawaitable(who):
                who = await who
            if who is not None:
                subjects["principal"] = f"principal:{who}"
        # A limit that two rules share counts a request once.
        asked = {(limit, subjects[rule.by]): None for rule in rules for limit in rule.limits}
        return [Ask(limit, subject) for limit, subject in asked]


def too_many(decision: Decision) -> TooManyRequests:
    """The refusal as an error: which limit, and when to come again."""
    refused = [verdict.ask.limit for verdict in decision.verdicts if not verdict.admitted]
    seconds = retry_after_seconds(decision)
    return TooManyRequests(
        "The limit "
        + " and ".join(f"{limit.name!r} ({_said(limit)})" for limit in refused)
        + " is used up.",
        hint=f"Try again in {seconds} s.",
        headers=dict(limit_headers(decision)),
    )


def _said(limit: Any) -> str:
    return f"{limit.quota} in {limit.period.total_seconds():g} s"


async def _answer(send: Send, error: HandfastError, headers: Headers) -> None:
    if error.status >= 500:  # the caller is told less
        log.error("request_failed", code=error.code, detail=str(error))
    body = msgspec.json.encode(error.as_problem())
    raw = [(name.lower().encode(), value.encode()) for name, value in headers]
    raw += [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": error.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
