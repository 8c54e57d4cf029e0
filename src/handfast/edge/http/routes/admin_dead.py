"""Dead letters."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, QueryParameter

from handfast.db.transaction import Transaction
from handfast.edge.http.routes.admin_problems import (
    ADMIN_PROBLEMS,
    INVALID,
    KEY_CONFLICT,
    Limit,
    text_parameter,
)
from handfast.engine import dead_letters
from handfast.engine.dead_letters import CURSOR_PATTERN, DeadFilter, DeadPage, list_dead
from handfast.services.idempotency import transaction
from handfast.wiring import System

Ids = Annotated[list[int], msgspec.Meta(max_length=10_000)]
Reason = Annotated[str, msgspec.Meta(max_length=500, pattern=r"^[^\x00-\x20\x7f-\xa0][^\x00]*$")]


class Requeue(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """These ids, and all that match the filter; an empty filter matches every dead letter."""

    ids: Ids = []
    filter: DeadFilter | None = None


class Discard(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """These ids, and all that match the filter; the reason is kept."""

    reason: Reason
    ids: Ids = []
    filter: DeadFilter | None = None


class Requeued(msgspec.Struct, rename="camel"):
    requeued: int


class Discarded(msgspec.Struct, rename="camel"):
    discarded: int


@get(
    "/dead",
    summary="List dead letters",
    operation_id="adminDead",
    responses=ADMIN_PROBLEMS | INVALID,
)
async def dead(
    state: State,
    *,
    kind: Annotated[str | None, text_parameter("Only this kind.")] = None,
    lane: Annotated[str | None, text_parameter("Only this lane.")] = None,
    error_class: Annotated[str | None, text_parameter("Such as logic.", "errorClass")] = None,
    text: Annotated[str | None, text_parameter("In the error, or beginning the key.")] = None,
    since: Annotated[
        datetime | float | None,
        QueryParameter(description="Died then or later: an instant, or seconds since 1970."),
    ] = None,
    after: Annotated[
        str | None,
        QueryParameter(pattern=CURSOR_PATTERN, description="The `next` of the page before."),
    ] = None,
    limit: Limit = 100,
) -> DeadPage:
    """Newest first. `GET /admin/jobs/{id}` shows one whole."""
    system: System = state.system
    where = DeadFilter(kind, lane, error_class, text, since)
    async with system.database.connection() as connection:
        return await list_dead(connection, where, after=after, limit=limit)


@post(
    "/dead/requeue",
    summary="Requeue dead letters",
    operation_id="adminDeadRequeue",
    status_code=200,
    responses=ADMIN_PROBLEMS | INVALID | KEY_CONFLICT,
)
async def requeue(
    request: Request[Any, Any, State],
    state: State,
    data: JSONBody[Requeue],
) -> Requeued:
    """The same jobs again, never new ones. What matches is put back in pages, each of which counts
    as soon as it is done."""
    system: System = state.system
    async with _transaction(request, data.filter) as tx:
        done = len(await dead_letters.requeue(tx, data.ids))
    if data.filter is not None:
        done += await _sum(dead_letters.requeue_matching(system.database, data.filter))
    return Requeued(done)


@post(
    "/dead/discard",
    summary="Discard dead letters",
    operation_id="adminDeadDiscard",
    status_code=200,
    responses=ADMIN_PROBLEMS | INVALID | KEY_CONFLICT,
)
async def discard(
    request: Request[Any, Any, State],
    state: State,
    data: JSONBody[Discard],
) -> Discarded:
    """They leave the list and stay dead; the reason is kept."""
    system: System = state.system
    async with _transaction(request, data.filter) as tx:
        done = len(await dead_letters.discard(tx, data.ids, data.reason))
    if data.filter is not None:
        done += await _sum(dead_letters.discard_matching(system.database, data.filter, data.reason))
    return Discarded(done)


def _transaction(
    request: Request[Any, Any, State], pages: DeadFilter | None
) -> AbstractAsyncContextManager[Transaction]:
    """The request's own transaction stays open until the response is there, and the pages that
    follow, each in a transaction of its own, would wait for it for ever."""
    if pages is None:
        return transaction(request)
    system: System = request.app.state.system
    return system.database.transaction()


async def _sum(pages: AsyncIterator[int]) -> int:
    return sum([count async for count in pages])


HANDLERS: list[Any] = [dead, requeue, discard]
