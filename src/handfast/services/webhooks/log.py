"""The log of attempts: what was sent, and what came back."""

from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.alerts import take
from handfast.engine.janitor import Chore
from handfast.services.webhooks.endpoints import get_endpoint

KEPT = timedelta(days=14)  # as long as the engine keeps its own history
PRUNE_BATCH = 5000
PRUNE_SECONDS = 60.0
PRUNE_EVERY = timedelta(minutes=10)


class AttemptView(msgspec.Struct, frozen=True, rename="camel"):
    """One POST, or the try at one. ``status`` is null when no answer came."""

    id: int
    at: datetime
    event_id: UUID
    event_type: str
    attempt: int
    outcome: str
    status: int | None
    seconds: float
    error: str | None
    excerpt: str | None
    job_id: int


class AttemptPage(msgspec.Struct, frozen=True, rename="camel"):
    attempts: list[AttemptView]
    next: int | None


_ATTEMPTS = statement("webhooks.attempts", row=AttemptView)
_SINCE = statement("webhooks.attempts_since", row=AttemptView)
_LAST = statement("webhooks.last_attempt", row=int)
_PRUNE = statement("webhooks.prune", row=int)


async def list_attempts(
    on: Queryable, endpoint: UUID, *, after: int | None = None, limit: int = 100
) -> AttemptPage:
    """The newest first; ``after`` is the ``next`` of the page before."""
    await get_endpoint(on, endpoint)
    found = await _ATTEMPTS.all(on, endpoint, after, limit + 1)
    more = len(found) > limit
    return AttemptPage(found[:limit], found[limit - 1].id if more else None)


async def last_attempt(on: Queryable) -> int:
    """Where a follower begins that wants only what is to come."""
    return await _LAST.one(on)


async def attempts_since(
    on: Queryable, after: int, *, endpoint: UUID | None = None, limit: int = 1000
) -> list[AttemptView]:
    """What came after, in order."""
    return await _SINCE.all(on, after, endpoint, limit)


def pruning(database: Database) -> Chore:
    """What one of all deliverers does now and then."""

    async def prune() -> float | None:
        async with database.connection() as connection:
            if not await take(connection, "webhooks_prune", PRUNE_EVERY):
                return None
            while await _PRUNE.one(connection, KEPT, PRUNE_BATCH) == PRUNE_BATCH:
                pass
        return None

    return ("webhooks", prune, PRUNE_SECONDS)
