"""The one who pairs and expires in a process: told, and not asked."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from handfast.apps.stakes.matching import loop
from handfast.apps.stakes.matching.loop import Matchmaker
from handfast.apps.stakes.matching.matchmakers import present_matchmakers
from handfast.apps.stakes.matching.pairing import PairingRound, pair
from handfast.apps.stakes.queue.leaving import cancel
from handfast.apps.stakes.rules.why import WaitingFor
from handfast.apps.stakes.work import stakes_crew
from handfast.db.connect import Target
from handfast.db.listen import Listener
from handfast.db.pool import Database
from handfast.engine.host import Host, HostOptions
from handfast.services.ledger.errors import OtherCurrency
from handfast.services.ledger.values import REVENUE, Leg, TransferKind, TransferRequest, credit
from tests.support.eventually import eventually_async
from tests.support.stakes_table import StakesTable, player_id

ASLEEP = (
    "SELECT count(*) FROM handfast_engine.sleepers"
    " WHERE waits_for = 'stakes' AND until > clock_timestamp()"
)

HELD = "SELECT 1 FROM handfast_stakes.matchmaking_queue WHERE id = $1 FOR NO KEY UPDATE"


@asynccontextmanager
async def matchmaking(
    database: Database, dsn: str, table: StakesTable, *, notifications: bool = True
) -> AsyncIterator[None]:
    crew = stakes_crew(database, table.terms)
    options = HostOptions(notifications=notifications, poll=0.1)
    host = Host(database, Target(dsn), [crew], options)
    task = asyncio.create_task(host.run())
    try:
        yield
    finally:
        host.stop()
        await task


async def sessions(table: StakesTable) -> int:
    found: int = await table.fetch("SELECT count(*) FROM handfast_stakes.game_sessions")
    return found


@pytest.mark.parametrize("notifications", [True, False])
async def test_who_stakes_is_paired(
    database: Database, dsn: str, table: StakesTable, notifications: bool
) -> None:
    names = [f"p{n}" for n in range(8)]
    await table.rich(*names)
    async with matchmaking(database, dsn, table, notifications=notifications):
        await table.stake_all(names[:4])
        await eventually_async(lambda: _is(sessions(table), 2))
        await table.stake_all(names[4:])
        await eventually_async(lambda: _is(sessions(table), 4))
    async with database.connection() as connection:
        assert await present_matchmakers(connection) == [], "who leaves says so"
    await table.assert_sound()


async def test_it_is_told_when_it_sleeps(database: Database, dsn: str, table: StakesTable) -> None:
    """By the stake itself, and only then: the mark is in a table."""
    await table.rich("anna", "ben")
    heard: asyncio.Queue[str] = asyncio.Queue()
    listener = await asyncpg.connect(dsn)
    await listener.add_listener("handfast_stakes", lambda *_: heard.put_nowait("told"))
    await table.stake("anna")
    async with matchmaking(database, dsn, table):
        await eventually_async(lambda: _is(table.fetch(ASLEEP), 1))
        assert heard.empty(), "nobody slept when the first staked"
        await table.stake("ben")
        async with asyncio.timeout(60):
            assert await heard.get() == "told"
        await eventually_async(lambda: _is(sessions(table), 1))
    await listener.close()


async def test_with_nothing_to_do_it_rests(
    database: Database, dsn: str, table: StakesTable
) -> None:
    """Nothing is due, and nobody waits: it marks itself asleep, and is there for the next."""
    maker = Matchmaker(database, table.terms, "idle")
    listener = Listener(Target(dsn), through=database)
    async with listener:
        task = asyncio.create_task(maker.run(listener, 0.1))
        await eventually_async(lambda: _is(table.fetch(ASLEEP), 1))
        await table.rich("anna", "ben")
        await table.stake_all(["anna", "ben"])
        await eventually_async(lambda: _is(sessions(table), 1))
        assert not task.done(), "a loop that dies is begun again only after a while"
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_who_is_told_and_finds_one_of_two_held_looks_again(
    database: Database, dsn: str, table: StakesTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By another matchmaker, who was told in the same moment and finds the other of them held: when
    both have looked, nobody tells either."""
    found: list[int] = []

    async def counted(*args: Any) -> PairingRound:
        done = await pair(*args)
        found.append(done.pairs)
        return done

    monkeypatch.setattr(loop, "pair", counted)
    monkeypatch.setattr(loop, "SLEEP_SECONDS", 600.0)
    await table.rich("anna", "ben")
    anna = await table.stake("anna")
    maker = Matchmaker(database, table.terms, "told")
    async with Listener(Target(dsn), through=database) as listener:
        task = asyncio.create_task(maker.run(listener, 0.1))
        await eventually_async(lambda: asyncio.sleep(0, listener.hears))
        await eventually_async(lambda: _is(table.fetch(ASLEEP), 1))
        maker._wait = 600.0  # it has slept for long
        async with database.transaction() as other:
            await other.execute(HELD, anna)
            await table.stake("ben")
            found.clear()
            await eventually_async(lambda: asyncio.sleep(0, found))  # in vain
        await eventually_async(lambda: _is(sessions(table), 1))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_what_is_due_expires(database: Database, dsn: str, table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    await table.rich("cora")
    ticket = await table.stake("cora")
    await table.overdue(ticket)
    await table.overdue_session(session.id)
    async with matchmaking(database, dsn, table):

        async def ended() -> bool:
            return (await table.ticket(ticket)).status == "expired" and (
                await table.session(session.id)
            ).status == "void"

        await eventually_async(ended)
    await table.assert_sound()


async def test_a_round_by_hand(table: StakesTable) -> None:
    names = [f"p{n}" for n in range(5)]
    await table.rich(*names)
    *_, last = await table.stake_all(names)
    await table.overdue(last)
    assert await table.stakes.round() == 3, "two pairs, and one expired"
    assert await table.stakes.round() == 0


async def test_one_whose_money_cannot_be_moved_keeps_nobody_elses(table: StakesTable) -> None:
    """A program has given them credit of another currency, by the ledger itself."""
    odd = await table.paired("anna", "ben")
    session = await table.paired("cora", "dora")
    await table.rich("emil", "fred")
    first, second = await table.stake_all(["emil", "fred"])
    for name in ("anna", "emil"):
        legs = (Leg(REVENUE, -500), Leg(credit(str(player_id(name))), 500))
        await table.ledger.transfer(
            TransferRequest(f"bonus:{name}", TransferKind.CREDIT, "USD", legs)
        )
    await table.overdue(first, second)
    await table.overdue_session(odd.id)
    await table.overdue_session(session.id)
    matchmaker = Matchmaker(table.database, table.terms, "test")
    assert await matchmaker.round() == 2
    assert await matchmaker.round() == 0, "set aside"
    assert [(await table.ticket(one)).status for one in (first, second)] == ["queued", "expired"]
    assert [(await table.session(one.id)).status for one in (odd, session)] == ["waiting", "void"]
    failed = "SELECT count(*) FROM handfast_stakes.claims WHERE outcome = 'failed'"
    assert await table.fetch(failed) == 2
    await table.rich("gina")
    assert (await table.ticket(await table.stake("gina"))).status == "queued"
    async with table.database.transaction() as tx:
        with pytest.raises(OtherCurrency):
            await cancel(tx, first, table.terms)


async def test_a_round_that_the_database_refuses_is_in_the_log(
    database: Database, table: StakesTable, dsn: str
) -> None:
    """Nothing of it is left but that, and the loop goes on."""
    await table.rich("anna", "ben")
    await table.stake_all(["anna", "ben"])
    await table.ledger.run(
        "ALTER TABLE handfast_stakes.game_sessions ADD CONSTRAINT nobody CHECK (stake = 0)"
    )
    failed = "SELECT count(*) FROM handfast_stakes.claims WHERE outcome = 'failed'"
    async with matchmaking(database, dsn, table):

        async def logged() -> bool:
            return bool(await table.fetch(failed))

        await eventually_async(logged)
    assert await sessions(table) == 0


async def test_why_nobody_was_found(table: StakesTable, database: Database, dsn: str) -> None:
    await table.rich("anna", "ben", "cora")
    assert await table.stakes.standing(player_id("anna")) is None
    await table.stake("anna")
    await table.stake("ben", 5000)
    alone = await table.stakes.standing(player_id("anna"))
    assert alone is not None
    assert (alone.place, alone.waiting_for) == (1, WaitingFor.PARTNER)
    assert alone.why == "Nobody else waits at 1000. Elsewhere there are 1 at 5000."
    await table.stake("cora")
    second = await table.stakes.standing(player_id("cora"))
    assert second is not None
    assert (second.place, second.waiting_for) == (2, WaitingFor.MATCHMAKER)
    assert second.wait is not None
    assert second.wait.samples == 0
    assert [(line.amount, line.waiting) for line in second.lines] == [(1000, 2), (5000, 1)]
    async with matchmaking(database, dsn, table):
        await eventually_async(lambda: _is(sessions(table), 1))
    playing = await table.stakes.standing(player_id("anna"))
    assert playing is not None
    assert (playing.place, playing.ticket.status) == (None, "matched")


async def _is(value: Awaitable[object], wanted: object) -> bool:
    return await value == wanted
