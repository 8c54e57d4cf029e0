"""Webhook endpoints, for operators. The guard is on the router."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from litestar import Request, Router, delete, get, patch, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.base.errors import InvalidRequest
from handfast.edge.http.auth import operator_only
from handfast.edge.http.options import options_of
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import (
    ADMIN_PROBLEMS,
    ID_MAX,
    INVALID,
    KEY_CONFLICT,
    NO_NUL,
    Limit,
)
from handfast.services.idempotency import transaction
from handfast.services.webhooks import endpoints as service
from handfast.services.webhooks.endpoints import OVERLAP, OVERLAP_MAX, TYPES_MAX, Endpoint, Signed
from handfast.services.webhooks.log import AttemptPage, list_attempts
from handfast.services.webhooks.replays import Replayed, replay_event, replay_range
from handfast.wiring import System

NO_SUCH_ENDPOINT = {404: problem_spec("There is no such endpoint")}
STOPPED = {
    409: problem_spec("The endpoint is paused or disabled; or the idempotency key is in use")
}
NOT_USABLE = {422: problem_spec("It can be read, but not done: the detail says why")}

EndpointId = Annotated[UUID, PathParameter(description="The endpoint's id.")]
Url = Annotated[
    str,
    msgspec.Meta(
        max_length=2048,
        pattern=r"^[Hh][Tt][Tt][Pp][Ss]?://[^\x00-\x20]+$",
        description="Where events are posted; a public address.",
    ),
]
Types = Annotated[
    list[str],
    msgspec.Meta(
        max_length=TYPES_MAX,
        description="The event types wanted, such as `match.created`; `match.*` is a whole area.",
    ),
]
Text = Annotated[str, msgspec.Meta(max_length=500, pattern=NO_NUL)]


class NewEndpoint(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """Without types it gets every event."""

    url: Url
    types: Types = []
    description: Text = ""


class EndpointChange(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What is left out, or null, stays as it is."""

    url: Url | None = None
    types: Types | None = None
    description: Text | None = None
    state: Literal["active", "paused"] | None = None


class Replay(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """One event, or what happened from `since` until before `until`, at most 7 days. With
    `onlyMissing`, what was delivered or is about to be is left out."""

    event_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    only_missing: bool = False


class EndpointList(msgspec.Struct, rename="camel"):
    endpoints: list[Endpoint]


@get(
    "/endpoints",
    summary="List endpoints",
    operation_id="webhookEndpoints",
    responses=ADMIN_PROBLEMS,
)
async def endpoints(state: State) -> EndpointList:
    """All of them, the oldest first."""
    system: System = state.system
    async with system.database.connection() as connection:
        return EndpointList(await service.list_endpoints(connection))


@post(
    "/endpoints",
    summary="Register an endpoint",
    operation_id="webhookEndpointAdd",
    responses=ADMIN_PROBLEMS | INVALID | NOT_USABLE | KEY_CONFLICT,
)
async def add(
    request: Request[Any, Any, State], state: State, data: JSONBody[NewEndpoint]
) -> Signed:
    """Answers the signing secret, which is not shown again."""
    system: System = state.system
    async with transaction(request) as tx:
        return await service.add_endpoint(
            tx,
            data.url,
            types=data.types,
            description=data.description,
            allow_private=system.settings.webhooks_allow_private,
        )


@patch(
    "/endpoints/{endpoint_id:uuid}",
    summary="Change, pause or resume an endpoint",
    operation_id="webhookEndpointChange",
    responses=ADMIN_PROBLEMS | INVALID | NO_SUCH_ENDPOINT | STOPPED | NOT_USABLE,
)
async def change(
    request: Request[Any, Any, State],
    state: State,
    endpoint_id: EndpointId,
    data: JSONBody[EndpointChange],
) -> Endpoint:
    """`paused` skips what waits; `active` resumes, also what was disabled. Then replay."""
    system: System = state.system
    async with transaction(request) as tx:
        changed = await service.change_endpoint(
            tx,
            endpoint_id,
            url=data.url,
            types=data.types,
            description=data.description,
            allow_private=system.settings.webhooks_allow_private,
        )
        if data.state == "paused":
            changed = await service.pause(tx, endpoint_id)
        elif data.state == "active":
            changed = await service.resume(tx, endpoint_id)
        return changed


@delete(
    "/endpoints/{endpoint_id:uuid}",
    summary="Remove an endpoint",
    operation_id="webhookEndpointRemove",
    responses=ADMIN_PROBLEMS | INVALID | NO_SUCH_ENDPOINT,
)
async def remove(state: State, endpoint_id: EndpointId) -> None:
    """What waits for it is skipped."""
    system: System = state.system
    async with system.database.transaction() as tx:
        await service.remove(tx, endpoint_id)


@post(
    "/endpoints/{endpoint_id:uuid}/rotate",
    summary="Rotate an endpoint's secret",
    operation_id="webhookEndpointRotate",
    status_code=200,
    responses=ADMIN_PROBLEMS | INVALID | NO_SUCH_ENDPOINT | KEY_CONFLICT,
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
    async with transaction(request) as tx:
        return await service.rotate(tx, endpoint_id, overlap=timedelta(seconds=overlap))


@post(
    "/endpoints/{endpoint_id:uuid}/replay",
    summary="Send again",
    operation_id="webhookEndpointReplay",
    status_code=202,
    responses=ADMIN_PROBLEMS | INVALID | NO_SUCH_ENDPOINT | STOPPED | NOT_USABLE,
)
async def replay(
    request: Request[Any, Any, State], endpoint_id: EndpointId, data: JSONBody[Replay]
) -> Replayed:
    """Deliveries of their own: they are made even if the event was delivered before."""
    async with transaction(request) as tx:
        match data:
            case Replay(event_id=UUID() as event, since=None, until=None, only_missing=False):
                return await replay_event(tx, endpoint_id, event)
            case Replay(event_id=None, since=datetime() as since, until=datetime() as until):
                return await replay_range(
                    tx, endpoint_id, since, until, only_missing=data.only_missing
                )
    raise InvalidRequest(
        "That names neither one event nor a range.",
        hint="Send eventId alone, or since and until, and onlyMissing if you like.",
    )


@get(
    "/endpoints/{endpoint_id:uuid}/attempts",
    summary="An endpoint's log",
    operation_id="webhookEndpointAttempts",
    responses=ADMIN_PROBLEMS | INVALID | NO_SUCH_ENDPOINT,
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


router: Any = Router(
    path="/webhooks",
    route_handlers=[
        options_of("/endpoints", "GET", "POST"),
        options_of("/endpoints/{endpoint_id:uuid}", "PATCH", "DELETE"),
        *(endpoints, add, change, remove, rotate, replay, attempts),
    ],
    guards=[operator_only],
    tags=["webhooks"],
    security=[{"operator": []}],
)
