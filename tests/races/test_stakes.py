"""What happens to tickets and pots when two things happen at once, step by step, on real
connections: exactly one wins, and the other sees it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import pytest

from handfast.apps.stakes.errors import (
    DisputeResolved,
    SessionOver,
    TicketOpen,
    TicketOver,
)
from handfast.apps.stakes.matching.pairing import claims, pair
from handfast.apps.stakes.queue.changing import change_stake
from handfast.apps.stakes.queue.leaving import cancel, cancel_of_player, expire_tickets
from handfast.apps.stakes.queue.staking import stake
from handfast.apps.stakes.sessions.disputes import dispute_session, resolve_dispute
from handfast.apps.stakes.sessions.results import report_result
from handfast.apps.stakes.sessions.voiding import void_expired
from handfast.db.pool import Database
from handfast.db.transaction import Transaction, joined
from tests.support.interleave import Session, Stage
from tests.support.stakes_table import StakesTable, player_id

pytestmark = pytest.mark.on_every_postgres

T = TypeVar("T")
Step = Callable[[Transaction], Awaitable[T]]
ANNA, BEN = player_id("anna"), player_id("ben")


@pytest.fixture
async def stage(dsn: str) -> AsyncIterator[Stage]:
    async with Stage(dsn) as stage:
        yield stage


@pytest.fixture
async def table(database: Database) -> StakesTable:
    table = StakesTable(database)
    await table.rich("anna", "ben", "cora")
    return table


async def begin(session: Session, step: Step[T]) -> T:
    """In a transaction that stays open."""
    await session.begin()
    return await step(joined(session.connection))


def start(session: Session, step: Step[T]) -> "asyncio.Task[T]":
    """In the background, in a transaction that commits unless it fails."""

    async def work() -> T:
        async with session.connection.transaction():
            return await step(joined(session.connection))

    return asyncio.create_task(work(), name=session.name)


async def test_cancel_that_comes_after_pairing(stage: Stage, table: StakesTable) -> None:
    ticket, _ = await table.stake_all(["anna", "ben"])
    a, b = await stage.sessions("a", "b")
    made = await begin(a, lambda tx: pair(tx, "a", table.terms))
    assert made.pairs == 1
    late = start(b, lambda tx: cancel(tx, ticket, table.terms))
    await stage.blocked("b", by="a")
    await a.commit()
    with pytest.raises(TicketOver) as refused:
        await late
    assert refused.value.extra["session"] == (await table.session_of("anna")).id
    await table.assert_sound()


async def test_who_is_suspended_while_they_are_paired_plays(
    stage: Stage, table: StakesTable
) -> None:
    await table.stake_all(["anna", "ben"])
    a, b = await stage.sessions("a", "b")
    await begin(a, lambda tx: pair(tx, "a", table.terms))
    late = start(b, lambda tx: cancel_of_player(tx, ANNA, table.terms))
    await stage.blocked("b", by="a")
    await a.commit()
    assert await late == [], "and the suspension goes on"
    assert (await table.session_of("anna")).status == "waiting"
    await table.assert_sound()


async def test_cancel_that_comes_before_pairing(stage: Stage, table: StakesTable) -> None:
    ticket, ben, cora = await table.stake_all(["anna", "ben", "cora"])
    a, b = await stage.sessions("a", "b")
    await begin(a, lambda tx: cancel(tx, ticket, table.terms))
    made = await begin(b, lambda tx: pair(tx, "b", table.terms))
    assert made.pairs == 1, "it is skipped, and nobody waits for it"
    await b.commit()
    await a.commit()
    assert [(await table.ticket(one)).status for one in (ticket, ben, cora)] == [
        "cancelled",
        "matched",
        "matched",
    ]
    async with table.database.connection() as connection:
        [passed] = await claims(connection, ticket=ticket)
    assert (passed.outcome, passed.reason) == ("passed", "locked")
    await table.assert_sound()


async def test_cancel_that_is_rolled_back_leaves_the_place(
    stage: Stage, table: StakesTable
) -> None:
    ticket, ben, cora = await table.stake_all(["anna", "ben", "cora"])
    (a,) = await stage.sessions("a")
    await begin(a, lambda tx: cancel(tx, ticket, table.terms))
    await a.rollback()
    await table.pair()
    assert (await table.ticket(ticket)).session_id == (await table.ticket(ben)).session_id
    assert (await table.ticket(cora)).status == "queued"
    await table.assert_sound()


async def test_pairing_that_is_rolled_back_leaves_no_trace(
    stage: Stage, table: StakesTable
) -> None:
    """As when its process is killed: R14, no ticket is left in a state of its own."""
    tickets = await table.stake_all(["anna", "ben"])
    (a,) = await stage.sessions("a")
    await begin(a, lambda tx: pair(tx, "a", table.terms))
    await a.rollback()
    assert {(await table.ticket(one)).status for one in tickets} == {"queued"}
    assert await table.fetch("SELECT count(*) FROM handfast_stakes.game_sessions") == 0
    assert (await table.pair()).pairs == 1
    await table.assert_sound()


async def test_expiry_leaves_alone_what_is_being_paired(stage: Stage, table: StakesTable) -> None:
    tickets = await table.stake_all(["anna", "ben"])
    a, b = await stage.sessions("a", "b")
    await begin(a, lambda tx: pair(tx, "a", table.terms))
    due = (
        "UPDATE handfast_stakes.matchmaking_queue SET expires_at = now() WHERE id = ANY ($1)"
        " AND status = 'queued'"
    )
    late = b.start(due, tickets)  # their end comes while the pair is made
    await stage.blocked("b", by="a")
    assert await table.expire() == 0
    await a.commit()
    await late
    assert await table.expire() == 0
    assert {(await table.ticket(one)).status for one in tickets} == {"matched"}
    await table.assert_sound()


async def test_pairing_leaves_alone_what_is_being_expired(stage: Stage, table: StakesTable) -> None:
    ticket, *others = await table.stake_all(["anna", "ben", "cora"])
    await table.overdue(ticket)
    a, b = await stage.sessions("a", "b")
    assert await begin(a, lambda tx: expire_tickets(tx, table.terms, {})) == 1
    made = await begin(b, lambda tx: pair(tx, "b", table.terms))
    assert made.pairs == 1
    await b.commit()
    assert await table.expire() == 0, "another who expires skips it"
    await a.commit()
    assert (await table.ticket(ticket)).status == "expired"
    assert {(await table.ticket(one)).status for one in others} == {"matched"}
    await table.assert_sound()


async def test_a_change_that_comes_after_pairing(stage: Stage, table: StakesTable) -> None:
    ticket, _ = await table.stake_all(["anna", "ben"])
    a, b = await stage.sessions("a", "b")
    await begin(a, lambda tx: pair(tx, "a", table.terms))
    late = start(b, lambda tx: change_stake(tx, ticket, 5000, table.terms))
    await stage.blocked("b", by="a")
    await a.commit()
    with pytest.raises(TicketOver):
        await late
    assert (await table.session_of("anna")).stake == 1000
    await table.assert_sound()


async def test_a_change_that_comes_before_pairing(stage: Stage, table: StakesTable) -> None:
    ticket, ben, cora = await table.stake_all(["anna", "ben", "cora"])
    a, b = await stage.sessions("a", "b")
    await begin(a, lambda tx: change_stake(tx, ticket, 5000, table.terms))
    made = await begin(b, lambda tx: pair(tx, "b", table.terms))
    assert made.pairs == 1
    await b.commit()
    await a.commit()
    assert (await table.ticket(ticket)).stake_amount == 5000
    assert (await table.ticket(ben)).session_id == (await table.ticket(cora)).session_id
    await table.assert_sound()


async def test_two_results_that_agree(stage: Stage, table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    a, b = await stage.sessions("a", "b")
    await begin(a, lambda tx: report_result(tx, session.id, ANNA))
    late = start(b, lambda tx: report_result(tx, session.id, ANNA))
    await stage.blocked("b", by="a")
    await a.commit()
    told = await late
    assert (told.repeated, told.dispute) == (True, None)
    await table.assert_sound()


async def test_two_results_that_contradict(stage: Stage, table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    before = await table.money("anna")
    a, b = await stage.sessions("a", "b")
    await begin(a, lambda tx: report_result(tx, session.id, ANNA))
    late = start(b, lambda tx: report_result(tx, session.id, BEN))
    await stage.blocked("b", by="a")
    await a.commit()
    assert (await late).dispute is not None
    assert (await table.session(session.id)).winner == ANNA
    assert (await table.money("anna"))[0] == before[0] + 2000
    await table.assert_sound()


async def test_a_result_that_comes_after_a_dispute(stage: Stage, table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    a, b = await stage.sessions("a", "b")
    dispute = await begin(a, lambda tx: dispute_session(tx, session.id, ANNA, "why"))
    late = start(b, lambda tx: report_result(tx, session.id, BEN))
    await stage.blocked("b", by="a")
    await a.commit()
    told = await late
    assert told.dispute is not None
    assert (told.dispute.id, told.dispute.reported) == (dispute.id, str(BEN))
    assert (await table.session(session.id)).status == "disputed"
    await table.assert_sound()


async def test_a_dispute_that_comes_after_a_result(stage: Stage, table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    a, b = await stage.sessions("a", "b")
    await begin(a, lambda tx: report_result(tx, session.id, BEN))
    late = start(b, lambda tx: dispute_session(tx, session.id, ANNA, "why"))
    await stage.blocked("b", by="a")
    await a.commit()
    with pytest.raises(SessionOver):
        await late
    await table.assert_sound()


async def test_a_session_that_expires_while_it_is_reported(
    stage: Stage, table: StakesTable
) -> None:
    session = await table.paired("anna", "ben")
    await table.overdue_session(session.id)
    (a,) = await stage.sessions("a")
    await begin(a, lambda tx: report_result(tx, session.id, BEN))
    assert await table.void() == 0, "left to the result"
    await a.commit()
    assert await table.void() == 0
    assert (await table.session(session.id)).status == "settled"
    await table.assert_sound()


async def test_a_result_that_comes_while_the_session_expires(
    stage: Stage, table: StakesTable
) -> None:
    session = await table.paired("anna", "ben")
    await table.overdue_session(session.id)
    a, b = await stage.sessions("a", "b")
    assert await begin(a, lambda tx: void_expired(tx, table.terms, {})) == 1
    late = start(b, lambda tx: report_result(tx, session.id, BEN))
    await stage.blocked("b", by="a")
    await a.commit()
    assert (await late).dispute is not None
    assert (await table.session(session.id)).status == "void"
    await table.assert_sound()


async def test_two_stakes_of_one_player(stage: Stage, table: StakesTable) -> None:
    a, b = await stage.sessions("a", "b")
    first = await begin(a, lambda tx: stake(tx, ANNA, 1000, table.terms))
    late = start(b, lambda tx: stake(tx, ANNA, 5000, table.terms))
    await stage.blocked("b", by="a")
    await a.commit()
    with pytest.raises(TicketOpen) as refused:
        await late
    assert refused.value.extra["ticket"] == first.ticket_id
    await table.assert_sound()


async def test_the_first_stakes_of_a_new_player(stage: Stage, table: StakesTable) -> None:
    """Nobody has a row for the player yet."""
    await table.rich("zoe")
    a, b = await stage.sessions("a", "b")
    await begin(a, lambda tx: stake(tx, player_id("zoe"), 1000, table.terms))
    late = start(b, lambda tx: stake(tx, player_id("zoe"), 1000, table.terms))
    await stage.blocked("b", by="a")
    await a.rollback()
    await late
    assert await table.live("zoe") is not None
    await table.assert_sound()


async def test_stakes_of_different_players_do_not_wait(stage: Stage, table: StakesTable) -> None:
    await table.stakes.cancel(await table.stake("cora"))  # the platform's accounts are open
    a, b = await stage.sessions("a", "b")
    await begin(a, lambda tx: stake(tx, ANNA, 1000, table.terms))
    await begin(b, lambda tx: stake(tx, BEN, 1000, table.terms))
    await a.rollback()
    await b.commit()
    assert (await table.live("anna"), (await table.live("ben")) is None) == (None, False)


async def test_two_who_resolve_one_dispute(stage: Stage, table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    dispute = await table.stakes.dispute(session.id, ANNA, "why")
    a, b = await stage.sessions("a", "b")
    await begin(a, lambda tx: resolve_dispute(tx, dispute.id, ANNA))
    late = start(b, lambda tx: resolve_dispute(tx, dispute.id, BEN))
    await stage.blocked("b", by="a")
    await a.commit()
    with pytest.raises(DisputeResolved):
        await late
    await table.assert_sound()


async def test_two_matchmakers_do_not_wait_for_each_other(stage: Stage, table: StakesTable) -> None:
    await table.rich("dan", "eve", "fay")
    await table.stake_all(["anna", "ben", "cora", "dan"])
    a, b = await stage.sessions("a", "b")
    one = await begin(a, lambda tx: pair(tx, "a", table.terms, pairs=1))
    await table.stake_all(["eve", "fay"])
    other = await begin(b, lambda tx: pair(tx, "b", table.terms, pairs=1))
    assert (one.pairs, other.pairs) == (1, 1)
    await b.commit()
    await a.commit()
    assert await table.fetch("SELECT count(*) FROM handfast_stakes.game_sessions") == 2
    await table.assert_sound()


async def test_whoever_is_passed_is_in_the_log_however_many_are_held(
    stage: Stage, table: StakesTable
) -> None:
    """Two matchmakers hold more than a third one takes, and then leave nothing behind."""
    names = [f"p{n}" for n in range(6)]
    await table.rich(*names)
    tickets = await table.stake_all(names)
    a, b, c = await stage.sessions("a", "b", "c")
    for session in (a, b, c):
        work = begin(session, lambda tx: pair(tx, "some", table.terms, pairs=1))
        assert (await work).pairs == 1
    await c.commit()
    await a.rollback()
    await b.rollback()
    assert [(await table.ticket(one)).status for one in tickets[3:5]] == ["queued", "matched"]
    async with table.database.connection() as connection:
        logged = [await claims(connection, ticket=one) for one in tickets[:4]]
    assert [[claim.reason for claim in found] for found in logged] == [["locked"]] * 4
