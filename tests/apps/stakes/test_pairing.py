"""Who plays whom."""

import asyncio
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from handfast.apps.stakes.checking import check_stakes
from handfast.apps.stakes.matching.matchmakers import Presence
from handfast.apps.stakes.matching.pairing import claims, keep_claim_log
from handfast.apps.stakes.rules.why import WaitingFor
from handfast.apps.stakes.watching import watch_queue
from handfast.apps.stakes.work import judge_queue
from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.values import ESCROW
from tests.support.clock import freeze
from tests.support.stakes_table import StakesTable, player_id

pytestmark = pytest.mark.on_every_postgres

NEVER = timedelta(0)
ALERT = (
    "SELECT value FROM handfast_engine.alerts"
    " WHERE name = 'stakes_money_missing' AND cleared_at IS NULL"
)


async def pairs(table: StakesTable) -> list[tuple[int, ...]]:
    """Tickets of the pairs, in the order in which they were made."""
    found: list[list[int]] = await table.fetch(
        "SELECT coalesce(array_agg(t.tickets ORDER BY t.session_id), '{}') FROM"
        " (SELECT session_id, array_agg(id ORDER BY line) AS tickets"
        "  FROM handfast_stakes.matchmaking_queue WHERE session_id IS NOT NULL"
        "  GROUP BY session_id) AS t"
    )
    return [tuple(pair) for pair in found]


async def test_the_oldest_are_paired_first(table: StakesTable) -> None:
    names = [f"p{n}" for n in range(7)]
    await table.rich(*names)
    tickets = await table.stake_all(names)
    done = await table.pair()
    assert (done.pairs, done.more) == (3, False)
    assert await pairs(table) == [tuple(tickets[n : n + 2]) for n in (0, 2, 4)]
    assert (await table.ticket(tickets[6])).status == "queued"
    assert await table.events("stake.matched") == 3
    await table.assert_sound()


async def test_lines_of_different_stakes_do_not_mix(table: StakesTable) -> None:
    await table.rich("anna", "ben", "cora", "dan", "eve")
    thousand = await table.stake_all(["anna", "cora"], 1000)
    await table.stake("ben", 5000)
    ten = await table.stake_all(["dan", "eve"], 10_000)
    assert (await table.pair()).pairs == 2
    assert set(await pairs(table)) == {tuple(thousand), tuple(ten)}


async def test_a_pair_is_a_session_with_both_holds_as_its_pot(table: StakesTable) -> None:
    session = await table.paired("anna", "ben", 5000)
    assert session.players == (player_id("anna"), player_id("ben"))
    assert (session.status, session.stake, session.pot) == ("waiting", 5000, 10_000)
    assert session.expires_at - session.created_at == timedelta(minutes=60)
    assert len(session.token) == 64
    held = "SELECT sum(amount)::bigint FROM handfast_ledger.holds WHERE session_id = $1"
    assert await table.fetch(held, session.id) == 10_000
    assert await table.ledger.balance(ESCROW) == 10_000
    await table.assert_sound()


async def test_batches(table: StakesTable) -> None:
    names = [f"p{n}" for n in range(10)]
    await table.rich(*names)
    tickets = await table.stake_all(names)
    assert (await table.pair(pairs=2)).more
    assert [len(await pairs(table)), (await table.pair(pairs=2)).pairs] == [2, 2]
    last = await table.pair(pairs=2)
    assert (last.pairs, last.more) == (1, False)
    assert await pairs(table) == [tuple(tickets[n : n + 2]) for n in range(0, 10, 2)]
    assert await table.fetch("SELECT count(*) FROM handfast_stakes.claims") == 5


async def test_not_the_same_two_again_while_others_wait(table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    await table.stakes.report(session.id, None)
    await table.rich("cora", "dan")
    anna, ben, cora, dan = await table.stake_all(["anna", "ben", "cora", "dan"])
    assert (await table.pair()).pairs == 2
    assert (await pairs(table))[1:] == [(anna, cora), (ben, dan)]
    await table.assert_sound()


async def test_who_is_passed_by_is_in_the_log(table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    await table.stakes.report(session.id, None)
    await table.rich("cora")
    _, ben, _ = await table.stake_all(["anna", "ben", "cora"])
    assert (await table.pair()).pairs == 1
    async with table.database.connection() as connection:
        [passed] = await claims(connection, ticket=ben)
    assert (passed.outcome, passed.reason) == ("passed", "rematch")


async def test_the_same_two_again_when_nobody_else_waits(table: StakesTable) -> None:
    first = await table.paired("anna", "ben")
    await table.stakes.report(first.id, None)
    second = await table.paired("anna", "ben")
    assert second.id != first.id
    # Also when all who wait have met each other.
    await table.stakes.report(second.id, None)
    third = await table.paired("anna", "cora")
    await table.stakes.report(third.id, None)
    fourth = await table.paired("ben", "cora")
    await table.stakes.report(fourth.id, None)
    await table.stake_all(["anna", "ben", "cora"])
    assert (await table.pair()).pairs == 1


async def test_the_setting_may_be_off(database: Database) -> None:
    table = StakesTable(database, rematch=NEVER)
    session = await table.paired("anna", "ben")
    await table.stakes.report(session.id, None)
    await table.rich("cora")
    anna, ben, _ = await table.stake_all(["anna", "ben", "cora"])
    await table.pair()
    assert (await pairs(table))[1:] == [(anna, ben)]


async def test_what_is_past_its_end_is_not_paired(table: StakesTable) -> None:
    await table.rich("anna", "ben", "cora")
    late, *others = await table.stake_all(["anna", "ben", "cora"])
    await table.overdue(late)
    await table.pair()
    assert await pairs(table) == [tuple(others)]
    assert await table.expire() == 1
    await table.assert_sound()


async def test_many_matchmakers_at_once(table: StakesTable) -> None:
    names = [f"p{n}" for n in range(60)]
    await table.rich(*names)
    await table.stake_all(names)
    rounds = await asyncio.gather(*(table.pair(pairs=4) for _ in range(6)))
    while (await table.pair()).pairs:
        pass
    made = await pairs(table)
    assert len(made) == 30
    assert len({ticket for pair in made for ticket in pair}) == 60
    assert sum(one.pairs for one in rounds) <= 30
    await table.assert_sound()


async def test_the_log_has_a_table_for_each_day(table: StakesTable, database: Database) -> None:
    await freeze(database, datetime(2026, 3, 14, 12, tzinfo=UTC))  # no midnight comes between
    days = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'handfast_stakes.claims'::regclass"
    async with database.transaction() as tx:
        assert await keep_claim_log(tx) == 4
        assert await keep_claim_log(tx) == 0
    assert await table.fetch(days) == 5
    await table.paired("anna", "ben")
    other = "SELECT count(*) FROM ONLY handfast_stakes.claims_other"
    assert await table.fetch(other) == 0
    await table.ledger.run(
        "CREATE TABLE handfast_stakes.claims_20200101 PARTITION OF handfast_stakes.claims"
        " FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')"
    )
    async with database.transaction() as tx:
        assert await keep_claim_log(tx) == 1, "old days go whole"
    assert await table.fetch(days) == 5


async def test_two_currencies_are_two_lines(database: Database, table: StakesTable) -> None:
    """The setting was changed while somebody waited."""
    kronor = StakesTable(database, currency="SEK")
    await table.rich("anna", "ben")
    for name in ("nils", "olof"):
        deposit = rules.deposit(f"d-{name}", str(player_id(name)), 100_000, "SEK")
        await table.ledger.transfer(deposit)
    anna, nils = await table.stake("anna"), await kronor.stake("nils")
    assert (await table.pair()).pairs == 0
    assert (await kronor.pair()).pairs == 0
    alone = await table.stakes.standing(player_id("anna"))
    assert alone is not None
    assert (alone.place, alone.waiting_for) == (1, WaitingFor.PARTNER)
    olof, ben = await kronor.stake("olof"), await table.stake("ben")
    assert (await table.pair()).pairs == 2
    assert set(await pairs(table)) == {(anna, ben), (nils, olof)}
    assert (await table.session_of("nils")).currency == "SEK"
    await table.assert_sound()


async def test_operators_see_why_each_currency_waits(
    database: Database, table: StakesTable
) -> None:
    """The first of a line is looked for in that line, not among all who staked as much."""
    kronor = StakesTable(database, currency="SEK")
    for name in ("nils", "olof"):
        deposit = rules.deposit(f"d-{name}", str(player_id(name)), 100_000, "SEK")
        await table.ledger.transfer(deposit)
    await kronor.stake_all(["nils", "olof"])
    assert (await kronor.pair()).pairs == 1
    await kronor.stakes.report((await kronor.session_of("nils")).id, None)
    await table.rich("anna", "ben")
    await table.stake_all(["anna", "ben"])
    await kronor.stake_all(["nils", "olof"])
    async with database.connection() as connection:
        await Presence("test").renew(connection)
        shown = await watch_queue(connection, table.terms)
    assert {line.currency: line.waiting_for for line in shown.lines} == {
        "EUR": WaitingFor.TURN,
        "SEK": WaitingFor.ANOTHER_PARTNER,
    }


@pytest.mark.parametrize("other", ["SEK", "EUR"])
async def test_no_pair_of_two_currencies_or_two_stakes(table: StakesTable, other: str) -> None:
    """Whoever makes one, by whichever way: the ticket names both in the key of its session."""
    session = await table.paired("anna", "ben")
    await table.rich("cora")
    ticket = await table.stake("cora", 5000 if other == "EUR" else 1000)
    sql = (
        "UPDATE handfast_stakes.matchmaking_queue SET status = 'matched', matched_at = now(),"
        " currency = $3, session_id = $2 WHERE id = $1"
    )
    with pytest.raises(asyncpg.ForeignKeyViolationError, match="ticket_session"):
        await table.ledger.run(sql, ticket, session.id, other)


BROKEN = {
    "resolved": "state = 'released', resolved_by = 1, taken = 0, resolved_at = now()",
    "smaller": "amount = amount - 1, from_wallet = from_wallet - 1",
    "of another": "owner = 'nobody'",
    "of another currency": "currency = 'SEK'",
}


@pytest.mark.parametrize("how", BROKEN)
async def test_a_hold_that_is_corrupt_stops_nobody_else(
    table: StakesTable, database: Database, how: str
) -> None:
    """Passed by, logged with the reason, alerted on; put right it is in line again."""
    names = [f"p{n}" for n in range(5)]
    await table.rich(*names, "late")
    bad, *good = await table.stake_all(names)
    hold = (await table.ticket(bad)).hold_id
    kept = await table.fetch("SELECT to_jsonb(h) FROM handfast_ledger.holds h WHERE id = $1", hold)
    await table.ledger.unguarded(
        f"UPDATE handfast_ledger.holds SET {BROKEN[how]} WHERE id = {hold}"
    )
    assert (await table.pair()).pairs == 2
    assert await pairs(table) == [(good[0], good[1]), (good[2], good[3])]
    async with database.connection() as connection:
        [passed] = await claims(connection, ticket=bad)
    assert (passed.outcome, passed.reason) == ("passed", "refused")
    late = await table.stake("late")
    await table.overdue(bad, late)
    assert await table.expire() == 1, "nor does it hold up expiry"
    await database.run_in_transaction(judge_queue)
    assert await table.fetch(ALERT) == 1
    async with database.connection() as connection:
        assert bad in {one.id for one in await check_stakes(connection)}

    await table.ledger.unguarded(f"DELETE FROM handfast_ledger.holds WHERE id = {hold}")
    await table.ledger.unguarded(
        "INSERT INTO handfast_ledger.holds SELECT * FROM"
        f" jsonb_populate_record(NULL::handfast_ledger.holds, '{kept}')"
    )
    assert await table.expire() == 1
    await database.run_in_transaction(judge_queue)
    assert await table.fetch(ALERT) is None
    await table.assert_sound()


async def test_who_is_set_aside_is_in_the_log_though_nobody_is_paired(table: StakesTable) -> None:
    """Once an hour: looks are many."""
    await table.rich("anna", "ben")
    bad, _ = await table.stake_all(["anna", "ben"])
    hold = (await table.ticket(bad)).hold_id
    await table.ledger.unguarded(f"DELETE FROM handfast_ledger.holds WHERE id = {hold}")
    logged = "SELECT count(*) FROM handfast_stakes.claims WHERE reason = 'refused'"
    for _ in range(3):
        assert (await table.pair()).pairs == 0
    assert await table.fetch(logged) == 1


async def test_a_pot_that_is_not_whole_holds_up_no_other(
    table: StakesTable, database: Database
) -> None:
    bad, good = await table.paired("anna", "ben"), await table.paired("cora", "dan")
    await table.ledger.unguarded(
        "UPDATE handfast_ledger.holds SET state = 'released', resolved_by = 1, taken = 0,"
        f" resolved_at = now() WHERE session_id = {bad.id} AND owner = '{bad.player1}'"
    )
    await table.overdue_session(bad.id)
    await table.overdue_session(good.id)
    assert await table.void() == 1
    assert (await table.session(good.id)).status == "void"
    await database.run_in_transaction(judge_queue)
    assert await table.fetch(ALERT) == 1
