"""LISTEN survives its connection, and wakes everybody when it comes back."""

import asyncio

import pytest

from handfast.base.telemetry import LISTENER_RECONNECTS
from handfast.db.connect import Target
from handfast.db.listen import Listener
from handfast.db.pool import Database
from tests.support.eventually import eventually_async

pytestmark = pytest.mark.on_lowest


async def test_notifications_arrive_and_survive_a_cut(database: Database, dsn: str) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    listener = Listener(Target(dsn))
    listener.subscribe("jobs", heard.put_nowait)
    async with listener:
        assert await asyncio.wait_for(heard.get(), 60) == "", "woken once on connecting"
        await notify(database, "first")
        assert await asyncio.wait_for(heard.get(), 60) == "first"

        await cut_listeners(database)
        assert await asyncio.wait_for(heard.get(), 60) == "", "woken again: some may be lost"
        await asyncio.wait_for(listener.connected.wait(), 60)
        await notify(database, "second")
        assert await asyncio.wait_for(heard.get(), 60) == "second"


async def test_a_storm_of_cuts_is_survived(database: Database, dsn: str) -> None:
    """Also a cut that comes between connecting and listening, where asyncpg has its own words."""
    heard: asyncio.Queue[str] = asyncio.Queue()
    listener = Listener(Target(dsn))
    for number in range(100):  # so that many cuts fall between connecting and being ready
        listener.subscribe(f"other_{number}", lambda _: None)
    listener.subscribe("jobs", heard.put_nowait)
    async with listener, database.connection() as connection:
        for _ in range(200):
            await connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )

        async def delivered() -> bool:
            await notify(database, "still there")
            return not heard.empty() and heard.get_nowait() == "still there"

        await eventually_async(delivered)


async def test_leaving_closes_the_connection(database: Database, dsn: str) -> None:
    listener = Listener(Target(dsn))
    listener.subscribe("jobs", lambda _: None)
    async with listener:
        await asyncio.wait_for(listener.connected.wait(), 60)

    async def none_left() -> bool:
        return await listeners(database) == 0

    await eventually_async(none_left)


async def test_it_listens_to_what_is_subscribed_to_meanwhile(database: Database, dsn: str) -> None:
    first: list[str] = []
    second: list[str] = []
    listener = Listener(Target(dsn))
    async with listener:
        assert await listeners(database) == 0, "for nobody there is no connection"
        end = listener.subscribe("jobs", first.append)
        await eventually_async(lambda: asyncio.sleep(0, first == [""]))
        end_more = listener.subscribe("jobs", second.append)
        await notify(database, "news")
        await eventually_async(lambda: asyncio.sleep(0, first[1:] == second == ["news"]))
        end()
        await notify(database, "more")
        await eventually_async(lambda: asyncio.sleep(0, second == ["news", "more"]))
        assert first == ["", "news"]
        end_more()
        await eventually_async(lambda: asyncio.sleep(0, not listener.connected.is_set()))
        before = LISTENER_RECONNECTS._value.get()
        listener.subscribe("jobs", first.append)
        await eventually_async(lambda: asyncio.sleep(0, listener.connected.is_set()))
        assert LISTENER_RECONNECTS._value.get() == before, "it was not broken"


async def test_it_hears_when_its_own_word_has_arrived(database: Database, dsn: str) -> None:
    listener = Listener(Target(dsn), through=database)
    believed: list[bool] = []  # at each new connection: a look from outside may miss the moment
    listener.subscribe("jobs", lambda _: believed.append(listener.hears))
    async with listener:
        await eventually_async(lambda: asyncio.sleep(0, listener.hears))
        assert believed == [False]
        await cut_listeners(database)
        await eventually_async(lambda: asyncio.sleep(0, len(believed) == 2 and listener.hears))
        assert believed == [False, False], "what was heard before the cut proves nothing"
    assert not listener.hears


async def test_it_does_not_believe_that_it_hears(database: Database, empty_dsn: str) -> None:
    """What we say there is not heard here: as behind a pooler."""
    listener = Listener(Target(empty_dsn), through=database)
    listener.subscribe("jobs", lambda _: None)
    async with listener:
        await asyncio.wait_for(listener.connected.wait(), 60)
        await asyncio.sleep(0.3)
        assert not listener.hears


async def notify(database: Database, payload: str) -> None:
    async with database.connection() as connection:
        await connection.execute("SELECT pg_notify('jobs', $1)", payload)


async def listeners(database: Database) -> int:
    async with database.connection() as connection:
        found: int = await connection.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'handfast-listener'"
            " AND datname = current_database()"
        )
        return found


async def cut_listeners(database: Database) -> None:
    async with database.connection() as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'handfast-listener' AND datname = current_database()"
        )
