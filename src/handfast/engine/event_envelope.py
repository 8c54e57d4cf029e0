"""What an event looks like outside: in a webhook's body, in the stream of events, to a receiver.

One place says it, so that whoever reads one of them can read them all.
"""

from datetime import UTC, datetime
from typing import Any

import msgspec


class EventEnvelope(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An event as it is read. ``event_id`` is the same in every attempt and every replay; what is
    about nothing in particular has no aggregate and no sequence."""

    event_id: str
    event_type: str
    timestamp: datetime
    aggregate: str | None = None
    sequence: int | None = None
    data: Any


class StoredEvent(msgspec.Struct, frozen=True):
    """An event as it is stored; ``data`` is PostgreSQL's own text of the JSON."""

    id: str
    at: datetime
    type: str
    aggregate: str
    sequence: int
    data: str

    def envelope(self) -> bytes:
        """The same bytes whenever it is sent: made from what is stored, and the data passed on as
        it is, because read and written again it could be other bytes."""
        at = self.at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        return msgspec.json.encode(
            {
                "eventId": self.id,
                "eventType": self.type,
                "timestamp": at,
                "aggregate": self.aggregate,
                "sequence": self.sequence,
                "data": msgspec.Raw(self.data.encode()),
            }
        )


def event_type_in(body: Any) -> str | None:
    """What a decoded body says it is, if it is an envelope at all."""
    found = body.get("eventType") if isinstance(body, dict) else None
    return found if isinstance(found, str) else None
