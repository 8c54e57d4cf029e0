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
    words: str
    cursor: datetime
    next_at: datetime | None
    seen_at: datetime
    paused_at: datetime | None


class ScheduleView(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    kind: str
    spec: Any
    words: str
    cursor: datetime
    next_at: datetime | None
    seen_at: datetime
    paused_at: datetime | None


_SCHEDULES = statement("engine.schedules", row=_Schedule)


async def list_schedules(on: Queryable) -> list[ScheduleView]:
    return [
        ScheduleView(
            spec=decoded(s.spec),
            **{name: getattr(s, name) for name in s.__struct_fields__ if name != "spec"},
        )
        for s in await _SCHEDULES.all(on, SCHEDULES_MAX)
    ]
