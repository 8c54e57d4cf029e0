"""Metrics that live in the database, read when somebody scrapes: at most once in a while, with a
timeout of their own, and never by two at once. A scrape that comes too soon, or a database that is
away, gets the figures of the last time."""

import asyncio
import time
from collections.abc import Sequence

import asyncpg

from handfast.base.errors import HandfastError
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.engine.jobs import metrics
from handfast.engine.jobs.faults import put_off
from handfast.engine.operating.alerts import RULES, AlertRule, list_alerts
from handfast.engine.operating.stats import Stats, oldest_transaction, read_stats

FRESH_SECONDS = 5.0

log = get_logger(__name__)


class DatabaseMetrics:
    def __init__(
        self,
        database: Database,
        rules: Sequence[AlertRule] = RULES,
        *,
        fresh: float = FRESH_SECONDS,
    ) -> None:
        self._names = {rule.name for rule in rules}
        self._database = database
        self._fresh = fresh
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()
        self.latest: Stats | None = None

    async def refresh(self) -> None:
        async with self._reading:
            if time.monotonic() - self._read_at < self._fresh:
                return
            try:
                async with self._database.connection() as connection:
                    held = await oldest_transaction(connection)
                    metrics.OLDEST_TRANSACTION.set(held)  # also when the others come too late
                stats = await read_stats(self._database)
                async with self._database.connection() as connection:
                    alerts = {a.name: a.raised for a in await list_alerts(connection)}
            except (
                HandfastError,
                OSError,
                asyncpg.PostgresError,
                asyncpg.InterfaceError,
            ) as error:
                metrics.FIGURES_FAILED.inc()
                put_off(log, "figures_not_read", error)
            else:
                self.latest = stats
                _show(stats, dict.fromkeys(self._names, False) | alerts)
            self._read_at = time.monotonic()


def _show(stats: Stats, alerts: dict[str, bool]) -> None:
    metrics.QUEUE_DEPTH.set(stats.overdue)
    metrics.OLDEST_READY.set(stats.oldest_ready_seconds)
    metrics.DEAD_LETTERS.set(stats.dead)
    metrics.WORKERS.set(stats.workers)
    for state in ("scheduled", "ready", "running", "blocked"):
        metrics.JOBS.labels(state).set(getattr(stats, state))
    for name, raised in alerts.items():
        metrics.ALERTS.labels(name).set(raised)
