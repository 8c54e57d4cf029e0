"""LISTEN survives its connection, and wakes everybody when it comes back."""

import asyncio

from handfast.db.connect import Target
from handfast.db.listen import Listener
from handfast.db.pool import Database
from tests.support.eventually import eventually_async


async def test_notifications_arrive_and_survive_a_cut(database: Database, dsn: str) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    listener = Listener(Target(dsn))
    listener.subscribe("jobs", heard.put_nowait)
    async with listener:
        assert await asyncio.wait_for(heard.get(), 5) == "", "woken once on connecting"
        await notify(database, "first")
        assert await asyncio.wait_for(heard.get(), 5) == "first"

        await cut_listeners(database)
        assert await asyncio.wait_for(heard.get(), 5) == "", "woken again: some may be lost"
        await asyncio.wait_for(listener.connected.wait(), 5)
        await notify(database, "second")
        assert await asyncio.wait_for(heard.get(), 5) == "second"


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
        await asyncio.wait_for(listener.connected.wait(), 5)

    async def none_left() -> bool:
        return await listeners(database) == 0

    await eventually_async(none_left)


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
