"""One identity, one answer: a job, why it does not run, what was told of it, and what it is to the
capabilities: a run, a fixture, a delivery, money.

The engine knows none of them. A capability says with ``about_job`` what a job is to it, and with
``about_events`` who is sent an event; both are looks by a key.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec

from handfast.base.words import OneOf
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.capability import Capabilities, each
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.jobs_view import JobDetail, get_job
from handfast.engine.operating.why import WhyReason, why

EVENTS_MAX = 50  # of each aggregate, the newest
DELIVERIES_MAX = 100


class JobConnection(msgspec.Struct, frozen=True, rename="camel"):
    """What a job is to a capability. ``address`` is where the API has more; ``aggregate`` is under
    which name its events are."""

    capability: str
    what: str
    id: str
    address: str | None = None
    aggregate: str | None = None
    facts: dict[str, Any] = {}


class EventDelivery(msgspec.Struct, frozen=True, rename="camel"):
    """An event on its way to somebody; the job is the delivery."""

    event_id: UUID
    endpoint_id: UUID
    job_id: int
    state: Annotated[str, OneOf(JobState)]


class IdentityEvent(msgspec.Struct, frozen=True, rename="camel"):
    id: UUID
    at: datetime
    type: str
    aggregate: str
    sequence: int
    data: Any


class IdentityView(msgspec.Struct, frozen=True, rename="camel"):
    job: JobDetail
    why: list[WhyReason]
    connections: list[JobConnection]
    events: list[IdentityEvent]
    deliveries: list[EventDelivery]


class _Event(msgspec.Struct, frozen=True):
    id: UUID
    at: datetime
    type: str
    sequence: int
    data: str


AboutJob = Callable[[Queryable, JobDetail], Awaitable[Sequence[JobConnection]]]
AboutEvents = Callable[[Queryable, Sequence[UUID], int], Awaitable[Sequence[EventDelivery]]]

_EVENTS = statement("engine.job_events", row=_Event)


async def view_identity(on: Queryable, capabilities: Capabilities, job_id: int) -> IdentityView:
    job = await get_job(on, job_id)
    connections: list[JobConnection] = []
    for about_job in each(capabilities.on, "about_job").values():
        connections += await about_job(on, job)
    aggregates = [f"job:{job_id}", *(one.aggregate for one in connections if one.aggregate)]
    events = [event for name in dict.fromkeys(aggregates) for event in await _events(on, name)]
    ids = [event.id for event in events]
    deliveries: list[EventDelivery] = []
    for about_events in each(capabilities.on, "about_events").values() if ids else ():
        deliveries += await about_events(on, ids, DELIVERIES_MAX)
    return IdentityView(job, await why(on, job_id), connections, events, deliveries)


async def _events(on: Queryable, aggregate: str) -> list[IdentityEvent]:
    return [
        IdentityEvent(
            one.id, one.at, one.type, aggregate, one.sequence, msgspec.json.decode(one.data)
        )
        for one in await _EVENTS.all(on, aggregate, EVENTS_MAX)
    ]
