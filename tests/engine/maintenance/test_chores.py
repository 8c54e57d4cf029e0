"""The one loop for what is done now and then: who does it, when, and what failures do to it."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import asyncpg
import pytest

from handfast.db.pool import Database
from handfast.engine.maintenance import chores
from handfast.engine.maintenance.chores import Chore, ChoreLoop, in_batches, take_turns
from tests.support.eventually import eventually_async

SOON = timedelta(seconds=0.05)
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chores, "SETTLED_SECONDS", 0.03)
    monkeypatch.setattr(chores, "AGAIN_SECONDS", 0.05)
    monkeypatch.setattr(chores, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(chores, "BATCH_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(chores, "TOGETHER_SECONDS", 0.05)


@asynccontextmanager
async def going(database: Database, *wanted: Chore) -> AsyncIterator[ChoreLoop]:
    loop = ChoreLoop(database, wanted)
    loop.start()
    try:
        yield loop
    finally:
        await loop.stop()


async def until(true: Callable[[], bool]) -> None:
    await eventually_async(lambda: asyncio.sleep(0, true()))


async def test_each_process_does_its_own_and_one_of_the_fleet_the_others(
    database: Database,
) -> None:
    done: list[str] = []

    def chore(name: str, *, once_per_fleet: bool) -> Chore:
        async def work() -> None:
            done.append(name)

        return Chore(name, work, HOUR, once_per_fleet=once_per_fleet)

    mine, shared = chore("mine", once_per_fleet=False), chore("shared", once_per_fleet=True)
    async with going(database, mine, shared), going(database, mine, shared):
        await until(lambda: done.count("mine") == 2 and "shared" in done)
        await asyncio.sleep(0.2)
    assert sorted(done) == ["mine", "mine", "shared"]


async def test_it_is_done_again_and_again_and_by_nobody_while_it_runs(database: Database) -> None:
    running = peak = times = 0

    async def work() -> None:
        nonlocal running, peak, times
        running, times = running + 1, times + 1
        peak = max(peak, running)
        await asyncio.sleep(0.07)  # longer than its interval
        running -= 1

    async with going(database, Chore("often", work, SOON, once_per_fleet=False)):
        await until(lambda: times >= 4)
    assert peak == 1


async def test_one_that_takes_long_keeps_nobody_waiting(database: Database) -> None:
    quick = 0

    async def endless() -> None:
        await asyncio.Event().wait()

    async def work() -> None:
        nonlocal quick
        quick += 1

    async with going(
        database, Chore("endless", endless, SOON), Chore("quick", work, SOON, once_per_fleet=False)
    ):
        await until(lambda: quick >= 3)


async def test_a_walk_goes_on_in_batches_and_keeps_its_turn(database: Database) -> None:
    left = [3, 2, 1, 0]
    walkers: set[int] = set()

    def walk(walker: int) -> Chore:
        async def batch(_on: object) -> bool:
            walkers.add(walker)
            return left.pop(0) > 0

        return Chore("walk", in_batches(database, batch), HOUR)

    async with going(database, walk(1)), going(database, walk(2)):
        await until(lambda: not left)
    assert len(walkers) == 1


async def test_a_turn_that_failed_is_tried_again_by_who_has_it(database: Database) -> None:
    """It was taken for an hour: nobody else would come."""
    tries = 0

    async def work() -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise asyncpg.DeadlockDetectedError("somebody was in the way")

    async with going(database, Chore("hourly", work, HOUR)):
        await until(lambda: tries == 3)


async def test_the_first_of_a_process_has_an_interval_of_its_own(database: Database) -> None:
    done = 0

    async def work() -> None:
        nonlocal done
        done += 1

    chore = Chore("repair", work, HOUR, at_start=SOON)
    async with going(database, chore):
        await until(lambda: done == 1)
    await asyncio.sleep(0.1)
    async with going(database, chore):
        await until(lambda: done == 2)
        await asyncio.sleep(0.2)
    assert done == 2, "and then it is once an hour"


async def test_the_others_are_told_how_long_it_is(database: Database) -> None:
    async with database.connection() as connection:
        wanted = {"b": HOUR, "a": SOON}
        first = await take_turns(connection, wanted)
        assert [first[name].ours for name in wanted] == [True, True]
        second = await take_turns(connection, wanted)
    assert not second["b"].ours
    assert 3590 < second["b"].wait <= 3600


async def test_due_turns_are_asked_for_together(database: Database) -> None:
    """One statement, however many capabilities there are."""
    done: list[str] = []

    def chore(name: str) -> Chore:
        async def work() -> None:
            done.append(name)

        return Chore(name, work, HOUR)

    async def asked() -> int:
        async with database.connection() as connection:
            times = await connection.fetch("SELECT DISTINCT done_at FROM handfast_engine.chores")
        return len(times)

    async with going(database, *(chore(f"c{n}") for n in range(10))):
        await until(lambda: len(done) == 10)
    assert await asked() == 1


async def test_somebody_who_knows_better_hurries_it(database: Database) -> None:
    done: list[float] = []

    async def work() -> None:
        done.append(time.monotonic())

    async with going(database, Chore("due", work, HOUR, once_per_fleet=False)) as loop:
        await until(lambda: len(done) == 1)
        loop.hurry("due")
        await until(lambda: len(done) == 2)


async def test_who_hurries_it_while_it_runs_is_heard(database: Database) -> None:
    """What runs has looked before: it runs once more, at once, and then as it says."""
    begun, told = 0, asyncio.Event()

    async def work() -> float:
        nonlocal begun
        begun += 1
        await told.wait()
        return HOUR.total_seconds()

    chore = Chore("due", work, HOUR, once_per_fleet=False)
    async with going(database, chore) as loop:
        await until(lambda: begun == 1)
        loop.hurry("due")
        told.set()
        await until(lambda: begun == 2)
        (kept,) = loop._kept
        await until(lambda: kept.task is None)
        assert kept.due > time.monotonic() + 3000, "heard once"
    assert begun == 2


async def test_short_ones_go_one_after_the_other(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that one connection is enough for all of them."""
    # They are short whatever the machine does meanwhile: nobody is to lose patience over it.
    monkeypatch.setattr(chores, "PATIENCE_SECONDS", 600.0)
    running = peak = done = 0

    def chore(name: str) -> Chore:
        async def work() -> None:
            nonlocal running, peak, done
            running += 1
            peak = max(peak, running)
            await asyncio.sleep(0.01)
            running, done = running - 1, done + 1

        return Chore(name, work, HOUR, once_per_fleet=False)

    async with going(database, *(chore(f"c{n}") for n in range(5))):
        await until(lambda: done == 5)
    assert peak == 1
