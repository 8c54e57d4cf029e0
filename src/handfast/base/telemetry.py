"""Metrics and traces.

Metrics live in one registry of our own, so that a program that embeds Handfast keeps its default
registry to itself. Traces are optional: without ``HANDFAST_TRACING`` a span costs one ``if``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)

from handfast.base.extras import extra

REGISTRY = CollectorRegistry(auto_describe=True)
GCCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)
ProcessCollector(registry=REGISTRY)

BUILD = Gauge(
    "handfast_build_info", "Always 1; the version is a label.", ["version"], registry=REGISTRY
)
TRANSACTION_RETRIES = Counter(
    "handfast_transaction_retries_total",
    "Transactions run again after a serialization failure or a deadlock.",
    ["reason"],
    registry=REGISTRY,
)
COMMITS_UNKNOWN = Counter(
    "handfast_commits_unknown_total",
    "Commits whose outcome the connection did not live to tell.",
    registry=REGISTRY,
)
LISTENER_RECONNECTS = Counter(
    "handfast_listener_reconnects_total",
    "Times the connection for notifications was made again.",
    registry=REGISTRY,
)

# Counted by the engine for jobs, by their kind, and by the HTTP client as kind "client".
RETRY_ATTEMPTS = Counter(
    "retry_attempts_total", "Attempts after the first.", ["kind"], registry=REGISTRY
)
RETRIES_EXHAUSTED = Counter(
    "retry_exhausted_total",
    "Jobs that became dead letters, and calls that were given up.",
    ["kind"],
    registry=REGISTRY,
)

_tracer: Any = None


def start_metrics(version: str) -> None:
    """For a process of our own: who we are, and none of the library's `_created` series, which
    double the output and tell nobody anything. That switch is global, so it is not for programs
    that only embed us."""
    disable_created_metrics()  # type: ignore[no-untyped-call]
    BUILD.labels(version).set(1)


def start_tracing(service: str, version: str) -> None:
    """Send spans where the standard ``OTEL_*`` variables say."""
    global _tracer  # noqa: PLW0603  # set once, at start
    with extra("otel"):  # heavy to import
        from opentelemetry import trace  # noqa: PLC0415
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    provider = TracerProvider(
        resource=Resource.create({"service.name": service, "service.version": version})
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    _tracer = trace.get_tracer("handfast", version)


@contextmanager
def span(name: str, **attributes: str | float | bool) -> Iterator[None]:
    """A span around a piece of work; nothing at all when tracing is off."""
    if _tracer is None:
        yield
        return
    with _tracer.start_as_current_span(name, attributes=attributes):
        yield
