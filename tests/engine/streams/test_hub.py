"""What the hub costs, when it is told and when it looks, and whom it drops."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from handfast.db.pool import Database
from handfast.db.statements import Statement
from handfast.engine import sleeper
from handfast.engine.events import NewEvent, emit, emit_many
from handfast.engine.sleeper import Sleeper
from handfast.engine.streams import hub as hub_module
from handfast.engine.streams.allowance import Allowance
from handfast.engine.streams.hub import LOOKS_AT_ONCE, LOOKS_PER_SECOND, Hub
from handfast.engine.streams.stream import PAGE
from handfast.engine.streams.user_streams import UserStream
from tests.support.eventually import eventually_async
from tests.support.interleave import Stage
from tests.support.watching import Reader, hub_on

LISTENERS = 1000
SECONDS = 4.0
NEVER = 3600.0
ASLEEP = "SELECT count(*) FROM handfast_engine.sleepers WHERE until > clock_timestamp()"


async def tell(database: Database, *users: UUID, name: str = "one") -> None:
    async with database.transaction() as tx:
        await emit(tx, "thing.happened", name, {}, users=users)


async def ask(database: Database, sql: str) -> Any:
    async with database.connection() as connection:
        return await connection.fetchval(sql)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of those that are run by name, except what the test itself emits."""
    run: list[str] = []
    for how in ("all", "maybe", "run", "count"):
        really = getattr(Statement, how)

        async def counted(self: Any, *args: Any, really: Any = really) -> Any:
            if not self.name.startswith(("engine.emit", "db.")):
                run.append(self.name)
            return await really(self, *args)

        monkeypatch.setattr(Statement, how, counted)
    return run


async def test_a_thousand_listeners_cost_two_queries_a_second(
    database: Database, statements: list[str]
) -> None:
    """However many events come meanwhile, for users and for operators."""
    users = [uuid4() for _ in range(LISTENERS - 50)]
    async with hub_on(database) as hub:
        began = time.monotonic()
        streams = await asyncio.gather(*(hub.stream_of_user(user) for user in users))
        opened = len(statements)
        assert opened <= LOOKS_PER_SECOND * (time.monotonic() - began) + LOOKS_AT_ONCE
        readers = [Reader(stream) for stream in streams]
        readers += [Reader(await hub.stream_of_operators()) for _ in range(50)]
        statements.clear()
        began = time.monotonic()
        sent = 0
        while time.monotonic() < began + SECONDS:
            events = [NewEvent("thing.happened", f"{sent}:{n}", {}, users[n::7]) for n in range(7)]
            async with database.transaction() as tx:
                await emit_many(tx, events)
            sent += 1
            await asyncio.sleep(0.05)
        for reader in readers:
            wanted = sent if isinstance(reader.stream, UserStream) else 7 * sent

            async def has_all(reader: Reader = reader, wanted: int = wanted) -> bool:
                return len(reader.told) >= wanted

            await eventually_async(has_all)
            assert len(reader.told) == wanted
        took = time.monotonic() - began
        looks = len([name for name in statements if name == "engine.look_for_events"])
        assert looks >= 2
        assert len(statements) <= LOOKS_PER_SECOND * took + LOOKS_AT_ONCE
        await hub.close()
        for reader in readers:
            await reader.ends()


@asynccontextmanager
async def ears(dsn: str) -> AsyncIterator[list[str]]:
    """What is notified, heard by somebody else."""
    heard: list[str] = []
    connection = await asyncpg.connect(dsn)
    try:
        for channel in ("handfast_events", "handfast_outbox"):
            await connection.add_listener(channel, lambda *told: heard.append(told[2]))
        yield heard
    finally:
        await connection.close()


async def test_only_who_sleeps_is_told(database: Database, dsn: str) -> None:
    async with ears(dsn) as heard, hub_on(database) as hub:
        await tell(database)
        assert await ask(database, ASLEEP) == 0
        assert heard == [], "nobody watches"
        reader = Reader(await hub.stream_of_operators())
        await eventually_async(lambda: ask(database, ASLEEP))
        await tell(database)
        await eventually_async(lambda: asyncio.sleep(0, heard))
        assert heard == ["handfast_events"]
        await reader.close()
        await eventually_async(
            lambda: _none(database, "SELECT count(*) FROM handfast_engine.sleepers")
        )


async def test_a_bulk_that_waited_for_a_user_tells_who_fell_asleep_meanwhile(
    database: Database, dsn: str
) -> None:
    """It waits for the row of a user; who marks itself asleep in that time has to be told."""
    user = uuid4()
    many = (
        "SELECT handfast_engine.emit_many('{thing.happened}', '{two}', ARRAY['{}'::jsonb],"
        " '{1}', ARRAY[$1::uuid])"
    )
    async with ears(dsn) as heard, Stage(dsn) as stage:
        first, bulk = await stage.sessions("first", "bulk")
        await first.begin()
        await first.run(
            "SELECT handfast_engine.emit('thing.happened', 'one', '{}', ARRAY[$1::uuid])", user
        )
        waiting = bulk.start(many, user)
        await stage.blocked("bulk", by="first")
        async with database.connection() as connection:
            await Sleeper("events").mark_asleep(connection)
        await first.commit()
        await waiting
        await first.run("NOTIFY handfast_outbox")  # ears hear in the order of the commits
        await eventually_async(lambda: asyncio.sleep(0, "handfast_outbox" in heard))
    assert heard == ["handfast_events", "handfast_outbox"]


async def test_a_busy_hub_is_not_told(database: Database) -> None:
    async with hub_on(database) as hub:
        reader = Reader(await hub.stream_of_operators())
        await eventually_async(lambda: ask(database, ASLEEP))

        async def awake() -> bool:
            await tell(database)
            return not await ask(database, ASLEEP)

        await eventually_async(awake)
        await reader.sees("one")
        await eventually_async(lambda: ask(database, ASLEEP))


async def calm(hub: Hub, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """It sleeps and hears, and does not look by itself any more, or only once."""
    await eventually_async(lambda: ask(database, ASLEEP))
    await eventually_async(lambda: asyncio.sleep(0, hub._listener and hub._listener.hears))
    monkeypatch.setattr(hub_module, "CALM_SECONDS", NEVER)
    hub._wait = NEVER


async def test_an_event_now_and_then_is_one_look(
    database: Database, statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told of each, it has a look left for the next: nobody waits for its rhythm."""
    monkeypatch.setattr(hub_module, "IN_A_ROW_SECONDS", 0.0)  # as if there were seconds between
    ann = uuid4()
    async with hub_on(database) as hub:
        reader = Reader(await hub.stream_of_user(ann))
        await calm(hub, database, monkeypatch)
        statements.clear()
        for number in range(5):
            await tell(database, ann, name=f"{number}")
            await reader.sees(f"{number}")
            assert hub._wait == NEVER
        assert len(statements) <= 5 + 1, "one for each, and the last of its own"


async def test_its_mark_is_renewed_though_every_look_finds_something(
    database: Database, statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would wear off, and nobody would tell a hub that waits to be told."""
    monkeypatch.setattr(hub_module, "IN_A_ROW_SECONDS", 0.0)
    monkeypatch.setattr(sleeper, "RENEW_SECONDS", 0.0)
    ann = uuid4()
    async with hub_on(database) as hub:
        reader = Reader(await hub.stream_of_user(ann))
        await calm(hub, database, monkeypatch)
        statements.clear()
        for number in range(3):
            await tell(database, ann, name=f"{number}")
            await reader.sees(f"{number}")
        # With every look but the first, whose mark may have been on its way before.
        assert statements.count("engine.mark_asleep") >= 2


async def test_a_backlog_of_many_pages_needs_no_telling(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = uuid4()
    async with hub_on(database) as hub:
        reader = Reader(await hub.stream_of_user(ann))
        await calm(hub, database, monkeypatch)
        async with database.transaction() as tx:
            events = [NewEvent("thing.happened", f"n:{n}", {}, [ann]) for n in range(3 * PAGE)]
            await emit_many(tx, events)
        await reader.sees(*(f"n:{n}" for n in range(3 * PAGE)))


async def test_the_mark_of_a_killed_process_wears_off(
    database: Database, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sleeper, "MARKED", sleeper.MARKED * 0)
    async with ears(dsn) as heard, hub_on(database, poll=0.05) as hub:
        reader = Reader(await hub.stream_of_operators())
        rows = "SELECT count(*) FROM handfast_engine.sleepers"
        await eventually_async(lambda: ask(database, rows))
        await tell(database)
        await reader.sees("one")  # by a look of its own
        assert heard == []


async def test_without_notifications_it_looks(database: Database) -> None:
    async with hub_on(database, listening=False) as hub:
        ann = uuid4()
        reader = Reader(await hub.stream_of_user(ann))
        await tell(database, ann)
        await reader.sees("one")
        assert await ask(database, "SELECT count(*) FROM handfast_engine.sleepers") == 0


async def test_one_that_is_never_read_is_dropped(database: Database) -> None:
    """And until then holds two pages at most, and nobody else back."""
    ann = uuid4()
    async with hub_on(database, poll=0.05, listening=False, patience=1.0) as hub:
        silent = await hub.stream_of_user(ann)
        reader = Reader(await hub.stream_of_user(ann))
        async with database.transaction() as tx:
            events = [NewEvent("thing.happened", f"n:{n}", {}, [ann]) for n in range(3 * PAGE)]
            await emit_many(tx, events)
        most = 0
        while not silent.ended:
            most = max(most, len(silent._unread))
            await asyncio.sleep(0.01)
        assert most <= 2 * PAGE
        await reader.sees(*(f"n:{n}" for n in range(3 * PAGE)))
        assert len(reader.told) == 3 * PAGE
        for _ in range(4):
            await hub.stream_of_user(ann)  # its place is free


async def test_a_slow_reader_misses_nothing(database: Database) -> None:
    ann = uuid4()
    async with hub_on(database) as hub:
        stream = await hub.stream_of_user(ann)
        async with database.transaction() as tx:
            events = [NewEvent("thing.happened", f"n:{n}", {}, [ann]) for n in range(3 * PAGE)]
            await emit_many(tx, events)
        seen = []
        async for message in stream.messages():
            if message is not None:
                seen.append(message.id)
            if len(seen) == 3 * PAGE:
                break
        assert seen == [str(n) for n in range(1, 3 * PAGE + 1)]


async def test_an_allowance_holds_in_the_long_run() -> None:
    allowance = Allowance(per_second=50.0, burst=3)
    began = time.monotonic()
    for _ in range(13):
        await allowance.take()
    assert time.monotonic() - began >= 0.19, "three at once, ten more in a fifth of a second"


async def _none(database: Database, sql: str) -> bool:
    return not await ask(database, sql)
