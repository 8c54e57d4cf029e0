"""Into the queue and out of it, with the money that goes along."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest
from pydantic import ValidationError

from handfast.apps.stakes.errors import StakeNotOffered, TicketOpen, TicketOver
from handfast.apps.stakes.facade import Stakes
from handfast.apps.stakes.queue.leaving import cancel
from handfast.apps.stakes.queue.staking import Staked, StakeRequest, stake_many
from handfast.apps.stakes.settings import STAKE_MAX, StakesSettings
from handfast.base.errors import HandfastError, NotFound
from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.errors import AmountInvalid, InsufficientFunds, OtherCurrency
from handfast.services.ledger.values import AMOUNT_MAX, ESCROW, REVENUE, HoldTerms
from tests.support.ledger_desk import LATER
from tests.support.rows_read import rows_read
from tests.support.stakes_table import StakesTable, player_id


async def test_a_stake_goes_to_escrow_and_its_fee_to_revenue(table: StakesTable) -> None:
    await table.rich("anna", amount=10_000)
    ticket = await table.ticket(await table.stake("anna", 5000))
    assert (ticket.status, ticket.stake_amount, ticket.fee) == ("queued", 5000, 1000)
    assert ticket.expires_at - ticket.created_at == timedelta(minutes=10)
    assert await table.money("anna") == (4000, 0)
    assert await table.ledger.balance(ESCROW) == 5000
    assert await table.ledger.balance(REVENUE) == 1000
    assert (await table.ledger.hold(ticket.hold_id)).queue_id == ticket.id
    assert await table.events("stake.queued") == 1
    await table.assert_sound()


async def test_a_stake_reads_nothing_of_the_others(table: StakesTable) -> None:
    """Also by the plans that a connection made when nobody had staked."""
    names = [f"player{number}" for number in range(60)]
    await table.rich(*names, "late")
    await table.stake_all(names)
    async with table.database.transaction() as tx:
        before = await rows_read(tx, "handfast_stakes")
        made = await stake_many(tx, [StakeRequest(player_id("late"), 1000)], table.terms)
        after = await rows_read(tx, "handfast_stakes")
    assert isinstance(made[0], Staked)
    for name in ("matchmaking_queue", "players"):
        assert after[name].scans == before[name].scans, name
        assert after[name].rows - before[name].rows <= 2, name


async def test_credit_is_spent_first(table: StakesTable) -> None:
    await table.ledger.give_credit(str(player_id("anna")), 3000)
    await table.rich("anna", amount=10_000)
    ticket = await table.ticket(await table.stake("anna", 5000))
    hold = await table.ledger.hold(ticket.hold_id)
    assert (hold.from_credit, hold.from_wallet) == (3000, 2000)
    assert await table.money("anna") == (7000, 0)


async def test_the_legs_are_those_of_the_ledgers_own_rule(table: StakesTable) -> None:
    """The stake is written in SQL for its speed; the rule is in one place all the same."""
    await table.rich("anna", "ben", amount=10_000)
    await table.stake("anna", 5000)
    owner = str(player_id("ben"))
    await table.ledger.transfer(
        rules.stake("by-rule", owner, 5000, "EUR", HoldTerms(LATER), fee=1000)
    )
    legs = (
        "SELECT array_agg((a.kind, e.amount, e.kind)::text ORDER BY e.line)"
        " FROM handfast_ledger.entries AS e"
        " JOIN handfast_ledger.transfers AS t ON t.id = e.transfer_id"
        " JOIN handfast_ledger.accounts AS a ON a.id = e.account_id"
        " WHERE t.kind = 'STAKE' AND t.reference {} 'by-rule'"
    )
    assert await table.fetch(legs.format("<>")) == await table.fetch(legs.format("="))


@pytest.mark.parametrize("amount", [0, -1000, 10**13, 999, 1.5, 1000.0, "1000", True, None])
async def test_amounts_that_are_not_offered(table: StakesTable, amount: object) -> None:
    await table.rich("anna")
    with pytest.raises(StakeNotOffered):
        await table.stakes.stake(player_id("anna"), amount)  # type: ignore[arg-type]
    assert await table.fetch("SELECT count(*) FROM handfast_stakes.matchmaking_queue") == 0


async def test_without_funds(table: StakesTable) -> None:
    await table.rich("anna", amount=1999)
    with pytest.raises(InsufficientFunds) as short:
        await table.stake("anna", 1000)
    assert short.value.extra["available"] == 999, "the fee is taken after the stake"
    with pytest.raises(InsufficientFunds):
        await table.stake("nobody")
    assert await table.live("anna") is None
    assert await table.money("anna") == (1999, 0)
    await table.assert_sound()


async def test_a_second_open_ticket_names_the_first(table: StakesTable) -> None:
    await table.rich("anna")
    first = await table.stake("anna")
    with pytest.raises(TicketOpen) as refused:
        await table.stake("anna", 5000)
    assert refused.value.extra["ticket"] == first
    assert await table.money("anna") == (98_000, 0)


async def test_ten_stakes_of_one_player_at_once_are_one(table: StakesTable) -> None:
    await table.rich("anna")
    outcomes = await asyncio.gather(
        *(table.stake("anna") for _ in range(10)), return_exceptions=True
    )
    assert sum(isinstance(one, int) for one in outcomes) == 1
    assert sum(isinstance(one, TicketOpen) for one in outcomes) == 9
    await table.assert_sound()


async def test_in_a_list_what_is_wrong_with_one_fails_that_one(
    table: StakesTable, database: Database
) -> None:
    await table.rich("anna", "ben")
    await table.stake("ben")
    await table.ledger.transfer(rules.deposit("dollars", str(player_id("dora")), 100_000, "USD"))
    wanted = [StakeRequest(player_id(name), 1000) for name in ("cora", "anna", "ben", "dora")]
    async with database.transaction() as tx:
        outcomes = await stake_many(tx, wanted, table.terms)
    codes = [one.code if isinstance(one, HandfastError) else "" for one in outcomes]
    assert codes == ["INSUFFICIENT_FUNDS", "", "TICKET_OPEN", "OTHER_CURRENCY"]
    assert isinstance(outcomes[3], OtherCurrency)
    assert await table.fetch("SELECT count(*) FROM handfast_stakes.matchmaking_queue") == 2
    await table.assert_sound()
    with pytest.raises(AmountInvalid):
        await stake_many(tx, [wanted[0], wanted[0]], table.terms)


async def test_a_stake_is_one_round_trip(table: StakesTable, database: Database) -> None:
    """Statements that came over the wire, not those inside of functions."""
    await table.rich(*(f"p{n}" for n in range(21)))
    heard: list[str] = []
    async with await Database.open(database.target, pool_size=1) as pool:
        async with pool.connection() as only:
            only.add_query_logger(lambda query: heard.append(query.query))
        stakes = Stakes(pool)
        await stakes.stake(player_id("p0"), 1000)  # the driver asks for types, once
        heard.clear()
        await stakes.stake(player_id("p1"), 1000)
        await asyncio.gather(*(stakes.stake(player_id(f"p{n}"), 1000) for n in range(2, 21)))
        await stakes.close()
    assert 2 <= len(heard) <= 6, "one alone, then at most five flights of what had gathered"
    assert all("handfast_stakes.stake" in query for query in heard)


# --- out of it --------------------------------------------------------------------------------


async def test_a_cancelled_ticket_is_credit_and_the_fee_stays(table: StakesTable) -> None:
    await table.rich("anna", amount=10_000)
    ticket = await table.stakes.cancel(await table.stake("anna", 5000))
    assert ticket.status == "cancelled"
    assert await table.money("anna") == (4000, 5000)
    assert await table.ledger.balance(ESCROW) == 0
    assert await table.events("stake.cancelled") == 1
    with pytest.raises(TicketOver):
        await table.stakes.cancel(ticket.id)
    await table.stake("anna")
    await table.assert_sound()


async def test_an_expired_ticket_is_credit(table: StakesTable) -> None:
    await table.rich("anna", "ben", amount=10_000)
    old, young = await table.stake_all(["anna", "ben"], 5000)
    assert await table.expire() == 0
    await table.overdue(old)
    assert await table.expire() == 1
    assert (await table.ticket(old)).status == "expired"
    assert (await table.ticket(young)).status == "queued"
    assert await table.money("anna") == (4000, 5000)
    hold = await table.ledger.hold((await table.ticket(old)).hold_id)
    assert (hold.state, hold.taken) == ("expired", 0)
    assert await table.events("stake.expired") == 1
    assert await table.expire() == 0
    await table.assert_sound()


async def test_a_setting_returns_the_fee_too(database: Database) -> None:
    table = StakesTable(database, fee_returned=True)
    await table.rich("anna", amount=10_000)
    await table.overdue(await table.stake("anna", 5000))
    await table.expire()
    assert await table.money("anna") == (4000, 6000)
    assert await table.ledger.balance(REVENUE) == 0
    await table.stakes.cancel(await table.stake("anna", 5000))
    assert await table.money("anna") == (4000, 6000)
    await table.assert_sound()


async def test_without_a_fee(database: Database) -> None:
    table = StakesTable(database, fee=0)
    await table.rich("anna", amount=5000)
    await table.stake("anna", 5000)
    assert await table.money("anna") == (0, 0)
    await table.assert_sound()


async def test_somebody_elses_ticket_is_not_there(table: StakesTable) -> None:
    await table.rich("anna")
    ticket = await table.stake("anna")
    with pytest.raises(NotFound):
        async with table.database.transaction() as tx:
            await cancel(tx, ticket, table.terms, player=UUID(int=7))


# --- another stake ----------------------------------------------------------------------------


async def test_a_changed_stake_takes_and_returns_the_difference(table: StakesTable) -> None:
    await table.ledger.give_credit(str(player_id("anna")), 3000)
    await table.rich("anna", amount=10_000)
    before = await table.ticket(await table.stake("anna", 5000))
    more = await table.stakes.change(before.id, 10_000)
    assert (more.id, more.expires_at, more.stake_amount) == (before.id, before.expires_at, 10_000)
    assert more.line > before.line
    assert await table.money("anna") == (2000, 0), "3000 credit and 7000 of the wallet; one fee"
    less = await table.stakes.change(before.id, 1000)
    assert await table.money("anna") == (9000, 2000), "to where it came from"
    hold = await table.ledger.hold(less.hold_id)
    assert (hold.from_credit, hold.from_wallet) == (1000, 0)
    assert await table.ledger.balance(REVENUE) == 1000
    assert await table.events("stake.changed") == 2
    await table.assert_sound()


async def test_a_change_that_cannot_be_paid_changes_nothing(table: StakesTable) -> None:
    await table.rich("anna", amount=6500)
    ticket = await table.ticket(await table.stake("anna", 5000))
    with pytest.raises(InsufficientFunds):
        await table.stakes.change(ticket.id, 10_000)
    assert await table.ticket(ticket.id) == ticket
    assert await table.money("anna") == (500, 0)
    assert await table.stakes.change(ticket.id, 5000) == ticket, "the same stake is no change"
    with pytest.raises(StakeNotOffered):
        await table.stakes.change(ticket.id, 7)
    await table.assert_sound()


async def test_a_changed_ticket_is_paired_in_its_new_line(table: StakesTable) -> None:
    await table.rich("anna", "ben", "cora")
    moved, other, third = (
        await table.stake("anna", 1000),
        await table.stake("ben", 5000),
        await table.stake("cora", 5000),
    )
    await table.stakes.change(moved, 5000)
    assert (await table.pair()).pairs == 1
    assert [(await table.ticket(one)).status for one in (other, third, moved)] == [
        "matched",
        "matched",
        "queued",
    ]


async def test_the_facade_has_the_terms_of_the_settings(database: Database) -> None:
    stakes = Stakes(database)
    assert stakes.terms.amounts == (1000, 5000, 10000, 50000)
    await stakes.close()


async def test_the_largest_stake_can_be_won(database: Database) -> None:
    table = StakesTable(database, amounts=(STAKE_MAX,))
    await table.rich("anna", "ben", amount=AMOUNT_MAX)
    await table.stake_all(["anna", "ben"], STAKE_MAX)
    assert (await table.pair()).pairs == 1
    session = await table.session_of("anna")
    await table.stakes.report(session.id, player_id("anna"))
    assert (await table.session(session.id)).winner == player_id("anna")
    with pytest.raises(ValidationError):
        StakesSettings(stake_amounts=str(STAKE_MAX + 1))
    await table.assert_sound()
