"""A copy of one's own data, and its end."""

from typing import Annotated, Any
from uuid import UUID

from litestar import Request, Response, delete, get, post
from litestar.datastructures import State
from litestar.params import PathParameter

from handfast.apps.people.people import People
from handfast.apps.people.personal_data.exports import (
    Export,
    ask_export,
    fetch_export,
    get_export,
)
from handfast.edge.api.people import DeletionBegun
from handfast.edge.http.policies import OPTIONAL, USER, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction
from handfast.services.identity import deletion

TOO_SOON = {429: problem_spec("An export was asked for within the last day")}
NO_EXPORT = {404: problem_spec("No export was asked for")}
NO_LINK = {404: problem_spec("There is no such link for this sign-in, or it is over")}

FILE_HEADERS = {
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Disposition": 'attachment; filename="handfast-export.zip"',
}

LinkId = Annotated[UUID, PathParameter(description="As `url` of `GET /users/me/export` has it.")]


@policy(USER, key=OPTIONAL, suspended=True)
@post(
    "/users/me/export",
    summary="Ask for a copy of your data",
    operation_id="exportAsk",
    status_code=202,
    responses=TOO_SOON,
)
async def ask(request: Request[Any, Any, State]) -> Export:
    """Once a day. It is made in the background."""
    async with transaction(request) as tx:
        return await ask_export(tx, signed_in(request).user_id)


@policy(USER, suspended=True)
@get("/users/me/export", summary="How far it is", operation_id="export", responses=NO_EXPORT)
async def status(request: Request[Any, Any, State]) -> Export:
    """When it is ready, with a link that is good for 15 minutes, for this sign-in alone."""
    user = signed_in(request)
    async with transaction(request) as tx:
        return await get_export(tx, user.user_id, user.sign_in_id)


@policy(USER, suspended=True)
@get(
    "/users/me/export/{link_id:uuid}",
    summary="Fetch the copy",
    operation_id="exportFetch",
    media_type="application/zip",
    responses=NO_LINK,
)
async def fetch(
    request: Request[Any, Any, State], state: State, link_id: LinkId
) -> Response[bytes]:
    """An archive: JSON, and your photos. It is gone after a day."""
    system: System = state.system
    people: People = state.shared["people"]
    user = signed_in(request)
    async with system.database.connection() as connection:
        content = await fetch_export(
            connection, people.store, user.user_id, user.sign_in_id, link_id
        )
    return Response(content, media_type="application/zip", headers=FILE_HEADERS)


@policy(USER, suspended=True)
@delete("/users/me", summary="Delete your account", operation_id="meDelete", status_code=202)
async def remove(request: Request[Any, Any, State], state: State) -> DeletionBegun:
    """You are hidden and signed out at once; everything is erased after 30 days. Signing in before
    undoes it."""
    system: System = state.system
    async with transaction(request) as tx:
        await deletion.delete(tx, system.hooks, signed_in(request).user_id)
    return DeletionBegun(deletion.ERASED_AFTER.days)


HANDLERS = (ask, status, fetch, remove)
