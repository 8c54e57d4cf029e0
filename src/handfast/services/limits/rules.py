"""Which requests which limits are for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from handfast.base.routes import PathTemplate
from handfast.services.limits.limit import Limit

Who = Literal["address", "principal"]


@dataclass(frozen=True)
class LimitRule:
    """Requests to ``path`` count against ``limits``, each by its own subject.

        LimitRule("/runs", methods={"POST"}, limits=[Limit("runs", 20, timedelta(hours=1))])
        LimitRule("/matches/{id}/messages", by="principal", limits=[...])
        LimitRule("/{rest:path}", limits=[Limit("all", 600, timedelta(minutes=1), durable=False)])

    Templates are those of ``base/routes.py``. Every rule that fits applies. By principal, a caller
    without one counts by address.
    """

    path: str
    limits: Sequence[Limit]
    methods: frozenset[str] | set[str] | None = None
    by: Who = "address"
    _template: PathTemplate = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.limits:
            raise ValueError(f"The rule for {self.path} has no limits.")
        object.__setattr__(self, "_template", PathTemplate(self.path))
        if self.methods is not None:
            upper = frozenset(method.upper() for method in self.methods)
            object.__setattr__(self, "methods", upper)

    def fits(self, method: str, path: str) -> bool:
        if self.methods is not None and method not in self.methods:
            return False
        return self._template.matches(path)
