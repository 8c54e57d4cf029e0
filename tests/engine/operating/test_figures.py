"""Figures over time, as they are read."""

import asyncio
from datetime import UTC, datetime, time, timedelta

import asyncpg
import pytest

from handfast.base.errors import InvalidRequest
from handfast.db.pool import Database
from handfast.engine.maintenance.retention import Retention
from handfast.engine.operating.figures import (
    KEPT,
    figures_of_kinds,
    quantile,
    read_figures,
    tick_days,
)
from handfast.engine.schedules.store import declare_schedules, late_ticks
from handfast.engine.work.tally import BOUNDS, Tally, note_figures
from tests.support import schedules
from tests.support.clock import freeze

pytestmark = pytest.mark.on_every_postgres

NOW = datetime(2026, 2, 19, 9, 0, 30, tzinfo=UTC)


async def done(database: Database, at: datetime, kind: str, seconds: list[float]) -> None:
    await freeze(database, at)
    tally = Tally()
    tally.succeeded(kind, seconds)
    async with database.connection() as connection:
        await note_figures(connection, tally.take())


async def test_by_the_minute_and_by_larger_steps(database: Database) -> None:
    for minutes in (65, 10, 9, 0):
        await done(database, NOW - timedelta(minutes=minutes), "f.a", [0.2, 0.2])
    await done(database, NOW, "f.b", [2.0])
    async with database.connection() as connection:
        hour = await read_figures(connection)
        assert [(one.at.minute, one.succeeded) for one in hour.points] == [(50, 2), (51, 2), (0, 3)]
        one = await read_figures(connection, kind="f.b")
        assert [(point.succeeded, point.mean_seconds) for point in one.points] == [(1, 2.0)]
        wide = await read_figures(
            connection, since=NOW - KEPT, until=NOW + timedelta(minutes=1), step=timedelta(hours=1)
        )
        assert [(point.at.hour, point.succeeded) for point in wide.points] == [
            (7, 2),
            (8, 4),
            (9, 3),
        ]
        kinds = await figures_of_kinds(connection)
    assert [(kind.kind, kind.succeeded) for kind in kinds] == [("f.a", 6), ("f.b", 1)]
    assert kinds[0].p95_seconds == pytest.approx(0.48)  # within its bucket, 0.1 to 0.5


async def test_refused(database: Database) -> None:
    async with database.connection() as connection:
        for since, until, step in (
            (NOW - KEPT, NOW, timedelta(minutes=1)),  # too many points
            (NOW, NOW, timedelta(minutes=1)),
            (NOW - timedelta(days=400), NOW, timedelta(days=1)),
            (NOW - timedelta(hours=1), NOW, timedelta(seconds=10)),
        ):
            with pytest.raises(InvalidRequest):
                await read_figures(connection, since=since, until=until, step=step)
        with pytest.raises(InvalidRequest):
            await figures_of_kinds(connection, since=NOW - timedelta(days=2), until=NOW)


def test_quantiles() -> None:
    nothing = [0] * (len(BOUNDS) + 1)
    assert quantile(nothing, 0.5) is None
    assert quantile([10, *nothing[1:]], 0.5) == pytest.approx(0.005)
    assert quantile([*nothing[:-1], 3], 0.95) == BOUNDS[-1]
    assert quantile([5, 5, *nothing[2:]], 1.0) == pytest.approx(0.05)


async def test_kept_for_14_days(database: Database) -> None:
    await done(database, NOW - KEPT - timedelta(minutes=2), "f.a", [0.2])
    await done(database, NOW, "f.a", [0.2])
    await Retention(database).forget()
    async with database.connection() as connection:
        kept = "SELECT DISTINCT minute FROM handfast_engine.figures"
        assert [row[0] for row in await connection.fetch(kept)] == [NOW.replace(second=0)]


async def test_ticks_expected_and_fired(database: Database) -> None:
    """Three days of a schedule that ticks every six hours: caught up after downtime, then late."""
    hf = schedules.program()
    hf.cron("sixes", schedules.KIND, "0 */6 * * *")
    await freeze(database, datetime(2026, 2, 17, 0, 30, tzinfo=UTC))
    async with database.connection() as connection:
        await declare_schedules(connection, hf.schedules)
    one = schedules.scheduler(database, hf)
    for hours in (6, 12, 18):
        await one.run_once(datetime(2026, 2, 17, hours, 1, tzinfo=UTC))
    await one.run_once(datetime(2026, 2, 18, 18, 1, tzinfo=UTC))  # of 4, the last
    await freeze(database, datetime(2026, 2, 19, 6, 30, tzinfo=UTC))  # and nobody has looked since
    async with database.connection() as connection:
        days = await tick_days(connection)
    assert [
        (one.day.day, one.expected, one.fired, one.caught_up, one.skipped, one.late) for one in days
    ] == [(17, 3, 3, 0, 0, 0), (18, 4, 1, 0, 3, 0), (19, 2, 0, 0, 0, 2)]


# --- late, as far as anybody knows ------------------------------------------------------------

BEGAN = datetime(2026, 2, 17, 0, 30, tzinfo=UTC)


async def declared(database: Database) -> None:
    """One with a query, one that a later release stored, and a plain one after both."""
    await schedules.rows(database, "CREATE TABLE people AS SELECT 'UTC' AS zone")
    hf = schedules.program()
    hf.daily("asking", schedules.KIND, at=time(9), zones="SELECT zone FROM people")
    hf.cron("later", schedules.KIND, "0 0 * * *")
    hf.cron("sixes", schedules.KIND, "0 */6 * * *")
    await freeze(database, BEGAN)
    await schedules.scheduler(database, hf).run_once()


async def late(database: Database, **options: float) -> dict[str, int]:
    async with database.connection() as connection:
        found = [name for name, _ in await late_ticks(connection, **options)]
    return {name: found.count(name) for name in found}


async def test_one_that_cannot_be_read_hides_no_other(database: Database) -> None:
    await declared(database)
    await freeze(database, BEGAN + timedelta(days=1))
    assert await late(database) == {"asking": 1, "later": 1, "sixes": 4}
    await schedules.rows(database, "DROP TABLE people")
    await schedules.rows(
        database,
        """UPDATE handfast_engine.schedules SET spec = '{"type": "moon"}' WHERE name = 'later'""",
    )
    assert await late(database) == {"sixes": 4}


async def test_one_that_does_not_answer_hides_no_other(database: Database, dsn: str) -> None:
    await declared(database)
    await freeze(database, BEGAN + timedelta(days=1))
    elsewhere = await asyncpg.connect(dsn)
    async with asyncio.timeout(60), elsewhere.transaction():
        await elsewhere.execute("LOCK TABLE people")
        assert await late(database, answer_within=0.2) == {"later": 1, "sixes": 4}
    await elsewhere.close()


async def test_one_that_no_program_has_any_more_is_not_late(database: Database) -> None:
    """A release left two out, and its scheduler runs; then that stops too, and is waited for."""
    await declared(database)
    hf = schedules.program()
    hf.cron("sixes", schedules.KIND, "0 */6 * * *")
    await freeze(database, BEGAN + timedelta(days=1))
    await schedules.scheduler(database, hf).run_once()
    assert await late(database) == {}
    await freeze(database, BEGAN + timedelta(days=2))
    assert await late(database) == {"sixes": 4}
