"""Who does the work of offers: plans one at a time, sets in batches, and what the clock brings."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial

from handfast.apps.offers.daily import fan_out, latecomers, looking, planning, publishing
from handfast.apps.offers.daily.ids import SetType
from handfast.apps.offers.daily.publishing import LANE
from handfast.apps.offers.settings import OfferRules, rules_of
from handfast.db.pool import Database
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.jobs.kinds import Kind, Kinds, payload_of
from handfast.engine.maintenance.chores import Chore
from handfast.engine.system import System, Wanted
from handfast.engine.work.batch import Batch
from handfast.engine.work.worker import default_name

CONCURRENCY = 2
PLAN_SECONDS_MAX = 3600.0
SECONDS_MAX = 600.0
FIRST = 5  # priority: what others wait for
IDENTITIES_KEPT = timedelta(days=35)  # of sets: the row in ``sets`` is what stays


@asynccontextmanager
async def open_work(system: System, _wanted: Wanted) -> AsyncIterator[list[Crew]]:
    yield [offers_crew(system.database, rules_of(system.settings))]


def offers_crew(database: Database, rules: OfferRules, batch: int = publishing.BATCH) -> Crew:
    kinds = offers_kinds(database, rules, batch)
    options = WorkerOptions(
        lanes=(LANE,),
        concurrency=CONCURRENCY,
        batch_min=batch,  # a call takes longer than what is claimed may wait: it would shrink to 2
        name=f"{default_name()}:{LANE}",
    )

    async def enqueue_due() -> None:
        await database.run_in_transaction(lambda tx: looking.look(tx, rules))

    return Crew(kinds, options, chores=[Chore(looking.CHORE, enqueue_due, looking.EVERY)])


def offers_kinds(database: Database, rules: OfferRules, batch: int = publishing.BATCH) -> Kinds:
    plan = planning.Planning(database, rules).plan
    over = looking.AfterTheDay(database)
    spread = fan_out.FanOut(database, rules).fan_out
    one_by_one = partial(Kind, lane=LANE, timeout=SECONDS_MAX, priority=FIRST)
    in_batches = partial(
        Kind, payload=publishing.Asked, lane=LANE, timeout=SECONDS_MAX, batch=batch
    )

    async def publish_daily(jobs: Batch) -> None:
        wanted = [(job.payload.day, job.payload.user_id) for job in jobs if job.open]
        await latecomers.admit(database, wanted)
        await publishing.publish(jobs, SetType.DAILY)

    async def publish_weekly(jobs: Batch) -> None:
        await publishing.publish(jobs, SetType.WEEKLY)

    kinds = Kinds()
    for kind in (
        Kind(planning.KIND, plan, payload_of(plan), LANE, FIRST, timeout=PLAN_SECONDS_MAX),
        one_by_one(fan_out.KIND, spread, payload_of(spread), horizon=IDENTITIES_KEPT),
        one_by_one(looking.CLOSE_KIND, over.close, payload_of(over.close), horizon=IDENTITIES_KEPT),
        one_by_one(
            looking.EXPIRE_KIND, over.expire, payload_of(over.expire), horizon=IDENTITIES_KEPT
        ),
        in_batches(publishing.KIND, publish_daily, horizon=IDENTITIES_KEPT),
        in_batches(publishing.WEEKLY_KIND, publish_weekly, horizon=IDENTITIES_KEPT),
    ):
        kinds.add(kind)
    return kinds
