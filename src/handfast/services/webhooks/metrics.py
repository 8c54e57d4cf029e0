"""What the webhooks count, and the alert that judges it, for those who have no Prometheus."""

from prometheus_client import Counter, Histogram

from handfast.base.telemetry import REGISTRY
from handfast.engine.operating.alerts import ATTEMPTS_MIN, AlertRule
from handfast.engine.operating.stats import Stats
from handfast.services.webhooks.sending.verdict import DeliveryOutcome

KIND = "webhooks.deliver"

ATTEMPTS = Counter(
    "webhook_delivery_attempts", "Attempts to deliver, by outcome.", ["outcome"], registry=REGISTRY
)
SUCCESSES = Counter(
    "webhook_delivery_success", "Attempts that delivered, and no others.", registry=REGISTRY
)
SECONDS = Histogram(
    "handfast_webhook_delivery_seconds",
    "How long an endpoint took to answer, or not to.",
    ["outcome"],
    registry=REGISTRY,
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20),
)


def count(outcome: DeliveryOutcome, seconds: float) -> None:
    """One attempt that was made."""
    ATTEMPTS.labels(outcome.value).inc()
    SECONDS.labels(outcome.value).observe(seconds)
    if outcome is DeliveryOutcome.DELIVERED:
        SUCCESSES.inc()


def _failing(stats: Stats) -> float | None:
    """The part of the recent attempts that did not deliver."""
    for activity in stats.recent.kinds:
        ended = activity.succeeded + activity.failed
        if activity.kind == KIND and ended >= ATTEMPTS_MIN:
            return activity.failed / ended
    return None


ALERTS = (
    AlertRule(
        "webhook_success", 0.05, "Fewer than 95 % of the webhook attempts succeed.", _failing
    ),
)
