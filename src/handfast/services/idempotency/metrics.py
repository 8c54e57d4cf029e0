"""What is counted of requests with a key. The first two names are the contract's."""

from prometheus_client import Counter, Gauge

from handfast.base.telemetry import REGISTRY

CACHE_HIT = Counter(
    "idempotency_cache_hit",
    "Requests answered with a kept response, by where it was found.",
    ["source"],
    registry=REGISTRY,
)
KEY_REUSE_CONFLICT = Counter(
    "idempotency_key_reuse_conflict",
    "Requests refused because their key belongs to another request.",
    registry=REGISTRY,
)
REQUESTS = Counter(
    "idempotency_requests",
    "Requests with a key, by how they ended.",
    ["outcome"],
    registry=REGISTRY,
)
EXECUTED = REQUESTS.labels("executed")  # looked up once: it is not cheap
REPLAYED = REQUESTS.labels("replayed")
WAITING = Gauge(
    "idempotency_waiting", "Duplicates that wait for the first one's response.", registry=REGISTRY
)
TAKEN_OVER = Counter(
    "idempotency_taken_over", "Claims whose owner fell silent, taken over.", registry=REGISTRY
)
CLAIMS_LOST = Counter(
    "idempotency_claims_lost",
    "Requests that found, when they wanted to commit, that another had taken over.",
    registry=REGISTRY,
)
CACHE_ERRORS = Counter(
    "idempotency_cache_errors",
    "Times Redis failed, was late or held what we did not write; each is a miss.",
    ["reason"],
    registry=REGISTRY,
)
PRUNED = Counter("idempotency_pruned", "Expired records that were deleted.", registry=REGISTRY)
