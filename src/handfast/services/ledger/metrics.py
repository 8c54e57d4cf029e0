"""What the ledger counts. Whether it adds up is judged by its own check, once an hour, which raises
the alert ``ledger_imbalance`` when it finds anything."""

from prometheus_client import Counter, Gauge, Histogram

from handfast.base.telemetry import REGISTRY

TRANSFERS = Counter(
    "handfast_ledger_transfers", "Transfers by what became of them.", ["verdict"], registry=REGISTRY
)
COMBINED = Histogram(
    "handfast_ledger_combined_transfers",
    "How many transfers the gate has sent in one statement.",
    registry=REGISTRY,
    buckets=(1, 2, 5, 10, 20, 50, 100, 200),
)
WAITING = Gauge(
    "handfast_ledger_gate_waiting", "Transfers that wait at the gate.", registry=REGISTRY
)
SEALED = Counter("handfast_ledger_sealed_entries", "Entries that were sealed.", registry=REGISTRY)
UNSEALED_SECONDS = Gauge(
    "handfast_ledger_unsealed_seconds",
    "Age of the oldest transfer that no seal covers, at the last look.",
    registry=REGISTRY,
)
IMBALANCE = Gauge(
    "handfast_ledger_imbalance",
    "What all accounts come to together, in minor units, at the last check: zero.",
    registry=REGISTRY,
)
FINDINGS = Gauge(
    "handfast_ledger_findings", "What the last check has found to be wrong.", registry=REGISTRY
)
