"""What safety counts."""

from prometheus_client import Counter, Gauge, Histogram

from handfast.base.telemetry import REGISTRY

REPORTS = Counter(
    "handfast_safety_reports", "Reports that were accepted.", ["severity"], registry=REGISTRY
)
RESTRAINTS = Counter(
    "handfast_safety_restraints",
    "People who were paused because several others reported them.",
    registry=REGISTRY,
)
DECISIONS = Counter(
    "handfast_safety_decisions", "Decisions about reports.", ["decision"], registry=REGISTRY
)
APPEALS = Counter(
    "handfast_safety_appeals", "Appeals by what became of them.", ["outcome"], registry=REGISTRY
)
DECISION_SECONDS = Histogram(
    "handfast_safety_decision_seconds",
    "From a report to the decision about it.",
    ["severity"],
    registry=REGISTRY,
    buckets=(60, 300, 900, 3600, 4 * 3600, 24 * 3600, 72 * 3600, 7 * 24 * 3600),
)
OPEN_REPORTS = Gauge(
    "handfast_safety_open_reports",
    "Reports that wait for a decision, as this process last counted them.",
    ["severity"],
    registry=REGISTRY,
)
OLDEST_SECONDS = Gauge(
    "handfast_safety_oldest_open_seconds",
    "How long the oldest open report has waited.",
    ["severity"],
    registry=REGISTRY,
)
