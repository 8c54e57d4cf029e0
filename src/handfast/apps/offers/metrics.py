"""What offers count."""

from prometheus_client import Counter, Gauge

from handfast.base.telemetry import REGISTRY

SETS = Counter(
    "handfast_offers_sets", "Sets by what became of them.", ["outcome"], registry=REGISTRY
)
OFFERS = Counter("handfast_offers_made", "Offers that were published.", registry=REGISTRY)
REMOVED = Counter(
    "handfast_offers_removed",
    "Offers that a round has chosen and that were left out when they were published.",
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
