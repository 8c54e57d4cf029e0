"""What the limits count."""

from collections.abc import Sequence

from prometheus_client import Counter

from handfast.base.telemetry import REGISTRY
from handfast.services.limits.limit import LimitVerdict

CHECKS = Counter(
    "handfast_limit_checks_total",
    "Times a limit was asked, by its answer and by who gave it.",
    ["limit", "answer", "store"],
    registry=REGISTRY,
)
STAND_INS = Counter(
    "handfast_limit_stand_ins_total",
    "Checks that were Redis' to answer and that PostgreSQL answered, without Redis' memory.",
    registry=REGISTRY,
)
PRUNED = Counter("handfast_limit_rows_pruned_total", "Old rows removed.", registry=REGISTRY)


def count(verdicts: Sequence[LimitVerdict], store: str) -> None:
    for verdict in verdicts:
        answer = "admitted" if verdict.admitted else "refused"
        CHECKS.labels(verdict.ask.limit.name, answer, store).inc()
