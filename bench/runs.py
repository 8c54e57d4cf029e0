"""What a match run costs, from the click to the matches, beside the cheapest things it is made of.

    python bench/runs.py [--rows 4100000,400000] [--runs N] [--json FILE] [--quick]

For each size a corpus is generated (200 matches for each startup), and its pairs are loaded once
more from a CSV. Then, with one server process, one worker process and one caller on one durable
PostgreSQL:

post to ready   POST /api/match/run for a startup that has not been asked for, from just before it
                is sent until another connection, which looks every millisecond, finds the run ready
durable POST    the same server, a route that inserts one row and commits it, from send to answer
no-op job       the engine with nothing to do: from just before the enqueueing call to the first
                line of the handler, as in bench/jobs.py
direct calls    handfast_runs.count_matches and get_top_matches on one connection, the sum
GET             GET /api/match/run/{id} of a ready run with its first page of matches
runs/s          runs that wait when the one worker starts, until all have ended

The bar for post to ready is three times the sum of the three beneath it, at p50 and at p99. That
the two calls read the index alone is shown twice: by EXPLAIN of what they ask, and by PostgreSQL's
own counters: besides the index's pages a call may read those of the visibility map, and no others.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import asyncpg
import uvloop

from bench import runs_report
from bench.jobs import machine, quantile, server
from bench.runs_processes import LANE, NOOP, serving, working
from handfast.apps.runs.corpus.generated import generate_files, generate_version
from handfast.apps.runs.corpus.intake.load import LoadOptions, load_files
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.corpus.versions.publish import publish
from handfast.base.logs import LogFormat, LogLevel, configure_logs
from handfast.db.connect import Target
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database

HERE = Path(__file__).resolve().parent
KEEP = 200  # matches of each startup
INVESTORS = 5000
WARM_UP = 20
CALLS = 50

EXPLAINED = {
    "count_matches": "SELECT count(*) FROM handfast_runs.startup_investor_matches AS m"
    " WHERE m.version = $1 AND m.startup_id = $2",
    "get_top_matches": "SELECT m.investor_id, m.score, m.sector, m.stage, m.geography, m.cheque,"
    " m.thesis, m.version, m.activity, m.deals FROM handfast_runs.startup_investor_matches AS m"
    " WHERE m.version = $1 AND m.startup_id = $2"
    " ORDER BY m.score DESC, m.deals DESC, m.investor_id LIMIT 200",
}
HEAP = """
SELECT coalesce(sum(heap_blks_read + heap_blks_hit), 0)::bigint FROM pg_statio_user_tables
WHERE schemaname = 'handfast_runs' AND relname LIKE 'startup_investor_matches_v%'"""


@asynccontextmanager
async def corpus(
    dsn: str, rows: int, samples: dict[str, Any]
) -> AsyncIterator[tuple[str, Database]]:
    """A new database with a corpus of about so many pairs, which readers have."""
    name = f"runs_{uuid4().hex[:8]}"
    admin = await asyncpg.connect(dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    head, mark, query = dsn.partition("?")
    own = f"{head.rpartition('/')[0]}/{name}{mark}{query}"
    startups, keep = max(1, rows // KEEP), min(KEEP, INVESTORS)
    try:
        async with await Database.open(Target(own)) as database:
            await migrate(database)
            began = time.perf_counter()
            built = await generate_version(
                database.target, startups=startups, investors=INVESTORS, keep=keep
            )
            samples["generate_seconds"] = time.perf_counter() - began
            print(
                f"  {built.scored:,} pairs scored and stored in {samples['generate_seconds']:.1f} s"
            )
            await publish(database, built.version, force=True)
            samples["rows"] = built.scored
            samples["load_seconds"] = await from_csv(database, startups)
            print(f"  the same from a CSV in {samples['load_seconds']:.1f} s", flush=True)
            async with database.connection() as connection:
                await connection.execute(
                    "CREATE TABLE public.bench_rows (id bigserial PRIMARY KEY,"
                    " at timestamptz DEFAULT now())"
                )
                await connection.execute("CHECKPOINT")
            yield own, database
    finally:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


async def from_csv(database: Database, startups: int) -> float:
    """Seconds to load all pairs from a file into a version, indexed and vacuumed."""
    with tempfile.TemporaryDirectory(prefix="handfast-bench-") as folder:
        generate_files(Path(folder), startups=startups, investors=INVESTORS, keep=KEEP)
        began = time.perf_counter()
        await load_files(
            database.target,
            {CorpusPart.MATCHES: Path(folder) / "matches.csv"},
            LoadOptions(replace=True),
        )
        return time.perf_counter() - began


class Caller:
    """One caller with an open connection to the server, and one to the database to look."""

    def __init__(self, reader: Any, writer: Any, look: "asyncpg.Connection") -> None:
        self._reader, self._writer, self._look = reader, writer, look

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        encoded = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n"
            f"content-length: {len(encoded)}\r\n\r\n"
        )
        self._writer.write(head.encode() + encoded)
        return await self._answer()

    async def get(self, path: str) -> dict[str, Any]:
        self._writer.write(f"GET {path} HTTP/1.1\r\nhost: bench\r\n\r\n".encode())
        return await self._answer()

    async def _answer(self) -> dict[str, Any]:
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        body = await self._reader.readexactly(length)
        if head.split(b" ", 2)[1] not in (b"200", b"201", b"202"):
            raise SystemExit(f"{head!r} {body!r}")
        found: dict[str, Any] = json.loads(body)
        return found

    async def ready(self, run_id: str) -> None:
        for _ in range(30_000):
            ended = await self._look.fetchval(
                "SELECT ended::text FROM handfast_runs.records WHERE run_id = $1", UUID(run_id)
            )
            if ended == "ready":
                return
            if ended is not None:
                raise SystemExit(f"run {run_id} ended as {ended}")
            await asyncio.sleep(0.001)
        raise SystemExit(f"run {run_id} has not ended")


async def timed(times: int, work: Callable[[int], Awaitable[Any]]) -> list[float]:
    """Milliseconds of each, sorted, after a few to warm up."""
    found = []
    for number in range(WARM_UP + times):
        began = time.perf_counter()
        await work(number)
        if number >= WARM_UP:
            found.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(0.005)  # one caller, not a load
    return sorted(found)


async def latencies(
    dsn: str, database: Database, urls: list[str], times: int, *, port: int, wire: Any
) -> dict[str, list[float]]:
    """Everything that has one caller, the compared ones in turns of the same minutes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    look, direct = await asyncpg.connect(dsn), await asyncpg.connect(dsn)
    caller = Caller(reader, writer, look)
    version = await direct.fetchval(
        "SELECT version FROM handfast_runs.corpus_versions WHERE state = 'current'"
    )
    ready: list[str] = []
    fresh = iter(urls)

    async def run(_: int) -> None:
        started = await caller.post("/api/match/run", {"url": next(fresh), "fresh": True})
        await caller.ready(started["runId"])
        ready.append(started["runId"])

    async def post(_: int) -> None:
        await caller.post("/bench/durable", {})

    async def calls(number: int) -> None:
        startup = f"s{number:07d}"
        await direct.fetchval("SELECT handfast_runs.count_matches($1, $2)", startup, version)
        await direct.fetch(
            "SELECT * FROM handfast_runs.get_top_matches($1, 200, $2)", startup, version
        )

    async def get(number: int) -> None:
        found = await caller.get(f"/api/match/run/{ready[number % len(ready)]}")
        if found["status"] != "ready" or not found["matches"]:
            raise SystemExit(f"no matches: {found['status']}")

    found: dict[str, list[float]] = {"run": [], "post": [], "noop": [], "calls": [], "get": []}
    rounds = 3
    for turn in range(rounds):
        part = max(1, times // rounds)
        found["run"] += await timed(part, run)
        found["post"] += await timed(part, post)
        found["noop"] += await noops(database, part, wire, turn)
        found["calls"] += await timed(part, calls)
        found["get"] += await timed(part, get)
    writer.close()
    await look.close()
    await direct.close()
    return {name: sorted(values) for name, values in found.items()}


async def noops(database: Database, times: int, wire: Any, turn: int) -> list[float]:
    """Milliseconds from just before the enqueueing call to the first line of the handler."""
    found = []
    for number in range(WARM_UP + times):
        began = time.time()
        async with database.connection() as connection:
            await connection.execute(
                "SELECT id FROM handfast_engine.enqueue($1, $2, '{}', NULL,"
                " jsonb_build_object('lane', $3::text))",
                NOOP,
                f"{turn}:{number}",
                LANE,
            )
        if not await asyncio.to_thread(wire.poll, 30):
            raise SystemExit("no worker took the no-op job")
        _, called = wire.recv()
        if number >= WARM_UP:
            found.append((called - began) * 1000)
        await asyncio.sleep(0.005)
    return found


async def throughput(dsn: str, database: Database, urls: list[str]) -> float:
    """Runs that one worker ends in a second, when many wait for it."""
    async with database.connection() as connection:
        await connection.executemany(
            "SELECT count(*) FROM handfast_runs.start_match_run($1, true)", [(u,) for u in urls]
        )
        await connection.execute("ANALYZE handfast_runs.records")
        await connection.execute("CHECKPOINT")
    waiting = "SELECT count(*) FROM handfast_runs.records WHERE ended IS NULL"
    with working(dsn):
        async with database.connection() as connection:
            total = await connection.fetchval(waiting)
            began, left = time.perf_counter(), total
            while left:
                await asyncio.sleep(0.01)
                left = await connection.fetchval(waiting)
                if time.perf_counter() - began > 300:
                    raise SystemExit(f"{left} runs have not ended")
            return float(total / (time.perf_counter() - began))


async def plans(dsn: str) -> dict[str, Any]:
    """Whether the two calls read the index alone."""
    connection = await asyncpg.connect(dsn)
    version = await connection.fetchval(
        "SELECT version FROM handfast_runs.corpus_versions WHERE state = 'current'"
    )
    found: dict[str, Any] = {}
    for name, sql in EXPLAINED.items():
        explained = await connection.fetchval(
            f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", version, "s0000007"
        )
        text = json.dumps(json.loads(explained))
        found[name] = {
            "index_only": '"Index Only Scan"' in text
            and '"Heap Fetches": 0' in text
            and '"Seq Scan"' not in text
            and '"Sort"' not in text,
            "plan": json.loads(explained)[0]["Plan"],
        }
    before = await heap(connection)
    for number in range(CALLS):
        await connection.fetchval("SELECT handfast_runs.count_matches($1)", f"s{number:07d}")
        await connection.fetch("SELECT * FROM handfast_runs.get_top_matches($1)", f"s{number:07d}")
    found["table_pages_of_a_call"] = (await heap(connection) - before) / (2 * CALLS)
    await connection.close()
    return found


async def heap(connection: "asyncpg.Connection") -> int:
    """Pages of the pairs' tables that were looked at, by anybody, so far."""
    await connection.execute("SELECT pg_stat_force_next_flush()")
    await connection.execute("SELECT pg_stat_clear_snapshot()")
    return int(await connection.fetchval(HEAP))


async def measure(dsn: str, rows: int, times: int, waiting: int) -> dict[str, Any]:
    print(f"{rows:,} rows, the load before {os.getloadavg()[0]:.1f}", flush=True)
    samples: dict[str, Any] = {"load": os.getloadavg()[0]}
    async with corpus(dsn, rows, samples) as (own, database):
        async with database.connection() as connection:
            found = await connection.fetch(
                "SELECT url FROM handfast_runs.startup_uploads AS s JOIN"
                " handfast_runs.corpus_versions AS v"
                " USING (version) WHERE v.state = 'current' ORDER BY startup_id"
            )
        urls = [row["url"] for row in found]
        samples["plans"] = await plans(own)
        with serving(own) as port, working(own) as wire:
            many = (urls * 50)[: 3 * (WARM_UP + times)]
            spread = await latencies(own, database, many, times, port=port, wire=wire)
        samples["milliseconds"] = spread
        samples["figures"] = {
            f"{name}_{share}": quantile(values, level)
            for name, values in spread.items()
            for share, level in (("p50", 0.5), ("p99", 0.99))
        }
        samples["figures"]["runs_per_second"] = await throughput(own, database, urls[:waiting])
    for name, value in samples["figures"].items():
        print(f"  {name:<18}{value:>10.2f}", flush=True)
    return samples


async def run(args: argparse.Namespace) -> dict[str, Any]:
    async with server(args.server) as dsn:
        sizes = [await measure(dsn, rows, args.runs, args.waiting) for rows in args.rows]
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "runs": args.runs,
        "sizes": sizes,
        "bars": runs_report.bars(sizes),
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", help="pairs of each corpus, the largest first (4100000,400000)")
    parser.add_argument("--runs", type=int, help="runs to time, one at a time (default 600)")
    parser.add_argument("--waiting", type=int, help="runs that wait for the worker (default 2000)")
    parser.add_argument("--server", help="DSN of a server to create databases on")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--svg", type=Path, help="where to draw the picture")
    parser.add_argument("--quick", action="store_true", help="20,000 rows, few runs: a smoke test")
    args = parser.parse_args()
    said = args.rows or ("20000" if args.quick else "4100000,400000")
    args.rows = [int(rows.replace("_", "")) for rows in said.split(",")]
    args.runs = args.runs or (30 if args.quick else 600)
    args.waiting = args.waiting or (100 if args.quick else 2000)
    args.json = args.json or HERE / "results" / "runs.json"
    args.svg = args.svg or args.json.with_suffix(".svg")
    return args


def main() -> int:
    args = arguments()
    configure_logs(LogLevel.ERROR, LogFormat.TEXT)
    result = uvloop.run(run(args))
    runs_report.show(result)
    args.json.parent.mkdir(parents=True, exist_ok=True)
    args.json.write_text(json.dumps(result, indent=1) + "\n")
    args.svg.write_text(runs_report.picture(result))
    print(f"written to {args.json} and {args.svg}")
    return 0 if args.quick or all(bar["met"] for bar in result["bars"]) else 2


if __name__ == "__main__":
    sys.exit(main())
