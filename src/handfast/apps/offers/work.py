"""Who does the work of offers: plans one at a time, sets in batches, and what the clock brings."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from handfast.apps.offers.daily import planning, publishing, ticking
from handfast.apps.offers.daily.publishing import LANE
from handfast.apps.offers.settings import OfferRules, rules_of
from handfast.db.pool import Database
from handfast.engine.crew import Crew, WorkerOptions, cron_schedule, scheduled_kind
from handfast.engine.jobs.kinds import Kind, Kinds, payload_of
from handfast.engine.schedules.declared import DeclaredSchedules
from handfast.engine.system import System, Wanted
from handfast.engine.work.worker import default_name

CONCURRENCY = 2
EVERY_MINUTE = "* * * * *"
EVERY_TEN_MINUTES = "*/10 * * * *"
PLAN_SECONDS_MAX = 3600.0
SECONDS_MAX = 600.0
IDENTITIES_KEPT = timedelta(days=35)  # of sets: the row in ``sets`` is what stays


@asynccontextmanager
async def open_work(system: System, _wanted: Wanted) -> AsyncIterator[list[Crew]]:
    yield [offers_crew(system.database, rules_of(system.settings))]


def offers_crew(database: Database, rules: OfferRules, batch: int = publishing.BATCH) -> Crew:
    kinds, schedules = Kinds(), DeclaredSchedules()
    clock = ticking.Ticking(database, rules)
    for name, handler, cron in (
        (ticking.DAYS_KIND, clock.fill_days, EVERY_TEN_MINUTES),
        (ticking.TICK_KIND, clock.tick, EVERY_MINUTE),
    ):
        kind = scheduled_kind(name, LANE, handler, timeout=SECONDS_MAX)
        kinds.add(kind)
        schedules.add(cron_schedule(name, kind, cron))
    plan = planning.Planning(database, rules).plan
    kinds.add(
        Kind(planning.KIND, plan, payload_of(plan), lane=LANE, timeout=PLAN_SECONDS_MAX, priority=5)
    )
    kinds.add(
        Kind(
            publishing.KIND,
            publishing.publish,
            publishing.Asked,
            lane=LANE,
            timeout=SECONDS_MAX,
            batch=batch,
            horizon=IDENTITIES_KEPT,
        )
    )
    options = WorkerOptions(lanes=(LANE,), concurrency=CONCURRENCY, name=f"{default_name()}:{LANE}")
    return Crew(kinds, options, schedules=schedules)
