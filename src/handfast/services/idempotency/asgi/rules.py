"""Which requests take a key: one rule for each route, the first that fits counts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any

from handfast.base.routes import ANYTHING, Route, first_part

# Of an ASGI scope and the whole body; None: whoever the middleware's own principal says.
BodyPrincipal = Callable[[Any, bytes], str | None]

TTL = timedelta(hours=24)
# Asking for these twice changes nothing; a key on them is ignored.
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "CONNECT"})


class Need(StrEnum):
    REQUIRED = "required"
    OPTIONAL = "optional"
    IGNORED = "ignored"


@dataclass(frozen=True)
class KeyRule:
    """``route`` is ``"POST /matches/{id}/messages"``: a method and a path; ``{name}`` is one
    segment, ``{name:path}`` all that is left (``base/routes.py``). ``body_principal`` says whose
    key it is where that is in the body: a phone number, the id of a request."""

    route: str
    need: Need = Need.OPTIONAL
    ttl: timedelta = TTL  # from the first use of the key
    encrypted: bool = False
    kept: bool = True  # False: whoever asks again is told that it was done, and not what came of it
    body_max: int | None = None  # bytes; None: what the middleware takes elsewhere
    body_principal: BodyPrincipal | None = field(default=None, compare=False)
    _route: Route = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_route", Route.parse(self.route))
        if self.encrypted and not self.kept:
            raise ValueError(f"what is not kept cannot be encrypted: {self.route!r}")
        if self.ttl <= timedelta(0):
            raise ValueError(f"the ttl of {self.route!r} must be more than nothing")

    @property
    def method(self) -> str:
        return self._route.method

    @property
    def beginning(self) -> str:
        return first_part(str(self._route.path))

    def fits(self, path: str) -> bool:
        return self._route.path.matches(path)


def required(
    route: str,
    *,
    ttl: timedelta = TTL,
    encrypted: bool = False,
    kept: bool = True,
    body_max: int | None = None,
    body_principal: BodyPrincipal | None = None,
) -> KeyRule:
    return KeyRule(route, Need.REQUIRED, ttl, encrypted, kept, body_max, body_principal)


def optional(
    route: str,
    *,
    ttl: timedelta = TTL,
    encrypted: bool = False,
    kept: bool = True,
    body_max: int | None = None,
    body_principal: BodyPrincipal | None = None,
) -> KeyRule:
    return KeyRule(route, Need.OPTIONAL, ttl, encrypted, kept, body_max, body_principal)


def ignored(route: str) -> KeyRule:
    return KeyRule(route, Need.IGNORED)


ELSEWHERE = KeyRule("ANY /{rest:path}")
NOWHERE = KeyRule("ANY /{rest:path}", Need.IGNORED)


class Rules:
    def __init__(self, rules: Sequence[KeyRule], default: KeyRule = ELSEWHERE) -> None:
        self._all = [*rules, default]
        self._default = default
        # By method and by what the path begins with, each in the order of all of them.
        self._beginning: dict[tuple[str, str], list[KeyRule]] = {
            (method, first): [
                rule
                for rule in rules
                if rule.method == method and rule.beginning in {first, ANYTHING}
            ]
            for method in {rule.method for rule in rules}
            for first in {ANYTHING, *(rule.beginning for rule in rules)}
        }

    @property
    def encrypted(self) -> list[str]:
        """The routes whose responses are kept encrypted."""
        return [rule.route for rule in self._all if rule.encrypted]

    def of(self, method: str, path: str) -> KeyRule:
        if method in SAFE_METHODS:
            return NOWHERE
        beginning = first_part(path)
        if (method, beginning) not in self._beginning:
            beginning = ANYTHING
        for rule in self._beginning.get((method, beginning), ()):
            if rule.fits(path):
                return rule
        return self._default
