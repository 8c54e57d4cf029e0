"""What offers count, and the alert that judges it, for those who have no Prometheus."""

from prometheus_client import Counter, Gauge

from handfast.base.telemetry import REGISTRY
from handfast.engine.operating.alerts import AlertRule
from handfast.engine.operating.stats import Stats

SETS_KIND = "offers.daily"
P95_SECONDS_MAX = 30.0

SETS = Counter(
    "handfast_offers_sets", "Sets by what became of them.", ["outcome"], registry=REGISTRY
)
REPEATED = Counter(
    "handfast_offers_sets_repeated",
    "Jobs of sets that found theirs made: by the command by hand, or a job that ran again.",
    registry=REGISTRY,
)
OFFERS = Counter("handfast_offers_made", "Offers that were published.", registry=REGISTRY)
REMOVED = Counter(
    "handfast_offers_removed",
    "Offers that a round has chosen and that were left out when they were published.",
    registry=REGISTRY,
)
DUPLICATES = Gauge(
    "handfast_offers_duplicates",
    "Users with more offers of a date than their set says, in the last zone whose day was closed.",
    registry=REGISTRY,
)
ACTIONS = Counter(
    "handfast_offers_actions", "What users did with offers.", ["action"], registry=REGISTRY
)
MATCHES = Counter("handfast_offers_matches", "Matches that were made.", registry=REGISTRY)
ROUND_PEOPLE = Gauge(
    "handfast_offers_round_people", "People in the last round of this worker.", registry=REGISTRY
)
NEVER_SHOWN = Gauge(
    "handfast_offers_never_shown",
    "People with room in the last round of this worker who are offered to nobody.",
    registry=REGISTRY,
)


def _p95(stats: Stats) -> float | None:
    return next((one.p95 for one in stats.recent.kinds if one.kind == SETS_KIND), None)


ALERTS = (
    AlertRule(
        "offers_job_p95",
        P95_SECONDS_MAX,
        "The slowest twentieth of the users' sets takes more than 30 seconds.",
        _p95,
    ),
)
