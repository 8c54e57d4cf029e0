"""What the API answers, for those answers that are not the engine's own views.

Written again here and not taken from ``edge.http``: a client must not bring a web framework along.
A test asks the real API for each of them.
"""

import msgspec

from handfast.engine.alerts import Alert
from handfast.engine.gaps import GapReport, RepairReport
from handfast.engine.schedule_store import ScheduleView
from handfast.engine.states import JobState
from handfast.engine.stats import Stats
from handfast.services.webhooks.endpoints import Endpoint


class Health(msgspec.Struct):
    status: str
    version: str


class Readiness(msgspec.Struct):
    status: str
    checks: dict[str, str]


class JobChanged(msgspec.Struct, rename="camel"):
    id: int
    state: JobState


class Requeued(msgspec.Struct, rename="camel"):
    requeued: int


class Discarded(msgspec.Struct, rename="camel"):
    discarded: int


class Gaps(msgspec.Struct, rename="camel"):
    expectations: list[GapReport]


class Repaired(msgspec.Struct, rename="camel"):
    expectations: list[RepairReport]


class Schedules(msgspec.Struct, rename="camel"):
    schedules: list[ScheduleView]


class Endpoints(msgspec.Struct, rename="camel"):
    endpoints: list[Endpoint]


class StatsView(msgspec.Struct, rename="camel"):
    stats: Stats
    alerts: list[Alert]
