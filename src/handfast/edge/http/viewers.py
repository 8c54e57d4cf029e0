"""What viewers see of an answer: what the route's policy leaves of it.

In one place behind all handlers: a handler answers the same to everybody, and cannot forget what is
not for viewers. Only a stream, which is never there as a whole, asks for each of its parts.
"""

from contextvars import ContextVar
from typing import Any

from litestar import Request, Response
from litestar.response import Stream

from handfast.edge.http.identity import STRANGER, Identity, identity_of
from handfast.edge.http.policies import EVERYBODY, Caller, Policy, Seen, policy_of

_SERVED: ContextVar[tuple[Policy, Identity]] = ContextVar("handfast_served")


def serving(policy: Policy, caller: Identity) -> None:
    """Said by the guard: what stands behind the handler is told the answer and not the request."""
    _SERVED.set((policy, caller))


async def as_seen(response: Response[Any]) -> Response[Any]:
    """The answer of any handler, as its caller may see it."""
    if not isinstance(response, Stream):
        response.content = _view(*_SERVED.get((EVERYBODY, STRANGER)))(response.content)
    return response


def view_of(request: Request[Any, Any, Any]) -> Seen:
    """How the caller sees the parts of a stream."""
    return _view(policy_of(request.route_handler), identity_of(request))


def _view(policy: Policy, caller: Identity) -> Seen:
    if caller.kind is not Caller.VIEWER:
        return _whole
    assert policy.seen is not None  # noqa: S101  # it says what viewers see, or lets none in
    return policy.seen


def _whole(answer: Any) -> Any:
    return answer
