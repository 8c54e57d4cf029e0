"""Events as they come, for whoever watches. At least once: an event may be seen twice after a
reconnect, and never not at all.

Events are ordered by when they were written, but become visible when their transaction commits,
which may be later. So each look goes back a little and leaves out what it has shown already.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.engine.gaps import CLOCK

LOOK_SECONDS = 1.0
OVERLAP = timedelta(seconds=10)  # longer than a transaction that emits should last
PAGE = 500


class Event(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    at: datetime
    type: str
    aggregate: str
    sequence: int
    data: str

    @property
    def as_json(self) -> str:
        body = {
            "eventId": self.id,
            "eventType": self.type,
            "timestamp": self.at,
            "aggregate": self.aggregate,
            "sequence": self.sequence,
            "data": msgspec.Raw(self.data.encode()),
        }
        return msgspec.json.encode(body).decode()


_SINCE = statement("engine.events_since", row=Event)
_AT = statement("engine.event_at", row=datetime)


async def follow(
    database: Database,
    stopping: asyncio.Event,
    *,
    after: str | None = None,
    look: float = LOOK_SECONDS,
) -> AsyncIterator[list[Event]]:
    """Events after the one with the id ``after``; without it, those from now on.

    One list for each look, also when it is empty, until ``stopping``.
    """
    since, shown = await _start(database, after)
    while not stopping.is_set():
        async with database.connection() as connection:
            page = await _SINCE.all(connection, since, PAGE)
        fresh = [event for event in page if event.id not in shown]
        shown |= {event.id: event.at for event in fresh}
        yield fresh
        if page:
            full = len(page) == PAGE
            # A full page may all be within the overlap: then go on from its end, or never move.
            since = max(since, page[-1].at if full else page[-1].at - OVERLAP)
            shown = {key: at for key, at in shown.items() if at >= since}
            if full and fresh:
                continue
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), look)


async def _start(database: Database, after: str | None) -> tuple[datetime, dict[str, datetime]]:
    async with database.connection() as connection:
        if after is not None and _is_uuid(after):
            at = await _AT.maybe(connection, after)
            if at is not None:
                return at - OVERLAP, {after: at}
        return await CLOCK.one(connection), {}


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
