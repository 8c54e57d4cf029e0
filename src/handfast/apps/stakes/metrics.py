"""What stakes count. Lengths and ages are looked at once a minute by one of all processes, who also
raises the alerts (``work``)."""

from prometheus_client import Counter, Gauge, Histogram

from handfast.base.telemetry import REGISTRY

STAKES = Counter(
    "handfast_stakes",
    "Stakes that were asked for, by what was answered.",
    ["verdict"],
    registry=REGISTRY,
)
PAIRS = Counter(
    "handfast_stakes_pairs",
    "Pairs that were made here, by who proposed them: redis, or the database alone.",
    ["path"],
    registry=REGISTRY,
)
STALE = Counter(
    "handfast_stakes_proposals_stale",
    "Tickets that Redis proposed and that did not stand in that line.",
    registry=REGISTRY,
)
DRIFT = Counter(
    "handfast_stakes_drift_repaired",
    "What Redis had otherwise than the database when they were compared, by what was done.",
    ["how"],
    registry=REGISTRY,
)
FALLBACKS = Counter(
    "handfast_stakes_fallbacks",
    "Times that pairing went on without Redis, because that failed.",
    registry=REGISTRY,
)
WITHOUT_REDIS = Gauge(
    "handfast_stakes_without_redis",
    "1 while pairing here goes on without the Redis that is configured.",
    registry=REGISTRY,
)
PAIRING_SECONDS = Histogram(
    "handfast_stakes_pairing_seconds",
    "How long a round of pairing took.",
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5),
    registry=REGISTRY,
)
CLAIMS_FAILED = Counter(
    "handfast_stakes_claims_failed", "Rounds of pairing that failed.", registry=REGISTRY
)
ENDED = Counter(
    "handfast_stakes_tickets_ended",
    "Tickets that left the queue unpaired.",
    ["how"],
    registry=REGISTRY,
)
SESSIONS = Counter(
    "handfast_stakes_sessions_ended", "Sessions by how they ended.", ["how"], registry=REGISTRY
)
WAITING = Gauge(
    "handfast_stakes_waiting", "Tickets in the queue, at the last look.", registry=REGISTRY
)
PARTNER_SECONDS = Gauge(
    "handfast_stakes_partner_waiting_seconds",
    "For how long two have stood in one line unpaired, at the last look.",
    registry=REGISTRY,
)
OVERDUE_SECONDS = Gauge(
    "handfast_stakes_overdue_seconds",
    "By how much the oldest ticket is past its end, at the last look.",
    registry=REGISTRY,
)
REFUSED = Gauge(
    "handfast_stakes_money_missing",
    "Tickets and sessions that are set aside because of their holds, at the last look.",
    registry=REGISTRY,
)
CALIBRATION = Gauge(
    "handfast_stakes_wait_coverage",
    "Of those who came in the last hour, the share that was found within the estimate of before.",
    ["quantile"],
    registry=REGISTRY,
)
INCONSISTENT = Gauge(
    "handfast_stakes_inconsistent",
    "What the last check found in tickets, sessions and holds.",
    registry=REGISTRY,
)
