"""What this process has counted of the jobs of one kind."""

from handfast.base.telemetry import REGISTRY

OUTCOMES = ("succeeded", "failed", "cancelled", "skipped")


def job_metrics(kind: str) -> dict[str, int]:
    """Attempts by outcome, how many durations were noted, dead letters, lost leases; no zeros."""
    series = {
        outcome: ("handfast_job_attempts_total", {"kind": kind, "outcome": outcome})
        for outcome in OUTCOMES
    } | {
        "timed": ("handfast_job_duration_seconds_count", {"kind": kind}),
        "exhausted": ("retry_exhausted_total", {"kind": kind}),
        "lost": ("handfast_leases_lost_total", {"kind": kind}),
    }
    values = {what: REGISTRY.get_sample_value(*name) for what, name in series.items()}
    return {what: int(value) for what, value in values.items() if value}
