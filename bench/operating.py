"""What an operator's questions cost when there are millions of jobs.

Every answer behind the operators' pages, among 5,000 jobs and among 5,000,000, in two databases of
one embedded server that take turns: a tenth ready, two tenths waiting for their time, a tenth dead
and the rest finished, with 14 days of figures and of runs. The bars: at 5 M at most 100 ms each
(the median), at most 3 times as much as at 5 k, and as many statements.

    python bench/operating.py                  # the whole thing: some minutes, some gigabytes
    python bench/operating.py --jobs 100000    # does it run?
    python bench/operating.py --keep FOLDER    # fills the databases there once, and asks again

The jobs are put into the tables by set operations: it is their presence that is measured.
Statements are counted on the connection. An answer that takes less than 2 ms at 5 k is compared
with 2 ms: below that a ratio says more about the machine than about the answer.
"""

import argparse
import contextlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import uvloop

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.bulk.records import PREVIEW_ROWS, list_bulk
from handfast.engine.operating.bulk.request import BulkAction, BulkFilter, BulkRequest
from handfast.engine.operating.bulk.scans import scan
from handfast.engine.operating.dead_letters import FAR, DeadFilter, list_dead
from handfast.engine.operating.figures import figures_of_kinds, read_figures, tick_days
from handfast.engine.operating.identity_view import view_identity
from handfast.engine.operating.jobs_view import JobFilter, get_job, list_jobs
from handfast.engine.operating.pauses import list_pauses
from handfast.engine.operating.stats import stats_on
from handfast.engine.operating.why import why
from handfast.wiring import chosen

SMALL, LARGE = 5_000, 5_000_000
ROUNDS = 15
MILLISECONDS_MAX = 100.0
RATIO_MAX = 3.0
FLOOR = 2.0  # milliseconds

LIVE = """
    WITH made AS (
        INSERT INTO handfast_engine.jobs (kind, key, enqueued_at)
        SELECT 'bench.' || g % 10, lpad(g::text, 8, '0'), now() - interval '1 hour'
        FROM generate_series(1, $1::int) AS g
        RETURNING id, kind, key
    )
    INSERT INTO handfast_engine.live (id, token, due_at, first_due_at, state, kind, key, payload)
    SELECT id, 0, now() + CASE WHEN id % 3 = 0 THEN interval '0' ELSE interval '30 days' END, now(),
           CASE WHEN id % 3 = 0 THEN 'ready' ELSE 'scheduled' END::handfast_engine.job_state, kind,
           key, '{"n": 1}' FROM made
"""
ENDED = """
    WITH made AS (
        INSERT INTO handfast_engine.jobs (
            kind, key, enqueued_at, finished_at, state, came_from, token
        )
        SELECT 'bench.' || g % 10, 'e' || lpad(g::text, 8, '0'), now() - interval '15 days',
               now() - g % 1209600 * interval '1 s',
               CASE WHEN $3 THEN 'dead' ELSE 'succeeded' END::handfast_engine.job_state, 'running',
               1
        FROM generate_series($1::int, $2::int) AS g
        RETURNING id, kind, key, finished_at
    ), tried AS (
        INSERT INTO handfast_engine.attempts (job_id, token, finished_at, attempt, outcome, kind,
                                              payload)
        SELECT id, 1, finished_at, 1,
               CASE WHEN $3 THEN 'failed' ELSE 'succeeded' END::handfast_engine.outcome, kind,
               '{"n": 1}' FROM made
    )
    INSERT INTO handfast_engine.dead (
        job_id, died_at, kind, key, lane, error_class, error, attempt, job
    )
    SELECT id, finished_at - id * interval '1 ms', kind, key, 'default', 'logic', 'boom ' || id, 1,
           '{}'
    FROM made WHERE $3
"""
FIGURES = """
    INSERT INTO handfast_engine.figures (kind, minute, succeeded, failed, seconds, buckets)
    SELECT k.kind, m.minute, 100, 1, 5, '{10,20,30,20,10,5,3,1,1,0}'
    FROM (SELECT '' AS kind UNION ALL SELECT 'bench.' || g FROM generate_series(0, 9) AS g) AS k,
         generate_series(
             date_trunc('minute', now()) - interval '14 days', now(), '1 minute'
         ) AS m(minute)
"""


class Counted:
    """A connection that counts what is asked of it."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.statements = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._connection, name)
        if name in ("fetch", "fetchrow", "fetchval", "execute"):

            async def counted(*args: Any, **options: Any) -> Any:
                self.statements += 1
                return await found(*args, **options)

            return counted
        return found


Question = Callable[[Database, Any, dict[str, int]], Awaitable[Any]]


def counting(action: BulkAction, **where: Any) -> Question:
    """What a preview asks."""
    request = BulkRequest(action, BulkFilter(**where))
    return lambda _db, on, _ids: scan(on, request, FAR, None, PREVIEW_ROWS)


ON = chosen()
QUESTIONS: dict[str, Question] = {
    "why a ready job does not run": lambda _db, on, ids: why(on, ids["ready"]),
    "why a waiting job does not run": lambda _db, on, ids: why(on, ids["scheduled"]),
    "why a dead letter does not run": lambda _db, on, ids: why(on, ids["dead"]),
    "one job": lambda _db, on, ids: get_job(on, ids["ready"]),
    "one identity whole": lambda _db, on, ids: view_identity(on, ON, ids["dead"]),
    "jobs, newest": lambda _db, on, _ids: list_jobs(on, JobFilter()),
    "jobs of a kind": lambda _db, on, _ids: list_jobs(on, JobFilter(kind="bench.3")),
    "jobs that are ready": lambda _db, on, _ids: list_jobs(on, JobFilter(state=JobState.READY)),
    "jobs that were cancelled: none": lambda _db, on, _ids: list_jobs(
        on, JobFilter(state=JobState.CANCELLED)
    ),
    "jobs of a lane: none": lambda _db, on, _ids: list_jobs(on, JobFilter(lane="nobody")),
    "jobs by their key": lambda _db, on, _ids: list_jobs(on, JobFilter(key="e0000")),
    "dead letters of a kind": lambda _db, on, _ids: list_dead(on, DeadFilter(kind="bench.3")),
    "dead letters of a class: none": lambda _db, on, _ids: list_dead(
        on, DeadFilter(error_class="data")
    ),
    "dead letters": lambda _db, on, _ids: list_dead(on, DeadFilter()),
    "dead letters with a text": lambda _db, on, _ids: list_dead(on, DeadFilter(text="boom 7")),
    "dead letters with a text: none": lambda _db, on, _ids: list_dead(on, DeadFilter(text="bang")),
    "preview: requeue all": counting(BulkAction.REQUEUE),
    "preview: requeue a kind": counting(BulkAction.REQUEUE, kind="bench.3"),
    "preview: cancel a kind": counting(BulkAction.CANCEL, kind="bench.3"),
    "preview: cancel all": counting(BulkAction.CANCEL),
    "bulk actions": lambda _db, on, _ids: list_bulk(on),
    "pauses": lambda _db, on, _ids: list_pauses(on),
    "figures of an hour": lambda _db, on, _ids: read_figures(on),
    "figures of each kind": lambda _db, on, _ids: figures_of_kinds(on),
    "ticks by day": lambda _db, on, _ids: tick_days(on),
    "stats": lambda _db, on, _ids: stats_on(on),
}


class Office:
    """A database with jobs in it."""

    def __init__(self, dsn: str, jobs: int) -> None:
        self.dsn = dsn
        self.jobs = jobs
        self.ids: dict[str, int] = {}

    async def open(self) -> None:
        """Migrated, and filled if it is empty."""
        async with await Database.open(Target(self.dsn)) as database:
            await migrate(database)
        connection = await asyncpg.connect(self.dsn)
        try:
            if not await connection.fetchval("SELECT EXISTS (SELECT FROM handfast_engine.jobs)"):
                print(f"filling {self.jobs:,} jobs", flush=True)
                await self._fill(connection)
            await self._find(connection)
        finally:
            await connection.close()

    async def _fill(self, connection: Any) -> None:
        async with connection.transaction():
            await connection.execute("SELECT handfast_engine.make_partitions(1)")
            await connection.execute(LIVE, self.jobs * 3 // 10)
            dead = self.jobs // 10
            for first in range(1, self.jobs * 7 // 10 + 1, 500_000):
                last = min(first + 499_999, self.jobs * 7 // 10)
                for low, high, died in (
                    (first, min(last, dead), True),
                    (max(first, dead + 1), last, False),
                ):
                    if low <= high:
                        await connection.execute(ENDED, low, high, died)
            await connection.execute(FIGURES)
        await connection.execute("VACUUM ANALYZE")

    async def _find(self, connection: Any) -> None:
        for state in ("ready", "scheduled"):
            self.ids[state] = await connection.fetchval(
                "SELECT max(id) FROM handfast_engine.live WHERE state::text = $1", state
            )
        self.ids["dead"] = await connection.fetchval("SELECT max(job_id) FROM handfast_engine.dead")


async def made(server: EmbeddedServer, name: str) -> str:
    """The address of the database, which is made unless it was kept."""
    admin = await asyncpg.connect(server.dsn())
    try:
        if not await admin.fetchval(
            "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name
        ):
            await admin.execute(f"CREATE DATABASE {name}")
    finally:
        await admin.close()
    return server.dsn(database=name)


async def asked(database: Database, office: Office, question: Question) -> tuple[float, int]:
    """Milliseconds, and statements that went over the connection that it was given."""
    async with database.connection() as connection:
        counted = Counted(connection)
        began = time.perf_counter()
        await question(database, counted, office.ids)
        return (time.perf_counter() - began) * 1000, counted.statements


async def measured(small: Office, large: Office) -> list[dict[str, Any]]:
    found = []
    async with (
        await Database.open(Target(small.dsn)) as few,
        await Database.open(Target(large.dsn)) as many,
    ):
        for name, question in QUESTIONS.items():
            times: dict[int, list[float]] = {small.jobs: [], large.jobs: []}
            statements: dict[int, set[int]] = {small.jobs: set(), large.jobs: set()}
            for turn in range(ROUNDS + 2):
                for database, office in ((few, small), (many, large)):
                    took, count = await asked(database, office, question)
                    if turn >= 2:  # plans are made and pages are read by then
                        times[office.jobs].append(took)
                        statements[office.jobs].add(count)
            before, after = (statistics.median(one) for one in times.values())
            row = {
                "answer": name,
                "small_ms": round(before, 2),
                "large_ms": round(after, 2),
                "ratio": round(after / max(before, FLOOR), 2),
                "statements": sorted(statements[large.jobs]),
                "same_statements": statements[small.jobs] == statements[large.jobs],
            }
            row["within"] = after <= MILLISECONDS_MAX and after / max(before, FLOOR) <= RATIO_MAX
            found.append(row)
            print(
                f"{name:34} {before:8.2f} ms {after:8.2f} ms  x {row['ratio']:5.2f}"
                f"  {row['statements']} statements{'' if row['within'] else '  MISSED'}",
                flush=True,
            )
    return found


async def main(options: argparse.Namespace) -> int:
    with contextlib.ExitStack() as stack:
        folder = options.keep or stack.enter_context(
            tempfile.TemporaryDirectory(prefix="hf-operating-", dir=options.dir)
        )
        server = stack.enter_context(EmbeddedServer(Path(folder) / "data"))
        small = Office(await made(server, f"jobs_{SMALL}"), SMALL)
        large = Office(await made(server, f"jobs_{options.jobs}"), options.jobs)
        for office in (small, large):
            await office.open()
        rows = await measured(small, large)
    if options.json:
        print(json.dumps({"small": SMALL, "large": options.jobs, "answers": rows}, indent=2))
    return 0 if all(row["within"] for row in rows) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--jobs", type=int, default=LARGE)
    parser.add_argument("--dir", default=None, help="where the databases are made")
    parser.add_argument("--keep", default=None, help="a folder in which they stay")
    parser.add_argument("--json", action="store_true")
    sys.exit(uvloop.run(main(parser.parse_args())))
