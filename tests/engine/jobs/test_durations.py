"""The histogram of durations, as Prometheus reads it."""

from prometheus_client import CollectorRegistry, generate_latest

from handfast.engine.jobs.durations import Durations


def test_counts_sums_and_buckets() -> None:
    registry = CollectorRegistry()
    durations = Durations("took_seconds", "How long.", (0.1, 1, 60))
    registry.register(durations)
    durations.observe("a.b", [0.05, 0.1, 0.5, 100.0])
    durations.observe("a.b", [2.0])
    durations.observe("c.d", [0.2])

    def value(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(name, labels)

    at_most = [value("took_seconds_bucket", kind="a.b", le=le) for le in ("0.1", "1.0", "60.0")]
    assert at_most == [2, 3, 4]  # a value on a bound belongs to it
    assert value("took_seconds_bucket", kind="a.b", le="+Inf") == 5
    assert value("took_seconds_count", kind="a.b") == 5
    assert value("took_seconds_sum", kind="a.b") == 102.65
    assert value("took_seconds_count", kind="c.d") == 1
    assert b"# TYPE took_seconds histogram" in generate_latest(registry)
