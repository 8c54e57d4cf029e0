"""All events, in an order in which nothing comes late.

An event is visible when its transaction commits, and transactions commit in any order. So events
are read in the order of their transactions' numbers, and never past the oldest transaction that is
still running: what lies before it is complete. If somebody keeps a transaction open, the stream
waits, and says so.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.event_envelope import StoredEvent
from handfast.engine.streams.stream import HELD, RESET, EventStream, StreamMessage

HELD_SECONDS = 2.0  # behind one and the same transaction, before anybody is told


class EventPlace(NamedTuple):
    """Where an event stands: its transaction's number, and its own among all events."""

    xid: int
    ordinal: int


class Snapshot(NamedTuple):
    """Which transactions can be seen, as PostgreSQL writes it: ``xmin:xmax:running,…``."""

    xmin: int
    xmax: int
    running: frozenset[int]

    @classmethod
    def parse(cls, text: str) -> "Snapshot":
        xmin, xmax, running = text.split(":")
        return cls(int(xmin), int(xmax), frozenset(map(int, filter(None, running.split(",")))))

    def sees(self, xid: int) -> bool:
        return xid < self.xmax and xid not in self.running


class _Begin(msgspec.Struct, frozen=True):
    snapshot: str
    xid: int | None
    ordinal: int | None


_BEGIN = statement("engine.operators_begin", row=_Begin)


class OperatorStream(EventStream):
    """``place`` is behind everything that was handed on. What ``seen`` sees happened before the
    stream began."""

    __slots__ = ("place", "seen", "told_held")

    def __init__(
        self, leave: Callable[[EventStream], None], place: EventPlace, seen: Snapshot | None
    ) -> None:
        super().__init__(leave)
        self.place = place
        self.seen = seen
        self.told_held = False

    def hand_on(self, rows: Iterable[tuple[EventPlace, StoredEvent]]) -> None:
        for place, event in rows:
            self.place = place
            if self.seen is None or not self.seen.sees(place.xid):
                self.put(StreamMessage(event.type, event.id, event))

    def say_held(self, since: datetime) -> None:
        if not self.told_held:
            self.told_held = True
            about = msgspec.json.encode({"since": since}).decode()
            self.put(StreamMessage(HELD, None, about=about))


async def begin(
    on: Queryable, leave: Callable[[EventStream], None], after: str | None
) -> OperatorStream:
    """A stream that goes on after the event of this id, or begins now. If that event is no longer
    kept, or stands where this server has not counted to yet (the database was restored), its reader
    is told so."""
    found = await _BEGIN.one(on, _uuid(after))
    seen = Snapshot.parse(found.snapshot)
    if found.xid is not None and found.ordinal is not None and found.xid < seen.xmax:
        return OperatorStream(leave, EventPlace(found.xid, found.ordinal), None)
    stream = OperatorStream(leave, EventPlace(seen.xmin, -1), seen)
    if after is not None:
        stream.put(StreamMessage(RESET, None))
    return stream


class Holding:
    """Whether the streams are held back, and since when."""

    def __init__(self) -> None:
        self._horizon: int | None = None
        self._noticed_at = 0.0
        self._since = datetime.now(UTC)

    @property
    def held(self) -> bool:
        """Something committed waits behind a running transaction: nobody notifies when it ends."""
        return self._horizon is not None

    def looked(self, horizon: int, *, waits: bool, streams: Sequence[OperatorStream]) -> None:
        # One that is lower than before is nobody new: a transaction of another database, which may
        # have been ours for one look because it had just ended (handfast_engine.commit_horizon).
        if not waits or self._horizon is None or horizon > self._horizon:
            self._horizon = horizon if waits else None
            self._noticed_at, self._since = time.monotonic(), datetime.now(UTC)
            for stream in streams:
                stream.told_held = False
        elif time.monotonic() - self._noticed_at >= HELD_SECONDS:
            for stream in streams:
                stream.say_held(self._since)


def _uuid(text: str | None) -> UUID | None:
    try:
        return None if text is None else UUID(text)
    except ValueError:
        return None
