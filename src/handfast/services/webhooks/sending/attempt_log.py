"""The log of attempts: what was sent, and what came back."""

from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import msgspec

from handfast.base.pages import bounded, cut
from handfast.base.words import OneOf
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.maintenance.chores import Chore, in_batches
from handfast.services.webhooks.endpoints import get_endpoint
from handfast.services.webhooks.sending.verdict import DeliveryOutcome

KEPT = timedelta(days=14)  # as long as the engine keeps its own history
PRUNE_BATCH = 5000
SCANNED_MAX = 20_000  # of the log, for a page of one outcome: some tens of milliseconds
PRUNE_EVERY = timedelta(minutes=10)


class DeliveryAttemptView(msgspec.Struct, frozen=True, rename="camel"):
    """One POST, or the try at one. ``status`` is null when no answer came."""

    id: int
    at: datetime
    event_id: UUID
    event_type: str
    attempt: int
    outcome: Annotated[str, OneOf(DeliveryOutcome)]
    status: int | None
    seconds: float
    error: str | None
    excerpt: str | None
    job_id: int


class LoggedDelivery(DeliveryAttemptView, frozen=True, rename="camel"):
    """The same, in a list of all endpoints."""

    endpoint_id: UUID


class DeliveryLogPage(msgspec.Struct, frozen=True, rename="camel"):
    attempts: list[LoggedDelivery]
    next: int | None


class AttemptPage(msgspec.Struct, frozen=True, rename="camel"):
    attempts: list[DeliveryAttemptView]
    next: int | None


_ATTEMPTS = statement("webhooks.attempts", row=DeliveryAttemptView)
_NEWEST = statement("webhooks.newest_attempts", row=LoggedDelivery)
_REACH = statement("webhooks.reach_of_attempts", row=int)
_SINCE = statement("webhooks.attempts_since", row=DeliveryAttemptView)
_LAST = statement("webhooks.last_attempt", row=int)
_PRUNE = statement("webhooks.prune", row=int)


async def list_deliveries(
    on: Queryable,
    *,
    outcome: DeliveryOutcome | None = None,
    after: int | None = None,
    limit: int = 100,
) -> DeliveryLogPage:
    """Of all endpoints, the newest first. A page of one outcome looks at a bounded number: it may
    be short, even empty, and still have a ``next``."""
    limit = bounded(limit)
    reach = 0 if outcome is None else await _REACH.one(on, after, SCANNED_MAX)
    wanted = None if outcome is None else outcome.value
    shown, last = cut(await _NEWEST.all(on, after, reach, wanted, limit + 1), limit)
    if last is not None:
        return DeliveryLogPage(shown, last.id)
    return DeliveryLogPage(shown, reach + 1 if reach else None)


async def list_attempts(
    on: Queryable, endpoint: UUID, *, after: int | None = None, limit: int = 100
) -> AttemptPage:
    """The newest first; ``after`` is the ``next`` of the page before."""
    await get_endpoint(on, endpoint)
    limit = bounded(limit)
    attempts, last = cut(await _ATTEMPTS.all(on, endpoint, after, limit + 1), limit)
    return AttemptPage(attempts, None if last is None else last.id)


async def last_attempt(on: Queryable) -> int:
    """Where a follower begins that wants only what is to come."""
    return await _LAST.one(on)


async def attempts_since(
    on: Queryable, after: int, *, endpoint: UUID | None = None, limit: int = 1000
) -> list[DeliveryAttemptView]:
    """What came after, in order."""
    return await _SINCE.all(on, after, endpoint, limit)


def pruning(database: Database) -> Chore:
    """What one of all deliverers does now and then."""

    async def batch(on: Queryable) -> bool:
        return await _PRUNE.one(on, KEPT, PRUNE_BATCH) == PRUNE_BATCH

    return Chore("webhooks_prune", in_batches(database, batch), PRUNE_EVERY)
