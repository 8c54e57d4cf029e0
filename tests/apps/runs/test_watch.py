"""Those who watch a run see its end, whoever else comes and goes."""

import asyncio

import pytest

from handfast.apps.runs.watch import Watch
from handfast.db.listen import Listener
from handfast.db.pool import Database
from tests.support.corpus import acme
from tests.support.runs_desk import RunsDesk


async def test_one_who_comes_as_the_last_one_leaves(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The looker has seen that nobody waits, and is closing its listener."""
    leaving = asyncio.Event()
    close = Listener.__aexit__

    async def slowly(self: Listener, *args: object) -> None:
        leaving.set()
        await asyncio.sleep(0.2)
        await close(self, *args)

    monkeypatch.setattr(Listener, "__aexit__", slowly)
    await acme(database)
    desk = RunsDesk(database)
    run = await desk.start()
    watch = Watch(database, database.target)
    try:
        first = watch.follow(run, silence=0.05)
        assert await anext(first) == run
        assert await anext(first) is None
        await first.aclose()
        await leaving.wait()

        async def end() -> str | None:
            last = None
            async for changed in watch.follow(run):
                last = changed or last
            return last and last.status

        watching = asyncio.create_task(end())
        async with desk.working():
            await desk.ended(run.run_id)
            assert await asyncio.wait_for(watching, 60) == "ready"
    finally:
        await watch.close()
