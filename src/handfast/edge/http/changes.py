"""What an operator changes over HTTP, in the request's transaction, with its rows in the audit.

The name of the change is in the route's policy, and who makes it is known from the token: a handler
says only what it is about.

    async with changing(request, f"job:{job_id}") as change:
        await operations.retry(change.tx, job_id)

A test walks every route whose policy has such a name, and looks for the row.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from litestar import Request

from handfast.edge.http.around.observe import REQUEST_ID
from handfast.edge.http.identity import identity_of
from handfast.edge.http.policies import policy_of
from handfast.engine.operating.audit import Actor, Change, recorded
from handfast.engine.system import System
from handfast.services.idempotency import transaction


@asynccontextmanager
async def changing(
    request: Request[Any, Any, Any], *subjects: str, reason: str | None = None, apart: bool = False
) -> AsyncIterator[Change]:
    """``apart`` from the request's own transaction, which is open until there is a response: for
    handlers that go on in further ones, which would wait for it for ever."""
    action = policy_of(request.route_handler).audit
    assert action is not None  # noqa: S101  # or it would not be an operator's to change
    system: System = request.app.state.system
    opened = system.database.transaction() if apart else transaction(request)
    async with (
        opened as tx,
        recorded(tx, actor_of(request), action, *subjects, reason=reason) as change,
    ):
        yield change


def actor_of(request: Request[Any, Any, Any]) -> Actor:
    return Actor(identity_of(request).name, request.scope.get(REQUEST_ID))  # type: ignore[arg-type]
