"""What real seasons cost: `python bench/fixtures.py --data FOLDER`.

Every file of the folder, first as it is (most was played) and then in another database as if all
was still to come, on a clock that stands still a month before the first kickoff: ingested, ingested
again, and again with every document forgotten, so that it is read as if it were new. Then the
search for gaps, 47 hours before some kickoffs of days around a change of the clock, and how many of
these matches there are.
"""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bench import seasons
from handfast.apps.fixtures.ingest.ingest import IngestReport, ingest
from handfast.apps.fixtures.pipelines.expectations import football
from handfast.db.pool import Database
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.gaps.listing import list_gaps

LOOKS = 20  # for gaps


async def measure(
    played: Database, to_come: Database, folder: Path, scratch: Path
) -> dict[str, Any]:
    found: dict[str, Any] = {"files": len(seasons.files(folder))}
    found["played"] = await _ingested("played", played, folder)
    copies = seasons.as_to_come(folder, scratch)
    async with played.connection() as connection:
        first = await connection.fetchval("SELECT min(kickoff) FROM handfast_fixtures.fixtures")
    await _freeze(to_come, first - timedelta(days=30))
    found["to come"] = await _ingested("to come", to_come, copies)
    found["gaps"] = await _gaps(to_come)
    return found


async def _ingested(name: str, database: Database, folder: Path) -> dict[str, Any]:
    first, report = await _timed(database, folder)
    again, same = await _timed(database, folder)
    async with database.connection() as connection:
        await connection.execute("TRUNCATE handfast_fixtures.readings")
    anew, _ = await _timed(database, folder)
    assert (same.created, same.changed, same.unchanged) == (0, 0, report.created)
    print(
        f"{name}: {report.created:,} fixtures of {report.documents} files, {report.untimed:,} "
        f"without a time, {len(report.rejects)} rejected, {report.planned.planned:,} jobs: "
        f"{first:.1f} s; unchanged {again:.2f} s, read again {anew:.1f} s"
    )
    return {
        "fixtures": report.created,
        "untimed": report.untimed,
        "rejects": len(report.rejects),
        "jobs": report.planned.planned,
        "seconds": first,
        "unchanged": again,
        "read again": anew,
    }


async def _timed(database: Database, folder: Path) -> tuple[float, IngestReport]:
    started = time.perf_counter()
    report = await ingest(database, [str(folder)])
    return time.perf_counter() - started, report


async def _gaps(database: Database) -> dict[str, Any]:
    async with database.connection() as connection:
        rows = await connection.fetch(
            "SELECT f.kickoff, c.zone FROM handfast_fixtures.fixtures AS f JOIN"
            " handfast_fixtures.competitions AS c"
            " ON c.id = f.competition_id WHERE f.kickoff IS NOT NULL ORDER BY f.kickoff"
        )
    near = [kickoff for kickoff, zone in rows if _clock_changes(kickoff, ZoneInfo(zone))]
    missing, seconds = 0, 0.0
    looks = near[:: max(1, len(near) // LOOKS)]
    for kickoff in looks:
        await _freeze(database, kickoff - timedelta(hours=47))
        started = time.perf_counter()
        reports = await list_gaps(database, Expectations().with_these(football()))
        seconds += time.perf_counter() - started
        missing += sum(report.missing for report in reports)
    print(
        f"{len(near):,} kickoffs within a day of a change of the clock; {missing} gaps in "
        f"{len(looks)} looks, {seconds / len(looks) * 1e3:.0f} ms each"
    )
    return {"near a change": len(near), "looks": len(looks), "missing": missing, "seconds": seconds}


def _clock_changes(at: datetime, zone: ZoneInfo) -> bool:
    around = (at + timedelta(days=n) for n in (-1, 1))
    return len({one.astimezone(zone).utcoffset() for one in around}) > 1


async def _freeze(database: Database, at: datetime) -> None:
    async with database.connection() as connection:
        name = await connection.fetchval("SELECT quote_ident(current_database())")
        instant = at.astimezone(UTC).isoformat()
        await connection.execute(f"ALTER DATABASE {name} SET handfast.now = '{instant}'")
    await database.renew_connections()
