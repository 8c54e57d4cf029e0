"""What is sent: the same bytes at every attempt, because they are made from what is stored."""

from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import msgspec


class Event(NamedTuple):
    """An event as it is stored; ``data`` is PostgreSQL's own text of the JSON."""

    id: UUID
    type: str
    at: datetime
    aggregate: str
    sequence: int
    data: str


def envelope(event: Event) -> bytes:
    """The body. The data is passed on as it is: read and written again it could be other bytes."""
    instant = event.at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return (
        f'{{"eventId":"{event.id}","eventType":{_text(event.type)},"timestamp":"{instant}",'
        f'"aggregate":{_text(event.aggregate)},"sequence":{event.sequence},"data":{event.data}}}'
    ).encode()


def _text(value: str) -> str:
    return msgspec.json.encode(value).decode()
