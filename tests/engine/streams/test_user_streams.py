"""A user's stream: everything once, in the order of the commits, whoever else does what."""

import asyncio
import random
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from handfast.db.pool import Database
from handfast.engine.events import NewEvent, emit, emit_many
from handfast.engine.streams import hub as hubs
from handfast.engine.streams.errors import TooManyStreams
from handfast.engine.streams.hub import USER_STREAMS_MAX
from tests.support.interleave import Stage
from tests.support.watching import Reader, hub_on

EMIT = "SELECT handfast_engine.emit('thing.happened', $1, '{}', $2::uuid[])"


async def tell(database: Database, aggregate: str, *users: UUID) -> None:
    async with database.transaction() as tx:
        await emit(tx, "thing.happened", aggregate, {}, users=users)


async def test_what_concerns_a_user_and_nothing_else(database: Database) -> None:
    ann, bob = uuid4(), uuid4()
    await tell(database, "before", ann)
    async with hub_on(database) as hub:
        anns = Reader(await hub.stream_of_user(ann))
        bobs = Reader(await hub.stream_of_user(bob))
        async with database.transaction() as tx:
            await emit_many(
                tx,
                [
                    NewEvent("thing.happened", "both", {"n": 1}, [ann, bob, ann]),
                    NewEvent("thing.happened", "nobody", {}),
                    NewEvent("thing.happened", "ann", {}, [ann]),
                ],
            )
        await anns.sees("both", "ann")
        await tell(database, "bob", bob)
        await bobs.sees("bob")
    assert (anns.names, anns.ids) == (["both", "ann"], ["2", "3"])
    assert (bobs.names, bobs.ids) == (["both", "bob"], ["1", "2"])
    assert anns.told[0].event is not None
    assert anns.told[0].event.data == '{"n": 1}'


async def test_no_foreign_transaction_holds_it_back(database: Database, dsn: str) -> None:
    """One that writes, is older, and has told somebody else: it waits for nobody."""
    ann = uuid4()
    async with Stage(dsn) as stage, hub_on(database) as hub:
        (foreign,) = await stage.sessions("foreign")
        reader = Reader(await hub.stream_of_user(ann))
        await foreign.begin()
        await foreign.run(EMIT, "foreign", [uuid4()])
        for n in range(3):
            await tell(database, f"n:{n}", ann)
        await reader.sees("n:2")
        assert reader.ids == ["1", "2", "3"]
        await foreign.rollback()


async def test_number_order_is_commit_order(database: Database, dsn: str) -> None:
    """Who is told by an open transaction gets nothing out of turn: the second waits for it."""
    ann, bob = sorted([uuid4(), uuid4()])
    async with Stage(dsn) as stage, hub_on(database) as hub:
        first, second = await stage.sessions("first", "second")
        reader = Reader(await hub.stream_of_user(ann))
        await first.begin()
        await first.run(EMIT, "first", [bob, ann])
        late = second.start(EMIT, "second", [ann])
        await stage.blocked("second", by="first")
        await first.commit()
        await late
        await reader.sees("second")
    assert reader.names == ["first", "second"]
    assert reader.ids == ["1", "2"]


async def test_a_rolled_back_number_is_taken_again(database: Database) -> None:
    ann = uuid4()
    async with hub_on(database) as hub:
        reader = Reader(await hub.stream_of_user(ann))
        for n in range(4):
            with pytest.raises(LookupError):
                async with database.transaction() as tx:
                    await emit(tx, "thing.happened", "gone", {}, users=[ann])
                    raise LookupError
            await tell(database, f"n:{n}", ann)
        await reader.sees("n:3")
    assert reader.ids == ["1", "2", "3", "4"], "no hole, and no reset"


async def test_nothing_is_lost_under_concurrency(database: Database, chance: random.Random) -> None:
    """Many emitters for few users in any order, some of them rolled back."""
    users = [uuid4() for _ in range(4)]
    wanted: dict[UUID, set[str]] = {user: set() for user in users}

    async def emits(n: int) -> None:
        chosen = chance.sample(users, 2)
        try:
            async with database.transaction() as tx:
                events = [NewEvent("thing.happened", f"{n}:{m}", {}, chosen) for m in range(2)]
                await emit_many(tx, events)
                if chance.random() < 0.3:
                    raise LookupError
        except LookupError:
            return
        for user in chosen:
            wanted[user] |= {f"{n}:0", f"{n}:1"}

    async with hub_on(database) as hub:
        readers = {user: Reader(await hub.stream_of_user(user)) for user in users}
        await asyncio.gather(*(emits(n) for n in range(80)))
        for user, reader in readers.items():
            await reader.sees(*wanted[user])
            assert sorted(reader.names) == sorted(wanted[user]), "each once"
            assert reader.ids == [str(n) for n in range(1, len(reader.told) + 1)]


async def test_resumed_exactly(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each number in turn, also over several pages."""
    monkeypatch.setattr(hubs, "PAGE", 2)
    ann = uuid4()
    for n in range(1, 6):
        await tell(database, f"n:{n}", ann)
    for after in range(6):
        async with hub_on(database) as hub:
            reader = Reader(await hub.stream_of_user(ann, after=str(after)))
            await tell(database, f"after:{after}", ann)
            await reader.sees(f"after:{after}")
            assert reader.ids == [str(n) for n in range(after + 1, 7 + after)]
            assert "reset" not in reader.names


@pytest.mark.parametrize("after", ["0", "2", "99", "x", "-1", "9" * 30, "²"])
async def test_what_is_no_longer_kept_is_one_reset(database: Database, after: str) -> None:
    """And what was never a number of this stream."""
    ann = uuid4()
    for n in range(1, 6):
        await tell(database, f"n:{n}", ann)
    async with database.connection() as connection:
        await connection.execute("UPDATE handfast_engine.user_events SET at = at - interval '1 y'"
                                 " WHERE number <= 3")  # fmt: skip
        await connection.execute("SELECT handfast_engine.prune(now() - interval '1 day', 100)")
    async with hub_on(database) as hub:
        reader = Reader(await hub.stream_of_user(ann, after=after))
        await tell(database, "new", ann)
        await reader.sees("new")
    assert reader.names == ["reset", "new"]
    assert reader.ids == ["5", "6"]


async def test_all_of_it_is_no_longer_kept(database: Database) -> None:
    ann = uuid4()
    for n in range(1, 4):
        await tell(database, f"n:{n}", ann)
    async with database.connection() as connection:
        await connection.execute("SELECT handfast_engine.prune(now() + interval '1 day', 100)")
        await connection.execute("SELECT handfast_engine.forget_aggregates('', now(), 100)")
    async with hub_on(database) as hub:
        behind = Reader(await hub.stream_of_user(ann, after="2"))
        even = Reader(await hub.stream_of_user(ann, after="3"))
        await tell(database, "new", ann)
        await even.sees("new")
        await behind.sees("new")
    assert (behind.names, behind.ids) == (["reset", "new"], ["3", "4"])
    assert (even.names, even.ids) == (["new"], ["4"]), "nothing was missed"


async def test_five_for_each_user(database: Database) -> None:
    ann = uuid4()
    async with hub_on(database) as hub:
        streams = [await hub.stream_of_user(ann) for _ in range(USER_STREAMS_MAX)]
        with pytest.raises(TooManyStreams):
            await hub.stream_of_user(ann)
        await hub.stream_of_user(uuid4())
        streams[0].close()
        streams[0].close()  # once is enough
        await hub.stream_of_user(ann)
        with pytest.raises(TooManyStreams):
            await hub.stream_of_user(ann)


async def test_events_and_their_numbers_are_pruned(database: Database) -> None:
    ann = uuid4()
    await tell(database, "old", ann)
    async with database.connection() as connection:
        pruned = await connection.fetchval(
            "SELECT handfast_engine.prune(now() + $1::interval, 100)", timedelta(days=1)
        )
        assert pruned == 2
        assert await connection.fetchval("SELECT count(*) FROM handfast_engine.user_events") == 0
        assert await connection.fetchval("SELECT number FROM handfast_engine.user_streams") == 1
