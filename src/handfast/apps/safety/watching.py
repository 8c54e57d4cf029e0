"""How many reports wait, and for how long: looked at now and then by one of all processes. A
critical one that has waited longer than its reporter was told is an alert."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from handfast.apps.safety import metrics
from handfast.apps.safety.rules import ANSWERED_WITHIN, Severity
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.maintenance.chores import Chore
from handfast.engine.operating.alerts import clear_alert, raise_alert

EVERY = timedelta(minutes=5)
LATE = "safety_critical_waiting"


class _WaitingReports(msgspec.Struct, frozen=True):
    severity: str
    open: int
    oldest: float


_OPEN = statement("safety.open_reports", row=_WaitingReports)


def chores(database: Database) -> Sequence[Chore]:
    async def look() -> None:
        await database.run_in_transaction(watch_queue)

    return [Chore("safety_queue", look, EVERY)]


async def watch_queue(tx: Transaction) -> None:
    found = {one.severity: one for one in await _OPEN.all(tx)}
    for severity in Severity:
        waiting = found.get(severity)
        metrics.OPEN_REPORTS.labels(severity).set(waiting.open if waiting else 0)
        metrics.OLDEST_SECONDS.labels(severity).set(waiting.oldest if waiting else 0.0)
    critical = found.get(Severity.CRITICAL)
    within = ANSWERED_WITHIN[Severity.CRITICAL].total_seconds()
    if critical is None or critical.oldest <= within:
        await clear_alert(tx, LATE)
        return
    await raise_alert(
        tx,
        LATE,
        "A critical report has waited for more than an hour: see handfast safety reports.",
        value=critical.oldest,
        threshold=within,
    )
