"""Finding what matches: one statement that looks at a bounded number of rows, and says how far it
came. A preview is the first of them, and a page of the work any of them."""

from datetime import datetime

import msgspec

from handfast.db.statements import Statement, statement
from handfast.db.transaction import Queryable
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.bulk.request import BulkAction, BulkFilter, BulkRequest
from handfast.engine.operating.dead_letters import as_instant


class Found(msgspec.Struct, frozen=True):
    """``place`` is null when there was nothing left to look at."""

    ids: list[int]
    place: str | None
    looked: int


_DEAD = statement("engine.bulk_dead", row=Found)
_DEAD_OF_KIND = statement("engine.bulk_dead_of_kind", row=Found)
_LIVE = statement("engine.bulk_live", row=Found)
_ENDED = statement("engine.bulk_ended", row=Found)
_OF_KIND = statement("engine.bulk_of_kind", row=Found)


async def scan(
    on: Queryable, request: BulkRequest, asked_at: datetime, place: str | None, rows: int
) -> Found:
    """Those that match among the next ``rows`` behind the place."""
    where, bounds = request.filter, (rows, place, asked_at)
    if request.action in (BulkAction.REQUEUE, BulkAction.DISCARD):
        return await _dead(where).one(
            on,
            *bounds,
            *(where.kind, where.lane, where.error_class, where.text, as_instant(where.since)),
        )
    live = request.action is not BulkAction.REVIVE
    state = JobState.SCHEDULED if request.action is BulkAction.RETRY else where.state
    if where.kind is not None:
        key = where.key or ""
        return await _OF_KIND.one(on, *bounds, live, where.kind, where.lane, state, key)
    if live:
        return await _LIVE.one(on, *bounds, where.lane, state, where.key)
    return await _ENDED.one(on, *bounds, state, where.key)


def _dead(where: BulkFilter) -> Statement[Found]:
    return _DEAD if where.kind is None else _DEAD_OF_KIND
