"""What a job costs when there are millions of others.

Claim + complete, and enqueue, on an empty engine and then among 1 M ready, 1 M far-future and 5 M
finished jobs, in one run on one durable server. The bars: claim + complete at most 1.5 times the
cost on an empty engine, enqueue among 5 M identities at most twice.

    python bench/growth.py                    # the whole thing: some minutes, some gigabytes
    python bench/growth.py --scale 0.01       # does it run?

The millions are put into the tables by set operations, not one by one: it is their presence that
is measured, not how they came. Each measurement is the median of several rounds of the engine's own
functions, called as the worker and the facade call them.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import asyncpg
import uvloop

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrate import migrate
from handfast.db.pool import Database

BATCH = 500
ROUNDS = 40

READY = """
    WITH made AS (
        INSERT INTO engine.jobs (kind, key, enqueued_at)
        SELECT 'growth.ready', g::text, now() FROM generate_series(1, $1::int) AS g
        RETURNING id, key
    )
    INSERT INTO engine.live (id, token, due_at, first_due_at, state, kind, key, payload)
    SELECT id, 0, now(), now(), 'ready', 'growth.ready', key, '{"n": 1}' FROM made
"""
FUTURE = """
    WITH made AS (
        INSERT INTO engine.jobs (kind, key, enqueued_at)
        SELECT 'growth.future', g::text, now() FROM generate_series(1, $1::int) AS g
        RETURNING id, key
    )
    INSERT INTO engine.live (id, token, due_at, first_due_at, state, kind, key, payload)
    SELECT id, 0, now() + interval '30 days', now(), 'scheduled', 'growth.future', key, '{"n": 1}'
    FROM made
"""
FINISHED = """
    WITH made AS (
        INSERT INTO engine.jobs (kind, key, enqueued_at, finished_at, state, came_from, token)
        SELECT 'growth.finished', g::text, now(), now(), 'succeeded', 'running', 1
        FROM generate_series($1::int, $2::int) AS g
        RETURNING id
    )
    INSERT INTO engine.attempts (job_id, token, finished_at, attempt, outcome, kind, payload)
    SELECT id, 1, now(), 1, 'succeeded', 'growth.finished', '{"n": 1}' FROM made
"""


async def claim_and_complete(connection: "asyncpg.Connection", worker: int) -> float:
    """Seconds per job: claim a batch and finish it, each a durable commit."""
    seconds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        rows = await connection.fetch(
            "SELECT id, token FROM engine.claim($1, ARRAY['default'], $2)", worker, BATCH
        )
        await connection.fetchval(
            "SELECT engine.finish($1, $2)", [r["id"] for r in rows], [r["token"] for r in rows]
        )
        assert len(rows) == BATCH
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds) / BATCH


async def enqueue(connection: "asyncpg.Connection", kind: str) -> float:
    """Seconds per job: batches with new identities, each a durable commit."""
    seconds = []
    for round_number in range(ROUNDS):
        keys = [f"{round_number}-{n}" for n in range(BATCH)]
        payloads = ['{"n": 1}'] * BATCH
        started = time.perf_counter()
        await connection.fetch(
            "SELECT * FROM engine.enqueue_many($1, $2, $3)", kind, keys, payloads
        )
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds) / BATCH


async def settle(connection: "asyncpg.Connection") -> None:
    """The same beginning for all four: rows long committed, and every page still to be logged whole
    at its first change, so that only the number of other jobs differs."""
    await connection.execute("VACUUM ANALYZE")
    await connection.execute("CHECKPOINT")


async def measure(dsn: str, scale: float) -> dict[str, float]:
    async with await Database.open(Target(dsn)) as database:
        await migrate(database)
    connection = await asyncpg.connect(dsn)
    await connection.execute("SELECT engine.make_partitions(1)")
    worker = await connection.fetchval(
        "SELECT engine.register_worker('growth', ARRAY['default'], interval '1 day')"
    )
    figures: dict[str, float] = {}
    await enqueue(connection, "growth.warm")
    await claim_and_complete(connection, worker)  # warm: plans are made, files exist
    await settle(connection)
    figures["enqueue, empty"] = await enqueue(connection, "growth.empty")
    await settle(connection)
    figures["claim + complete, empty"] = await claim_and_complete(connection, worker)

    ready, finished = int(1_000_000 * scale), int(5_000_000 * scale)
    print(f"filling: {ready:,} ready, {ready:,} far-future, {finished:,} finished", flush=True)
    await connection.execute(READY, max(ready, BATCH * ROUNDS * 2))
    await connection.execute(FUTURE, ready)
    for first in range(1, finished + 1, 500_000):
        await connection.execute(FINISHED, first, min(first + 499_999, finished))
    await settle(connection)
    figures["claim + complete, full"] = await claim_and_complete(connection, worker)
    await settle(connection)
    figures["enqueue, full"] = await enqueue(connection, "growth.full")
    await connection.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--json", type=Path, default=Path("bench/results/growth.json"))
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="handfast-growth-") as folder,
        EmbeddedServer(Path(folder), settings={"max_wal_size": "4GB"}) as server,
    ):
        figures = uvloop.run(measure(server.dsn(), options.scale))
        server.stop(wait=True)
    ratios = {
        "claim + complete": figures["claim + complete, full"] / figures["claim + complete, empty"],
        "enqueue": figures["enqueue, full"] / figures["enqueue, empty"],
    }
    for name, seconds in figures.items():
        print(f"{name:28} {seconds * 1e6:8.1f} µs a job")
    bars = {"claim + complete": 1.5, "enqueue": 2.0}
    for name, ratio in ratios.items():
        verdict = "met" if ratio <= bars[name] else "MISSED"
        print(f"{name:28} {ratio:8.2f} times the empty engine; at most {bars[name]}: {verdict}")
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"seconds": figures, "ratios": ratios}, indent=2))
    sys.exit(any(ratio > bars[name] for name, ratio in ratios.items()) * 2)


if __name__ == "__main__":
    main()
