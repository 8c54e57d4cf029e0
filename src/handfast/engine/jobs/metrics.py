"""What the engine counts."""

from prometheus_client import Counter, Gauge

from handfast.base.telemetry import REGISTRY, RETRIES_EXHAUSTED, RETRY_ATTEMPTS
from handfast.engine.jobs.durations import Durations

ATTEMPTS = Counter(
    "handfast_job_attempts_total", "Attempts that ended.", ["kind", "outcome"], registry=REGISTRY
)
DURATION = Durations(
    "handfast_job_duration_seconds",
    "How long attempts that succeeded ran.",
    (0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600),
)
REGISTRY.register(DURATION)
CLAIMED = Counter("handfast_jobs_claimed_total", "Jobs claimed.", ["lane"], registry=REGISTRY)
LEASES_LOST = Counter(
    "handfast_leases_lost_total",
    "Attempts that ended too late: another one had taken the job over.",
    ["kind"],
    registry=REGISTRY,
)
RESCUED = Counter(
    "handfast_jobs_rescued_total",
    "Jobs taken back from workers that fell silent.",
    registry=REGISTRY,
)
RETRIES = RETRY_ATTEMPTS
EXHAUSTED = RETRIES_EXHAUSTED
CONFLICTS = Counter(
    "scheduler_job_conflict",
    "Ticks and jobs that existed already, and were not made again.",
    ["kind"],
    registry=REGISTRY,
)
TICKS = Counter(
    "handfast_ticks_total",
    "Ticks of schedules, by what became of them.",
    ["schedule", "outcome"],
    registry=REGISTRY,
)
SCHEDULES_FAILED = Counter(
    "handfast_schedule_failures_total",
    "Looks at a schedule that failed; its ticks wait.",
    ["schedule"],
    registry=REGISTRY,
)
RUNNING = Gauge("handfast_jobs_running", "Jobs running in this process.", registry=REGISTRY)
LOOP_BLOCKED = Counter(
    "handfast_worker_loop_blocked_seconds_total",
    "Time in which a handler kept the worker's event loop from turning.",
    registry=REGISTRY,
)

# Read from the database when somebody looks (operating/prometheus.py): the same on every process.
QUEUE_DEPTH = Gauge(
    "handfast_queue_depth", "Ready jobs overdue by more than a minute (capped).", registry=REGISTRY
)
OLDEST_READY = Gauge(
    "handfast_oldest_ready_seconds", "How long the oldest ready job has waited.", registry=REGISTRY
)
OLDEST_TRANSACTION = Gauge(
    "handfast_oldest_transaction_seconds",
    "How long the oldest open transaction of the database has lasted.",
    registry=REGISTRY,
)
JOBS = Gauge("handfast_jobs", "Live jobs by state (capped).", ["state"], registry=REGISTRY)
DEAD_LETTERS = Gauge(
    "handfast_dead_letters", "Dead letters that wait for a person (capped).", registry=REGISTRY
)
WORKERS = Gauge("handfast_workers", "Workers that are alive.", registry=REGISTRY)
ALERTS = Gauge("handfast_alert", "1 while the alert is raised.", ["name"], registry=REGISTRY)
GAPS_REPAIRED = Counter(
    "handfast_gaps_repaired_total",
    "Gaps that were repaired.",
    ["expectation", "how"],
    registry=REGISTRY,
)
FIGURES_FAILED = Counter(
    "handfast_figures_failed_total",
    "Times the figures could not be read from the database in time.",
    registry=REGISTRY,
)
