"""What streams count."""

from prometheus_client import Counter, Gauge

from handfast.base.telemetry import REGISTRY

STREAMS = Gauge(
    "handfast_streams", "Streams of events that are open here.", ["whose"], registry=REGISTRY
)
DROPPED = Counter(
    "handfast_streams_dropped",
    "Streams that were dropped because nobody read them, by how that was noticed.",
    ["reason"],
    registry=REGISTRY,
)
