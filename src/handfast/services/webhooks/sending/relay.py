"""From the outbox to deliveries: each event a job for each endpoint that wants it."""

from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.outbox import Relay

CONSUMER = "webhooks"

_RELAY = statement("webhooks.relay", row=int)


async def relay_events(on: Queryable, limit: int) -> int:
    """Events of the outbox become deliveries, up to ``limit`` of them; answers how many events."""
    return await _RELAY.one(on, limit)


RELAY = Relay(CONSUMER, relay_events)
