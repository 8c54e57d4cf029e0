"""Several schedulers on one tick: it fires once, and it is never lost."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import asyncpg
import pytest

from handfast import CatchUp, Handfast
from handfast.base.errors import HandfastError
from handfast.db import embedded
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.db.transaction import Queryable
from handfast.engine.jobs import metrics
from handfast.engine.schedules.declared import cron_spec
from handfast.engine.schedules.scheduler import Scheduler
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.schedules import KIND, jobs, program, rows, scheduler, ticks

START = datetime(2026, 3, 20, 8, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
async def frozen(database: Database) -> Database:
    await freeze(database, START)
    return database


@pytest.fixture
async def other(frozen: Database, dsn: str) -> AsyncIterator[Database]:
    """The same database, as another process would reach it."""
    async with await Database.open(Target(dsn)) as database:
        yield database


async def test_both_have_computed_the_tick_before_either_fires(
    frozen: Database, other: Database
) -> None:
    together = asyncio.Barrier(2)

    async def zones(_on: Queryable) -> list[str]:
        await together.wait()
        return ["UTC"]

    one, two = program(), program()
    for hf in (one, two):
        hf.daily("s", KIND, at=time(9), zones=zones)
    first, second = scheduler(frozen, one), scheduler(other, two)
    await asyncio.gather(first.run_once(), second.run_once())
    counted = metrics.CONFLICTS.labels(KIND)._value.get()
    done = await asyncio.gather(first.run_once(START + HOUR), second.run_once(START + HOUR))
    assert sorted(d.fired for d in done) == [0, 1]
    assert sorted(d.conflicts for d in done) == [0, 1]
    assert metrics.CONFLICTS.labels(KIND)._value.get() == counted + 1
    assert await jobs(frozen) == 1


FIRE = """
SELECT fired, skipped, conflicts, refused FROM handfast_engine.fire_ticks(
    's', $1, ARRAY['2026-03-20 09:00Z']::timestamptz[], ARRAY[''], ARRAY[NULL]::date[], ARRAY['k'],
    ARRAY['{}']::jsonb[], ARRAY[false], ARRAY[NULL]::text[], '2026-03-20 09:30Z',
    '2026-03-20 10:00Z')
"""


@pytest.mark.parametrize("first_commits", [True, False])
async def test_the_second_waits_for_the_first(
    frozen: Database, dsn: str, first_commits: bool
) -> None:
    """The tick, its job and the cursor are one: the second finds all of it, or none."""
    hf = program()
    hf.cron("s", KIND, "0 * * * *")
    await scheduler(frozen, hf).run_once()
    one, two = await asyncpg.connect(dsn), await asyncpg.connect(dsn)
    open_transaction = one.transaction()
    await open_transaction.start()
    assert tuple((await one.fetch(FIRE, 1))[0]) == (1, 0, 0, False)
    waiting = asyncio.create_task(two.fetch(FIRE, 1))
    blocked = "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'"
    await eventually_async(lambda: rows(frozen, blocked, two.get_server_pid()))
    assert await jobs(frozen) == 0
    if first_commits:
        await open_transaction.commit()
    else:
        await open_transaction.rollback()
    answer = await waiting
    assert tuple(answer[0]) == ((0, 0, 1, False) if first_commits else (1, 0, 0, False))
    assert len(await ticks(frozen, "s")) == await jobs(frozen) == 1
    assert tuple((await two.fetch(FIRE, 0))[0]) == (0, 0, 0, True), "computed from an old revision"
    await one.close()
    await two.close()


async def test_a_scheduler_that_is_behind_takes_nothing_back(
    frozen: Database, other: Database
) -> None:
    """It computed long ago, was stopped, and fires now: the cursor does not go back."""
    gate = asyncio.Event()
    gate.set()

    async def slowly(_on: Queryable) -> list[str]:
        await gate.wait()
        return ["UTC"]

    hf = program()
    hf.daily("s", KIND, at=time(9), zones=slowly, catch_up=CatchUp.all)
    fast, slow = scheduler(frozen, hf), scheduler(other, hf)
    await fast.run_once()
    await slow.run_once()
    gate.clear()
    behind = asyncio.create_task(slow.run_once(START + HOUR))
    await asyncio.sleep(0)
    ahead = asyncio.create_task(fast.run_once(START + 49 * HOUR))
    gate.set()
    late, early = await behind, await ahead
    assert late.fired + early.fired == 3
    (row,) = await rows(frozen, "SELECT cursor, next_at FROM handfast_engine.schedules")
    assert tuple(row) == (START + 49 * HOUR, datetime(2026, 3, 23, 9, tzinfo=UTC))
    assert len(await ticks(frozen, "s")) == 3


async def test_many_at_once(frozen: Database, dsn: str) -> None:
    """Eight schedulers, each with its own connections, over two days of hours."""
    async with AsyncExitStack() as stack:
        many: list[Scheduler] = []
        for _ in range(8):
            database = await stack.enter_async_context(
                await Database.open(Target(dsn), pool_size=2)
            )
            hf = program()
            hf.cron("s", KIND, "*/20 * * * *")
            hf.daily("d", KIND, at=time(9), zones=["Asia/Kathmandu", "UTC"])
            many.append(scheduler(database, hf))
        await asyncio.gather(*(one.run_once() for one in many))
        fired = 0
        for step in range(1, 145):
            now = START + step * timedelta(minutes=20)
            done = await asyncio.gather(*(one.run_once(now) for one in many))
            fired += sum(d.fired for d in done)
    expected = [START.replace(minute=40) + i * timedelta(minutes=20) for i in range(144)]
    assert await ticks(frozen, "s") == expected
    assert len(await ticks(frozen, "d")) == 4
    assert fired == await jobs(frozen) == 148


class Processes:
    """Three real schedulers, and a new one for each that is killed."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._running = [self._start() for _ in range(3)]
        self.kills = 0

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "tests.support.scheduler_process", self._dsn],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self, victim: int) -> None:
        self._running[victim].send_signal(signal.SIGKILL)
        self._running[victim].wait()
        self._running[victim] = self._start()
        self.kills += 1

    def end(self) -> None:
        for process in self._running:
            process.kill()
            process.wait()


async def reach(database: Database, until: datetime) -> datetime:
    async def reached() -> list[asyncpg.Record]:
        return await rows(
            database,
            "SELECT cursor FROM handfast_engine.schedules WHERE name = 'often' AND cursor >= $1",
            until,
        )

    return (await eventually_async(reached, within=60))[0]["cursor"]  # type: ignore[no-any-return]


async def test_processes_that_are_killed_anywhere(frozen: Database, dsn: str) -> None:
    """Three real processes over eight days of simulated time, killed at random with SIGKILL."""
    await rows(frozen, f"CREATE TABLE public.clock AS SELECT '{START}'::timestamptz AS at")
    chance = random.Random(20260320)  # noqa: S311
    processes = Processes(dsn)
    now = START
    try:
        seen = await reach(frozen, START)
        while now < START + timedelta(days=8) or processes.kills < 12:
            now += timedelta(minutes=chance.randint(1, 20))
            await rows(frozen, "UPDATE public.clock SET at = $1", now)
            await asyncio.sleep(chance.random() * 0.02)
            if chance.random() < 0.1:
                # Only when they have got on since the last time: a kill is to hit work.
                reached = await reach(frozen, START)
                if reached > seen:
                    processes.kill(chance.randrange(3))
                seen = reached
            if now - seen > timedelta(days=5):  # not so far behind that the cap comes into play
                seen = await reach(frozen, now - timedelta(days=1))
        await reach(frozen, now - timedelta(minutes=3))
    finally:
        processes.end()
    await scheduler(frozen, with_the_same_schedules()).run_once(now)
    expected = {
        "often": due("*/3 * * * *", "UTC", now),
        "rarely": due("30 2 * * *", "Europe/Berlin", now),
    }
    for name, instants in expected.items():
        assert await ticks(frozen, name) == instants, "each once, none lost"
    assert await jobs(frozen) == sum(len(instants) for instants in expected.values())


def due(expression: str, zone: str, until: datetime) -> list[datetime]:
    line = cron_spec(expression, zone, CatchUp.all).lines()[0]
    found = [line.after(START).at]
    while (following := line.after(found[-1]).at) <= until:
        found.append(following)
    return found


def with_the_same_schedules() -> Handfast:
    hf = program()
    hf.cron("often", KIND, "*/3 * * * *", catch_up=CatchUp.all)
    hf.cron("rarely", KIND, "30 2 * * *", zone="Europe/Berlin", catch_up=CatchUp.all)
    return hf


async def test_the_database_crashes_and_comes_back(
    tmp_path: Path, postgres_bin: Path | None
) -> None:
    """An own server, stopped with ``-m immediate`` under a running scheduler."""
    server = EmbeddedServer(tmp_path / "pg", bin_dir=postgres_bin)
    await asyncio.to_thread(server.start)
    try:
        target = Target(server.dsn(), revive=server.ensure)
        async with await Database.open(target) as database:
            await migrate(database)
            hf = program()
            hf.cron("s", KIND, "* * * * *")
            one = scheduler(database, hf, poll=0.05)
            task = asyncio.create_task(one.run())

            async def known() -> bool:
                return bool(await rows(database, "SELECT 1 FROM handfast_engine.schedules"))

            await eventually_async(known)
            now = embedded.status(tmp_path / "pg")
            assert now is not None
            assert now.postmaster_pid is not None
            (row,) = await rows(database, "SELECT pg_postmaster_start_time() AS started")
            os.kill(now.postmaster_pid, signal.SIGQUIT)  # what pg_ctl -m immediate sends

            async def back() -> bool:
                try:
                    (new,) = await rows(database, "SELECT pg_postmaster_start_time() AS started")
                except (HandfastError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                    return False
                return bool(new["started"] > row["started"])

            await eventually_async(back)
            await rows(
                database,
                "UPDATE handfast_engine.schedules SET next_at = NULL, revision = revision + 1, "
                "cursor = handfast_db.now() - interval '61 seconds'",
            )
            await eventually_async(lambda: ticks(database, "s"))
            one.stop()
            await asyncio.wait_for(task, 60)
    finally:
        await asyncio.to_thread(server.stop)
