"""Sealing, expiry and the check, as jobs of the engine: once each, whoever runs them.

Each ends its job in the transaction of its work, so that a worker that lost its lease seals and
expires nothing. They have a lane of their own and run one at a time.

The check is scheduled. Whether there is anything to seal or to expire is looked at every minute, by
one of all processes, and only then there is a job: a job a minute would keep a process from ever
coming to rest.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import msgspec

from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.crew import Crew, WorkerOptions, cron_schedule, scheduled_kind
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.jobs.kinds import Kind, Kinds
from handfast.engine.maintenance.chores import Chore
from handfast.engine.operating.alerts import clear_alert, raise_alert
from handfast.engine.schedules.declared import DeclaredSchedules
from handfast.engine.system import System, Wanted
from handfast.engine.work.context import Context
from handfast.engine.work.worker import default_name
from handfast.services.ledger import metrics
from handfast.services.ledger.posting.holds import EXPIRED_MAX, expire_holds
from handfast.services.ledger.reading.checking import CheckReport, check_ledger
from handfast.services.ledger.sealing.seals import Seal, log_seal, seal_next, unsealed_seconds

LANE = "ledger"
SEAL = "ledger.seal"
EXPIRE = "ledger.expire_holds"
CHECK = "ledger.check"
DUE = "ledger.due"
DUE_EVERY = timedelta(minutes=1)
CHECK_CRON = "47 * * * *"
SECONDS_MAX = 600.0
CHECK_SECONDS_MAX = 3600.0
SEALS_MAX = 50  # of one job: five million transfers; the next minute goes on
ROUNDS_MAX = 20  # of expiry, likewise
UNSEALED_SECONDS_MAX = 600.0

IMBALANCE = "ledger_imbalance"
LAG = "ledger_seal_lag"
UNCLEARED = "ledger_holds_uncleared"

log = get_logger(__name__)


class _WorkDue(msgspec.Struct, frozen=True):
    unsealed: bool
    expired: bool
    uncleared: int
    minute: str


_DUE = statement("ledger.work_due", row=_WorkDue)


@asynccontextmanager
async def open_work(system: System, _wanted: Wanted) -> AsyncIterator[list[Crew]]:
    yield [ledger_crew(system.database)]


def ledger_crew(database: Database) -> Crew:
    jobs = LedgerJobs(database)
    seal = scheduled_kind(SEAL, LANE, jobs.seal, timeout=SECONDS_MAX)
    expire = scheduled_kind(EXPIRE, LANE, jobs.expire, timeout=SECONDS_MAX)
    check = scheduled_kind(CHECK, LANE, jobs.check, timeout=CHECK_SECONDS_MAX)
    kinds, schedules = Kinds(), DeclaredSchedules()
    for kind in (seal, expire, check):
        kinds.add(kind)
    schedules.add(cron_schedule(CHECK, check, CHECK_CRON))

    async def enqueue_due() -> None:
        await database.run_in_transaction(lambda tx: enqueue_work(tx, seal, expire))

    options = WorkerOptions(lanes=(LANE,), concurrency=1, name=f"{default_name()}:{LANE}")
    return Crew(kinds, options, schedules=schedules, chores=[Chore(DUE, enqueue_due, DUE_EVERY)])


async def enqueue_work(tx: Transaction, seal: Kind, expire: Kind) -> None:
    """The jobs of this minute, if there is anything to do; and whether money got stuck, for which
    there is no job: it is a gap, and a person must be told."""
    due = await _DUE.one(tx)
    if due.expired:
        await enqueue(tx, expire, due.minute, {})
    if due.unsealed:
        await enqueue(tx, seal, due.minute, {})
    await _judge_uncleared(tx, due.uncleared)


class LedgerJobs:
    """The handlers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def seal(self, ctx: Context) -> None:
        """All that can be sealed, in one transaction with the end of the job."""
        made: list[Seal] = []
        async with ctx.completing() as tx:
            while len(made) < SEALS_MAX and (seal := await seal_next(tx)) is not None:
                made.append(seal)
            await _judge_lag(tx, await unsealed_seconds(tx))
        for seal in made:
            log_seal(seal)
            metrics.SEALED.inc(seal.entries)

    async def expire(self, ctx: Context) -> None:
        async with ctx.completing() as tx:
            for _ in range(ROUNDS_MAX):
                if await expire_holds(tx) < EXPIRED_MAX:
                    break

    async def check(self, ctx: Context) -> None:
        report = await check_ledger(self._database)
        found = {"findings": len(report.findings), "imbalance": report.imbalance}
        async with ctx.completing(found) as tx:
            await judge(tx, report)


async def judge(tx: Transaction, report: CheckReport) -> None:
    """A check that found anything is an alert, until one that finds nothing."""
    metrics.IMBALANCE.set(report.imbalance)
    metrics.FINDINGS.set(len(report.findings))
    if report.passed:
        await clear_alert(tx, IMBALANCE)
        return
    for finding in report.findings[:10]:
        log.error("ledger_finding", problem=finding.problem, transfer=finding.transfer_id)
    await raise_alert(
        tx,
        IMBALANCE,
        "The ledger does not add up: see handfast ledger check.",
        value=float(max(len(report.findings), report.imbalance)),
        threshold=0.0,
    )


async def _judge_uncleared(tx: Transaction, holds: int) -> None:
    if not holds:
        await clear_alert(tx, UNCLEARED)
        return
    await raise_alert(
        tx,
        UNCLEARED,
        "Money is held past its deadline, and nothing will resolve it: see handfast gaps.",
        value=float(holds),
        threshold=0.0,
    )


async def _judge_lag(tx: Transaction, seconds: float) -> None:
    metrics.UNSEALED_SECONDS.set(seconds)
    if seconds <= UNSEALED_SECONDS_MAX:
        await clear_alert(tx, LAG)
        return
    await raise_alert(
        tx,
        LAG,
        "Transfers wait for their seal: somebody on this server holds a transaction open.",
        value=seconds,
        threshold=UNSEALED_SECONDS_MAX,
    )
