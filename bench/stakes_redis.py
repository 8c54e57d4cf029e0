"""Measure whether Redis is worth having for stakes.

    python bench/stakes_redis.py [--samples N] [--rounds N] [--callers N] [--seconds S] [--quick]

With and without a Valkey (from a wheel, on a socket), taking turns:

wait      from the second stake's call until the pair is there, the matchmaker asleep
paired    stakes per second of many callers while one matchmaker, or three, pair
"""

import argparse
import asyncio
import contextlib
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import uvloop
from rich.console import Console
from rich.table import Table
from tests.support.valkey import Valkey

from bench.jobs import server
from bench.stakes import TERMS, Ways, clear, fast_path, latencies, prepare, rate
from handfast.apps.stakes.matching.loop import Matchmaker
from handfast.db.connect import Target
from handfast.db.pool import Database

MADE = "SELECT count(*) FROM handfast_stakes.game_sessions"


async def paired(dsn: str, redis: str | None, args: argparse.Namespace, makers: int) -> Any:
    """Stakes per second, and the share of them that was paired meanwhile."""
    async with await Database.open(Target(dsn), pool_size=args.callers + makers) as database:
        await clear(database)
        ways, stopping = Ways(database), asyncio.Event()
        async with contextlib.AsyncExitStack() as stack:
            paths = [await stack.enter_async_context(fast_path(database, redis))]
            # One process tells Redis; each matchmaker has a path of its own.
            paths += [
                await stack.enter_async_context(_alone(database, redis)) for _ in range(makers - 1)
            ]

            async def work(number: int) -> None:
                maker = Matchmaker(database, TERMS, f"m{number}", paths[number])
                while not stopping.is_set():
                    if not await maker.round():
                        await asyncio.sleep(0.002)

            tasks = [asyncio.create_task(work(n)) for n in range(makers)]
            async with database.connection() as look:
                before = await look.fetchval(MADE)
                began = time.monotonic()
                staked = await rate(ways.gate, args.callers, args.seconds)
                made = await look.fetchval(MADE) - before
                took = time.monotonic() - began
            stopping.set()
            await asyncio.gather(*tasks)
        await ways.stakes.close()
    return staked, 2 * made / (staked * took)


@contextlib.asynccontextmanager
async def _alone(database: Database, redis: str | None) -> Any:
    from handfast.apps.stakes.fast.lines import RedisLines  # noqa: PLC0415
    from handfast.apps.stakes.fast.path import FastPath  # noqa: PLC0415
    from handfast.db.redis import GuardedRedis  # noqa: PLC0415

    if redis is None:
        yield None
        return
    async with GuardedRedis(redis) as guard:
        yield FastPath(database, RedisLines(guard, TERMS.amounts), TERMS)


async def run(args: argparse.Namespace) -> None:
    waits: dict[str, list[float]] = {}
    rates: dict[tuple[str, int], list[Any]] = {}
    with tempfile.TemporaryDirectory() as folder, Valkey(Path(folder)) as valkey:
        async with server(args.server) as base:
            dsn = await prepare(base)
            for _ in range(args.rounds):
                for name, url in (("database alone", None), ("with Redis", valkey.url)):
                    waits.setdefault(name, []).extend(await latencies(dsn, args.samples, url))
                    for makers in (1, 3):
                        found = await paired(dsn, url, args, makers)
                        rates.setdefault((name, makers), []).append(found)
    table = Table("", "wait p50 ms", "p99 ms", "stakes/s, 1 maker", "paired", "3 makers", "paired")
    for name, found in waits.items():
        found.sort()
        cells = []
        for makers in (1, 3):
            several = rates[name, makers]
            cells += [f"{statistics.median(one for one, _ in several):,.0f}"]
            cells += [f"{statistics.median(share for _, share in several):.2f}"]
        late = found[min(len(found) - 1, len(found) * 99 // 100)]
        table.add_row(name, f"{found[len(found) // 2]:.1f}", f"{late:.1f}", *cells)
    Console(width=110).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--callers", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--server", help="DSN of a server to create a database on")
    parser.add_argument("--quick", action="store_true", help="does it run?")
    args = parser.parse_args()
    if args.quick:
        args.samples, args.rounds, args.seconds = 20, 1, 1.0
    uvloop.run(run(args))


if __name__ == "__main__":
    main()
