"""The schedules as they are stored."""

from datetime import datetime
from typing import Any

import msgspec

from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.views import decoded

SCHEDULES_MAX = 1000


class _Schedule(msgspec.Struct, frozen=True):
    name: str
    kind: str
    spec: str
    cursor: datetime
    paused: bool
    next_at: datetime | None
    changed_at: datetime


class ScheduleView(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    kind: str
    spec: Any
    cursor: datetime
    paused: bool
    next_at: datetime | None
    changed_at: datetime


_SCHEDULES = statement("engine.schedules", row=_Schedule)


async def list_schedules(on: Queryable) -> list[ScheduleView]:
    return [
        ScheduleView(s.name, s.kind, decoded(s.spec), s.cursor, s.paused, s.next_at, s.changed_at)
        for s in await _SCHEDULES.all(on, SCHEDULES_MAX)
    ]
