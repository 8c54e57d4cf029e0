"""What planning and finding gaps cost, and how that grows.

planning
    fixtures stored and planned by one call of the command (`upsert_fixtures`: three jobs each, with
    anchors, prerequisites, deadlines and decisions), in sizes up to 100,000; then the same call
    again, which finds nothing to do. The bar: a fixture costs at most 1.5 times as much among
    100,000 as among 10,000.
gaps
    the engine's search over the three expectations of football, every fixture in their windows, one
    in a thousand of the jobs missing, among 1 M jobs. Beside it a bare anti-join of the same size:
    the fixtures that have no row in `handfast_engine.jobs`, for each step. The bar: at most 3 times
a usual hour
    the same search, and the hourly planning, with 300 fixtures in the windows, among 10,000 jobs
    and among 1 M, in turns. The bar: at most 1.5 times.

    python bench/fixtures.py                  # some minutes, some gigabytes
    python bench/fixtures.py --scale 0.01     # does it run?
    python bench/fixtures.py --data FOLDER    # real seasons instead: see fixtures_seasons

Medians of several rounds, on one durable server. Exits with 2 if a bar is missed.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import uvloop

from bench import fixtures_seasons
from handfast.apps.fixtures.commands import upsert_fixtures
from handfast.apps.fixtures.pipelines.expectations import football
from handfast.apps.fixtures.pipelines.pipeline import FOOTBALL, declare_pipelines
from handfast.apps.fixtures.pipelines.planning import repair
from handfast.apps.fixtures.values import FixtureRow, Status
from handfast.base.logs import LogFormat, LogLevel, configure_logs
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.gaps.listing import list_gaps

SIZES = (1_000, 10_000, 100_000)
JOBS = 1_000_000
HOUR_FIXTURES = 300  # a weekend of many leagues
ROUNDS = 5
HOUR_ROUNDS = 25  # of some milliseconds each
TEAMS = 2_000

ANTI_JOIN = """
SELECT count(*) FROM handfast_fixtures.fixtures AS f
WHERE NOT EXISTS (
    SELECT 1 FROM handfast_engine.jobs AS j WHERE j.kind = $1 AND j.key = $2 || '-' || f.id
)
"""


def rows(count: int, first: datetime, name: str) -> list[FixtureRow]:
    """Kickoffs four seconds apart."""
    return [
        FixtureRow(
            external_id=f"{name}-{n}",
            competition="bench",
            season="2026",
            round=None,
            home=f"team {n % TEAMS}",
            away=f"team {(n * 7 + 1) % TEAMS}x",
            kickoff=first + timedelta(seconds=n * 4),
            kickoff_local=None,
            status=Status.SCHEDULED,
            home_goals=None,
            away_goals=None,
            source="bench",
        )
        for n in range(count)
    ]


async def clock(work: Callable[[], Awaitable[Any]]) -> float:
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started


async def median(work: Callable[[], Awaitable[Any]]) -> float:
    await work()
    return statistics.median([await clock(work) for _ in range(ROUNDS)])


async def clear(database: Database) -> None:
    async with database.connection() as connection:
        await connection.execute(
            "TRUNCATE handfast_fixtures.fixtures, handfast_fixtures.teams,"
            " handfast_fixtures.team_names, handfast_fixtures.decisions,"
            " handfast_fixtures.outputs, handfast_fixtures.result_changes,"
            " handfast_engine.jobs, handfast_engine.live, handfast_engine.anchors,"
            " handfast_engine.prerequisites"
        )


async def planning(database: Database, sizes: list[int]) -> list[dict[str, float]]:
    found = []
    for size in sizes:
        await clear(database)
        given = rows(size, datetime.now(UTC) + timedelta(days=10), "p")

        async def ingest(given: list[FixtureRow] = given) -> None:
            async with database.transaction() as tx:
                await upsert_fixtures(tx, given)

        first, again = await clock(ingest), await clock(ingest)
        async with database.connection() as connection:
            jobs = await connection.fetchval("SELECT count(*) FROM handfast_engine.live")
        assert jobs == 3 * size
        found.append({"fixtures": size, "seconds": first, "again": again})
        print(
            f"planning {size:>8,} fixtures: {first:7.2f} s ({first / size * 1e6:6.1f} us each), "
            f"again {again:6.2f} s"
        )
    return found


async def fill(database: Database, jobs: int) -> None:
    """Fixtures that all kick off within twelve hours, and their jobs, but one in a thousand."""
    await clear(database)
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO handfast_fixtures.teams (name) SELECT 'team ' || n FROM"
            " generate_series(1, 2) n"
        )
        await tx.execute(
            "INSERT INTO handfast_fixtures.fixtures (external_id, competition_id, season,"
            " home_id, away_id,"
            " kickoff, source, created_at, updated_at)"
            " SELECT 'f' || n, 'bench', '2026', (SELECT min(id) FROM handfast_fixtures.teams),"
            " (SELECT max(id) FROM handfast_fixtures.teams),"
            " now() + interval '1 h' + n * interval '1 h' * 10 / $1, 'bench', now(), now()"
            " FROM generate_series(1, $1::int) AS n",
            jobs // 3,
        )
        for step in FOOTBALL.steps:
            await tx.execute(
                "WITH made AS (INSERT INTO handfast_engine.jobs (kind, key, enqueued_at)"
                " SELECT $1, $2 || '-' || f.id, now() FROM handfast_fixtures.fixtures AS f"
                " WHERE f.id % 1000 <> 0 RETURNING id, kind, key)"
                " INSERT INTO handfast_engine.live (id, token, due_at, first_due_at, state,"
                " kind, key,"
                " payload, lane) SELECT m.id, 0, now() + interval '1 h', now(), 'scheduled',"
                " m.kind, m.key, '{}', 'fixtures' FROM made AS m",
                step.kind,
                step.name,
            )
    async with database.connection() as connection:
        await connection.execute("VACUUM ANALYZE")


async def gaps(database: Database) -> dict[str, float]:
    expectations = Expectations().with_these(football())

    async def search() -> None:
        reports = await list_gaps(database, expectations, limit=100)
        assert all(report.missing > 0 for report in reports)

    async def bare() -> None:
        async with database.connection() as connection:
            for step in FOOTBALL.steps:
                assert await connection.fetchval(ANTI_JOIN, step.kind, step.name) > 0

    found = {"search": await median(search), "bare": await median(bare)}
    found["ratio"] = found["search"] / found["bare"]
    print(
        f"gaps: {found['search']:.2f} s, a bare anti-join {found['bare']:.2f} s: "
        f"{found['ratio']:.2f} times"
    )
    return found


async def quieten(database: Database) -> None:
    """All but a weekend's worth are moved out of the windows."""
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_fixtures.fixtures SET kickoff = kickoff + interval '30 days'"
            " WHERE id > (SELECT min(id) + $1 FROM handfast_fixtures.fixtures)",
            HOUR_FIXTURES,
        )
    async with database.connection() as connection:
        await connection.execute("VACUUM ANALYZE")
        await connection.execute("CHECKPOINT")  # or it is written while we measure


async def usual_hour(few: Database, many: Database) -> dict[str, dict[str, float]]:
    """In turns, and the ratio of each turn: what else the machine does then, it does to both."""
    expectations = Expectations().with_these(football())
    works: dict[str, Callable[[Database], Awaitable[Any]]] = {
        "search": partial(list_gaps, expectations=expectations),
        "planning": repair,
    }
    found: dict[str, dict[str, float]] = {}
    for name, work in works.items():
        for database in (few, many):  # plans, caches
            await work(database)
        pairs = [
            (await clock(partial(work, few)), await clock(partial(work, many)))
            for _ in range(HOUR_ROUNDS)
        ]
        found[name] = {
            "few": statistics.median(one for one, _ in pairs),
            "many": statistics.median(other for _, other in pairs),
            "ratio": statistics.median(other / one for one, other in pairs),
        }
        print(
            f"a usual hour's {name}: {found[name]['few'] * 1e3:.1f} ms among few jobs, "
            f"{found[name]['many'] * 1e3:.1f} ms among many"
        )
    return found


async def prepare(database: Database) -> None:
    await migrate(database)
    async with database.transaction() as tx:
        await declare_pipelines(tx, [FOOTBALL])
        await tx.execute(
            "INSERT INTO handfast_fixtures.competitions (id, name) VALUES ('bench', 'bench')"
        )


async def measure(database: Database, small: Database, scale: float) -> dict[str, Any]:
    await prepare(database)
    await prepare(small)
    found: dict[str, Any] = {
        "planning": await planning(database, [max(100, int(size * scale)) for size in SIZES])
    }
    jobs = int(JOBS * scale)
    await fill(small, max(jobs // 100, 3000))
    await fill(database, max(jobs, 3000))
    found["gaps"] = await gaps(database)
    await quieten(small)
    await quieten(database)
    found["hour"] = await usual_hour(small, database)
    each = [one["seconds"] / one["fixtures"] for one in found["planning"]]
    found["bars"] = {
        "planning grows by": (each[-1] / each[-2], 1.5),
        "gaps to a bare anti-join": (found["gaps"]["ratio"], 3.0),
        "a usual hour's search": (found["hour"]["search"]["ratio"], 1.5),
        "a usual hour's planning": (found["hour"]["planning"]["ratio"], 1.5),
    }
    return found


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--data", type=Path, help="a folder of football.json files")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    configure_logs(LogLevel.ERROR, LogFormat.TEXT)
    with (
        tempfile.TemporaryDirectory(prefix="handfast-bench-") as folder,
        EmbeddedServer(Path(folder) / "data") as server,
    ):
        async with await Database.open(Target(server.dsn())) as database:
            async with database.connection() as connection:
                await connection.execute("CREATE DATABASE small")
            async with await Database.open(Target(server.dsn("small"))) as small:
                if given.data:
                    await migrate(database)
                    await migrate(small)
                    scratch = Path(folder) / "to-come"
                    found = await fixtures_seasons.measure(database, small, given.data, scratch)
                else:
                    found = await measure(database, small, given.scale)
        server.stop(wait=True)
    missed = False
    for name, (value, bar) in found.get("bars", {}).items():
        print(f"{name}: {value:.2f} (at most {bar})")
        missed |= value > bar
    if given.json:
        given.json.write_text(json.dumps(found, indent=2))
    return 2 if missed and given.scale >= 1 else 0


if __name__ == "__main__":
    sys.exit(uvloop.run(main()))
