"""What a job costs when there are millions of others.

Claim + complete, and enqueue, on an empty engine and then among 1 M ready, 1 M far-future and 5 M
finished jobs, in one run on one durable server. The bars: claim + complete at most 1.5 times the
cost on an empty engine, enqueue among 5 M identities at most twice.

    python bench/growth.py                    # the whole thing: some minutes, some gigabytes
    python bench/growth.py --scale 0.01       # does it run?

The empty engine and the full one are two databases of that server, and take turns. The millions
are put into the tables by set operations, not one by one: it is their presence that is measured,
not how they came. Each figure is the median of several rounds of the engine's own functions, called
as the worker and the facade call them.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Self

import asyncpg
import uvloop

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database

BATCH = 500
ROUNDS = 40

READY = """
    WITH made AS (
        INSERT INTO handfast_engine.jobs (kind, key, enqueued_at)
        SELECT 'growth.ready', g::text, now() FROM generate_series(1, $1::int) AS g
        RETURNING id, key
    )
    INSERT INTO handfast_engine.live (id, token, due_at, first_due_at, state, kind, key, payload)
    SELECT id, 0, now(), now(), 'ready', 'growth.ready', key, '{"n": 1}' FROM made
"""
FUTURE = """
    WITH made AS (
        INSERT INTO handfast_engine.jobs (kind, key, enqueued_at)
        SELECT 'growth.future', g::text, now() FROM generate_series(1, $1::int) AS g
        RETURNING id, key
    )
    INSERT INTO handfast_engine.live (id, token, due_at, first_due_at, state, kind, key, payload)
    SELECT id, 0, now() + interval '30 days', now(), 'scheduled', 'growth.future', key, '{"n": 1}'
    FROM made
"""
FINISHED = """
    WITH made AS (
        INSERT INTO handfast_engine.jobs (kind, key, enqueued_at, finished_at, state, came_from,
        token)
        SELECT 'growth.finished', g::text, now(), now(), 'succeeded', 'running', 1
        FROM generate_series($1::int, $2::int) AS g
        RETURNING id
    )
    INSERT INTO handfast_engine.attempts (job_id, token, finished_at, attempt, outcome, kind,
    payload)
    SELECT id, 1, now(), 1, 'succeeded', 'growth.finished', '{"n": 1}' FROM made
"""


class Engine:
    """A database with an engine in it, and a worker that claims and finishes by hand."""

    def __init__(self, connection: "asyncpg.Connection", worker: int) -> None:
        self._connection = connection
        self._worker = worker
        self._enqueued = 0

    @classmethod
    async def open(cls, dsn: str) -> Self:
        async with await Database.open(Target(dsn)) as database:
            await migrate(database)
        connection = await asyncpg.connect(dsn)
        await connection.execute("SELECT handfast_engine.make_partitions(1)")
        worker = await connection.fetchval(
            "SELECT handfast_engine.register_worker('growth', ARRAY['default'], interval '1 day')"
        )
        return cls(connection, worker)

    async def fill(self, scale: float) -> None:
        ready, finished = int(1_000_000 * scale), int(5_000_000 * scale)
        print(f"filling: {ready:,} ready, {ready:,} far-future, {finished:,} finished", flush=True)
        await self._connection.execute(READY, ready)
        await self._connection.execute(FUTURE, ready)
        for first in range(1, finished + 1, 500_000):
            await self._connection.execute(FINISHED, first, min(first + 499_999, finished))

    async def settle(self) -> None:
        """The same beginning for all: rows long committed, and every page still to be logged whole
        at its first change, so that only the number of other jobs differs."""
        await self._connection.execute("VACUUM ANALYZE")
        await self._connection.execute("CHECKPOINT")

    async def enqueue(self) -> None:
        """A batch with new identities, in one durable commit."""
        first, self._enqueued = self._enqueued, self._enqueued + BATCH
        keys = [str(n) for n in range(first, self._enqueued)]
        await self._connection.fetch(
            "SELECT * FROM handfast_engine.enqueue_many($1, $2, $3)",
            "growth",
            keys,
            ['{"n": 1}'] * BATCH,
        )

    async def claim_and_complete(self) -> None:
        """Claim a batch and finish it, each a durable commit."""
        rows = await self._connection.fetch(
            "SELECT id, token FROM handfast_engine.claim($1, ARRAY['default'], $2)",
            self._worker,
            BATCH,
        )
        await self._connection.fetchval(
            "SELECT handfast_engine.finish($1, $2)",
            [r["id"] for r in rows],
            [r["token"] for r in rows],
        )
        assert len(rows) == BATCH

    async def close(self) -> None:
        await self._connection.close()


async def in_turns(what: Callable[[Engine], Awaitable[None]], *engines: Engine) -> list[float]:
    """Seconds for each job, in each of the engines. One after the other, round after round: what
    else the machine does meanwhile, it does to all."""
    for engine in engines:
        await engine.settle()
    seconds: list[list[float]] = [[] for _ in engines]
    for turn in range(ROUNDS):
        for engine, found in list(zip(engines, seconds, strict=True))[:: 1 if turn % 2 else -1]:
            started = time.perf_counter()
            await what(engine)
            found.append(time.perf_counter() - started)
    return [statistics.median(found) / BATCH for found in seconds]


async def measure(server: EmbeddedServer, scale: float) -> dict[str, float]:
    connection = await asyncpg.connect(server.dsn())
    await connection.execute("CREATE DATABASE growth_empty")
    await connection.close()
    empty, full = await Engine.open(server.dsn("growth_empty")), await Engine.open(server.dsn())
    for engine in (empty, full):  # warm: plans are made, files exist
        await engine.enqueue()
        await engine.claim_and_complete()
    await full.fill(scale)
    figures: dict[str, float] = {}
    for name, what in (
        ("enqueue", Engine.enqueue),
        ("claim + complete", Engine.claim_and_complete),
    ):
        seconds = await in_turns(what, empty, full)
        figures |= zip((f"{name}, empty", f"{name}, full"), seconds, strict=True)
    await empty.close()
    await full.close()
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
        figures = uvloop.run(measure(server, options.scale))
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
