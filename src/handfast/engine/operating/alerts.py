"""Alerts: the thresholds that the rules in ``ops/prometheus`` have too, for those who have no
Prometheus. An alert is a row, an event and a log line, once: it is raised when its figure crosses
the threshold and cleared only after the figure was well on the good side several times in a row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from types import NoneType

import asyncpg
import msgspec

from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.capability import Capabilities, each
from handfast.engine.events import emit
from handfast.engine.maintenance.chores import Chore
from handfast.engine.operating.stats import (
    STATEMENT_TIMEOUT_MS,
    Stats,
    oldest_transaction,
    stats_on,
)

EVERY = timedelta(minutes=1)
CALM_TIMES = 3  # in a row, before an alert is cleared
CALM_PART = 0.8  # of the threshold: a figure that hovers around it raises one alert, not ten
ATTEMPTS_MIN = 20  # a rate over fewer attempts is an anecdote

log = get_logger(__name__)


@dataclass(frozen=True)
class AlertRule:
    """Raised above ``threshold``. ``figure`` answers None when there is nothing to judge."""

    name: str
    threshold: float
    summary: str
    figure: Callable[[Stats], float | None]


def _enough(stats: Stats, figure: float | None) -> float | None:
    return figure if stats.recent.attempts >= ATTEMPTS_MIN else None


def _incomplete(stats: Stats) -> float | None:
    rate = stats.recent.completion_rate
    return _enough(stats, None if rate is None else 1 - rate)


HELD = AlertRule(
    "transaction_held",
    300.0,
    "A transaction has been open for more than 5 minutes: nothing can be cleaned up behind it.",
    lambda s: s.oldest_transaction_seconds,
)
RULES = [
    HELD,
    AlertRule(
        "job_failure_rate",
        0.01,
        "More than 1 % of the attempts fail.",
        lambda s: _enough(s, s.recent.failure_rate),
    ),
    AlertRule(
        "job_duration_p95",
        300.0,
        "The slowest twentieth of a kind's attempts takes more than 5 minutes.",
        lambda s: s.recent.p95_seconds,
    ),
    AlertRule(
        "queue_depth",
        1000.0,
        "More than 1000 jobs are overdue by more than a minute.",
        lambda s: float(s.overdue),
    ),
    AlertRule(
        "completion_rate", 0.001, "Fewer than 99.9 % of the ended jobs succeeded.", _incomplete
    ),
    AlertRule(
        "retries_exhausted",
        0.001,
        "More than 0.1 % of the attempts end in a dead letter.",
        lambda s: _enough(s, s.recent.exhausted_rate),
    ),
    AlertRule(
        "oldest_ready_job",
        300.0,
        "A ready job has waited for more than 5 minutes.",
        lambda s: s.oldest_ready_seconds,
    ),
    AlertRule(
        "lease_losses",
        0.0,
        "Workers fell silent while they ran jobs.",
        lambda s: float(s.recent.lost),
    ),
    AlertRule("dead_letters", 0.0, "Dead letters wait for a person.", lambda s: float(s.dead)),
]


def rules_of(capabilities: Capabilities) -> list[AlertRule]:
    """The engine's own, and those of what is switched on."""
    more = each(capabilities.on, "alerts").values()
    return [*RULES, *(rule for rules in more for rule in rules)]


class Alert(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    summary: str
    value: float
    threshold: float
    calm: int
    raised_at: datetime
    seen_at: datetime
    cleared_at: datetime | None

    @property
    def raised(self) -> bool:
        return self.cleared_at is None


_ALERTS = statement("engine.alerts", row=Alert)
_RAISE = statement("engine.raise_alert", row=NoneType)
_CALM = statement("engine.calm_alert", row=NoneType)


async def list_alerts(on: Queryable) -> list[Alert]:
    """Those that are raised, then those that were."""
    return await _ALERTS.all(on)


def alerting(database: Database, rules: Sequence[AlertRule] | None = None) -> Chore:
    """Once a minute, by one of the fleet: an alert is told once."""
    return Chore("alerts", partial(evaluate, database, rules), EVERY)


async def evaluate(database: Database, rules: Sequence[AlertRule] | None = None) -> None:
    """Judge these rules; the engine's own if none are given."""
    async with database.transaction() as tx:
        await tx.execute(f"SET LOCAL statement_timeout = {STATEMENT_TIMEOUT_MS}")
        held = await oldest_transaction(tx)
        stats = await _figures_in_time(tx)
        known = {alert.name: alert for alert in await list_alerts(tx) if alert.raised}
        if stats is None:  # the others stay as they are: nobody knows better
            await _judge(tx, HELD, held, known.get(HELD.name))
            return
        for rule in RULES if rules is None else rules:
            await _judge(tx, rule, rule.figure(stats), known.get(rule.name))


async def _figures_in_time(tx: Transaction) -> Stats | None:
    """None when they take too long, as they do behind a transaction that was held for long: then
    that at least must be told."""
    try:
        async with tx.savepoint():
            return await stats_on(tx)
    except asyncpg.QueryCanceledError as late:
        log.warning("alerts_judged_in_part", reason=str(late))
        return None


async def raise_alert(
    tx: Transaction, name: str, summary: str, *, value: float, threshold: float
) -> None:
    """For what is found out when it happens and not by looking once a minute. Told once, however
    often it is raised before it is cleared."""
    raised = any(alert.raised and alert.name == name for alert in await list_alerts(tx))
    await _RAISE.run(tx, name, value, threshold, summary)
    if not raised:
        await _tell(
            tx, "alert.raised", name=name, summary=summary, value=value, threshold=threshold
        )


async def clear_alert(tx: Transaction, name: str) -> None:
    """The end of what ``raise_alert`` told; nothing if it is not raised."""
    for alert in await list_alerts(tx):
        if alert.raised and alert.name == name:
            await _CALM.run(tx, name, 0.0, CALM_TIMES, True)
            await _tell(
                tx,
                "alert.cleared",
                name=name,
                summary=alert.summary,
                value=0.0,
                threshold=alert.threshold,
            )


async def _judge(
    tx: Transaction, rule: AlertRule, value: float | None, known: Alert | None
) -> None:
    if value is not None and value > rule.threshold:
        await _RAISE.run(tx, rule.name, value, rule.threshold, rule.summary)
        if known is None:
            await _tell_of(tx, "alert.raised", rule, value)
    elif known is not None:
        good = value is None or value <= rule.threshold * CALM_PART
        calm = known.calm + 1 if good else 0
        await _CALM.run(tx, rule.name, value or 0.0, calm, calm >= CALM_TIMES)
        if calm >= CALM_TIMES:
            await _tell_of(tx, "alert.cleared", rule, value or 0.0)


async def _tell_of(tx: Transaction, event: str, rule: AlertRule, value: float) -> None:
    await _tell(
        tx, event, name=rule.name, summary=rule.summary, value=value, threshold=rule.threshold
    )


async def _tell(
    tx: Transaction, event: str, *, name: str, summary: str, value: float, threshold: float
) -> None:
    data = {"name": name, "summary": summary, "value": value, "threshold": threshold}
    await emit(tx, event, f"alert:{name}", data)
    write = log.error if event == "alert.raised" else log.info
    write(event.replace(".", "_"), alert=name, summary=summary, value=value)
