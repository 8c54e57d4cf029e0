"""Sealing, expiry and the check as jobs: fenced, and their alerts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.db.transaction import Transaction
from handfast.edge.cli.processes.worker import at_work
from handfast.engine.errors import LeaseLost
from handfast.engine.operating.alerts import list_alerts
from handfast.engine.system import System
from handfast.services.ledger import rules
from handfast.services.ledger.jobs import CHECK, EXPIRE, SEAL, LedgerJobs, ledger_crew
from handfast.services.ledger.sealing.seals import seal_next
from handfast.services.ledger.values import credit
from handfast.wiring import chosen, hosting, load_settings
from tests.support.eventually import eventually_async
from tests.support.ledger_desk import LedgerDesk

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
async def working(database: Database, dsn: str) -> AsyncIterator[None]:
    """A worker whose kinds are declared: a job of a kind that nobody has declared yet is put into
    the default lane, where no one of these would ever take it."""
    system = System(load_settings(), database, Target(dsn), chosen(None, ["ledger"]))
    async with hosting(system, [ledger_crew(database)]) as host:
        await at_work(host)
        yield


async def alerts(database: Database) -> set[str]:
    async with database.connection() as connection:
        return {alert.name for alert in await list_alerts(connection) if alert.raised}


async def test_they_do_their_work(database: Database, desk: LedgerDesk, working: None) -> None:
    await desk.deposit("anna", 100)
    hold = await desk.stake("anna", 60, 0, expires_at=LONG_AGO)
    await desk.all_ended()
    for kind in (EXPIRE, SEAL, CHECK):
        await desk.run("SELECT id FROM handfast_engine.enqueue($1, 'now', '{}')", kind)

    async def done() -> bool:
        found: bool = await desk.fetch(
            "SELECT count(*) = 3 FROM handfast_engine.jobs"
            " WHERE key = 'now' AND state = 'succeeded'"
        )
        return found

    await eventually_async(done)
    assert (await desk.hold(hold.id)).state == "expired"
    assert await desk.balance(credit("anna")) == 60
    assert await desk.fetch("SELECT count(*) FROM handfast_ledger.seals") >= 1
    assert await alerts(database) == set()


class LostContext:
    """A context whose lease is gone: the last word of its transaction says so."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def completing(self, _result: object = None) -> AsyncIterator[Transaction]:
        async with self._database.transaction() as tx:
            yield tx
            raise LeaseLost("gone")


async def test_who_lost_the_lease_seals_and_expires_nothing(
    database: Database, desk: LedgerDesk
) -> None:
    await desk.deposit("anna", 100)
    hold = await desk.stake("anna", 60, 0, expires_at=LONG_AGO)
    await desk.all_ended()
    jobs = LedgerJobs(database)
    for handler in (jobs.expire, jobs.seal):
        with pytest.raises(LeaseLost):
            await handler(LostContext(database))  # type: ignore[arg-type]
    assert (await desk.hold(hold.id)).state == "held"
    assert await desk.fetch("SELECT count(*) FROM handfast_ledger.seals") == 0


async def test_a_ledger_that_does_not_add_up_is_an_alert_until_it_does(
    database: Database, desk: LedgerDesk, working: None
) -> None:
    await desk.deposit("anna", 100)
    for number, (balance, raised) in enumerate(((101, {"ledger_imbalance"}), (100, set[str]()))):
        await desk.unguarded(
            f"UPDATE handfast_ledger.accounts SET balance = {balance} WHERE owner = 'anna'"
        )
        await desk.run("SELECT id FROM handfast_engine.enqueue($1, $2, '{}')", CHECK, str(number))

        async def judged(raised: set[str] = raised) -> bool:
            return await alerts(database) == raised

        await eventually_async(judged)


async def test_transfers_that_nobody_seals_are_an_alert(
    database: Database, desk: LedgerDesk, working: None, empty_dsn: str
) -> None:
    async def raised() -> bool:
        return await alerts(database) == {"ledger_seal_lag"}

    async with (
        await Database.open(Target(empty_dsn), pool_size=1) as elsewhere,
        elsewhere.transaction() as tx,
    ):
        await tx.fetchval("SELECT pg_current_xact_id()")
        await desk.deposit("anna", 100)
        await desk.unguarded(
            "UPDATE handfast_ledger.transfers SET at = at - interval '1 hour'",
            "UPDATE handfast_ledger.entries SET at = at - interval '1 hour'",
        )
        await desk.run("SELECT id FROM handfast_engine.enqueue($1, 'now', '{}')", SEAL)
        await eventually_async(raised)
    await desk.all_ended()
    await desk.run("SELECT id FROM handfast_engine.enqueue($1, 'later', '{}')", SEAL)

    async def cleared() -> bool:
        return await alerts(database) == set()

    await eventually_async(cleared)


async def test_money_that_got_stuck_is_an_alert_until_it_is_where_it_belongs(
    database: Database, desk: LedgerDesk
) -> None:
    """A gap that nobody looks at helps nobody."""
    [chore] = ledger_crew(database).chores
    await desk.deposit("anna", 100)
    await desk.stake("anna", 30, 0)
    stuck = await desk.stake("anna", 60, 0, deadline=LONG_AGO)
    await chore.work()
    assert await alerts(database) == {"ledger_holds_uncleared"}
    await chore.work()
    told = "SELECT count(*) FROM handfast_engine.events WHERE type = 'alert.raised'"
    assert await desk.fetch(told) == 1
    await desk.transfer(rules.release("found", [stuck.id], "EUR"))
    await chore.work()
    assert await alerts(database) == set()


async def waiting(database: Database) -> list[str]:
    """What the chore enqueues now."""
    async with database.transaction() as tx:
        await tx.execute("TRUNCATE handfast_engine.jobs, handfast_engine.live")
        [chore] = ledger_crew(database).chores
    await chore.work()
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT kind FROM handfast_engine.live ORDER BY kind")
    return [row["kind"] for row in rows]


async def test_there_are_jobs_only_when_there_is_something_to_do(
    database: Database, desk: LedgerDesk
) -> None:
    """An idle process comes to rest: a job a minute would keep it awake."""
    assert await waiting(database) == []
    await desk.deposit("anna", 100)
    assert await waiting(database) == [SEAL]
    assert await waiting(database) == [SEAL], "until it is done"
    await desk.all_ended()
    async with database.transaction() as tx:
        assert await seal_next(tx) is not None
    assert await waiting(database) == []
    await desk.stake("anna", 60, 0, expires_at=LONG_AGO)
    assert await waiting(database) == [EXPIRE, SEAL]
