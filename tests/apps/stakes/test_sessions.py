"""Games: moves, results, disputes, and sessions that nobody reports."""

from uuid import UUID

import pytest

from handfast.apps.stakes.errors import (
    DisputeOpen,
    DisputeResolved,
    MoveOutOfOrder,
    MoveStays,
    NotAPlayer,
    SessionOver,
    TicketOver,
)
from handfast.base.errors import InvalidRequest, NotFound
from handfast.db.pool import Database
from handfast.services.ledger.errors import InsufficientFunds
from handfast.services.ledger.values import ESCROW, REVENUE
from tests.support.stakes_table import StakesTable, player_id

ANNA, BEN = player_id("anna"), player_id("ben")


# --- moves ------------------------------------------------------------------------------------


async def test_moves_are_numbered_and_the_first_begins_the_game(table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    move = await table.stakes.move(session.id, ANNA, 1, "place", x=1, y=2)
    assert (move.number, move.data) == (1, {"x": 1, "y": 2})
    begun = await table.session(session.id)
    assert (begun.status, begun.moves) == ("playing", 1)
    assert begun.started_at is not None
    again = await table.stakes.move(session.id, ANNA, 1, "place", y=2, x=1)
    assert again.created_at == move.created_at, "the same move is made once"
    await table.stakes.move(session.id, BEN, 2, "place", x=0, y=0)
    assert (await table.session(session.id)).started_at == begun.started_at


async def test_moves_out_of_order(table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    with pytest.raises(MoveOutOfOrder) as early:
        await table.stakes.move(session.id, ANNA, 2, "place")
    assert early.value.extra["expected"] == 1
    await table.stakes.move(session.id, ANNA, 1, "place", x=1)
    for player, payload in ((ANNA, {"x": 2}), (BEN, {"x": 1})):
        with pytest.raises(MoveOutOfOrder) as taken:
            await table.stakes.move(session.id, player, 1, "place", **payload)
        assert taken.value.extra["expected"] == 2


async def test_moves_of_strangers_and_after_the_end(table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    with pytest.raises(NotFound):
        await table.stakes.move(session.id, UUID(int=7), 1, "place")
    with pytest.raises(InvalidRequest):
        await table.stakes.move(session.id, ANNA, 1, "place", text="x" * 9000)
    await table.stakes.report(session.id, ANNA)
    with pytest.raises(SessionOver):
        await table.stakes.move(session.id, ANNA, 1, "place")


async def test_a_move_stays_as_it_was(table: StakesTable, database: Database) -> None:
    session = await table.paired("anna", "ben")
    await table.stakes.move(session.id, ANNA, 1, "place", x=1)
    for sql in (
        "DELETE FROM handfast_stakes.game_moves",
        "UPDATE handfast_stakes.game_moves SET type = 'pass'",
    ):
        with pytest.raises(MoveStays):
            async with database.transaction() as tx:
                await tx.execute(sql)


# --- results ----------------------------------------------------------------------------------


async def test_the_winner_takes_the_pot(table: StakesTable) -> None:
    session = await table.paired("anna", "ben", 5000)
    reported = await table.stakes.report(session.id, BEN)
    assert (reported.session.status, reported.session.winner) == ("settled", BEN)
    assert await table.money("anna") == (94_000, 0)
    assert await table.money("ben") == (104_000, 0)
    assert await table.ledger.balance(ESCROW) == 0
    assert await table.ledger.balance(REVENUE) == 2000
    assert await table.live("anna") is None
    assert await table.events("session.settled") == 1
    await table.assert_sound()


async def test_the_same_result_again_is_nothing(table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    await table.stakes.report(session.id, BEN)
    again = await table.stakes.report(session.id, BEN)
    assert (again.repeated, again.dispute) == (True, None)
    assert await table.money("ben") == (100_000, 0)
    assert await table.events("session.settled") == 1


async def test_credit_through_draw_win_void_and_split(table: StakesTable) -> None:
    """A draw returns credit as credit; a win pays it to the wallet; void makes all of it credit."""
    await table.ledger.give_credit(str(ANNA), 700)
    session = await table.paired("anna", "ben")
    assert await table.money("anna") == (98_700, 0)
    await table.stakes.report(session.id, None)
    assert await table.money("anna") == (99_000, 700)
    assert await table.money("ben") == (99_000, 0)

    await table.stake_all(["anna", "ben"])
    await table.pair()
    second = await table.session_of("anna")
    await table.stakes.report(second.id, ANNA)
    assert await table.money("anna") == (99_700, 0)
    assert await table.money("ben") == (97_000, 0)

    await table.stake_all(["anna", "ben"])
    await table.pair()
    third = await table.session_of("anna")
    await table.overdue_session(third.id)
    assert await table.void() == 1
    assert await table.money("anna") == (97_700, 1000)
    assert await table.money("ben") == (95_000, 1000)

    await table.stake_all(["anna", "ben"])
    await table.pair()
    fourth = await table.session_of("anna")
    dispute = await table.stakes.dispute(fourth.id, ANNA, "it stopped")
    await table.stakes.resolve(dispute.id, None)
    assert await table.money("anna") == (96_700, 1000)
    assert await table.money("ben") == (94_000, 1000)
    assert (await table.session(fourth.id)).result == "split"
    await table.assert_sound()


async def test_a_result_for_somebody_who_did_not_play(table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    with pytest.raises(NotAPlayer):
        await table.stakes.report(session.id, player_id("cora"))
    with pytest.raises(NotFound):
        await table.stakes.report(10**9, ANNA)
    assert (await table.session(session.id)).status == "waiting"


async def test_another_result_opens_a_dispute_and_moves_nothing(table: StakesTable) -> None:
    session = await table.paired("anna", "ben", 5000)
    await table.stakes.report(session.id, BEN)
    told = await table.stakes.report(session.id, ANNA)
    assert told.dispute is not None
    assert (told.dispute.reported, told.dispute.frozen) == (str(ANNA), False)
    assert told.session.status == "settled"
    assert await table.money("ben") == (104_000, 0)
    assert (await table.stakes.report(session.id, ANNA)).dispute == told.dispute
    assert await table.events("session.disputed") == 1
    await table.stakes.resolve(told.dispute.id, ANNA)
    assert (await table.session(session.id)).winner == ANNA
    assert await table.money("anna") == (104_000, 0)
    assert await table.money("ben") == (94_000, 0)
    assert (await table.stakes.report(session.id, ANNA)).repeated
    await table.assert_sound()


async def test_a_correction_needs_the_money_to_be_there(table: StakesTable) -> None:
    session = await table.paired("anna", "ben", 5000)
    await table.stakes.report(session.id, BEN)
    dispute = (await table.stakes.report(session.id, None)).dispute
    assert dispute is not None
    from handfast.services.ledger import rules

    await table.ledger.transfer(rules.withdrawal("all", str(BEN), 104_000, "EUR"))
    with pytest.raises(InsufficientFunds):
        await table.stakes.resolve(dispute.id, None)
    assert (await table.session(session.id)).winner == BEN
    resolved = await table.stakes.resolve(dispute.id, BEN)
    assert (resolved.status, resolved.resolution) == ("resolved", "winner")
    assert await table.money("anna") == (94_000, 0), "it stays as it was"
    await table.assert_sound()


# --- disputes ---------------------------------------------------------------------------------


async def test_a_dispute_freezes_the_pot(table: StakesTable) -> None:
    session = await table.paired("anna", "ben", 5000)
    dispute = await table.stakes.dispute(session.id, ANNA, " he cheated ")
    assert (dispute.status, dispute.frozen, dispute.reason) == ("open", True, "he cheated")
    assert (await table.session(session.id)).status == "disputed"
    assert await table.ledger.balance(ESCROW) == 10_000
    with pytest.raises(DisputeOpen) as known:
        await table.stakes.dispute(session.id, BEN, "no, she did")
    assert known.value.extra["dispute"] == dispute.id
    told = await table.stakes.report(session.id, BEN)
    assert told.dispute is not None
    assert told.dispute.reported == str(BEN), "kept for whoever decides"
    await table.overdue_session(session.id)
    assert await table.void() == 0, "frozen"
    await table.stake("anna")  # the game is over, and she may go on
    await table.assert_sound()
    await table.stakes.resolve(dispute.id, BEN)
    assert await table.money("ben") == (104_000, 0)
    assert await table.ledger.balance(ESCROW) == 1000
    with pytest.raises(DisputeResolved):
        await table.stakes.resolve(dispute.id, ANNA)
    await table.assert_sound()


async def test_disputes_that_cannot_be(table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    with pytest.raises(InvalidRequest):
        await table.stakes.dispute(session.id, ANNA, "  ")
    with pytest.raises(NotFound):
        await table.stakes.dispute(session.id, player_id("cora"), "me too")
    with pytest.raises(NotFound):
        await table.stakes.resolve(7, ANNA)
    dispute = await table.stakes.dispute(session.id, ANNA, "why")
    with pytest.raises(NotAPlayer):
        await table.stakes.resolve(dispute.id, player_id("cora"))
    await table.stakes.resolve(dispute.id, ANNA)
    with pytest.raises(SessionOver):
        await table.stakes.dispute(session.id, BEN, "after settlement")


# --- nobody reports ---------------------------------------------------------------------------


async def test_a_session_that_nobody_reports_is_void(table: StakesTable) -> None:
    session = await table.paired("anna", "ben", 5000)
    assert await table.void() == 0
    await table.overdue_session(session.id)
    assert await table.void() == 1
    assert (await table.session(session.id)).status == "void"
    assert await table.money("anna") == (94_000, 5000)
    assert await table.money("ben") == (94_000, 5000)
    assert await table.events("session.voided") == 1
    assert await table.live("anna") is None
    await table.assert_sound()


async def test_a_late_result_opens_a_dispute(table: StakesTable) -> None:
    session = await table.paired("anna", "ben", 5000)
    await table.overdue_session(session.id)
    await table.void()
    told = await table.stakes.report(session.id, ANNA)
    assert told.dispute is not None
    assert told.session.status == "void"
    await table.stakes.resolve(told.dispute.id, ANNA)
    assert (await table.session(session.id)).status == "settled"
    assert await table.money("anna") == (99_000, 5000), "the other's stake; her own is credit"
    assert await table.money("ben") == (94_000, 0)
    await table.assert_sound()


async def test_a_void_session_that_is_split_stays_void(table: StakesTable) -> None:
    session = await table.paired("anna", "ben", 5000)
    await table.overdue_session(session.id)
    await table.void()
    told = await table.stakes.report(session.id, None)
    assert told.dispute is not None
    await table.stakes.resolve(told.dispute.id, None)
    assert (await table.session(session.id)).status == "void"
    again = await table.stakes.report(session.id, None)
    assert again.dispute is not None
    assert again.dispute.id == told.dispute.id, "somebody has decided about this report"
    await table.assert_sound()


async def test_the_fee_of_a_void_session_may_come_back(database: Database) -> None:
    table = StakesTable(database, fee_returned=True)
    session = await table.paired("anna", "ben", 5000)
    await table.overdue_session(session.id)
    await table.void()
    assert await table.money("anna") == (94_000, 6000)
    assert await table.ledger.balance(REVENUE) == 0
    await table.assert_sound()


# --- what the database refuses ----------------------------------------------------------------


async def test_states_go_one_way(table: StakesTable, database: Database) -> None:
    session = await table.paired("anna", "ben")
    await table.stakes.report(session.id, ANNA)
    with pytest.raises(SessionOver):
        async with database.transaction() as tx:
            await tx.execute(
                "UPDATE handfast_stakes.game_sessions SET status = 'playing', result = NULL,"
                " winner = NULL, settled_at = NULL WHERE id = $1",
                session.id,
            )
    with pytest.raises(TicketOver):
        async with database.transaction() as tx:
            await tx.execute(
                "UPDATE handfast_stakes.matchmaking_queue SET status = 'queued',"
                " session_id = NULL, matched_at = NULL, ended_at = NULL WHERE session_id = $1",
                session.id,
            )
