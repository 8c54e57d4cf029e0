"""What a claim costs beside jobs that it does not know.

Two programs on one lane, each with a kind of its own and 200 jobs, mixed by due time: how long each
takes until its last job is done, beside what the first of them takes alone. Nobody may wait for the
other: at most twice as long. Then a claim behind a million ready jobs that its caller does not
know, of another kind and of a newer version of its own, beside the same claim on a lane where there
is nothing else: at most 1.5 times.

    python bench/kinds.py                     # some minutes, a gigabyte
    python bench/kinds.py --scale 0.01        # does it run?

The programs are processes, and their handlers wait for 10 ms, so that time is what is measured and
not the number of cores. The strangers are put into the tables by one statement. Also printed, and
without a bar, is what a claim costs for each job when one kind, five or twenty have a backlog: the
order goes over all of them.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import uvloop

from handfast import Context, Handfast
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database

JOBS = 200
PROGRAM_ROUNDS = 5
BATCH = 50
CLAIM_ROUNDS = 60
BACKLOG = 4_000
BARS = {"two programs": 2.0, "another kind": 1.5, "a newer version": 1.5}

PUT = """
    WITH made AS (
        INSERT INTO handfast_engine.jobs (kind, key, enqueued_at)
        SELECT $1, concat_ws('-', $2::text, $5::smallint, g), now()
        FROM generate_series(1, $3::int) AS g
        RETURNING id, kind, key
    )
    INSERT INTO handfast_engine.live
        (id, token, due_at, first_due_at, state, kind, key, payload, lane, version)
    SELECT id, 0, $4::timestamptz + row_number() OVER () * interval '1 ms', now(), 'ready', kind,
           key, '{"n": 1}', $2::text, $5::smallint
    FROM made
"""
CLAIM = """
    SELECT id, token
    FROM handfast_engine.claim($1, ARRAY[$2::text], $3, NULL, NULL, $4::text[], $5::smallint[])
"""
LEFT = "SELECT EXISTS (SELECT 1 FROM handfast_engine.live WHERE lane = 'shared')"
LAST_DONE = """
    SELECT kind, date_part('epoch', max(finished_at) - $1) FROM handfast_engine.attempts
    WHERE finished_at > $1 GROUP BY kind ORDER BY kind
"""


# --- two programs -------------------------------------------------------------------------------


async def program(dsn: str, kind: str) -> None:
    """A program that knows one kind; works until it is ended."""
    hf = Handfast(database_url=dsn)

    @hf.job(kind, lane="shared")
    async def handler(_ctx: Context, n: int) -> None:
        await asyncio.sleep(0.01)

    worker = await hf.worker()
    await worker.prepare()
    print("prepared", flush=True)
    await worker.run()


@asynccontextmanager
async def running(dsn: str, *kinds: str) -> AsyncIterator[None]:
    """One process for each kind."""
    started = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, __file__, "--program", kind, "--dsn", dsn),
            stdout=asyncio.subprocess.PIPE,
        )
        for kind in kinds
    ]
    try:
        for process in started:
            assert process.stdout is not None
            while b"prepared" not in await process.stdout.readline():
                pass
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            await process.communicate()


async def slowest(connection: "asyncpg.Connection", *kinds: str) -> list[float]:
    """Seconds from the enqueueing until the last job of each kind is done."""
    start = await connection.fetchval("SELECT clock_timestamp()")
    due = [start - timedelta(seconds=60) + timedelta(milliseconds=n) for n in range(JOBS)]
    keys, payloads = [f"{start.timestamp()}-{n}" for n in range(JOBS)], ['{"n": 1}'] * JOBS
    async with connection.transaction():
        for kind in kinds:
            await connection.fetch(
                "SELECT ordinal FROM handfast_engine.enqueue_many($1, $2, $3, $4, $5)",
                *(kind, keys, payloads, due, '{"lane": "shared"}'),
            )
    left = True
    while left:
        await asyncio.sleep(0.02)
        left = await connection.fetchval(LEFT)
    return [seconds for _, seconds in await connection.fetch(LAST_DONE, start)]


async def two_programs(dsn: str, connection: "asyncpg.Connection") -> dict[str, float]:
    alone: list[float] = []
    together: list[float] = []
    for _ in range(PROGRAM_ROUNDS):
        async with running(dsn, "kinds.ours"):
            alone += await slowest(connection, "kinds.ours")
        async with running(dsn, "kinds.ours", "kinds.theirs"):
            together.append(max(await slowest(connection, "kinds.ours", "kinds.theirs")))
    return {
        "200 jobs, one program alone": statistics.median(alone),
        "200 jobs each, the slower of two": statistics.median(together),
    }


# --- a million strangers ------------------------------------------------------------------------


class Claimer:
    """A worker by hand."""

    def __init__(self, connection: "asyncpg.Connection", worker: int) -> None:
        self.connection = connection
        self._worker = worker

    async def put(self, kind: str, lane: str, count: int, *, version: int = 1) -> None:
        # Strangers are due before ours.
        due = datetime.now(UTC) - timedelta(hours=1 if version == 1 and "ours" in kind else 9)
        await self.connection.execute(PUT, kind, lane, count, due, version)

    async def seconds(self, lane: str, *kinds: str, limit: int = BATCH) -> float:
        """For one claim; what it took is finished."""
        began = time.perf_counter()
        rows = await self.connection.fetch(
            CLAIM, self._worker, lane, limit, kinds, [1 for _ in kinds]
        )
        took = time.perf_counter() - began
        assert len(rows) == limit, f"{len(rows)} of {limit} on {lane}"
        ids, tokens = [row["id"] for row in rows], [row["token"] for row in rows]
        await self.connection.fetchval("SELECT handfast_engine.finish($1, $2)", ids, tokens)
        return took


async def behind_strangers(claimer: Claimer, scale: float) -> dict[str, float]:
    strangers = int(1_000_000 * scale)
    print(f"filling: twice {strangers:,} ready jobs that nobody here knows", flush=True)
    await claimer.put("kinds.theirs", "other-kind", strangers)
    await claimer.put("kinds.ours", "newer-version", strangers, version=2)
    lanes = {
        "quiet": "nothing else",
        "other-kind": "another kind",
        "newer-version": "a newer version",
    }
    for lane in lanes:
        await claimer.put("kinds.ours", lane, BATCH * (CLAIM_ROUNDS + 1))
    await claimer.connection.execute("VACUUM ANALYZE")
    await claimer.connection.execute("CHECKPOINT")
    taken: dict[str, list[float]] = {lane: [] for lane in lanes}
    for turn in range(CLAIM_ROUNDS):
        for lane in list(lanes)[:: 1 if turn % 2 else -1]:
            taken[lane].append(await claimer.seconds(lane, "kinds.ours"))
    return {f"claim of 50, {lanes[lane]}": statistics.median(taken[lane]) for lane in lanes}


async def by_number_of_kinds(claimer: Claimer) -> dict[str, float]:
    """Seconds for each job."""
    figures: dict[str, float] = {}
    for count in (1, 5, 20):
        kinds = [f"kinds.mix{count}_{n}" for n in range(count)]
        for kind in kinds:
            await claimer.put(kind, f"mix{count}", BACKLOG // count)
        taken = [await claimer.seconds(f"mix{count}", *kinds, limit=500) for _ in range(7)]
        figures[f"claim of 500, {count} kinds, a job"] = statistics.median(taken) / 500
    return figures


async def measure(server: EmbeddedServer, scale: float) -> dict[str, float]:
    async with await Database.open(Target(server.dsn())) as database:
        await migrate(database)
    connection = await asyncpg.connect(server.dsn())
    await connection.execute("SELECT handfast_engine.make_partitions(1)")
    figures = await two_programs(server.dsn(), connection)
    worker = await connection.fetchval(
        "SELECT handfast_engine.register_worker('kinds', ARRAY['default'], interval '1 day')"
    )
    claimer = Claimer(connection, worker)
    figures |= await behind_strangers(claimer, scale)
    figures |= await by_number_of_kinds(claimer)
    await connection.close()
    return figures


def ratios(figures: dict[str, float]) -> dict[str, float]:
    quiet = figures["claim of 50, nothing else"]
    return {
        "two programs": figures["200 jobs each, the slower of two"]
        / figures["200 jobs, one program alone"],
        "another kind": figures["claim of 50, another kind"] / quiet,
        "a newer version": figures["claim of 50, a newer version"] / quiet,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--json", type=Path, default=Path("bench/results/kinds.json"))
    parser.add_argument("--program", help=argparse.SUPPRESS)
    parser.add_argument("--dsn", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.program:
        uvloop.run(program(options.dsn, options.program))
        return
    with (
        tempfile.TemporaryDirectory(prefix="handfast-kinds-") as folder,
        EmbeddedServer(Path(folder), settings={"max_wal_size": "4GB"}) as server,
    ):
        figures = uvloop.run(measure(server, options.scale))
        server.stop(wait=True)
    for name, seconds in figures.items():
        print(f"{name:36} {seconds * 1e6:12,.1f} µs")
    found = ratios(figures)
    for name, ratio in found.items():
        verdict = "met" if ratio <= BARS[name] else "MISSED"
        print(f"{name:36} {ratio:8.2f} times; at most {BARS[name]}: {verdict}")
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"seconds": figures, "ratios": found}, indent=2))
    sys.exit(any(ratio > BARS[name] for name, ratio in found.items()) * 2)


if __name__ == "__main__":
    main()
