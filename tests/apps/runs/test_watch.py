"""Those who watch a run see its end, whoever else comes and goes."""

import asyncio

import pytest

from handfast.apps.runs import watch as watching
from handfast.apps.runs.watch import Watch
from handfast.db.listen import Listener
from handfast.db.pool import Database
from tests.support.corpus_rows import acme
from tests.support.eventually import eventually_async
from tests.support.runs_harness import RunsHarness


async def test_one_who_comes_as_the_last_one_leaves(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The looker has seen that nobody waits, and nobody listens any more."""
    monkeypatch.setattr(watching, "LOOK_SECONDS", 600.0)  # the end is heard, not looked for
    await acme(database)
    desk = RunsHarness(database)
    run = await desk.start()
    listener = Listener(database.target)
    watch = Watch(database, listener)
    async with listener:
        first = watch.follow(run, silence=0.05)
        assert await anext(first) == run
        assert await anext(first) is None
        await first.aclose()
        await eventually_async(lambda: asyncio.sleep(0, not listener.connected.is_set()))

        async def end() -> str | None:
            last = None
            async for changed in watch.follow(run):
                last = changed or last
            return last and last.status

        seen = asyncio.create_task(end())
        await asyncio.wait_for(listener.connected.wait(), 60)
        async with desk.working():
            await desk.ended(run.run_id)
            assert await asyncio.wait_for(seen, 60) == "ready"
        await watch.close()
