"""Idempotency keys as a capability: the API needs them."""

from handfast.engine.capability import Capability

IDEMPOTENCY = Capability(
    name="idempotency",
    about="a request that is sent twice is carried out once",
    schemas=("idempotency",),
    errors="handfast.services.idempotency.errors",
    chores="handfast.services.idempotency.chores:chores",
    metrics="handfast.services.idempotency.metrics",
)
