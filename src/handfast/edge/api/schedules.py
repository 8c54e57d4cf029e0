"""What recurs."""

import msgspec

from handfast.engine.schedules.store import ScheduleView


class Schedules(msgspec.Struct, rename="camel"):
    schedules: list[ScheduleView]
