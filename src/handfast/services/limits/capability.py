"""Rate limits as a capability: the API needs them."""

from handfast.engine.capability import Capability

LIMITS = Capability(
    name="limits",
    about="rate limits that hold across processes and restarts",
    schemas=("limits",),
    errors="handfast.services.limits.errors",
    chores="handfast.services.limits.pruning:chores",
    metrics="handfast.services.limits.metrics",
)
