"""Measure stakes beside pgbench and a bare INSERT, in the same run.

    python bench/stakes.py [--seconds S] [--repeat N] [--callers 8,16,32] [--samples N] [--quick]

Each caller stakes for a player at random, over and over, each time with a durable commit; the ways
take turns.

pgbench   `pgbench -N`: an update, a read and an insert in one transaction (left out if not there)
insert    a bare INSERT of a row like a ticket
stake     one stake, one statement
gate      ``Stakes.stake``: what comes while others are on their way goes together
one       the same, everyone on one amount (the others are spread over four)
paired    the same, while one matchmaker pairs; and how many of those it has paired

Then how long it takes from the second stake's call until the pair is there, with the matchmaker
asleep; what a stake writes to the WAL; how many statements it sends.
"""

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid5

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import asyncpg
import uvloop
from rich.console import Console
from rich.table import Table

from bench.jobs import machine, server
from handfast.apps.stakes.facade import Stakes
from handfast.apps.stakes.matching.loop import Matchmaker
from handfast.apps.stakes.matching.pairing import pair
from handfast.apps.stakes.queue.staking import StakeRequest, stake_many
from handfast.apps.stakes.terms import StakeTerms
from handfast.db.connect import Target
from handfast.db.listen import Listener
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.posting.commands import transfer_many

NAMES = UUID("3f9c2f1e-70a1-4f5e-9d8b-5a7b0c1d2e3f")
PLAYERS = [uuid5(NAMES, str(n)) for n in range(30_000)]
TERMS = StakeTerms(rematch=StakeTerms().rematch * 0)
BARE = """
CREATE TABLE public.bare (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, player uuid NOT NULL,
    amount bigint NOT NULL, at timestamptz NOT NULL DEFAULT now()
)"""
CLEAR = """
UPDATE handfast_stakes.matchmaking_queue SET status = 'cancelled', ended_at = now()
WHERE status = 'queued'"""
FREE = "UPDATE handfast_stakes.matchmaking_queue SET ended_at = now() WHERE ended_at IS NULL"
PGBENCH = [
    shutil.which("pgbench"),
    *sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin/pgbench"))),
]

Way = Callable[[UUID, int], Awaitable[Any]]


class Ways:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.stakes = Stakes(database, TERMS)

    async def insert(self, player: UUID, amount: int) -> None:
        async with self.database.connection() as connection:
            await connection.execute(
                "INSERT INTO public.bare (player, amount) VALUES ($1, $2)", player, amount
            )

    async def stake(self, player: UUID, amount: int) -> None:
        async with self.database.connection() as connection:
            await stake_many(connection, [StakeRequest(player, amount)], TERMS)

    async def gate(self, player: UUID, amount: int) -> None:
        await self.stakes.stake(player, amount)


async def prepare(dsn: str) -> str:
    connection = await asyncpg.connect(dsn)
    await connection.execute("CREATE DATABASE stakes_bench")
    await connection.close()
    found = urlsplit(dsn)._replace(path="/stakes_bench").geturl()
    async with await Database.open(Target(found), pool_size=2) as database:
        await migrate(database)
        async with database.connection() as on:
            await on.execute(BARE)
            for first in range(0, len(PLAYERS), 1000):
                await transfer_many(
                    on,
                    [
                        rules.deposit(f"d-{player}", str(player), 10**9, "EUR")
                        for player in PLAYERS[first : first + 1000]
                    ],
                )
            await on.execute("VACUUM ANALYZE")
    return found


async def clear(database: Database) -> None:
    """Everybody may stake again. Their money stays where it is: nobody looks at it here."""
    async with database.connection() as on:
        await on.execute(CLEAR)
        await on.execute(FREE)


async def rate(way: Way, callers: int, seconds: float, *, one: bool = False) -> float:
    """Calls per second. A player stakes once: each draws the next of a shuffled list."""
    until, done = time.monotonic() + seconds, 0
    order = iter(random.sample(PLAYERS, len(PLAYERS)))

    async def call() -> None:
        nonlocal done
        while time.monotonic() < until and (player := next(order, None)) is not None:
            await way(player, TERMS.amounts[0 if one else done % 4])
            done += 1

    began = time.monotonic()
    await asyncio.gather(*(call() for _ in range(callers)))
    return done / (time.monotonic() - began)


async def with_matchmaker(
    ways: Ways, database: Database, callers: int, seconds: float
) -> tuple[float, float]:
    """Stakes per second, and the share of them that one matchmaker paired meanwhile."""
    stopping, made = asyncio.Event(), 0

    async def pairs() -> None:
        nonlocal made
        while not stopping.is_set():
            async with database.connection() as connection:
                done = await pair(connection, "bench", TERMS)
            made += done.pairs
            if not done.pairs:
                await asyncio.sleep(0.002)

    task = asyncio.create_task(pairs())
    staked = await rate(ways.gate, callers, seconds)
    paired = made
    stopping.set()
    await task
    return staked, paired / max(1.0, staked * seconds / 2)


def pgbench(dsn: str, callers: int, seconds: float) -> float | None:
    """Transactions per second of `pgbench -N`."""
    program = next((one for one in PGBENCH if one), None)
    if program is None:
        return None
    done = subprocess.run(
        [program, "-n", "-N", "-c", str(callers), "-j", "2", "-T", str(max(1, int(seconds))), dsn],
        capture_output=True,
        check=False,
        text=True,
    )
    found = re.search(r"tps = ([0-9.]+)", done.stdout)
    return float(found[1]) if found else None


def prepare_pgbench(dsn: str) -> None:
    program = next((one for one in PGBENCH if one), None)
    if program is not None:
        subprocess.run([program, "-i", "-q", "-s", "5", dsn], capture_output=True, check=True)


async def rates(dsn: str, args: argparse.Namespace) -> dict[str, dict[str, list[float]]]:
    samples: dict[str, dict[str, list[float]]] = {}
    prepare_pgbench(dsn)
    async with await Database.open(Target(dsn), pool_size=max(args.callers)) as database:
        ways = Ways(database)
        for turn in range(args.repeat):
            print(f"round {turn + 1} of {args.repeat}, the load before it {os.getloadavg()[0]:.1f}")
            for callers in args.callers:
                got = samples.setdefault(str(callers), {})
                floor = await asyncio.to_thread(pgbench, dsn, callers, args.seconds)
                if floor is not None:
                    got.setdefault("pgbench", []).append(floor)
                for name in ("insert", "stake", "gate"):
                    found = await rate(getattr(ways, name), callers, args.seconds)
                    got.setdefault(name, []).append(found)
                    await clear(database)
                got.setdefault("one", []).append(
                    await rate(ways.gate, callers, args.seconds, one=True)
                )
                await clear(database)
                staked, share = await with_matchmaker(ways, database, callers, args.seconds)
                got.setdefault("paired", []).append(staked)
                got.setdefault("share", []).append(share)
                await clear(database)
                figures = "  ".join(f"{n} {v[-1]:,.2f}" for n, v in got.items())
                print(f"  {callers:>3} callers  {figures}", flush=True)
        await ways.stakes.close()
    return samples


async def asleep(look: Any) -> None:
    """Wait until the matchmaker has nothing to do."""
    sql = "SELECT count(*) FROM handfast_stakes.matchmakers WHERE asleep_until > clock_timestamp()"
    for _ in count():
        if await look.fetchval(sql):
            return
        await asyncio.sleep(0.005)


async def latencies(dsn: str, samples: int) -> list[float]:
    """Milliseconds from the second stake's call until the pair is there."""
    found: list[float] = []
    players = iter(random.sample(PLAYERS, 2 * samples))
    async with await Database.open(Target(dsn), pool_size=6) as database:
        await clear(database)
        stakes = Stakes(database, TERMS)
        listener = Listener(Target(dsn), through=database)
        async with listener, database.connection() as look:
            maker = asyncio.create_task(Matchmaker(database, TERMS, "bench").run(listener, 1.0))
            for _ in range(samples):
                await stakes.stake(next(players), 1000)
                await asleep(look)
                await asyncio.sleep(0.02)
                began = time.perf_counter()
                made = await stakes.stake(next(players), 1000)
                while not await look.fetchval(
                    "SELECT q.status = 'matched' FROM handfast_stakes.matchmaking_queue AS q"
                    " WHERE q.id = $1",
                    made.ticket_id,
                ):
                    pass
                found.append(1000 * (time.perf_counter() - began))
            maker.cancel()
            await asyncio.gather(maker, return_exceptions=True)
        await stakes.close()
    return sorted(found)


async def wal_of(dsn: str) -> dict[str, float]:
    """Bytes of WAL for one stake alone, and for one of many together: counts, not times."""
    numbers, figures = count(), {}
    async with (
        await Database.open(Target(dsn), pool_size=1) as database,
        database.connection() as on,
    ):
        await on.execute(CLEAR)
        await on.execute(FREE)
        await on.execute("CHECKPOINT")
        for together in (1, 100):
            # The first rounds write whole pages after the checkpoint; the last ones do not.
            for size in (400, 1000):
                before = await on.fetchval("SELECT pg_current_wal_insert_lsn()")
                for _ in range(size // together):
                    wanted = [
                        StakeRequest(PLAYERS[next(numbers) % len(PLAYERS)], 1000)
                        for _ in range(together)
                    ]
                    await stake_many(on, wanted, TERMS)
                written = await on.fetchval(
                    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)", before
                )
            figures[f"wal of one in {together}"] = float(written) / size
    return figures


def show(result: dict[str, Any]) -> None:
    table = Table(
        *("callers", "pgbench -N", "insert", "stake", "gate", "gate / pgbench", "gate / insert"),
        *("one / spread", "paired / alone", "share paired"),
    )
    for callers, samples in result["rates"].items():
        found = {name: statistics.median(values) for name, values in samples.items()}
        floor = found.get("pgbench")
        table.add_row(
            callers,
            "-" if floor is None else f"{floor:,.0f}",
            *(f"{found[name]:,.0f}" for name in ("insert", "stake", "gate")),
            "-" if floor is None else f"{found['gate'] / floor:.2f}",
            f"{found['gate'] / found['insert']:.2f}",
            f"{found['one'] / found['gate']:.2f}",
            f"{found['paired'] / found['gate']:.2f}",
            f"{found['share']:.2f}",
        )
    console = Console()
    console.print(table)
    waits = result["latencies"]
    middle, late = waits[len(waits) // 2], waits[min(len(waits) - 1, len(waits) * 99 // 100)]
    console.print(f"from the second stake to the pair: p50 {middle:.1f} ms, p99 {late:.1f} ms")
    for name, figure in result["wal"].items():
        console.print(f"{name}: {figure:,.0f} bytes")
    console.print("statements for a stake: 1")


async def run(args: argparse.Namespace) -> dict[str, Any]:
    async with server(args.server) as base:
        dsn = await prepare(base)
        found = await rates(dsn, args)
        waits = await latencies(dsn, args.samples)
        return {
            "machine": machine(),
            "rates": found,
            "latencies": waits,
            "wal": await wal_of(dsn),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--callers", default="8,16,32")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--server", help="DSN of a server to create a database on")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true", help="does it run?")
    args = parser.parse_args()
    args.callers = [int(part) for part in args.callers.split(",")]
    if args.quick:
        args.seconds, args.repeat, args.callers, args.samples = 1.0, 1, [8], 20
    result = uvloop.run(run(args))
    show(result)
    if args.json is not None:
        args.json.write_text(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
