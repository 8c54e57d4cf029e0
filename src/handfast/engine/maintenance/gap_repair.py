"""The hourly repair of gaps, and the one on start: once, however many start together."""

from datetime import timedelta

from handfast.db.pool import Database
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.gaps.repair import RepairReport, repair_gaps
from handfast.engine.jobs import metrics
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.maintenance.chores import Chore

EVERY = timedelta(hours=1)
AT_START = timedelta(minutes=1)  # a fleet that starts at once repairs once


def gap_repair(database: Database, expectations: Expectations, kinds: Kinds) -> Chore:
    async def repair() -> None:
        count_repairs(await repair_gaps(database, expectations, kinds))

    return Chore("gaps", repair, EVERY, at_start=AT_START)


def count_repairs(reports: list[RepairReport]) -> None:
    for report in reports:
        for how in ("enqueued", "revived", "requeued"):
            metrics.GAPS_REPAIRED.labels(report.name, how).inc(getattr(report, how))
