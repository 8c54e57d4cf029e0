"""Which requests which limits are for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from handfast.services.limits.limit import Limit

Who = Literal["address", "principal"]

_PART = re.compile(r"{[a-z_][a-z0-9_]*(:path)?}", re.IGNORECASE)


@dataclass(frozen=True)
class Rule:
    """Requests to ``path`` count against ``limits``, each by its own subject.

        Rule("/runs", methods={"POST"}, limits=[Limit("runs", 20, timedelta(hours=1))])
        Rule("/matches/{id}/messages", by="principal", limits=[...])
        Rule("/{rest:path}", limits=[Limit("all", 600, timedelta(minutes=1), durable=False)])

    ``{name}`` stands for one part of the path, ``{name:path}`` for all that is left of it. Every
    rule that fits applies. By principal, a caller without one counts by address.
    """

    path: str
    limits: Sequence[Limit]
    methods: frozenset[str] | set[str] | None = None
    by: Who = "address"
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.path.startswith("/"):
            raise ValueError(f"The path of a rule begins with a slash; {self.path!r} does not.")
        if not self.limits:
            raise ValueError(f"The rule for {self.path} has no limits.")
        object.__setattr__(self, "_pattern", _compiled(self.path))
        if self.methods is not None:
            upper = frozenset(method.upper() for method in self.methods)
            object.__setattr__(self, "methods", upper)

    def fits(self, method: str, path: str) -> bool:
        if self.methods is not None and method not in self.methods:
            return False
        return self._pattern.fullmatch(path) is not None


def _compiled(path: str) -> re.Pattern[str]:
    text, at = "", 0
    for part in _PART.finditer(path):
        text += re.escape(path[at : part.start()]) + (".*" if part[1] else "[^/]+")
        at = part.end()
    # Servers and frameworks take a trailing slash for the same address; so do we, or it would be
    # the way around.
    text += re.escape(path[at:]).rstrip("/")
    return re.compile(text + "/*", re.DOTALL)
