"""Webhook endpoints, for operators."""

from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from litestar import Request, Router, delete, get, patch, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.base.errors import InvalidRequest
from handfast.edge.api.bounds import ID_MAX
from handfast.edge.api.webhooks import (
    EndpointChange,
    EndpointList,
    NewEndpoint,
    Replay,
    attempts_for_viewers,
    deliveries_for_viewers,
    endpoints_for_viewers,
)
from handfast.edge.http.changes import changing
from handfast.edge.http.policies import OPERATOR, OPTIONAL, Key, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import (
    INVALID,
    Limit,
)
from handfast.engine.system import System
from handfast.services.webhooks import endpoints as service
from handfast.services.webhooks.endpoints import OVERLAP, OVERLAP_MAX, Endpoint, Signed
from handfast.services.webhooks.sending.attempt_log import (
    AttemptPage,
    DeliveryLogPage,
    list_attempts,
    list_deliveries,
)
from handfast.services.webhooks.sending.replays import Replayed, replay_event, replay_range
from handfast.services.webhooks.sending.verdict import DeliveryOutcome
from handfast.services.webhooks.settings import WebhooksSettings

NO_SUCH_ENDPOINT = {404: problem_spec("There is no such endpoint")}
STOPPED = {409: problem_spec("The endpoint is paused or disabled")}
NOT_USABLE = {422: problem_spec("It can be read, but not done: the detail says why")}

SHOWS_SECRET = Key(encrypted=True)  # a signing secret is shown once: its answer is kept so

EndpointId = Annotated[UUID, PathParameter(description="The endpoint's id.")]


@policy(OPERATOR, viewer=endpoints_for_viewers)
@get(
    "/endpoints",
    summary="List endpoints",
    operation_id="webhookEndpoints",
)
async def endpoints(state: State) -> EndpointList:
    """All of them, the oldest first."""
    system: System = state.system
    async with system.database.connection() as connection:
        return EndpointList(await service.list_endpoints(connection))


@policy(OPERATOR, key=SHOWS_SECRET, audit="webhook.add")
@post(
    "/endpoints",
    summary="Register an endpoint",
    operation_id="webhookEndpointAdd",
    responses=INVALID | NOT_USABLE,
)
async def add(
    request: Request[Any, Any, State], state: State, data: JSONBody[NewEndpoint]
) -> Signed:
    """Answers the signing secret, which is not shown again."""
    system: System = state.system
    async with changing(request) as made:
        signed = await service.add_endpoint(
            made.tx,
            data.url,
            types=data.types,
            description=data.description,
            allow_private=system.settings.of(WebhooksSettings).webhooks_allow_private,
        )
        made.about(f"endpoint:{signed.endpoint.id}")
        return signed


@policy(OPERATOR, key=OPTIONAL, audit="webhook.change")
@patch(
    "/endpoints/{endpoint_id:uuid}",
    summary="Change, pause or resume an endpoint",
    operation_id="webhookEndpointChange",
    responses=INVALID | NO_SUCH_ENDPOINT | STOPPED | NOT_USABLE,
)
async def change(
    request: Request[Any, Any, State],
    state: State,
    endpoint_id: EndpointId,
    data: JSONBody[EndpointChange],
) -> Endpoint:
    """`paused` skips what waits; `active` resumes, also what was disabled. Then replay."""
    system: System = state.system
    async with changing(request, f"endpoint:{endpoint_id}") as made:
        changed = await service.change_endpoint(
            made.tx,
            endpoint_id,
            url=data.url,
            types=data.types,
            description=data.description,
            allow_private=system.settings.of(WebhooksSettings).webhooks_allow_private,
        )
        if data.state == "paused":
            changed = await service.pause(made.tx, endpoint_id)
        elif data.state == "active":
            changed = await service.resume(made.tx, endpoint_id)
        return changed


@policy(OPERATOR, audit="webhook.remove")
@delete(
    "/endpoints/{endpoint_id:uuid}",
    summary="Remove an endpoint",
    operation_id="webhookEndpointRemove",
    responses=INVALID | NO_SUCH_ENDPOINT,
)
async def remove(request: Request[Any, Any, State], endpoint_id: EndpointId) -> None:
    """What waits for it is skipped."""
    async with changing(request, f"endpoint:{endpoint_id}") as made:
        await service.remove(made.tx, endpoint_id)


@policy(OPERATOR, key=SHOWS_SECRET, audit="webhook.rotate")
@post(
    "/endpoints/{endpoint_id:uuid}/rotate",
    summary="Rotate an endpoint's secret",
    operation_id="webhookEndpointRotate",
    status_code=200,
    responses=INVALID | NO_SUCH_ENDPOINT,
)
async def rotate(
    request: Request[Any, Any, State],
    endpoint_id: EndpointId,
    overlap: Annotated[
        int,
        QueryParameter(
            name="overlapSeconds",
            ge=0,
            le=int(OVERLAP_MAX.total_seconds()),
            description="How long the secret before goes on signing too.",
        ),
    ] = int(OVERLAP.total_seconds()),
) -> Signed:
    """Answers the new secret, which is not shown again. Meanwhile both sign."""
    async with changing(request, f"endpoint:{endpoint_id}") as made:
        return await service.rotate(made.tx, endpoint_id, overlap=timedelta(seconds=overlap))


@policy(OPERATOR, key=OPTIONAL, audit="webhook.replay")
@post(
    "/endpoints/{endpoint_id:uuid}/replay",
    summary="Send again",
    operation_id="webhookEndpointReplay",
    status_code=202,
    responses=INVALID | NO_SUCH_ENDPOINT | STOPPED | NOT_USABLE,
)
async def replay(
    request: Request[Any, Any, State], endpoint_id: EndpointId, data: JSONBody[Replay]
) -> Replayed:
    """Deliveries of their own: they are made even if the event was delivered before."""
    async with changing(request, f"endpoint:{endpoint_id}") as made:
        match data:
            case Replay(event_id=UUID() as event, since=None, until=None, only_missing=False):
                return await replay_event(made.tx, endpoint_id, event)
            case Replay(event_id=None, since=datetime() as since, until=datetime() as until):
                return await replay_range(
                    made.tx, endpoint_id, since, until, only_missing=data.only_missing
                )
            case _:
                raise InvalidRequest(
                    "That names neither one event nor a range.",
                    hint="Send eventId alone, or since and until, and onlyMissing if you like.",
                )


@policy(OPERATOR, viewer=attempts_for_viewers)
@get(
    "/endpoints/{endpoint_id:uuid}/attempts",
    summary="An endpoint's log",
    operation_id="webhookEndpointAttempts",
    responses=INVALID | NO_SUCH_ENDPOINT,
)
async def attempts(
    state: State,
    endpoint_id: EndpointId,
    after: Annotated[
        int | None, QueryParameter(ge=1, le=ID_MAX, description="The `next` of the page before.")
    ] = None,
    limit: Limit = 100,
) -> AttemptPage:
    """What was sent and what came back, the newest first; kept for 14 days."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await list_attempts(connection, endpoint_id, after=after, limit=limit)


@policy(OPERATOR, viewer=deliveries_for_viewers)
@get(
    "/attempts",
    summary="The log of all endpoints",
    operation_id="webhookAttempts",
    responses=INVALID,
)
async def log_of_all(
    state: State,
    *,
    outcome: Annotated[
        DeliveryOutcome | None, QueryParameter(description="Only those that ended so.")
    ] = None,
    after: Annotated[
        int | None, QueryParameter(ge=1, le=ID_MAX, description="The `next` of the page before.")
    ] = None,
    limit: Limit = 100,
) -> DeliveryLogPage:
    """What was sent to whom and what came back, the newest first; kept for 14 days. A page of one
    outcome may be short, even empty, and still have a `next`."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await list_deliveries(connection, outcome=outcome, after=after, limit=limit)


router: Any = Router(
    path="/webhooks",
    route_handlers=[
        *(endpoints, add, change, remove, rotate, replay, attempts, log_of_all),
    ],
    tags=["webhooks"],
)
