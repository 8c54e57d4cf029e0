"""What operators do to jobs, each in the caller's transaction. The database decides what is
allowed; here its answers become errors that say what to do instead.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import asyncpg
import msgspec

from handfast.base.errors import Conflict
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable
from handfast.engine.errors import JobInvalid, PayloadInvalid
from handfast.engine.jobs.enqueue import payload_as_json
from handfast.engine.jobs.options import NO_OPTIONS, Options, aware
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.jobs_view import no_such_job

REASON = "cancelled by an operator"


class _Retried(msgspec.Struct, frozen=True):
    state: str | None
    changed: bool


_CANCEL = statement("engine.cancel", row=str)
_RETRY = statement("engine.retry", row=_Retried)
_REVIVE = statement("engine.revive", row=bool)
_SET_ANCHOR = statement("engine.set_anchor", row=int, seconds=BULK_SECONDS_MAX)
_CANCEL_ANCHOR = statement("engine.cancel_anchor", row=int, seconds=BULK_SECONDS_MAX)


async def cancel(tx: Queryable, job_id: int, reason: str = REASON) -> JobState:
    """A waiting job is cancelled; a running one (the answer says ``running``) is told to stop at
    its worker's next heartbeat. Cancelling what is cancelled changes nothing."""
    state = await _CANCEL.maybe(tx, job_id, reason)
    if state is None:
        raise no_such_job(job_id)
    if state not in (JobState.CANCELLED, JobState.RUNNING):
        raise Conflict(
            f"Job {job_id} is {state}: there is nothing left to cancel.",
            hint="A dead letter is discarded." if state == JobState.DEAD else None,
        )
    return JobState(state)


async def retry(tx: Queryable, job_id: int) -> JobState:
    """Now: a dead letter is requeued, a scheduled job does not wait for its time. A job that is
    ready already stays so."""
    found = await _RETRY.one(tx, job_id)
    if found.state is None:
        raise no_such_job(job_id)
    if found.changed or found.state == JobState.READY:
        return JobState(found.state)
    raise Conflict(f"Job {job_id} is {found.state}.", hint=_INSTEAD.get(JobState(found.state)))


_INSTEAD = {
    JobState.RUNNING: "It runs at this moment. Cancel it, or let it end.",
    JobState.BLOCKED: "It waits for other jobs: retry those; it is freed when they succeed.",
    **dict.fromkeys(
        (JobState.SUCCEEDED, JobState.CANCELLED, JobState.SKIPPED),
        "It has ended, and runs again only if revived: hf.revive(…) or `handfast jobs revive`.",
    ),
    JobState.DEAD: "It was discarded, so that nobody requeues it by mistake.",
}


async def revive(
    tx: Queryable,
    job_id: int,
    *,
    due: datetime | None = None,
    payload: Mapping[str, Any] | None = None,
    options: Options = NO_OPTIONS,
) -> bool:
    """An ended job runs again under its own identity, because somebody asks for it in so many
    words. False when it had not ended (or is dead: that is ``requeue``)."""
    if due is not None:
        aware("due", due)
    encoded = None if payload is None else payload_as_json(payload)
    try:
        return await _REVIVE.one(tx, job_id, due, encoded, options.checked().as_data())
    except asyncpg.NullValueNotAllowedError as pruned:
        raise PayloadInvalid(
            f"The history of job {job_id} has been dropped, and its payload with it.",
            hint="Pass the payload again: hf.revive(tx, kind, key, payload={…}), or --payload.",
        ) from pruned


async def set_anchor(tx: Queryable, name: str, at: datetime) -> int:
    """Place an anchor, or move it and every waiting job on it. Answers how many moved."""
    if not name:
        raise JobInvalid("An anchor needs a name, such as 'fixture:7'.")
    return await _SET_ANCHOR.one(tx, name, aware("at", at))


async def cancel_anchor(tx: Queryable, name: str, reason: str = "its anchor was cancelled") -> int:
    """The moment will not come: its waiting jobs are cancelled. ``set_anchor`` brings them back."""
    return await _CANCEL_ANCHOR.one(tx, name, reason)
