"""What a job is to the webhooks: a delivery of one event to one endpoint; and who is sent an event.

Both go by the identity of deliveries, event:endpoint.
"""

from collections.abc import Sequence
from uuid import UUID

from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.operating.identity_view import EventDelivery, JobConnection
from handfast.engine.operating.jobs_view import JobDetail
from handfast.services.webhooks.metrics import KIND

_OF_EVENTS = statement("webhooks.deliveries_of_events", row=EventDelivery)


async def about_job(_on: Queryable, job: JobDetail) -> list[JobConnection]:
    if job.kind != KIND:
        return []
    event, _, endpoint = job.key.partition(":")
    endpoint = endpoint.partition(":")[0]  # a replay has its number behind it
    return [
        JobConnection(
            "webhooks",
            "delivery",
            f"{event}:{endpoint}",
            f"/webhooks/endpoints/{endpoint}/attempts",
            facts={"eventId": event, "endpointId": endpoint},
        )
    ]


async def about_events(on: Queryable, events: Sequence[UUID], limit: int) -> list[EventDelivery]:
    return await _OF_EVENTS.all(on, [str(event) for event in events], limit)
