"""Measure stakes beside pgbench and a bare INSERT, in the same run.

    python bench/stakes.py [--seconds S] [--repeat N] [--callers 8,16,32] [--samples N] [--quick]
    python bench/stakes.py --grown [--tickets N] [--entries N]

Each caller stakes for a player at random, over and over, each time with a durable commit; the ways
take turns.

pgbench   `pgbench -N`: an update, a read and an insert in one transaction (left out if not there)
insert    a bare INSERT of a row like a ticket
stake     one stake, one statement
gate      ``Stakes.stake``: what comes while others are on their way goes together
one       the same, everyone on one amount (the others are spread over four)
paired    the same, while one matchmaker pairs; and how many of those it has paired

Then how long it takes from the second stake's call until the pair is there, with the matchmaker
asleep; what a stake writes to the WAL; how many round trips it takes.

``--grown`` is another run: stakes per second on an empty database, with a million old tickets, and
with ten million entries in the ledger besides; then how long ``check`` takes over those, sealing,
``verify`` and tools/verify_ledger.py.
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
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
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
from bench.ledger import over_all
from bench.roundtrips import counted
from handfast.apps.stakes.facade import Stakes
from handfast.apps.stakes.fast.lines import RedisLines
from handfast.apps.stakes.fast.mirror import Mirror
from handfast.apps.stakes.fast.path import FastPath
from handfast.apps.stakes.matching.loop import Matchmaker
from handfast.apps.stakes.matching.pairing import pair
from handfast.apps.stakes.queue.staking import StakeRequest, stake_many
from handfast.apps.stakes.queue.tickets import TICKETS
from handfast.apps.stakes.terms import StakeTerms
from handfast.db.connect import Target
from handfast.db.listen import Listener
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
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
    sql = (
        "SELECT count(*) FROM handfast_engine.sleepers"
        " WHERE waits_for = 'stakes' AND until > clock_timestamp()"
    )
    for _ in count():
        if await look.fetchval(sql):
            return
        await asyncio.sleep(0.005)


@asynccontextmanager
async def fast_path(database: Database, url: str | None) -> AsyncIterator[FastPath | None]:
    """Through the Redis at this address, as in a process that has one; None without."""
    if url is None:
        yield None
        return
    async with GuardedRedis(url) as redis:
        lines = RedisLines(redis, TERMS.amounts)
        mirror = Mirror(database, lines)
        end = database.hear(TICKETS, mirror.soon)
        yield FastPath(database, lines, TERMS)
        end()
        await mirror.close()


async def latencies(dsn: str, samples: int, redis: str | None = None) -> list[float]:
    """Milliseconds from the second stake's call until the pair is there."""
    found: list[float] = []
    players = iter(random.sample(PLAYERS, 2 * samples))
    async with await Database.open(Target(dsn), pool_size=6) as database:
        await clear(database)
        stakes = Stakes(database, TERMS)
        listener = Listener(Target(dsn), through=database)
        async with (
            listener,
            database.connection() as look,
            fast_path(database, redis) as fast,
        ):
            maker = asyncio.create_task(
                Matchmaker(database, TERMS, "bench", fast).run(listener, 1.0)
            )
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


async def trips_of(dsn: str, stakes: int = 20) -> float:
    """Round trips for one stake through the gate, counted on the wire."""
    async with (
        counted(dsn) as wire,
        await Database.open(Target(wire.dsn), pool_size=1) as database,
    ):
        gate = Stakes(database, TERMS)
        await gate.stake(PLAYERS[-1], 1000)  # which opens the connection and prepares
        wire.reset()
        for player in PLAYERS[-1 - stakes : -1]:
            await gate.stake(player, 1000)
        found = wire.trips / stakes
        await gate.close()
        await clear(database)
    return found


OLD = """
INSERT INTO handfast_stakes.matchmaking_queue (
    player_id, stake_amount, fee, currency, transfer_id, hold_id, line, created_at, queued_at,
    expires_at, ended_at, status
)
SELECT ($1::uuid[])[1 + n % cardinality($1::uuid[])], 1000, 1000, 'EUR', 1, -n,
       nextval('handfast_stakes.lines'), t.at, t.at, t.at + interval '10 minutes',
       t.at + interval '10 minutes', 'expired'
FROM generate_series(1, $2::integer) AS n
CROSS JOIN LATERAL (SELECT '2026-01-01'::timestamptz + n * interval '1 second' AS at) AS t"""
GROWN_PLAYERS = 100_000
GROWN_PART = 500_000  # transfers of one transaction
GROWN_ACCOUNTS = """
INSERT INTO handfast_ledger.accounts (
    kind, owner, currency, balance, epoch, xid, opened_at, changed_at
)
SELECT 'wallet', 'grown-' || n, 'EUR', $2::bigint, 1, pg_current_xact_id(), '2020-01-01',
       '2020-12-31'
FROM generate_series(1, $1::integer) AS n"""
# Each account gets its deposits one after the other, so that rows and indexes are written in order.
GROWN_TRANSFERS = """
INSERT INTO handfast_ledger.transfers (id, xid, at, kind, epoch, request, reference)
SELECT $1::bigint + n, pg_current_xact_id(),
       '2020-01-01'::timestamptz + n * interval '1 millisecond', 'DEPOSIT', 1,
       decode(repeat('00', 16), 'hex'), 'grown:' || n
FROM generate_series($2::bigint, $3::bigint) AS n"""
GROWN_ENTRIES = """
INSERT INTO handfast_ledger.entries (transfer_id, line, account_id, amount, balance, at, kind)
SELECT $1::bigint + n, l.line,
       CASE l.line WHEN 1 THEN $4::bigint ELSE $5::bigint + (n - 1) / $6::bigint END,
       CASE l.line WHEN 1 THEN -1 ELSE 1 END, CASE l.line WHEN 2 THEN 1 + (n - 1) % $6::bigint END,
       '2020-01-01'::timestamptz + n * interval '1 millisecond', 'DEPOSIT'
FROM generate_series($2::bigint, $3::bigint) AS n CROSS JOIN (VALUES (1), (2)) AS l(line)"""


async def grow_ledger(dsn: str, entries: int) -> None:
    """As if players had made deposits for years: written in bulk, without the function, and as it
    would have written them."""
    transfers, each = entries // 2, max(1, entries // 2 // GROWN_PLAYERS)
    on = await asyncpg.connect(dsn)
    await on.execute("SET session_replication_role = replica")
    last = await on.fetchval("SELECT max(id) FROM handfast_ledger.transfers")
    await on.execute(GROWN_ACCOUNTS, transfers // each, each)
    wallet = await on.fetchval("SELECT id FROM handfast_ledger.accounts WHERE owner = 'grown-1'")
    cash = await on.fetchval("SELECT id FROM handfast_ledger.accounts WHERE kind = 'cash'")
    for first in range(1, transfers + 1, GROWN_PART):
        span = (last, first, min(first + GROWN_PART - 1, transfers))
        async with on.transaction():
            await on.execute(GROWN_TRANSFERS, *span)
            await on.execute(GROWN_ENTRIES, *span, cash, wallet, each)
    await on.execute(
        "SELECT setval('handfast_ledger.transfers_id_seq', max(id)) FROM handfast_ledger.transfers"
    )
    await on.execute("VACUUM ANALYZE handfast_ledger.transfers, handfast_ledger.entries")
    await on.execute("VACUUM ANALYZE handfast_ledger.accounts")
    await on.close()


async def median_rate(dsn: str, args: argparse.Namespace) -> float:
    """Of the gate; a pool of its own, since plans are kept by connections."""
    found = []
    async with await Database.open(Target(dsn), pool_size=16) as database:
        ways = Ways(database)
        for _ in range(args.repeat):
            await clear(database)
            found.append(await rate(ways.gate, 16, args.seconds))
        await ways.stakes.close()
        await clear(database)
    return statistics.median(found)


async def grown(args: argparse.Namespace) -> dict[str, Any]:
    async with server(args.server) as base:
        dsn = await prepare(base)
        await median_rate(dsn, args)  # warm
        figures = {"empty": await median_rate(dsn, args)}
        on = await asyncpg.connect(dsn)
        await on.execute(OLD, PLAYERS, args.tickets)
        await on.execute("VACUUM ANALYZE handfast_stakes.matchmaking_queue")
        await on.close()
        figures["old tickets"] = await median_rate(dsn, args)
        print(f"{args.tickets:,} old tickets: {figures}", flush=True)
        began = time.perf_counter()
        await grow_ledger(dsn, args.entries)
        print(f"{args.entries:,} entries made in {time.perf_counter() - began:.0f} s", flush=True)
        figures["and entries"] = await median_rate(dsn, args)
        for name in ("old tickets", "and entries"):
            slower = figures["empty"] / figures[name]
            print(
                f"stakes per second with {name}: {figures[name]:,.0f}, {slower:.2f} x", flush=True
            )
        figures |= await over_all(dsn)
    return {"machine": machine(), "grown": figures}


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
    console = Console(width=120)
    console.print(table)
    waits = result["latencies"]
    middle, late = waits[len(waits) // 2], waits[min(len(waits) - 1, len(waits) * 99 // 100)]
    console.print(f"from the second stake to the pair: p50 {middle:.1f} ms, p99 {late:.1f} ms")
    for name, figure in result["wal"].items():
        console.print(f"{name}: {figure:,.0f} bytes")
    console.print(f"round trips for a stake: {result['trips']:g}")


async def run(args: argparse.Namespace) -> dict[str, Any]:
    async with server(args.server) as base:
        dsn = await prepare(base)
        wal = await wal_of(dsn)  # before pages are old: whole ones after a checkpoint are no figure
        trips = await trips_of(dsn)
        found = await rates(dsn, args)
        waits = await latencies(dsn, args.samples)
        return {
            "machine": machine(),
            "rates": found,
            "latencies": waits,
            "wal": wal,
            "trips": trips,
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
    parser.add_argument("--grown", action="store_true", help="with much that is old")
    parser.add_argument("--tickets", type=int, default=1_000_000)
    parser.add_argument("--entries", type=int, default=10_000_000)
    args = parser.parse_args()
    args.callers = [int(part) for part in args.callers.split(",")]
    if args.quick:
        args.seconds, args.repeat, args.callers, args.samples = 1.0, 1, [8], 20
        args.tickets, args.entries = 1000, 400_000
    result = uvloop.run(grown(args) if args.grown else run(args))
    if not args.grown:
        show(result)
    if args.json is not None:
        args.json.write_text(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
