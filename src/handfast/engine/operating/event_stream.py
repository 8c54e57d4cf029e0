"""Events as they come, for whoever watches. At least once: an event may be seen twice after a
reconnect, and never not at all.

Events are ordered by when they were written, but become visible when their transaction commits,
which may be later. So each look goes back to before the oldest transaction that is still running,
and leaves out what it has shown already, however many pages that takes.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from uuid import UUID

from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.engine.event_envelope import StoredEvent

LOOK_SECONDS = 1.0
OVERLAP = timedelta(seconds=10)  # for transactions that this role may not see
PAGE = 500
SHOWN_MAX = 50_000  # ids that are remembered while somebody holds a transaction open

log = get_logger(__name__)


_SINCE = statement("engine.events_since", row=StoredEvent)
_AT = statement("engine.event_at", row=datetime)
_HORIZON = statement("engine.events_horizon", row=datetime)

Shown = dict[str, datetime]  # an event's id, and when it was written


async def follow(
    database: Database,
    stopping: asyncio.Event,
    *,
    after: str | None = None,
    look: float = LOOK_SECONDS,
) -> AsyncIterator[list[StoredEvent]]:
    """Events after the one with the id ``after``; without it, those from now on.

    One list for each look, also when it is empty, until ``stopping``.
    """
    since, shown = await _start(database, after)
    while not stopping.is_set():
        async with database.connection() as connection:
            # First: what is written after this, and before the page is read, is in the next look.
            horizon = await _HORIZON.one(connection, OVERLAP)
            fresh = await _SINCE.all(connection, since, list(shown), PAGE)
        shown |= {event.id: event.at for event in fresh}
        yield fresh
        full = len(fresh) == PAGE  # then there may be more, from its end on
        since, shown = _move(max(since, min(horizon, fresh[-1].at) if full else horizon), shown)
        if full:
            continue
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), look)


def _move(since: datetime, shown: Shown) -> tuple[datetime, Shown]:
    """Forget what lies behind; and rather the oldest of all than fill the memory."""
    if len(shown) > SHOWN_MAX:
        newest = sorted(shown.values())[-SHOWN_MAX]
        if newest > since:
            log.warning("events_behind_a_held_transaction_left", since=since, goes_on_at=newest)
            since = newest
    return since, {key: at for key, at in shown.items() if at >= since}


async def _start(database: Database, after: str | None) -> tuple[datetime, Shown]:
    async with database.connection() as connection:
        horizon = await _HORIZON.one(connection, OVERLAP)
        if after is not None and _is_uuid(after):
            at = await _AT.maybe(connection, after)
            if at is not None:
                return min(at - OVERLAP, horizon), {after: at}
        # From now on: what is there has been, and what comes may have been written before.
        seen = await _SINCE.all(connection, horizon, [], SHOWN_MAX)
        return horizon, {event.id: event.at for event in seen}


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
