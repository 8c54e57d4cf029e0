"""What is counted of match runs."""

from prometheus_client import Counter, Histogram

from handfast.base.telemetry import REGISTRY

STARTED = Counter(
    "handfast_match_runs_started_total",
    "Asked for, by what was answered: new, or the status of the run that was there.",
    ["answer"],
    registry=REGISTRY,
)
ENDED = Counter(
    "handfast_match_runs_total",
    "Runs that a worker ended, by status and error code.",
    ["status", "code"],
    registry=REGISTRY,
)
SECONDS = Histogram(
    "handfast_match_run_seconds",
    "How long a worker was at a run, from claim to end.",
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5, 30),
    registry=REGISTRY,
)
STEP_SECONDS = Histogram(
    "handfast_match_run_step_seconds",
    "How long each step took.",
    ["step"],
    buckets=(0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5),
    registry=REGISTRY,
)
