"""What recurs."""

import msgspec
from msgspec.structs import replace

from handfast.edge.api.viewing import masked
from handfast.engine.schedules.store import ScheduleView


class Schedules(msgspec.Struct, rename="camel"):
    schedules: list[ScheduleView]


def schedules_for_viewers(answer: Schedules) -> Schedules:
    """Without the words in which somebody said why one is paused."""
    return Schedules(
        [replace(one, pause_reason=masked(one.pause_reason)) for one in answer.schedules]
    )
