"""Who is calling, once that is known: kept in the request's ASGI scope."""

from dataclasses import dataclass
from typing import Any

from litestar import Request

from handfast.edge.http.policies import ANYONE, Caller

IDENTITY = "handfast.identity"


@dataclass(frozen=True)
class Identity:
    """A kind of caller, and the name under which the audit has what they change."""

    kind: Caller
    name: str

    @property
    def principal(self) -> str:
        return f"{self.kind}:{self.name}"


STRANGER = Identity(ANYONE, "")


def identity_of(request: Request[Any, Any, Any]) -> Identity:
    """Who the guard has let in."""
    found: Identity = request.scope[IDENTITY]  # type: ignore[literal-required]
    return found
