"""What happens to money when two things happen at once, step by step, on real connections."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.facade import Ledger
from handfast.services.ledger.sealing.exporting import export_ledger
from handfast.services.ledger.sealing.verifying import verify_seals
from handfast.services.ledger.values import (
    ESCROW,
    REVENUE,
    Back,
    HoldTerms,
    Leg,
    Take,
    TransferKind,
    TransferRequest,
    credit,
    wallet,
)
from tests.services.ledger.test_sealing import independent
from tests.support.eventually import eventually_async
from tests.support.interleave import Stage
from tests.support.ledger_desk import LedgerDesk

pytestmark = pytest.mark.on_every_postgres

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
POST = "SELECT string_agg(verdict, ' ' ORDER BY item) FROM handfast_ledger.post($1)"
EXPIRE = (
    "SELECT count(*) FROM (SELECT id FROM handfast_ledger.holds WHERE state = 'held'"
    " AND expires_at <= handfast_db.now() FOR NO KEY UPDATE SKIP LOCKED) AS due"
)


@pytest.fixture
async def stage(dsn: str) -> AsyncIterator[Stage]:
    async with Stage(dsn) as stage:
        yield stage


@pytest.fixture
async def desk(database: Database) -> LedgerDesk:
    desk = LedgerDesk(database)
    for owner in ("anna", "ben"):
        await desk.deposit(owner, 1000)
    return desk


def items(*requests: TransferRequest) -> str:
    return json.dumps([request.item() for request in requests], default=str)


async def test_two_settlements_of_one_hold(stage: Stage, desk: LedgerDesk) -> None:
    hold = await desk.stake("anna", 500, 0)
    a, b = await stage.sessions("a", "b")
    await a.begin()
    win = rules.payout("anna wins", [Take(hold.id)], [(wallet("anna"), 500)], "EUR")
    assert await a.run(POST, items(win)) == "posted"
    lose = rules.payout("ben wins", [Take(hold.id)], [(wallet("ben"), 500)], "EUR")
    late = b.start(POST, items(lose))
    await stage.blocked("b", by="a")
    await a.commit()
    assert await late == "hold_resolved"
    assert await desk.balance(wallet("ben")) == 1000
    await desk.assert_sound()


async def test_a_settlement_that_fails_leaves_the_hold_to_the_other(
    stage: Stage, desk: LedgerDesk
) -> None:
    hold = await desk.stake("anna", 500, 0)
    a, b = await stage.sessions("a", "b")
    await a.begin()
    await a.run(POST, items(rules.release("back", [hold.id], "EUR")))
    late = b.start(POST, items(rules.release("void", [hold.id], "EUR", back=Back.CREDIT)))
    await stage.blocked("b", by="a")
    await a.rollback()
    assert await late == "posted"
    assert await desk.balance(credit("anna")) == 500
    await desk.assert_sound()


async def test_expiry_leaves_alone_what_is_being_settled(stage: Stage, desk: LedgerDesk) -> None:
    hold = await desk.stake("anna", 500, 0, expires_at=LONG_AGO)
    a, b = await stage.sessions("a", "b")
    await a.begin()
    await a.run(POST, items(rules.release("back", [hold.id], "EUR")))
    assert await b.run(EXPIRE) == 0, "its row is held by the settlement"
    await a.commit()
    assert await b.run(EXPIRE) == 0
    assert (await desk.hold(hold.id)).state == "released"


async def test_a_deposit_that_is_retried_while_the_first_is_under_way(
    stage: Stage, desk: LedgerDesk
) -> None:
    a, b = await stage.sessions("a", "b")
    deposit = items(rules.deposit("bank-1", "anna", 50, "EUR"))
    await a.begin()
    assert await a.run(POST, deposit) == "posted"
    again = b.start(POST, deposit)
    await stage.blocked("b", by="a")
    await a.commit()
    assert await again == "repeated"
    assert await desk.balance(wallet("anna")) == 1050
    await desk.assert_sound()


async def test_a_first_deposit_that_is_retried_opens_one_account(
    stage: Stage, desk: LedgerDesk
) -> None:
    a, b = await stage.sessions("a", "b")
    deposit = items(rules.deposit("bank-1", "cora", 50, "EUR"))
    await a.begin()
    assert await a.run(POST, deposit) == "posted"
    again = b.start(POST, deposit)
    await stage.blocked("b", by="a")
    await a.commit()
    assert await again == "repeated"
    assert await desk.balance(wallet("cora")) == 50


async def test_one_reference_for_accounts_that_have_nothing_in_common(
    stage: Stage, desk: LedgerDesk
) -> None:
    """No row makes the second wait but the reference itself. It is a serialization failure, and
    never a lack of money; asked again it is what it is."""
    a, b = await stage.sessions("a", "b")
    await a.begin()
    await a.run(POST, items(rules.withdrawal("r", "anna", 1000, "EUR")))
    late = b.start(POST, items(rules.withdrawal("r", "ben", 1000, "EUR")))
    await stage.blocked("b", by="a")
    await a.commit()
    with pytest.raises(asyncpg.SerializationError):
        await late
    again = items(rules.withdrawal("r", "ben", 1000, "EUR"))
    assert await b.run(POST, again) == "reference_reused"
    assert await desk.balance(wallet("ben")) == 1000


async def test_a_withdrawal_that_waited_sees_what_is_left(stage: Stage, desk: LedgerDesk) -> None:
    """A wait inside a statement does not refresh its snapshot: the balance is read in the next."""
    a, b = await stage.sessions("a", "b")
    await a.begin()
    await a.run(POST, items(rules.withdrawal("w-1", "anna", 700, "EUR")))
    late = b.start(POST, items(rules.withdrawal("w-2", "anna", 700, "EUR")))
    await stage.blocked("b", by="a")
    await a.commit()
    assert await late == "insufficient_funds"
    assert await desk.balance(wallet("anna")) == 300


async def test_two_players_who_pay_each_other_do_not_deadlock(
    stage: Stage, desk: LedgerDesk
) -> None:
    def paid(reference: str, source: str, target: str) -> str:
        legs = [Leg(wallet(source), -10), Leg(wallet(target), 10)]
        return items(TransferRequest(reference, TransferKind.PAYOUT, "EUR", legs))

    a, b = await stage.sessions("a", "b")
    await a.begin()
    assert await a.run(POST, paid("1", "anna", "ben")) == "posted"
    late = b.start(POST, paid("2", "ben", "anna"))
    await stage.blocked("b", by="a")
    await a.commit()
    assert await late == "posted"


async def test_nobody_waits_for_the_platform(stage: Stage, desk: LedgerDesk) -> None:
    """Stakes of different players, all into the same escrow and revenue: which were opened by the
    first stake ever."""
    await desk.stake("anna", 1, 1)
    a, b = await stage.sessions("a", "b")
    await a.begin()
    terms = HoldTerms(LONG_AGO)
    assert (
        await a.run(POST, items(rules.stake("s-1", "anna", 100, "EUR", terms, fee=1))) == "posted"
    )
    assert await b.run(POST, items(rules.stake("s-2", "ben", 100, "EUR", terms, fee=1))) == "posted"
    await a.rollback()
    assert await desk.balance(ESCROW) == 101
    assert await desk.balance(REVENUE) == 2


# --- seals ------------------------------------------------------------------------------------


async def sealed(stage: Stage) -> set[str]:
    """The references that seals cover."""
    rows = await stage.look(
        "SELECT array_agg(t.reference) FROM handfast_ledger.transfers AS t JOIN"
        " handfast_ledger.seals AS s ON s.epoch = t.epoch AND t.xid >= s.since AND t.xid < s.until"
    )
    return set(rows or ())


async def test_nothing_is_sealed_that_a_running_transaction_may_precede(
    stage: Stage, desk: LedgerDesk, tmp_path: Path
) -> None:
    """Who began first commits last: a cursor by id would have passed it by."""
    late, quick = await stage.sessions("late", "quick")
    await late.begin()
    await late.run("SELECT pg_current_xact_id()")
    assert await quick.run(POST, items(rules.deposit("quick", "ben", 5, "EUR"))) == "posted"
    while await desk.seal() is not None:
        pass
    assert "quick" not in await sealed(stage)
    assert await late.run(POST, items(rules.deposit("late", "anna", 5, "EUR"))) == "posted"
    await late.commit()
    await desk.seal_all()
    assert {"quick", "late"} <= await sealed(stage)
    assert (await verify_seals(desk.database)).passed
    file = tmp_path / "export"
    await export_ledger(desk.database, file)
    assert independent(file) == (0, [])


async def test_a_transaction_in_another_database_holds_seals_back(
    stage: Stage, desk: LedgerDesk, empty_dsn: str
) -> None:
    """It could not write here; but its number is counted with ours. So there is an alert."""
    stranger = await asyncpg.connect(empty_dsn)
    await stranger.execute("BEGIN")
    await stranger.fetchval("SELECT pg_current_xact_id()")
    await desk.transfer(rules.deposit("waits", "anna", 5, "EUR"))
    while await desk.seal() is not None:
        pass
    assert "waits" not in await sealed(stage)
    await stranger.close()
    await desk.seal_all()
    assert "waits" in await sealed(stage)


async def test_no_transfer_is_cut_at_the_edge_of_a_seal(
    stage: Stage, desk: LedgerDesk, tmp_path: Path
) -> None:
    """Several of one transaction, and seals of at most one transfer: all of them go together."""
    [a] = await stage.sessions("a")
    await a.begin()
    for number in range(3):
        await a.run(POST, items(rules.deposit(f"same-{number}", "anna", 5, "EUR")))
    await a.commit()
    await desk.deposit("ben", 1)
    seals = await desk.seal_all(transfers=1)
    assert len(seals) == 4
    assert {seal.entries for seal in seals} == {2, 6}
    file = tmp_path / "export"
    await export_ledger(desk.database, file)
    assert independent(file) == (0, [])


async def test_two_who_seal_at_once_make_one_chain(stage: Stage, desk: LedgerDesk) -> None:
    a, b = await stage.sessions("a", "b")
    await desk.all_ended()
    seal = "SELECT number FROM handfast_ledger.next_seal(1)"
    await a.begin()
    assert await a.run(seal) == 1
    other = b.start(seal)
    await stage.blocked("b", by="a")
    await a.rollback()
    assert await other == 1
    await b.run("SELECT 1")
    assert len(await desk.seal_all(transfers=1)) == 2
    assert (await verify_seals(desk.database)).passed


# --- the gate ---------------------------------------------------------------------------------


async def test_at_the_gate_a_hot_account_costs_one_connection(
    stage: Stage, desk: LedgerDesk, dsn: str
) -> None:
    """While somebody holds the account, a hundred who want it wait in the process."""
    [holder] = await stage.sessions("holder")
    await holder.begin()
    await holder.run(POST, items(rules.withdrawal("holder", "anna", 1, "EUR")))
    async with await Database.open(Target(dsn), pool_size=10, application="gate") as pool:
        ledger = Ledger(pool)
        asked = [
            asyncio.create_task(ledger.transfer(rules.deposit(f"d-{n}", "anna", 1, "EUR")))
            for n in range(100)
        ]
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gate'"
            " AND wait_event_type = 'Lock'"
        )

        await eventually_async(lambda: stage.look(waiting))
        other = await ledger.transfer(rules.deposit("other", "ben", 1, "EUR"))
        assert not other.repeated, "who wants another account does not wait"
        assert await stage.look(waiting) == 1
        await holder.commit()
        posted = await asyncio.gather(*asked)
        assert len({one.transfer_id for one in posted}) == 100
        await ledger.close()
    assert await desk.balance(wallet("anna")) == 1099
    statements = await stage.look("SELECT count(DISTINCT xid) FROM handfast_ledger.transfers")
    assert statements <= 6, "the hundred were two statements: the first one, and all the others"
    await desk.assert_sound()
