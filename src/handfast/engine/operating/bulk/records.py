"""Bulk actions as rows: counted, asked for, undone, listed. Their state follows from their job."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from types import NoneType
from typing import Any

import msgspec

from handfast.base.errors import Conflict, InvalidRequest, NotFound
from handfast.base.pages import bounded, cut
from handfast.base.text import cleaned
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.gaps.listing import list_gaps
from handfast.engine.gaps.repair import BY_HAND
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.jobs.options import Options
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.audit import NAME_LENGTH_MAX, Actor
from handfast.engine.operating.bulk.request import BulkAction, BulkRequest
from handfast.engine.operating.bulk.scans import scan
from handfast.engine.operating.dead_letters import FAR, check_reason
from handfast.engine.operating.jobs_view import decoded

LANE = "operating"
KIND = "engine.bulk"
PREVIEW_ROWS = 1000  # that are looked at to count: some milliseconds, however many there are
UNDO = timedelta(seconds=30)  # how long it waits before it begins


class BulkState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    UNDONE = "undone"
    STOPPED = "stopped"
    FAILED = "failed"


class Preview(msgspec.Struct, frozen=True, rename="camel"):
    """How many match; ``at_least`` when not all could be looked at."""

    matched: int
    at_least: bool


class BulkView(msgspec.Struct, frozen=True, rename="camel"):
    """``passed`` matched, and were no longer what they were when their turn came. ``job_id`` is the
    job that carries it out: its page has attempts, and cancelling it stops what is left."""

    id: int
    action: BulkAction
    filter: Any
    reason: str
    state: BulkState
    asked_by: str
    asked_at: datetime
    undo_until: datetime
    undoable: bool
    undone_at: datetime | None
    undone_by: str | None
    matched: int
    at_least: bool
    changed: int
    passed: int
    job_id: int | None


class BulkPage(msgspec.Struct, frozen=True, rename="camel"):
    actions: list[BulkView]
    next: int | None


class _BulkRow(msgspec.Struct, frozen=True):
    id: int
    action: str
    filter: str
    reason: str
    asked_by: str
    asked_at: datetime
    undo_until: datetime
    undone_at: datetime | None
    undone_by: str | None
    matched: int
    at_least: bool
    changed: int
    passed: int
    begun: bool
    job_id: int | None
    job_state: str | None


_ASK = statement("engine.bulk_ask", row=int)
_JOB = statement("engine.bulk_job", row=NoneType)
_LOCK = statement("engine.bulk_lock", row=int)
_UNDO = statement("engine.bulk_undo", row=int)
_ACTIONS = statement("engine.bulk_actions", row=_BulkRow)


async def preview(
    database: Database,
    request: BulkRequest,
    expectations: Expectations,
    *,
    rows: int = PREVIEW_ROWS,
) -> Preview:
    """By one bounded scan; gaps are counted as they are listed."""
    request = request.checked()
    if request.action is BulkAction.REPAIR:
        return await _preview_repair(database, expectations, request.filter.expectation)
    async with database.connection() as connection:
        found = await scan(connection, request, FAR, None, rows)
    return Preview(len(found.ids), at_least=found.looked >= rows)


async def _preview_repair(
    database: Database, expectations: Expectations, name: str | None
) -> Preview:
    """Gaps of those that a program repairs; one that it never does is refused, if it is named."""
    repaired = {one.name for one in expectations.named(name) if not one.by_hand}
    if name is not None and not repaired:
        raise InvalidRequest(BY_HAND, hint="handfast gaps list shows it.")
    reports = await list_gaps(database, expectations, name=name, limit=1)
    gaps = sum(
        one.missing + one.result_missing + one.stale + one.dead_transient
        for one in reports
        if one.name in repaired
    )
    return Preview(gaps, at_least=False)


async def ask(
    tx: Queryable,
    request: BulkRequest,
    counted: Preview,
    *,
    by: Actor,
    reason: str,
    everything: bool = False,
) -> BulkView:
    """It begins when the time for undoing it is over. What narrows nothing down has to be meant."""
    request, reason = request.checked(), check_reason(reason)
    if request.everything and not everything:
        raise InvalidRequest(
            f"Without a filter this would {request.action} everything.",
            hint="Name a filter, or say that everything is meant (everything; --all).",
        )
    if counted.matched == 0 and not counted.at_least:
        raise Conflict("Nothing matches.", hint="Look at the list with the same filter first.")
    bulk = await _ASK.one(
        tx,
        UNDO,
        *(counted.matched, counted.at_least, request.action, cleaned(by.name)[:NAME_LENGTH_MAX]),
        *(reason, by.request_id, msgspec.json.encode(request.filter).decode()),
    )
    job = await enqueue(tx, KIND, str(bulk), {"bulk": bulk}, delay=UNDO, options=Options(lane=LANE))
    await _JOB.run(tx, bulk, job.id)
    return await get_bulk(tx, bulk)


async def undo(tx: Queryable, bulk: int, *, by: Actor) -> BulkView:
    """While it waits: nothing was done, and nothing will be. Undoing it twice changes nothing."""
    await _LOCK.maybe(tx, bulk)
    before = await get_bulk(tx, bulk)
    if before.state is BulkState.UNDONE:
        return before
    name = cleaned(by.name)[:NAME_LENGTH_MAX]
    if await _UNDO.maybe(tx, bulk, name) is None:
        raise Conflict(
            f"Bulk action {bulk} has begun: it is too late to undo it.",
            hint=f"What is left of it is stopped by cancelling its job: "
            f"handfast jobs cancel {before.job_id}",
        )
    return await get_bulk(tx, bulk)


async def get_bulk(on: Queryable, bulk: int) -> BulkView:
    found = await _ACTIONS.maybe(on, bulk, None, 1)
    if found is None:
        raise NotFound(f"There is no bulk action {bulk}.", hint="handfast bulk list shows them.")
    return _view(found)


async def list_bulk(on: Queryable, *, after: int | None = None, limit: int = 100) -> BulkPage:
    """The newest first; ``after`` is the ``next`` of the page before."""
    limit = bounded(limit)
    rows: Sequence[_BulkRow] = await _ACTIONS.all(on, None, after, limit + 1)
    shown, last = cut(list(rows), limit)
    return BulkPage([_view(row) for row in shown], None if last is None else last.id)


def _view(row: _BulkRow) -> BulkView:
    state = state_of(row.job_state, begun=row.begun, undone=row.undone_at is not None)
    own = {name: getattr(row, name) for name in row.__struct_fields__}
    own |= {"action": BulkAction(row.action), "filter": decoded(own["filter"]), "state": state}
    undoable = state is BulkState.WAITING and not row.begun
    return BulkView(**{name: own.get(name, undoable) for name in BulkView.__struct_fields__})


def state_of(job_state: str | None, *, begun: bool, undone: bool) -> BulkState:
    """What the job's state means for its action."""
    if undone:
        return BulkState.UNDONE
    match job_state:
        case JobState.SCHEDULED | JobState.READY | JobState.BLOCKED if not begun:
            return BulkState.WAITING
        case JobState.SUCCEEDED:
            return BulkState.DONE
        case JobState.CANCELLED | JobState.SKIPPED:
            return BulkState.STOPPED
        case JobState.DEAD | None:
            return BulkState.FAILED
        case _:
            return BulkState.RUNNING
