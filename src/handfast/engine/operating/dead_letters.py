"""Dead letters: jobs that wait for a person. List, look, put back, or let go with a reason.

Requeueing is the same job again, never a new one. What matches a filter is put back in pages, each
in a transaction of its own: a hundred thousand letters must not hold their locks together.
"""

import math
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated

import msgspec
from msgspec.structs import fields

from handfast.base.errors import InvalidRequest
from handfast.base.pages import PAGE_MAX, Id, Instant, Place, bounded
from handfast.base.text import NO_NUL, is_storable
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable
from handfast.engine.operating.audit import Actor, jobs, record
from handfast.engine.operating.jobs_view import SCAN_MAX

REASON_LENGTH_MAX = 500
REQUEUE, DISCARD = "dead.requeue", "dead.discard"  # in the audit
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FAR = datetime(9000, 1, 1, tzinfo=UTC)  # later than that, arithmetic with zones overflows

# What PostgreSQL can take as a text.
Text = Annotated[str, msgspec.Meta(max_length=500, pattern=NO_NUL)]


class DeadLetter(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    kind: str
    key: str
    lane: str
    died_at: datetime
    error_class: str
    error: str
    attempt: int
    repaired: bool


class DeadPage(msgspec.Struct, frozen=True, rename="camel"):
    letters: list[DeadLetter]
    next: str | None


class DeadFilter(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """``text`` is found in the error, whatever its case, or at the beginning of the key. ``since``
    is an instant, or seconds since 1970."""

    kind: Text | None = None
    lane: Text | None = None
    error_class: Text | None = None
    text: Text | None = None
    since: datetime | float | None = None


class DeadPlace(Place, frozen=True):
    """Newest first."""

    died_at: Instant
    job_id: Id


EVERYTHING = DeadFilter()


def refuse_empty(where: msgspec.Struct) -> None:
    """Before anything is changed: an empty text matches everything, and looks as if it did not."""
    empty = [one.encode_name for one in fields(where) if getattr(where, one.name) == ""]
    if empty:
        raise InvalidRequest(
            f"{', '.join(empty)}: empty, which would match everything.",
            hint="Leave it out, or say what to look for.",
        )


_LIST = statement("engine.list_dead", row=DeadLetter)
_LIST_OF_KIND = statement("engine.list_dead_of_kind", row=DeadLetter)
_REACH = statement("engine.reach_of_dead", row=DeadPlace)
_REACH_OF_KIND = statement("engine.reach_of_dead_of_kind", row=DeadPlace)
_REQUEUE = statement("engine.requeue", row=list, seconds=BULK_SECONDS_MAX)
_DISCARD = statement("engine.discard", row=list, seconds=BULK_SECONDS_MAX)


async def list_dead(
    on: Queryable, where: DeadFilter = EVERYTHING, *, after: str | None = None, limit: int = 100
) -> DeadPage:
    """Newest first. A page that has looked at ``SCAN_MAX`` is short, and has a ``next``."""
    limit = bounded(limit)
    place = None if after is None else DeadPlace.read(after)
    at, last = (None, None) if place is None else (place.died_at, place.job_id)
    since = as_instant(where.since)
    rows, reached = (_LIST, _REACH) if where.kind is None else (_LIST_OF_KIND, _REACH_OF_KIND)
    letters = await rows.all(
        on,
        *(where.kind, where.lane, where.error_class, where.text, since),
        *(at, last, limit, SCAN_MAX),
    )
    if len(letters) == limit:
        return DeadPage(letters, DeadPlace(letters[-1].died_at, letters[-1].id).cursor())
    reach = await reached.maybe(on, where.kind, since, at, last, SCAN_MAX - 1)
    return DeadPage(letters, None if reach is None else reach.cursor())


async def requeue(tx: Queryable, ids: Sequence[int]) -> list[int]:
    """Back to ready. Answers those that were dead; the others are left as they are."""
    return sorted(await _REQUEUE.one(tx, _possible(ids)))


async def discard(tx: Queryable, ids: Sequence[int], reason: str) -> list[int]:
    """Off the list; the job stays dead and its reason is kept. Answers those that were listed."""
    return sorted(await _DISCARD.one(tx, _possible(ids), check_reason(reason)))


async def requeue_matching(
    database: Database, where: DeadFilter, *, by: Actor | None = None, page: int = PAGE_MAX
) -> AsyncIterator[int]:
    """All that match and were dead when we began, page by page; yields how many each put back.

    What dies again meanwhile is newer than the place we have reached, and is not met again. ``by``
    is whom the audit names.
    """
    refuse_empty(where)
    async for ids in _pages(database, where, page):
        async with database.transaction() as tx:
            done = await requeue(tx, ids)
            if by is not None:
                await record(tx, by, REQUEUE, jobs(done))
            yield len(done)


async def discard_matching(
    database: Database,
    where: DeadFilter,
    reason: str,
    *,
    by: Actor | None = None,
    page: int = PAGE_MAX,
) -> AsyncIterator[int]:
    refuse_empty(where)
    check_reason(reason)
    async for ids in _pages(database, where, page):
        async with database.transaction() as tx:
            done = await discard(tx, ids, reason)
            if by is not None:
                await record(tx, by, DISCARD, jobs(done), reason)
            yield len(done)


async def _pages(database: Database, where: DeadFilter, size: int) -> AsyncIterator[list[int]]:
    after: str | None = None
    while True:
        async with database.connection() as connection:
            page = await list_dead(connection, where, after=after, limit=size)
        if page.letters:
            yield [letter.id for letter in page.letters]
        if page.next is None:
            return
        after = page.next


def _possible(ids: Sequence[int]) -> list[int]:
    """Each once, in order; what no id can be is no dead letter either."""
    return sorted({job_id for job_id in ids if 0 < job_id < 2**63})


def check_reason(reason: str) -> str:
    said = reason.strip()
    if not said or len(said) > REASON_LENGTH_MAX or not is_storable(said):
        raise InvalidRequest(
            f"Discarding needs a reason of 1 to {REASON_LENGTH_MAX} characters.",
            hint="Say why nobody will requeue it, for whoever asks later.",
        )
    return said


def as_instant(given: datetime | float | None) -> datetime | None:
    """In UTC if no zone is said, and within what arithmetic with zones can take."""
    if given is None:
        return None
    if not isinstance(given, datetime):
        return EPOCH + timedelta(seconds=0.0 if math.isnan(given) else min(max(given, 0.0), 2e11))
    if not EPOCH.year < given.year < FAR.year:
        return EPOCH if given.year <= EPOCH.year else FAR
    return given if given.tzinfo is not None else given.replace(tzinfo=UTC)
