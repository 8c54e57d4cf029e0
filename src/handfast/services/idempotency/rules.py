"""Which requests take a key: one rule for each route, the first that fits counts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

TTL = timedelta(hours=24)
# Asking for these twice changes nothing; a key on them is ignored.
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "CONNECT"})


class Need(StrEnum):
    REQUIRED = "required"
    OPTIONAL = "optional"
    IGNORED = "ignored"


@dataclass(frozen=True)
class Rule:
    """``route`` is ``"POST /matches/{id}/messages"``: a method and a path; ``{…}`` is one segment,
    ``*`` at the end is the rest."""

    route: str
    need: Need = Need.OPTIONAL
    ttl: timedelta = TTL  # from the first use of the key
    encrypted: bool = False
    kept: bool = True  # False: whoever asks again is told that it was done, and not what came of it
    body_max: int | None = None  # bytes; None: what the middleware takes elsewhere
    _path: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        method, _, path = self.route.partition(" ")
        if not re.fullmatch(r"[A-Z]+", method) or not path.startswith("/"):
            raise ValueError(
                f"{self.route!r} is not a route: write a method and a path, as in "
                "'POST /stakes' or 'POST /matches/{id}/messages'"
            )
        if self.encrypted and not self.kept:
            raise ValueError(f"what is not kept cannot be encrypted: {self.route!r}")
        if self.ttl <= timedelta(0):
            raise ValueError(f"the ttl of {self.route!r} must be more than nothing")
        rest = path.endswith("*")
        pieces = re.split(r"\{[^/{}]*\}", path.removesuffix("*"))
        pattern = "[^/]+".join(re.escape(piece) for piece in pieces) + (".*" if rest else "")
        object.__setattr__(self, "_path", re.compile(pattern))

    @property
    def method(self) -> str:
        return self.route.partition(" ")[0]

    def fits(self, path: str) -> bool:
        return self._path.fullmatch(path) is not None


def required(
    route: str,
    *,
    ttl: timedelta = TTL,
    encrypted: bool = False,
    kept: bool = True,
    body_max: int | None = None,
) -> Rule:
    return Rule(route, Need.REQUIRED, ttl, encrypted, kept, body_max)


def optional(
    route: str,
    *,
    ttl: timedelta = TTL,
    encrypted: bool = False,
    kept: bool = True,
    body_max: int | None = None,
) -> Rule:
    return Rule(route, Need.OPTIONAL, ttl, encrypted, kept, body_max)


def ignored(route: str) -> Rule:
    return Rule(route, Need.IGNORED)


ELSEWHERE = Rule("ANY /*")
NOWHERE = Rule("ANY /*", Need.IGNORED)


class Rules:
    def __init__(self, rules: Sequence[Rule], default: Rule = ELSEWHERE) -> None:
        self._default = default
        self._by_method: dict[str, list[Rule]] = {}
        for rule in rules:
            self._by_method.setdefault(rule.method, []).append(rule)

    @property
    def encrypted(self) -> list[str]:
        """The routes whose responses are kept encrypted."""
        all_rules = [rule for rules in self._by_method.values() for rule in rules]
        return [rule.route for rule in [*all_rules, self._default] if rule.encrypted]

    def of(self, method: str, path: str) -> Rule:
        if method in SAFE_METHODS:
            return NOWHERE
        for rule in self._by_method.get(method, ()):
            if rule.fits(path):
                return rule
        return self._default
