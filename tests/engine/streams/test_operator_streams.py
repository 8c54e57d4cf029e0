"""The operators' stream: all events, none late, and a word when a transaction holds it back."""

import asyncio

import pytest

from handfast.db.pool import Database
from handfast.engine.events import emit
from handfast.engine.streams import hub as hubs
from handfast.engine.streams import operator_streams
from handfast.engine.streams.operator_streams import (
    EventPlace,
    Holding,
    OperatorStream,
    Snapshot,
)
from tests.support.interleave import Stage
from tests.support.watching import Reader, hub_on

pytestmark = pytest.mark.on_every_postgres

EMIT = "SELECT handfast_engine.emit('thing.happened', $1, '{}')"


async def tell(database: Database, *names: str) -> list[str]:
    ids = []
    for name in names:
        async with database.transaction() as tx:
            ids.append(await emit(tx, "thing.happened", name, {}))
    return ids


async def test_from_now_on_and_on_where_it_was(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "PAGE", 2)
    await tell(database, "before")
    async with hub_on(database) as hub:
        reader = Reader(await hub.stream_of_operators())
        ids = await tell(database, *(f"n:{n}" for n in range(5)))
        await reader.sees("n:4")
        assert reader.names == [f"n:{n}" for n in range(5)]
        assert reader.ids == ids
        again = Reader(await hub.stream_of_operators(after=ids[1]))
        await tell(database, "after")
        await again.sees("after")
        await reader.sees("after")
        assert again.names == ["n:2", "n:3", "n:4", "after"]


@pytest.mark.parametrize("after", ["00000000-0000-4000-8000-000000000000", "no id"])
async def test_an_event_that_is_no_longer_kept(database: Database, after: str) -> None:
    await tell(database, "before")
    async with hub_on(database) as hub:
        reader = Reader(await hub.stream_of_operators(after=after))
        await tell(database, "new")
        await reader.sees("new")
    assert reader.names == ["reset", "new"]


async def test_a_late_commit_is_not_lost_and_the_hold_is_said(
    database: Database, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operator_streams, "HELD_SECONDS", 0.2)
    async with Stage(dsn) as stage, hub_on(database) as hub:
        (late,) = await stage.sessions("late")
        reader = Reader(await hub.stream_of_operators())
        await late.begin()
        await late.run(EMIT, "late")
        await tell(database, *(f"n:{n}" for n in range(3)))
        await reader.sees("held")
        assert reader.names == ["held"], "it does not pass the oldest running transaction"
        newcomer = Reader(await hub.stream_of_operators())
        await tell(database, "n:3")
        await newcomer.sees("held")
        await late.commit()
        await reader.sees("n:3")
        await newcomer.sees("n:3", "late")
    assert reader.names == ["held", "late", "n:0", "n:1", "n:2", "n:3"]
    assert newcomer.names == ["held", "late", "n:3"], "what was there before it is not told"


async def test_one_that_never_emits_holds_it_too_and_nobody_notifies_its_end(
    database: Database, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operator_streams, "HELD_SECONDS", 0.2)
    async with Stage(dsn) as stage, hub_on(database) as hub:
        (other,) = await stage.sessions("other")
        reader = Reader(await hub.stream_of_operators())
        await other.begin()
        await other.run("CREATE TABLE other (id integer)")
        await tell(database, "one")
        await reader.sees("held")
        await other.rollback()
        await reader.sees("one")
    assert reader.names == ["held", "one"]


async def test_other_databases_do_not_hold_it(database: Database, empty_dsn: str) -> None:
    async with Stage(empty_dsn) as stage, hub_on(database) as hub:
        (elsewhere,) = await stage.sessions("elsewhere")
        await elsewhere.begin()
        await elsewhere.run("CREATE TABLE other (id integer)")
        reader = Reader(await hub.stream_of_operators())
        await tell(database, "one")
        await reader.sees("one")
        assert reader.names == ["one"]
        await elsewhere.rollback()


async def test_concurrent_emitters_are_all_seen_once(database: Database) -> None:
    async with hub_on(database) as hub:
        first = Reader(await hub.stream_of_operators())
        second = Reader(await hub.stream_of_operators())
        await asyncio.gather(*(tell(database, f"{n}:0", f"{n}:1") for n in range(20)))
        wanted = sorted(f"{n}:{m}" for n in range(20) for m in range(2))
        for reader in (first, second):
            await reader.sees(*wanted)
            assert sorted(reader.names) == wanted
        assert first.ids == second.ids, "in the same order for all"


def test_a_snapshot_is_read() -> None:
    snapshot = Snapshot.parse("10:20:10,14")
    assert [xid for xid in range(8, 22) if not snapshot.sees(xid)] == [10, 14, 20, 21]
    assert Snapshot.parse("7:7:").sees(6)


def test_the_hold_is_said_once_for_each_who_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not again because a look took a stranger's transaction that had just ended for ours."""
    monkeypatch.setattr(operator_streams, "HELD_SECONDS", 0.0)
    holding = Holding()
    stream = OperatorStream(lambda _: None, EventPlace(10, -1), None)

    def said(*horizons: int) -> int:
        for horizon in horizons:
            holding.looked(horizon, waits=True, streams=[stream])
        return len(stream._unread)

    assert said(20, 20, 20) == 1
    assert said(15, 20, 20) == 1, "a stranger's is lower"
    assert said(30, 30, 30) == 2, "another holds it now"
    holding.looked(40, waits=False, streams=[stream])
    assert not holding.held
    assert said(35, 35) == 3


# As after a dump and restore: numbers of transactions begin anew, and the events have higher ones.
FROM_ELSEWHERE = """
UPDATE handfast_engine.events
SET xid = (xid::text::bigint + 1000000)::text::xid8"""


async def elsewhere(database: Database) -> None:
    async with database.transaction() as tx:
        await tx.execute(FROM_ELSEWHERE)


async def test_on_a_restored_database_who_goes_on_starts_over(database: Database) -> None:
    """The event that was seen last is of a server whose transactions counted further."""
    [seen, _] = await tell(database, "seen", "old")
    await elsewhere(database)
    async with hub_on(database) as hub:
        reader = Reader(await hub.stream_of_operators(after=seen))
        await tell(database, "new")
        await reader.sees("new")
    assert reader.names == ["reset", "new"]


async def test_events_of_a_restored_database_are_told_once_and_pruned(database: Database) -> None:
    """They would be told again when this server has counted so far, and until then everything that
    it writes stood before them: they were never pruned."""
    await tell(database, *(f"old:{n}" for n in range(4)))
    await elsewhere(database)
    async with database.transaction() as tx:
        await tx.execute("UPDATE handfast_engine.events SET at = at - interval '20 days'")
    await tell(database, *(f"new:{n}" for n in range(4)))
    async with database.transaction() as tx:
        for _ in range(4):
            await tx.fetchval("SELECT handfast_engine.prune(now() - interval '14 days', 2)")
        kept = await tx.fetch("SELECT aggregate FROM handfast_engine.events ORDER BY ordinal")
        ahead = await tx.fetchval(
            "SELECT count(*) FROM handfast_engine.events"
            " WHERE xid > pg_snapshot_xmax(pg_current_snapshot())"
        )
    assert ahead == 0
    assert [row["aggregate"] for row in kept] == [f"new:{n}" for n in range(4)]
