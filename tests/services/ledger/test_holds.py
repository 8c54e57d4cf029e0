"""Holds: a part of escrow, resolved at most once."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from handfast.base.errors import InvalidRequest
from handfast.db.connect import Target
from handfast.db.errors import ConstraintViolated
from handfast.db.pool import Database
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.gaps.listing import list_gaps
from handfast.engine.gaps.repair import repair_gaps
from handfast.engine.jobs.kinds import Kinds
from handfast.services.ledger import rules
from handfast.services.ledger.errors import HoldResolved, LedgerAppendOnly
from handfast.services.ledger.expectations import expectations
from handfast.services.ledger.posting.holds import expire_holds, move_holds, open_holds
from handfast.services.ledger.values import (
    CASH,
    ESCROW,
    REVENUE,
    AccountName,
    Back,
    HoldTerms,
    Leg,
    Take,
    TransferKind,
    TransferRequest,
    credit,
    wallet,
)
from tests.support.clock import freeze
from tests.support.ledger_desk import LATER, LedgerDesk

pytestmark = pytest.mark.on_every_postgres

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


async def two_stakes(desk: LedgerDesk) -> tuple[int, int]:
    """Anna staked 3000 of credit and 2000 of the wallet, Ben 5000 of the wallet."""
    await desk.give_credit("anna", 3000)
    await desk.deposit("anna", 2000)
    await desk.deposit("ben", 5000)
    return (await desk.stake("anna", 5000, 0)).id, (await desk.stake("ben", 5000, 0)).id


async def test_a_win_pays_the_pot_to_the_wallet(desk: LedgerDesk) -> None:
    anna, ben = await two_stakes(desk)
    await desk.transfer(
        rules.payout("win", [Take(anna), Take(ben)], [(wallet("anna"), 10_000)], "EUR")
    )
    assert await desk.balance(wallet("anna")) == 10_000
    assert await desk.balance(credit("anna")) == 0
    assert await desk.balance(ESCROW) == 0
    assert {(await desk.hold(hold)).state for hold in (anna, ben)} == {"settled"}
    await desk.assert_sound()


async def test_a_draw_goes_back_to_where_it_came_from(desk: LedgerDesk) -> None:
    holds = await two_stakes(desk)
    await desk.transfer(rules.release("draw", holds, "EUR"))
    assert await desk.balance(credit("anna")) == 3000
    assert await desk.balance(wallet("anna")) == 2000
    assert await desk.balance(wallet("ben")) == 5000
    await desk.assert_sound()


async def test_a_void_goes_to_credit(desk: LedgerDesk) -> None:
    holds = await two_stakes(desk)
    await desk.transfer(rules.release("void", holds, "EUR", back=Back.CREDIT))
    assert await desk.balance(credit("anna")) == 5000
    assert await desk.balance(wallet("anna")) == 0
    assert await desk.balance(credit("ben")) == 5000
    await desk.assert_sound()


async def test_a_part_is_taken_and_the_rest_goes_back_to_the_wallet_first(desk: LedgerDesk) -> None:
    anna, ben = await two_stakes(desk)
    await desk.transfer(
        rules.payout(
            "part",
            [Take(anna, 2500), Take(ben, 1000)],
            [(wallet("cora"), 3400), (REVENUE, 100)],
            "EUR",
        )
    )
    hold = await desk.hold(anna)
    assert (hold.state, hold.taken) == ("settled", 2500)
    assert await desk.balance(wallet("anna")) == 2000
    assert await desk.balance(credit("anna")) == 500
    assert await desk.balance(wallet("ben")) == 4000
    assert await desk.balance(wallet("cora")) == 3400
    await desk.assert_sound()


def staked(*legs: Leg, kind: TransferKind = TransferKind.STAKE) -> TransferRequest:
    return TransferRequest("s", kind, "EUR", legs, hold=HoldTerms(LATER))


def stake_in(account: AccountName, amount: int) -> Leg:
    return Leg(account, amount, TransferKind.STAKE_IN)


MINE = wallet("anna")
NOT_IN_ESCROW = (
    staked(stake_in(MINE, -500), stake_in(REVENUE, 500)),
    staked(stake_in(MINE, -500), stake_in(ESCROW, 499), stake_in(REVENUE, 1)),
    staked(stake_in(MINE, -500), Leg(ESCROW, 500)),
    staked(stake_in(MINE, -400), stake_in(CASH, -100), stake_in(ESCROW, 500)),
    staked(stake_in(MINE, -400), stake_in(wallet("ben"), -100), stake_in(ESCROW, 500)),
)


@pytest.mark.parametrize("request_", NOT_IN_ESCROW)
async def test_a_hold_is_money_in_escrow(desk: LedgerDesk, request_: TransferRequest) -> None:
    """Else its release would pay out what is held for others."""
    await two_stakes(desk)
    for owner in ("anna", "ben"):
        await desk.deposit(owner, 500)
    with pytest.raises(InvalidRequest, match="sets aside"):
        await desk.transfer(request_)
    with pytest.raises(ConstraintViolated):  # nor does the database take it from anybody
        async with desk.database.transaction() as tx:
            items = msgspec.json.encode([request_.item()]).decode()
            await tx.fetch("SELECT handfast_ledger.post($1)", items)
    assert await desk.balance(MINE) == 500
    await desk.assert_sound()


async def test_what_is_set_aside_does_not_leave_escrow_at_once(desk: LedgerDesk) -> None:
    await two_stakes(desk)
    await desk.deposit("anna", 500)
    gone = (Leg(ESCROW, -500), Leg(REVENUE, 500))
    with pytest.raises(InvalidRequest, match="sets aside"):
        await desk.transfer(staked(stake_in(MINE, -500), stake_in(ESCROW, 500), *gone))
    await desk.assert_sound()


async def test_a_hold_is_resolved_once(desk: LedgerDesk) -> None:
    anna, ben = await two_stakes(desk)
    settled = rules.payout("win", [Take(anna)], [(wallet("ben"), 5000)], "EUR")
    first, again = await desk.transfer(settled), await desk.transfer(settled)
    assert again.repeated
    assert again.transfer_id == first.transfer_id
    for second in (
        rules.payout("other", [Take(anna)], [(wallet("ben"), 5000)], "EUR"),
        rules.release("release", [anna], "EUR"),
        rules.release("both", [ben, anna], "EUR"),
    ):
        with pytest.raises(HoldResolved):
            await desk.transfer(second)
    assert (await desk.hold(ben)).state == "held"
    with pytest.raises(HoldResolved):
        async with desk.database.transaction() as tx:
            await tx.execute(
                "UPDATE handfast_ledger.holds SET state = 'released' WHERE id = $1", anna
            )
    with pytest.raises(LedgerAppendOnly):
        async with desk.database.transaction() as tx:
            await tx.execute("UPDATE handfast_ledger.holds SET amount = 1 WHERE id = $1", ben)
    with pytest.raises(LedgerAppendOnly):
        async with desk.database.transaction() as tx:
            await tx.execute("DELETE FROM handfast_ledger.holds")


async def test_a_hold_of_another_currency(desk: LedgerDesk) -> None:
    hold, _ = await two_stakes(desk)
    assert await desk.verdicts(rules.release("usd", [hold], "USD")) == ["OTHER_CURRENCY"]


async def test_holds_move_into_a_pot_while_they_are_held(desk: LedgerDesk) -> None:
    anna, ben = await two_stakes(desk)
    async with desk.database.transaction() as tx:
        assert await move_holds(tx, [anna, ben], 42) == 2
    await desk.transfer(rules.release("draw", [anna], "EUR"))
    async with desk.database.transaction() as tx:
        assert await move_holds(tx, [anna, ben], 43) == 1
        assert [hold.id for hold in await open_holds(tx, "ben")] == [ben]
    in_pot = "SELECT count(*) FROM handfast_ledger.entries WHERE session_id = 42"
    assert await desk.fetch(in_pot) == 3


async def test_holds_expire_into_credit(database: Database, dsn: str) -> None:
    await freeze(database, NOON)
    desk = LedgerDesk(database)
    await desk.deposit("anna", 1000)
    due = [
        await desk.stake("anna", 100, 10, expires_at=NOON + timedelta(minutes=n)) for n in (1, 2, 3)
    ]
    never = await desk.stake("anna", 100, 0)
    await freeze(database, NOON + timedelta(minutes=2))
    async with await Database.open(Target(dsn), pool_size=2) as fresh:
        async with fresh.transaction() as tx:
            assert await expire_holds(tx, limit=1) == 1
        async with fresh.transaction() as tx:
            assert await expire_holds(tx) == 1
            assert await expire_holds(tx) == 0
    states = [(await desk.hold(hold.id)).state for hold in (*due, never)]
    assert states == ["expired", "expired", "held", "held"]
    assert await desk.balance(credit("anna")) == 200
    assert await desk.balance(REVENUE) == 30
    await desk.assert_sound()


async def test_a_hold_past_its_deadline_is_a_gap_that_nobody_repairs(
    database: Database, dsn: str
) -> None:
    await freeze(database, NOON)
    desk = LedgerDesk(database)
    await desk.deposit("anna", 1000)
    stuck = await desk.stake("anna", 100, 0, deadline=NOON + timedelta(hours=1))
    await desk.stake("anna", 100, 0, deadline=NOON + timedelta(hours=3))
    expected = Expectations().with_these(expectations())
    [report] = await list_gaps(database, expected)
    assert report.missing == 0
    await freeze(database, NOON + timedelta(hours=2))
    [report] = await list_gaps(database, expected)
    assert [(gap.gap, gap.key) for gap in report.gaps] == [("missing", f"hold-{stuck.id}")]
    assert await repair_gaps(database, expected, Kinds()) == []
    [refused] = await repair_gaps(database, expected, Kinds(), name="ledger.holds")
    assert "a person" in str(refused.error)
    assert await desk.fetch("SELECT count(*) FROM handfast_engine.jobs") == 0
    await desk.transfer(rules.release("found", [stuck.id], "EUR"))
    [report] = await list_gaps(database, expected)
    assert report.missing == 0
