"""What is counted of codes and tokens."""

from prometheus_client import Counter

from handfast.base.telemetry import REGISTRY

CODES = Counter(
    "handfast_identity_codes_total",
    "Codes that were asked for: sent, or refused by a limit.",
    ["outcome"],
    registry=REGISTRY,
)
TRIES = Counter(
    "handfast_identity_code_tries_total",
    "Codes that were tried: right, or wrong, expired, used, tried too often.",
    ["outcome"],
    registry=REGISTRY,
)
REFRESHES = Counter(
    "handfast_identity_refreshes_total",
    "Refresh tokens that came in, by what became of them; reused is theft.",
    ["outcome"],
    registry=REGISTRY,
)
