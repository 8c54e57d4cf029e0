"""Every route with its policy, and what is built from that: rules of keys and of limits.

Which of two templates takes a path is decided as the framework decides it: literal parts first, so
that ``/users/me`` is not ``/users/{id}``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from handfast.base.routes import ANYTHING, Route, first_part
from handfast.base.settings import Settings
from handfast.edge.http.policies import Policy, policy_of
from handfast.services.idempotency.asgi.rules import KeyRule, Need, ignored
from handfast.services.limits.rules import LimitRule


@dataclass(frozen=True)
class PolicedRoute:
    route: Route
    policy: Policy
    described: bool  # whether the OpenAPI document has it

    def __str__(self) -> str:
        return str(self.route)


class RouteTable:
    def __init__(self, routes: Sequence[PolicedRoute]) -> None:
        self.routes = sorted(routes, key=lambda one: _openness(str(one.route.path)))
        # Asked several times for each request: by method and first part, in the same order.
        self._beginning: dict[tuple[str, str], list[PolicedRoute]] = {}
        for one in self.routes:
            name = one.route.method, first_part(str(one.route.path))
            self._beginning.setdefault(name, []).append(one)

    def of(self, method: str, path: str) -> PolicedRoute | None:
        """The route that takes this request."""
        for first in (first_part(path), ANYTHING):
            for one in self._beginning.get((method, first), ()):
                if one.route.path.matches(path):
                    return one
        return None

    def methods_of(self, path: str) -> list[str]:
        """What an address takes, ``OPTIONS`` too; nothing if it is no address. One that is written
        out (``/stakes/current``) is not also one with a place for an id (``/stakes/{id}``)."""
        found = [one.route for one in self.routes if one.route.path.matches(path)]
        exact = [route for route in found if str(route.path) == path]
        taken = {route.method for route in exact or found}
        return sorted({*taken, "OPTIONS"}) if taken else []

    def key_rules(self) -> list[KeyRule]:
        """As in ``methods_of``, an address that is written out is not one with a place for an id:
        a method that it does not take is refused as such, with or without a key."""
        keyed = self._keyed()
        written = {
            str(one.route.path) for one in self.routes if not any(_openness(str(one.route.path)))
        }
        own = {rule.route for rule in keyed}
        apart = {f"{rule.method} {path}" for rule in keyed for path in written if rule.fits(path)}
        return [ignored(route) for route in sorted(apart - own)] + keyed

    def _keyed(self) -> list[KeyRule]:
        return [
            KeyRule(
                str(one.route),
                one.policy.key.need,
                one.policy.key.ttl,
                one.policy.key.encrypted,
                one.policy.key.kept,
                one.policy.body,
                one.policy.key.body_principal,
            )
            for one in self.routes
            if one.policy.key.need is not Need.IGNORED
        ]

    def limit_rules(self, settings: Settings) -> "LimitTable":
        return LimitTable(self, settings)


class LimitTable:
    """The rules of the one route that takes a request, and of no other that would fit."""

    def __init__(self, table: RouteTable, settings: Settings) -> None:
        self._table = table
        self._rules = {
            one.route: [
                LimitRule(
                    str(one.route.path),
                    methods={one.route.method},
                    limits=[limit.limit(settings)],
                    by=limit.by,
                )
                for limit in one.policy.limits
            ]
            for one in table.routes
            if one.policy.limits
        }

    def __call__(self, method: str, path: str) -> list[LimitRule]:
        found = self._table.of(method, path) if self._rules else None
        return [] if found is None else self._rules.get(found.route, [])


def route_table(api: Litestar) -> RouteTable:
    """All routes of an application. ``ValueError`` if one has no policy."""
    return RouteTable(list(_collected(api)))


def _collected(api: Litestar) -> Iterator[PolicedRoute]:
    for route in api.routes:
        if not isinstance(route, HTTPRoute):
            raise ValueError(f"{route.path} is not HTTP: policies are for HTTP only")
        for handler in route.route_handlers:
            if "OPTIONS" in handler.http_methods and not _is_frameworks(handler):
                raise ValueError(f"{handler} answers OPTIONS, which is answered from the table")
            for method in sorted(handler.http_methods - {"OPTIONS"}):
                yield PolicedRoute(
                    Route.parse(f"{method} {route.path}"),
                    policy_of(handler),
                    handler.resolve_include_in_schema(),
                )


def _is_frameworks(handler: HTTPRouteHandler) -> bool:
    return handler.fn.__module__.startswith("litestar.")


def _openness(path: str) -> tuple[bool, ...]:
    """For each part whether it is a place that anything fits; literal ones sort first."""
    return tuple(part.startswith("{") for part in path.split("/"))
