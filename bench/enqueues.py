"""Enqueues a second, with 16 connections, beside one idle worker.

Each enqueue is a durable commit of its own. Three ways take turns, on one server: nobody is idle; a
worker is idle and each enqueue notifies it in its own transaction, as a foreign transaction does; a
worker is idle and is told after the commit, as `hf.enqueue_now` does. The idle worker stays idle
throughout (its row says so), which is the worst that it can do to those who enqueue.

    python bench/enqueues.py                  # some seconds for each of 5 rounds
    python bench/enqueues.py --quick          # does it run?
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

import asyncpg
import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.server import fresh_server
from handfast.db.connect import Target
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.db.transaction import Transaction
from handfast.engine.jobs.enqueue import enqueue

CONNECTIONS = 16
WAYS = ("nobody idle", "in the transaction", "after the commit")
IDLE = "UPDATE handfast_engine.workers SET idle = $1"


async def one_way(database: Database, way: str, seconds: float, turn: int) -> float:
    ours = way != "in the transaction"
    async with database.connection() as connection:
        await connection.execute(IDLE, way != "nobody idle")
        await connection.execute("CHECKPOINT")
    made = 0
    end = time.perf_counter() + seconds

    async def client(number: int) -> None:
        nonlocal made
        while time.perf_counter() < end:
            made += 1
            async with database.connection() as connection:
                tx = Transaction(connection, ours=ours)
                await enqueue(tx, "bench.job", f"{turn}-{number}-{made}", {"n": 1})
            database.committed(tx)

    began = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(CONNECTIONS)))
    return made / (time.perf_counter() - began)


async def measure(dsn: str, seconds: float, rounds: int) -> dict[str, float]:
    async with await Database.open(Target(dsn), pool_size=CONNECTIONS) as database:
        await migrate(database)
        listener = await asyncpg.connect(dsn)
        await listener.add_listener("handfast_ready", lambda *_: None)
        async with database.connection() as connection:
            await connection.execute(
                "SELECT handfast_engine.register_worker('idle', '{default}', '1 day')"
            )
        found: dict[str, list[float]] = defaultdict(list)
        for turn in range(rounds * len(WAYS)):
            way = WAYS[turn % len(WAYS)]
            found[way].append(await one_way(database, way, seconds, turn))
        await listener.close()
    return {way: statistics.median(rates) for way, rates in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="half a second each: does it run?")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    args = parser.parse_args()
    seconds, rounds = (0.5, 1) if args.quick else (4.0, 5)
    with fresh_server() as server:
        result = uvloop.run(measure(server.dsn(), seconds, rounds))
    for way, rate in result.items():
        print(f"{way:<20} {rate:>8,.0f} enqueues a second")
    if args.json:
        args.json.write_text(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
