"""Rate limits around any ASGI application. Knows no framework.

    app = RateLimited(app, limiter, [LimitRule("/runs", limits=[...])])

A refused request never reaches the application: it gets a 429 problem. Admitted ones get the same
headers on their answers.
"""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from handfast.base.errors import HandfastError
from handfast.base.problems import send_error
from handfast.services.limits.headers import limit_headers, too_many
from handfast.services.limits.limit import Ask
from handfast.services.limits.limiter import Limiter
from handfast.services.limits.rules import LimitRule
from handfast.services.limits.subject import Principal, Proxies, Scope

Message = Any
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
RulesOf = Callable[[str, str], Sequence[LimitRule]]  # of a method and a path
App = Callable[[Any, Any, Any], Awaitable[None]]


class RateLimited:
    """``rules`` are all there are, or say which hold for a method and a path. ``principal`` says
    who is calling, or None; ``proxies`` whose X-Forwarded-For is believed."""

    def __init__(
        self,
        app: App,
        limiter: Limiter,
        rules: Sequence[LimitRule] | RulesOf,
        *,
        principal: Principal | None = None,
        proxies: Proxies | None = None,
    ) -> None:
        self._app = app
        self._limiter = limiter
        self._rules_of = rules if callable(rules) else _all_fitting(rules)
        self._principal = principal
        self._proxies = proxies or Proxies()
        known = () if callable(rules) else rules
        if principal is None and any(rule.by == "principal" for rule in known):
            raise ValueError("A rule counts by principal, and nothing says who that is.")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_http = scope["type"] == "http"
        rules = self._rules_of(scope["method"], scope["path"]) if is_http else []
        if not rules:
            await self._app(scope, receive, send)
            return
        try:
            decision = await self._limiter.take_all(await self._asks(scope, rules))
        except HandfastError as error:  # nobody is let through uncounted
            await send_error(send, error)
            return
        if not decision.admitted:
            await send_error(send, too_many(decision))
            return
        headers = limit_headers(decision)
        raw = [(name.lower().encode(), value.encode()) for name, value in headers]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *raw]
            await send(message)

        await self._app(scope, receive, send_with_headers)

    async def _asks(self, scope: Scope, rules: Sequence[LimitRule]) -> list[Ask]:
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


def _all_fitting(rules: Sequence[LimitRule]) -> RulesOf:
    return lambda method, path: [rule for rule in rules if rule.fits(method, path)]
