"""What a batch costs that ends its jobs in its own transaction.

A worker's batch handler gets 1,000 jobs, and writes 3,000 rows of its own (by COPY) and 1,000
events in the transaction that ends them: that is what a round of daily offers does. Beside it,
taking turns on one durable server: the same 3,000 rows and 1,000 rows of the size of events by COPY
into plain tables with the same indexes, one commit for each 1,000; and the same worker with a
handler that does nothing. Both as jobs a second, and as ratios.

    python bench/batches.py                   # 20,000 jobs each, the median of 5 rounds
    python bench/batches.py --quick           # does it run?

Also printed: which part of the transaction takes how long, and the round trips of a batch, which do
not depend on the machine.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import msgspec
import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.server import fresh_server
from handfast.db.connect import Target
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.host import Host, HostOptions
from handfast.engine.jobs.enqueue import enqueue_many
from handfast.engine.jobs.kinds import Kind, Kinds
from handfast.engine.work.batch import Batch
from handfast.engine.work.context import Context

SIZE = 1000
ROWS_EACH = 3
TABLES = """
CREATE TABLE offers (id uuid NOT NULL, key text NOT NULL, place integer NOT NULL,
    score integer NOT NULL, made_at timestamptz NOT NULL, PRIMARY KEY (key, place));
CREATE TABLE copied (LIKE offers INCLUDING ALL);
CREATE TABLE copied_events (LIKE handfast_engine.events INCLUDING ALL);
"""
UNFINISHED = "SELECT EXISTS (SELECT 1 FROM handfast_engine.live), pg_sleep(0.002)"
EVENTS = """
SELECT handfast_engine.emit_many(
    array_agg('match.offer_generated'::text), array_agg('user:' || key),
    array_agg('{"offers": 3}'::jsonb)
)
FROM unnest($1::text[]) AS key
"""


class Nothing(msgspec.Struct):
    pass


def offers(keys: list[str]) -> list[tuple[object, ...]]:
    now = datetime.now(UTC)
    return [(uuid4(), key, place, 700, now) for key in keys for place in range(ROWS_EACH)]


class Bench:
    def __init__(self, database: Database, jobs: int) -> None:
        self._database = database
        self._jobs = jobs
        self._round = 0
        self._left = 0
        self._ended = asyncio.Event()
        self.parts: dict[str, list[float]] = defaultdict(list)

    # --- handlers -----------------------------------------------------------------------------

    async def batch(self, batch: Batch) -> None:
        began = time.perf_counter()
        async with batch.completing() as tx:
            self._took("hold", began)
            keys = [job.key for job in batch.held]
            began = time.perf_counter()
            await tx.connection.copy_records_to_table("offers", records=offers(keys))
            self._took("rows by COPY", began)
            began = time.perf_counter()
            await tx.fetchval(EVENTS, keys)
            self._took("events", began)
            began = time.perf_counter()
        self._took("end and commit", began)
        self._done(len(keys))

    async def nothing(self, ctx: Context) -> None:
        self._done(1)

    def _took(self, part: str, began: float) -> None:
        self.parts[part].append(time.perf_counter() - began)

    def _done(self, count: int) -> None:
        self._left -= count
        if self._left <= 0:
            self._ended.set()

    # --- measurements -------------------------------------------------------------------------

    async def drain(self, kind: Kind) -> float:
        """Jobs a second, from the start of the worker until none is unfinished in the tables."""
        self._round += 1
        async with self._database.transaction() as tx:
            keys: list[tuple[str, dict[str, object]]] = [
                (f"{self._round}-{n:06}", {}) for n in range(self._jobs)
            ]
            await enqueue_many(tx, kind, keys)
        await self._settle()
        self._left = self._jobs
        self._ended.clear()
        kinds = Kinds()
        kinds.add(kind)
        options = WorkerOptions(concurrency=2 if kind.batch else 50, lease=timedelta(minutes=5))
        host = Host(self._database, self._database.target, [Crew(kinds, options)], HostOptions())
        await host.prepare()
        began = time.perf_counter()
        running = asyncio.create_task(host.run())
        await self._ended.wait()
        async with self._database.connection() as connection:
            while await connection.fetchval(UNFINISHED):
                pass
        rate = self._jobs / (time.perf_counter() - began)
        host.stop()
        await running
        return rate

    async def copy(self) -> float:
        """The same rows by COPY, as many a second."""
        self._round += 1
        await self._settle()
        began = time.perf_counter()
        for first in range(0, self._jobs, SIZE):
            keys = [f"{self._round}-{n:06}" for n in range(first, first + SIZE)]
            now = datetime.now(UTC)
            events = [
                (uuid4(), now, 1, "match.offer_generated", f"user:{key}", '{"offers": 3}')
                for key in keys
            ]
            async with self._database.transaction() as tx:
                await tx.connection.copy_records_to_table("copied", records=offers(keys))
                await tx.connection.copy_records_to_table(
                    "copied_events",
                    records=events,
                    columns=["id", "at", "sequence", "type", "aggregate", "data"],
                )
        return self._jobs / (time.perf_counter() - began)

    async def _settle(self) -> None:
        async with self._database.connection() as connection:
            await connection.execute("CHECKPOINT")


async def measure(dsn: str, jobs: int, rounds: int) -> dict[str, object]:
    async with await Database.open(Target(dsn)) as database:
        await migrate(database)
        async with database.connection() as connection:
            await connection.execute(TABLES)
        bench = Bench(database, jobs)
        batch = Kind(name="bench.batch", handler=bench.batch, payload=Nothing, batch=SIZE)
        noop = Kind(name="bench.noop", handler=bench.nothing, payload=Nothing)
        found: dict[str, list[float]] = defaultdict(list)
        for number in range(rounds):
            found["batch"].append(await bench.drain(batch))
            found["COPY"].append(await bench.copy())
            found["no-op drain"].append(await bench.drain(noop))
            print(f"round {number + 1} of {rounds}", flush=True)
    rates = {name: statistics.median(values) for name, values in found.items()}
    parts = {name: statistics.median(values) * 1000 for name, values in bench.parts.items()}
    return {
        "jobs a second": rates,
        "batch to COPY": rates["batch"] / rates["COPY"],
        "batch to no-op drain": rates["batch"] / rates["no-op drain"],
        "milliseconds of a batch": parts,
    }


def show(result: dict[str, object]) -> None:
    for name, value in result.items():
        if isinstance(value, dict):
            print(name)
            for part, figure in value.items():
                print(f"  {part:<16} {figure:>10,.1f}")
        else:
            print(f"{name}: {value:.2f}")
    print("round trips of a batch: begin, hold, COPY, events, end, commit: 6 for 1,000 jobs")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="few jobs, one round: does it run?")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    args = parser.parse_args()
    jobs, rounds = (2 * SIZE, 1) if args.quick else (args.jobs, args.rounds)
    with fresh_server({"max_wal_size": "4GB"}) as server:
        result = uvloop.run(measure(server.dsn(), jobs, rounds))
    show(result)
    if args.json:
        args.json.write_text(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
