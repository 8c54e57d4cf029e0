"""Those who watch a run see its end, whoever else comes and goes."""

import asyncio

import pytest

from handfast.apps.runs.watch import Watch
from handfast.db.listen import Listener
from handfast.db.pool import Database
from handfast.engine.streams import hub as hubs
from handfast.engine.streams.hub import Hub
from tests.support.corpus_rows import acme
from tests.support.eventually import eventually_async
from tests.support.runs_harness import RunsHarness


async def test_one_who_comes_as_the_last_one_leaves(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hub has seen that nobody waits, and nobody listens any more."""
    monkeypatch.setattr(hubs, "SOON_SECONDS", 600.0)  # the end is heard, not looked for
    await acme(database)
    desk = RunsHarness(database)
    run = await desk.start()
    listener = Listener(database.target)
    hub = Hub(database, listener, poll=600.0)
    watch = Watch(hub)
    async with listener:
        first = watch.follow(run, silence=0.05)
        assert await anext(first) == run
        assert await anext(first) is None
        await first.aclose()
        hub.wake()
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
        await hub.close()


async def test_many_watchers_are_one_query(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await acme(database)
    desk = RunsHarness(database)
    run = await desk.start()
    hub = Hub(database, None)
    watch = Watch(hub)
    looks = 0
    really = Watch.look

    async def counted(self: Watch, on: object) -> bool:
        nonlocal looks
        looks += 1
        return await really(self, on)  # type: ignore[arg-type]

    monkeypatch.setattr(Watch, "look", counted)
    began = asyncio.get_running_loop().time()

    async def end() -> None:
        async for _ in watch.follow(run):
            pass

    watchers = [asyncio.create_task(end()) for _ in range(200)]
    async with desk.working():
        async with asyncio.timeout(60):
            await asyncio.gather(*watchers)
    took = asyncio.get_running_loop().time() - began
    await hub.close()
    assert 1 <= looks <= hubs.LOOKS_PER_SECOND * took + hubs.LOOKS_AT_ONCE
