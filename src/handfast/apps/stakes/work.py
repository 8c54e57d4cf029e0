"""Who does the work of stakes: a matchmaker, and what is looked at now and then.

The matchmaker is a loop and no job: it is told when somebody stakes, and pairs a batch in one
transaction (decision 43). Jobs are for what an operator wants to see: the hourly check.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import msgspec

from handfast.apps.stakes import metrics
from handfast.apps.stakes.checking import check_stakes
from handfast.apps.stakes.fast.mirror import lines_of
from handfast.apps.stakes.fast.path import FastPath
from handfast.apps.stakes.matching.loop import Matchmaker
from handfast.apps.stakes.matching.pairing import keep_claim_log
from handfast.apps.stakes.queue.standing import past_waits, waits_since
from handfast.apps.stakes.rules.waits import coverage, estimate
from handfast.apps.stakes.settings import StakesSettings
from handfast.apps.stakes.terms import StakeTerms, terms_of
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.crew import Crew, CrewLoop, WorkerOptions, cron_schedule, scheduled_kind
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.maintenance.chores import Chore
from handfast.engine.operating.alerts import clear_alert, raise_alert
from handfast.engine.schedules.declared import DeclaredSchedules
from handfast.engine.system import System, Wanted
from handfast.engine.work.context import Context
from handfast.engine.work.worker import default_name

LANE = "stakes"
CHECK = "stakes.check"
CHECK_CRON = "53 * * * *"
CHECK_SECONDS_MAX = 600.0
FIGURES_EVERY = timedelta(minutes=1)
CLAIM_DAYS_EVERY = timedelta(hours=1)
SWEEP_EVERY = timedelta(minutes=1)
CALIBRATED = timedelta(hours=1)  # estimates are compared with what came of so long

INCONSISTENT = "stakes_inconsistent"
PARTNER = "stakes_partner_waiting"
OVERDUE = "stakes_ticket_overdue"
REFUSED = "stakes_money_missing"
FAILED = "stakes_claims_failed"
UNDECIDED = "stakes_disputes_undecided"
PARTNER_SECONDS_MAX = 5.0
OVERDUE_SECONDS_MAX = 60.0
FAILED_SHARE_MAX = 0.01

log = get_logger(__name__)


class QueueFigures(msgspec.Struct, frozen=True):
    """At one moment; expired tickets and claims of the last five minutes."""

    waiting: int
    partner_seconds: float
    overdue_seconds: float
    refused: int
    expired: int
    claims: int
    failed: int
    undecided: int


_FIGURES = statement("stakes.queue_figures", row=QueueFigures)
_NOW = statement("stakes.clock", row=datetime)


@asynccontextmanager
async def open_work(system: System, _wanted: Wanted) -> AsyncIterator[list[Crew]]:
    terms, lines = terms_of(system.settings), lines_of(system)
    fast = None
    if lines is not None:
        rehydrate = system.settings.of(StakesSettings).rehydrate_on_start
        fast = FastPath(system.database, lines, terms, rehydrate=rehydrate)
    yield [stakes_crew(system.database, terms, fast)]


def stakes_crew(database: Database, terms: StakeTerms, fast: FastPath | None = None) -> Crew:
    name = f"{default_name()}:{LANE}"
    check = scheduled_kind(
        CHECK, LANE, StakesCheck(database, terms).check, timeout=CHECK_SECONDS_MAX
    )
    kinds, schedules = Kinds(), DeclaredSchedules()
    kinds.add(check)
    schedules.add(cron_schedule(CHECK, check, CHECK_CRON))

    async def judge() -> None:
        await database.run_in_transaction(judge_queue)

    async def keep_log() -> None:
        await database.run_in_transaction(keep_claim_log)

    chores = [
        Chore("stakes.figures", judge, FIGURES_EVERY),
        Chore("stakes.claim_days", keep_log, CLAIM_DAYS_EVERY),
    ]
    if fast is not None:
        chores.append(Chore("stakes.redis", fast.sweep, SWEEP_EVERY))
    return Crew(
        kinds,
        WorkerOptions(lanes=(LANE,), concurrency=1, name=name),
        schedules=schedules,
        chores=chores,
        loops=[CrewLoop("matchmaker", Matchmaker(database, terms, name, fast).run)],
    )


async def queue_figures(on: Queryable) -> QueueFigures:
    return await _FIGURES.one(on)


async def judge_queue(tx: Transaction) -> None:
    """Who waits though there is a partner, who should have expired, what was refused or failed, and
    what nobody decided: where the pot was paid out, the ledger misses nothing."""
    found = await queue_figures(tx)
    metrics.WAITING.set(found.waiting)
    metrics.PARTNER_SECONDS.set(found.partner_seconds)
    metrics.REFUSED.set(found.refused)
    metrics.OVERDUE_SECONDS.set(max(0.0, found.overdue_seconds))
    await _judge(
        tx,
        PARTNER,
        "Two wait in one line and are not paired: is anybody at work on the lane stakes?",
        found.partner_seconds,
        PARTNER_SECONDS_MAX,
    )
    await _judge(
        tx,
        OVERDUE,
        "A ticket is past its end and has not become credit.",
        found.overdue_seconds,
        OVERDUE_SECONDS_MAX,
    )
    await _judge(
        tx,
        REFUSED,
        "Tickets or sessions are set aside, their holds are not as they must be: see "
        "handfast stakes check.",
        float(found.refused),
        0.0,
    )
    share = found.failed / found.claims if found.claims else 0.0
    await _judge(tx, FAILED, "More than 1 % of the claims of pairs fail.", share, FAILED_SHARE_MAX)
    await _judge(
        tx,
        UNDECIDED,
        "A dispute has not been decided in seven days: see GET /admin/disputes.",
        float(found.undecided),
        0.0,
    )


class StakesCheck:
    """The hourly job: what the tables say of each other, and how good the estimates were."""

    def __init__(self, database: Database, terms: StakeTerms) -> None:
        self._database = database
        self._terms = terms

    async def check(self, ctx: Context) -> None:
        async with self._database.connection() as connection:
            found = await check_stakes(connection)
            await self._calibrate(connection)
        for one in found[:10]:
            log.error("stakes_inconsistent", what=one.what, id=one.id, problem=one.problem)
        metrics.INCONSISTENT.set(len(found))
        async with ctx.completing({"findings": len(found)}) as tx:
            await _judge(
                tx,
                INCONSISTENT,
                "Tickets, sessions and holds contradict each other: see handfast stakes check.",
                float(len(found)),
                0.0,
            )

    async def _calibrate(self, on: Queryable) -> None:
        """What would have been said an hour ago, against those who came since."""
        since = await _NOW.one(on) - CALIBRATED
        shares: dict[str, list[float]] = {"0.5": [], "0.9": []}
        for amount in self._terms.amounts:
            said = estimate(await past_waits(on, amount, since))
            came = await waits_since(on, amount, since)
            for name, bound in (("0.5", said.half), ("0.9", said.most)):
                share = coverage(came, bound)
                if share is not None:
                    shares[name].append(share)
        for name, found in shares.items():
            if found:
                metrics.CALIBRATION.labels(name).set(sum(found) / len(found))


async def _judge(tx: Transaction, name: str, summary: str, value: float, threshold: float) -> None:
    if value > threshold:
        await raise_alert(tx, name, summary, value=value, threshold=threshold)
    else:
        await clear_alert(tx, name)
