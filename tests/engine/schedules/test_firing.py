"""The scheduler at work: following what is stored, minding its own faults, waking in time."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, time, timedelta

import asyncpg
import pytest

from handfast import CatchUp, Tick
from handfast.base.errors import NotFound
from handfast.db.pool import Database
from handfast.db.transaction import Queryable
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.errors import ScheduleInvalid
from handfast.engine.host import Host
from handfast.engine.jobs import metrics
from handfast.engine.schedules.scheduler import POLL_SECONDS, TICKS_KEPT, Scheduler
from handfast.engine.schedules.store import (
    ScheduleView,
    list_schedules,
    next_ticks,
    pause_schedule,
    resume_schedule,
)
from tests.support import hosts
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.schedules import KIND, jobs, program, rows, scheduler, skips, ticks

START = datetime(2026, 3, 20, 8, 30, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
async def frozen(database: Database) -> Database:
    await freeze(database, START)
    return database


async def view(database: Database, name: str = "s") -> ScheduleView:
    async with database.connection() as connection:
        return next(v for v in await list_schedules(connection) if v.name == name)


@asynccontextmanager
async def running(one: Scheduler) -> AsyncIterator[Scheduler]:
    task = asyncio.create_task(one.run())
    try:
        yield one
    finally:
        one.stop()
        await asyncio.wait_for(task, 60)


# --- one look ---------------------------------------------------------------------------------


async def test_a_tick_makes_its_job(frozen: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "*/5 * * * *")
    one = scheduler(frozen, hf)
    first = await one.run_once()
    assert (first.fired, first.wait) == (0, 15.0)
    assert (await one.run_once(START + timedelta(minutes=4, seconds=55))).wait == 5.0
    assert (await one.run_once(START + 5 * MINUTE)).fired == 1
    (job,) = await rows(
        frozen,
        "SELECT kind, key, due_at, priority FROM handfast_engine.live",
    )
    assert tuple(job) == (KIND, "s:2026-03-20T08:35:00Z", START + 5 * MINUTE, 20)


async def test_a_naive_time_is_refused(frozen: Database) -> None:
    with pytest.raises(ScheduleInvalid, match="has no time zone"):
        await scheduler(frozen, program()).run_once(START.replace(tzinfo=None))


async def test_a_changed_specification_keeps_the_cursor(frozen: Database) -> None:
    before, after = program(), program()
    before.cron("s", KIND, "0 * * * *", catch_up=CatchUp.all)
    after.cron("s", KIND, "15,45 * * * *", catch_up=CatchUp.all)
    await scheduler(frozen, before).run_once()
    await freeze(frozen, START + timedelta(hours=1))
    await scheduler(frozen, after).run_once()
    assert await ticks(frozen, "s") == [START + 15 * MINUTE, START + 45 * MINUTE]
    found = await view(frozen)
    assert found.words == "at minutes 15 and 45 of every hour, UTC time"


async def test_an_old_program_follows_what_the_new_one_declared(frozen: Database) -> None:
    before, after = program(), program()
    before.cron("s", KIND, "0 * * * *")
    after.cron("s", KIND, "45 * * * *")
    old, new = scheduler(frozen, before), scheduler(frozen, after)
    await old.run_once()
    await new.run_once()
    assert (await old.run_once(START + 15 * MINUTE)).fired == 1
    assert (await old.run_once(START + 30 * MINUTE)).fired == 0
    assert await ticks(frozen, "s") == [START + 15 * MINUTE]


async def test_a_daily_tick_that_is_moved_happens_once_a_day(frozen: Database) -> None:
    nine, ten = program(), program()
    nine.daily("s", KIND, at=time(9), zones=["UTC"])
    ten.daily("s", KIND, at=time(10), zones=["UTC"])
    one = scheduler(frozen, nine)
    await one.run_once()
    assert (await one.run_once(START + 31 * MINUTE)).fired == 1
    other = scheduler(frozen, ten)
    assert (await other.run_once(START + timedelta(hours=2))).fired == 0
    assert (await other.run_once(START + timedelta(hours=26))).fired == 1
    days = await rows(frozen, "SELECT day FROM handfast_engine.ticks ORDER BY day")
    assert [row["day"] for row in days] == [date(2026, 3, 20), date(2026, 3, 21)]


async def test_a_next_tick_from_older_tables_is_computed_again(frozen: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "0 * * * *")
    await scheduler(frozen, hf).run_once()
    await rows(frozen, "UPDATE handfast_engine.schedules SET next_at = next_at + interval '1 year'")
    await scheduler(frozen, hf).run_once()
    assert (await view(frozen)).next_at == START + 30 * MINUTE


async def test_zones_from_a_query(frozen: Database) -> None:
    await rows(frozen, "CREATE TABLE people (zone text)")
    await rows(frozen, "INSERT INTO people VALUES ('UTC'), ('UTC'), ('Mars/Base'), (NULL)")
    hf = program()
    hf.daily("s", KIND, at=time(9), zones="SELECT zone FROM people")
    one = scheduler(frozen, hf)
    await one.run_once()
    await rows(frozen, "INSERT INTO people VALUES ('Asia/Kathmandu')")  # 09:00 is 03:15 UTC
    done = await one.run_once(START + timedelta(hours=1))
    assert (done.fired, done.failed) == (1, 0)
    assert (await one.run_once(START + timedelta(hours=20))).fired == 1
    async with frozen.connection() as connection:
        upcoming = await next_ticks(connection, "s", 3)
    assert [zone for _, zone in upcoming] == ["UTC", "Asia/Kathmandu", "UTC"]


async def test_zones_from_the_program(frozen: Database) -> None:
    zones = ["UTC"]

    async def in_use(on: Queryable) -> Iterable[str]:
        assert await on.fetchval("SELECT 1") == 1
        return zones

    hf = program()
    hf.daily("s", KIND, at=time(9), zones=in_use)
    one = scheduler(frozen, hf)
    await one.run_once()
    zones.append("Europe/Berlin")  # 09:00 was 08:00 UTC: before it was in use
    assert (await one.run_once(START + timedelta(hours=1))).fired == 1
    zones.clear()
    assert (await one.run_once(START + timedelta(days=1))).fired == 0
    assert (await view(frozen)).next_at is None


async def test_one_bad_schedule_does_not_stop_the_others(frozen: Database) -> None:
    fine = False

    def payload(_tick: Tick) -> dict[str, int]:
        if not fine:
            raise OSError("the network is down")
        return {}

    hf = program()
    hf.cron("a", KIND, "0 * * * *", payload=payload, catch_up=CatchUp.all)
    hf.daily("b", KIND, at=time(9), zones="SELECT zone FROM nowhere")
    hf.cron("c", KIND, "0 * * * *")
    one = scheduler(frozen, hf)
    await one.run_once()
    for hours in (1, 2):
        done = await one.run_once(START + timedelta(hours=hours))
        assert (done.fired, done.failed) == (1, 2)
    assert await ticks(frozen, "a") == []
    fine = True
    assert (await one.run_once(START + timedelta(hours=3))).fired == 4, "nothing was lost"


async def test_a_specification_from_the_future_does_not_stop_the_others(frozen: Database) -> None:
    hf = program()
    hf.cron("a", KIND, "0 * * * *")
    hf.cron("b", KIND, "0 * * * *")
    one = scheduler(frozen, hf)
    await one.run_once()
    await rows(
        frozen,
        """UPDATE handfast_engine.schedules SET spec = '{"type": "moon"}' WHERE name = 'a'""",
    )
    done = await one.run_once(START + timedelta(hours=1))
    assert (done.fired, done.failed) == (1, 1)


async def test_a_shared_key_is_one_job(frozen: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "*/10 * * * *", key=lambda tick: str(tick.day), catch_up=CatchUp.all)
    one = scheduler(frozen, hf)
    await one.run_once()
    counted = metrics.CONFLICTS.labels(KIND)._value.get()
    done = await one.run_once(START + timedelta(hours=1))
    assert (done.fired, await jobs(frozen)) == (6, 1)
    assert metrics.CONFLICTS.labels(KIND)._value.get() > counted


# --- pausing and looking ----------------------------------------------------------------------


@pytest.mark.parametrize("catch_up", [False, True])
async def test_pause_and_resume(frozen: Database, catch_up: bool) -> None:
    hf = program()
    hf.cron("s", KIND, "*/10 * * * *", catch_up=CatchUp.all)
    one = scheduler(frozen, hf)
    await one.run_once()
    async with frozen.connection() as connection:
        assert (await pause_schedule(connection, "s")).paused
        assert (await pause_schedule(connection, "s")).paused
    await freeze(frozen, START + timedelta(hours=1))
    assert (await one.run_once()).fired == 0
    assert (await view(frozen)).late_by is None
    async with frozen.connection() as connection:
        assert not (await resume_schedule(connection, "s", catch_up=catch_up)).paused
    assert (await one.run_once()).fired == (6 if catch_up else 0)
    await freeze(frozen, START + timedelta(hours=1, minutes=10))
    assert (await one.run_once()).fired == 1
    assert await skips(frozen, "s") == []


async def test_pausing_what_is_not_there(frozen: Database) -> None:
    async with frozen.connection() as connection:
        with pytest.raises(NotFound, match="no schedule 'x'"):
            await pause_schedule(connection, "x")
        with pytest.raises(NotFound, match="handfast schedules list"):
            await next_ticks(connection, "x", 1)


async def test_a_pause_between_computing_and_firing_wins(frozen: Database) -> None:
    hf = program()

    async def paused_meanwhile(on: Queryable) -> list[str]:
        await pause_schedule(on, "s")
        return ["UTC"]

    hf.daily("s", KIND, at=time(9), zones=paused_meanwhile)
    done = await scheduler(frozen, hf).run_once(START + timedelta(hours=1))
    assert (done.fired, done.wait) == (0, 0.0)
    assert await jobs(frozen) == 0


async def test_what_others_see(frozen: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "*/10 * * * *", catch_up=CatchUp.within(MINUTE))
    one = scheduler(frozen, hf)
    await one.run_once()
    found = await view(frozen)
    assert found == ScheduleView(
        name="s",
        kind=KIND,
        words="every 10th minute of every hour, UTC time",
        cursor=START,
        next_at=START + 10 * MINUTE,
        last_tick=None,
        last_fired=None,
        last_skipped=None,
        paused=False,
        declared=True,
        late_by=None,
    )
    await freeze(frozen, START + 13 * MINUTE)
    found = await view(frozen)
    assert (found.late_by, found.declared) == (3 * MINUTE, False)
    await one.run_once()
    found = await view(frozen)
    assert (found.late_by, found.declared, found.last_fired) == (None, True, None)
    assert found.last_tick == START + 10 * MINUTE
    assert found.last_skipped == "missed by more than 0:01:00: too late to catch up"
    assert found.next_at == START + 20 * MINUTE


# --- the loop ---------------------------------------------------------------------------------


async def soon(database: Database, name: str) -> None:
    """Let a schedule's cursor be a little in the past, so that a tick is due now."""
    await rows(
        database,
        "UPDATE handfast_engine.schedules SET cursor = handfast_db.now() - interval '61"
        " seconds', next_at = NULL, "
        "revision = revision + 1 "
        "WHERE name = $1",
        name,
    )


async def test_the_loop_fires_on_time_and_stops(database: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "* * * * *")
    await scheduler(database, hf).run_once()
    await soon(database, "s")
    async with running(scheduler(database, hf)):
        await eventually_async(lambda: ticks(database, "s"))


async def test_it_wakes_when_a_schedule_is_resumed(database: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "* * * * *")
    await scheduler(database, hf).run_once()
    async with database.connection() as connection:
        await pause_schedule(connection, "s")
    await soon(database, "s")
    crew = Crew(hf.kinds, WorkerOptions(lanes=()), schedules=hf.schedules)
    async with hosts.running(Host(database, database.target, [crew])) as host:
        await eventually_async(lambda: asyncio.sleep(0, host.listener.hears))
        assert await ticks(database, "s") == []
        async with database.connection() as connection:
            await resume_schedule(connection, "s", catch_up=True)
        within = POLL_SECONDS / 2  # it was told, and did not look by chance
        await eventually_async(lambda: ticks(database, "s"), within=within)


async def test_it_takes_up_what_is_declared_later(database: Database) -> None:
    hf = program()
    async with running(scheduler(database, hf, poll=0.05)):
        hf.cron("s", KIND, "* * * * *")
        await eventually_async(lambda: rows(database, "SELECT 1 FROM handfast_engine.schedules"))
        await soon(database, "s")
        await eventually_async(lambda: ticks(database, "s"))


async def test_it_survives_losing_its_connections(database: Database, dsn: str) -> None:
    hf = program()
    hf.cron("s", KIND, "* * * * *")
    async with running(scheduler(database, hf, poll=0.05)):
        await eventually_async(lambda: rows(database, "SELECT 1 FROM handfast_engine.schedules"))
        admin = await asyncpg.connect(dsn)
        for _ in range(5):
            await admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            await asyncio.sleep(0)
        await admin.execute(
            "UPDATE handfast_engine.schedules SET next_at = NULL, cursor = handfast_db.now() -"
            " interval '61 seconds'"
        )

        async def fired() -> bool:
            return bool(await admin.fetchval("SELECT count(*) FROM handfast_engine.ticks"))

        await eventually_async(fired)
        await admin.close()


async def test_old_ticks_are_dropped_and_do_not_fire_again(frozen: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "0 * * * *", catch_up=CatchUp.all)
    await scheduler(frozen, hf).run_once()
    await freeze(frozen, START + timedelta(days=2))
    assert (await scheduler(frozen, hf).run_once()).fired == 48
    await freeze(frozen, START + timedelta(days=3) + TICKS_KEPT)
    crew = Crew(program().kinds, WorkerOptions(lanes=()))
    async with hosts.running(Host(frozen, frozen.target, [crew])):

        async def gone() -> bool:
            return await ticks(frozen, "s") == []

        await eventually_async(gone)
    assert (await scheduler(frozen, hf).run_once(START + timedelta(days=2))).fired == 0
