"""Two weeks of downtime, in frozen time, for every policy."""

from datetime import UTC, datetime, time, timedelta

import pytest

from handfast import CatchUp, Handfast
from handfast.db.pool import Database
from handfast.engine.schedules import catch_up
from handfast.engine.schedules.scheduler import Scheduler
from handfast.engine.schedules.zones import zone
from tests.support.clock import freeze
from tests.support.schedules import KIND, jobs, program, rows, scheduler, skips, ticks

START = datetime(2026, 3, 20, 12, 0, 30, tzinfo=UTC)
FORTNIGHT = timedelta(days=14)
BACK = START + FORTNIGHT + timedelta(minutes=7)


async def away(database: Database, hf: Handfast) -> Scheduler:
    """A scheduler that declares, is down for two weeks and seven minutes, and comes back."""
    await freeze(database, START)
    assert (await scheduler(database, hf).run_once()).fired == 0, "no flood from the epoch"
    await freeze(database, BACK)
    return scheduler(database, hf)


async def priorities(database: Database) -> list[tuple[datetime, int]]:
    found = await rows(
        database, "SELECT due_at, priority FROM handfast_engine.live ORDER BY due_at"
    )
    return [(row["due_at"], row["priority"]) for row in found]


async def cursor(database: Database, name: str) -> datetime:
    found = await rows(
        database, "SELECT cursor FROM handfast_engine.schedules WHERE name = $1", name
    )
    return found[0]["cursor"]  # type: ignore[no-any-return]


async def test_latest(database: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "0 * * * *")
    back = await away(database, hf)
    done = await back.run_once()
    assert (done.fired, done.skipped, done.conflicts) == (1, 14 * 24 - 1, 0)
    assert await ticks(database, "s") == [BACK.replace(minute=0, second=0)]
    assert set(await skips(database, "s")) == {
        "missed, and a later tick was due: only the latest is caught up"
    }
    assert await cursor(database, "s") == BACK
    again = await back.run_once()
    assert (again.fired, again.skipped, again.conflicts) == (0, 0, 0)


async def test_all_below_live_work(database: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "*/5 * * * *", catch_up=CatchUp.all)
    back = await away(database, hf)
    live = BACK.replace(minute=10, second=20)
    await freeze(database, live)
    done = await back.run_once()
    assert (done.fired, done.skipped) == (14 * 288 + 2, 0)
    fired = await ticks(database, "s")
    first = datetime(2026, 3, 20, 12, 5, tzinfo=UTC)
    assert fired == [first + i * timedelta(minutes=5) for i in range(14 * 288 + 2)]
    found = await priorities(database)
    assert {priority for _, priority in found[:-1]} == {50}, "caught up: background"
    assert found[-1] == (live.replace(second=0), 20), "on time: as the kind says"


async def test_within_a_window(database: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "0 * * * *", catch_up=CatchUp.within(timedelta(hours=6)))
    done = await (await away(database, hf)).run_once()
    assert (done.fired, done.skipped) == (6, 14 * 24 - 6)
    assert (await ticks(database, "s"))[0] == BACK.replace(minute=0, second=0) - timedelta(hours=5)
    assert set(await skips(database, "s")) == {"missed by more than 6:00:00: too late to catch up"}


async def test_a_short_window_does_not_refuse_what_is_on_time(database: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "* * * * *", catch_up=CatchUp.within(timedelta(seconds=1)))
    await freeze(database, START)
    one = scheduler(database, hf)
    await one.run_once()
    assert (await one.run_once(START + timedelta(seconds=59))).fired == 1


async def test_capped(database: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "0 * * * *", catch_up=CatchUp.all.capped(10))
    done = await (await away(database, hf)).run_once()
    assert (done.fired, done.skipped) == (10, 14 * 24 - 10)
    assert (await ticks(database, "s"))[-1] == BACK.replace(minute=0, second=0), "the newest"
    assert set(await skips(database, "s")) == {"missed with more than 10 later ones: over the cap"}


async def test_the_record_of_skips_is_bounded_too(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catch_up, "SKIPS_RECORDED_MAX", 20)
    hf = program()
    hf.cron("s", KIND, "* * * * *")
    done = await (await away(database, hf)).run_once()
    assert (done.fired, done.skipped) == (1, 20)
    oldest, *rest = await skips(database, "s")
    assert oldest.endswith("; so were all before it")
    assert not any("before it" in skip for skip in rest)
    assert await cursor(database, "s") == BACK


@pytest.mark.parametrize(
    ("policy", "fired", "skipped"),
    [
        (CatchUp.latest, 1, 13),
        (CatchUp.all, 14, 0),
        (CatchUp.within(timedelta(days=3)), 3, 11),
        (CatchUp.all.capped(5), 5, 9),
    ],
)
async def test_daily_in_many_zones(
    database: Database, policy: CatchUp, fired: int, skipped: int
) -> None:
    """Across the change to summer time, in each zone by itself."""
    zones = ["Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Chatham", "UTC"]
    hf = program()
    hf.daily("s", KIND, at=time(9), zones=zones, catch_up=policy)
    back = await away(database, hf)
    done = await back.run_once()
    assert (done.fired, done.skipped) == (fired * len(zones), skipped * len(zones))
    assert await jobs(database) == fired * len(zones)
    found = await rows(
        database, "SELECT zone, day, tick FROM handfast_engine.ticks ORDER BY zone, day"
    )
    for row in found:
        local = row["tick"].astimezone(zone(row["zone"]))
        assert (local.date(), local.time()) == (row["day"], time(9))
    assert len({(row["zone"], row["day"]) for row in found}) == 14 * len(zones)
    keys = await rows(database, "SELECT key FROM handfast_engine.jobs WHERE key LIKE '%Kathmandu'")
    assert {row["key"] for row in keys} <= {
        f"s:2026-{day}:Asia/Kathmandu"
        for day in (*(f"03-{d}" for d in range(21, 32)), "04-01", "04-02", "04-03")
    }


async def test_restarts_that_outpace_the_interval_still_fire(database: Database) -> None:
    """Every hour, on a scheduler that never lives for more than ten minutes."""
    hf = program()
    hf.cron("s", KIND, "0 * * * *")
    for minutes in range(0, 180, 10):
        await freeze(database, START + timedelta(minutes=minutes))
        await scheduler(database, hf).run_once()
    assert len(await ticks(database, "s")) == 2
    await freeze(database, START + timedelta(minutes=180))
    await scheduler(database, hf).run_once()
    assert len(await ticks(database, "s")) == 3
    assert await skips(database, "s") == []


async def test_a_year_of_every_minute_is_caught_up_in_bounded_time(database: Database) -> None:
    hf = program()
    hf.cron("s", KIND, "* * * * *", zone="Europe/Berlin", catch_up=CatchUp.all)
    await freeze(database, START)
    await scheduler(database, hf).run_once()
    await freeze(database, START + timedelta(days=365))
    done = await scheduler(database, hf).run_once()
    assert (done.fired, done.skipped) == (catch_up.CAP, catch_up.SKIPS_RECORDED_MAX)
