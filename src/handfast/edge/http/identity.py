"""Who is calling, once that is known: kept in the request's ASGI scope."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from litestar import Request

from handfast.base.errors import HandfastError
from handfast.edge.http.policies import ANYONE, Caller

IDENTITY = "handfast.identity"


@dataclass(frozen=True)
class SignedIn:
    """A user, and by which of their sign-ins they are here."""

    user_id: UUID
    sign_in_id: UUID


@dataclass(frozen=True)
class Identity:
    """A kind of caller, and the name under which the audit has what they change. ``also``: what the
    same token makes them. ``suspension`` is what they are told where the policy does not let those
    in who are suspended."""

    kind: Caller
    name: str
    also: frozenset[Caller] = frozenset()
    signed_in: SignedIn | None = None
    suspension: HandfastError | None = None

    @property
    def principal(self) -> str:
        """Whose keys and limits these are: a player's are the user's."""
        if self.signed_in is not None:
            return f"{Caller.USER}:{self.signed_in.user_id}"
        return f"{self.kind}:{self.name}"

    def called_as(self, callers: frozenset[Caller]) -> "Identity":
        """As the one of these kinds that they are, if they are any."""
        if self.kind in callers or not self.also & callers:
            return self
        return replace(self, kind=min(self.also & callers), also=frozenset())


STRANGER = Identity(ANYONE, "")


def identity_of(request: Request[Any, Any, Any]) -> Identity:
    """Who the guard has let in."""
    found: Identity = request.scope[IDENTITY]  # type: ignore[literal-required]
    return found
