"""What one worker of many does, now and then. Each asks the database whether it is its turn."""

from datetime import timedelta

from handfast.db.pool import Database
from handfast.engine import metrics
from handfast.engine.alerts import evaluate, take
from handfast.engine.gaps import Expectations, RepairReport, repair_gaps
from handfast.engine.janitor import Chore
from handfast.engine.kinds import Kinds

ALERTS_SECONDS = 15.0  # how often we ask; the judging itself is once a minute
GAPS_SECONDS = 60.0
GAPS_EVERY = timedelta(hours=1)
GAPS_AT_START = timedelta(minutes=1)  # a fleet that starts at once repairs once


def chores(database: Database, expectations: Expectations, kinds: Kinds) -> list[Chore]:
    started = False

    async def alerts() -> None:
        await evaluate(database)

    async def gaps() -> None:
        nonlocal started
        if not expectations:
            return
        async with database.connection() as connection:
            due = await take(connection, "gaps", GAPS_EVERY if started else GAPS_AT_START)
        started = True
        if due:
            count(await repair_gaps(database, expectations, kinds))

    return [("alerts", alerts, ALERTS_SECONDS), ("gaps", gaps, GAPS_SECONDS)]


def count(reports: list[RepairReport]) -> None:
    for report in reports:
        for how in ("enqueued", "revived", "requeued"):
            metrics.GAPS_REPAIRED.labels(report.name, how).inc(getattr(report, how))
