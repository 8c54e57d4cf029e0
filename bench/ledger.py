"""Measure transfers of the ledger beside the three ways that textbooks have, in the same run.

    python bench/ledger.py [--seconds S] [--repeat N] [--callers N] [--rows N] [--quick]

Each caller moves one cent between two accounts, over and over, each time with a durable commit; the
ways take turns. The textbooks' ways write the same: a transfer, two entries and two balances.

locked       both rows FOR UPDATE, in order; then two balances and the entries
atomic       one UPDATE for each balance, the first with its condition; in order of the accounts
optimistic   balances with a version, read first and written if nobody was faster; else again
ours         the function ``post``, one statement for each transfer
gate         ``Ledger.transfer``: what waits for one account goes together

over         many (10,000), 50 and 10 accounts at random, and one hot account that all pay into

Then, over --rows entries: sealing, ``verify``, ``check``, and tools/verify_ledger.py.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import asyncpg
import uvloop
from rich.console import Console
from rich.table import Table

from bench.jobs import machine, server
from handfast.db.connect import Target
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.facade import Ledger
from handfast.services.ledger.posting.commands import transfer_many
from handfast.services.ledger.reading.checking import check_ledger
from handfast.services.ledger.sealing.exporting import export_ledger
from handfast.services.ledger.sealing.seals import seal_next
from handfast.services.ledger.sealing.verifying import verify_seals
from handfast.services.ledger.values import Leg, TransferKind, TransferRequest, wallet

VERIFIER = Path(__file__).resolve().parent.parent / "tools" / "verify_ledger.py"
MANY = 10_000
CASES = {"many": MANY, "50": 50, "10": 10, "hot": 0}
CENTS = 10**9
TEXTBOOK = f"""
CREATE TABLE public.accounts (
    id integer PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0),
    version bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE TABLE public.transfers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, reference text NOT NULL UNIQUE,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE public.entries (
    transfer_id bigint NOT NULL REFERENCES public.transfers, account_id integer NOT NULL,
    amount bigint NOT NULL, at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON public.entries (account_id, at);
INSERT INTO public.accounts SELECT n, {CENTS} FROM generate_series(0, {MANY}) AS n;
"""
WRITE = """
WITH made AS (INSERT INTO public.transfers (reference) VALUES ($1) RETURNING id)
INSERT INTO public.entries (transfer_id, account_id, amount)
SELECT id, a, b FROM made, (VALUES ($2::int, -1), ($3::int, 1)) AS e(a, b)"""
LOCK = "SELECT id, balance FROM public.accounts WHERE id IN ($1, $2) ORDER BY id FOR UPDATE"
SET = "UPDATE public.accounts SET balance = balance + $2 WHERE id = $1"
READ = "SELECT id, balance, version FROM public.accounts WHERE id IN ($1, $2)"
SET_IF = (
    "UPDATE public.accounts SET balance = $2, version = version + 1 WHERE id = $1 AND version = $3"
)

Way = Callable[[int, int, str], Awaitable[None]]


class Lost(Exception):
    """Somebody was faster."""


class Ways:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.ledger = Ledger(database)
        self.again = 0

    async def locked(self, source: int, target: int, name: str) -> None:
        async with self.database.transaction() as tx:
            rows = {row[0]: row[1] for row in await tx.fetch(LOCK, source, target)}
            assert rows[source] > 0
            await tx.execute(SET, source, -1)
            await tx.execute(SET, target, 1)
            await tx.execute(WRITE, name, source, target)

    async def atomic(self, source: int, target: int, name: str) -> None:
        async with self.database.transaction() as tx:
            for account, amount in sorted(((source, -1), (target, 1))):
                await tx.execute(SET, account, amount)
            await tx.execute(WRITE, name, source, target)

    async def optimistic(self, source: int, target: int, name: str) -> None:
        while True:
            try:
                await self._try(source, target, name)
            except (Lost, asyncpg.SerializationError, asyncpg.DeadlockDetectedError):
                self.again += 1
            else:
                return

    async def _try(self, source: int, target: int, name: str) -> None:
        async with self.database.transaction() as tx:
            rows = {row[0]: row for row in await tx.fetch(READ, source, target)}
            for account, amount in sorted(((source, -1), (target, 1))):
                _, balance, version = rows[account]
                if await tx.execute(SET_IF, account, balance + amount, version) != "UPDATE 1":
                    raise Lost
            await tx.execute(WRITE, name, source, target)

    async def ours(self, source: int, target: int, name: str) -> None:
        async with self.database.connection() as connection:
            await transfer_many(connection, [paid(source, target, name)])

    async def gate(self, source: int, target: int, name: str) -> None:
        await self.ledger.transfer(paid(source, target, name))


def paid(source: int, target: int, name: str) -> TransferRequest:
    legs = [Leg(wallet(str(source)), -1), Leg(wallet(str(target)), 1)]
    return TransferRequest(name, TransferKind.PAYOUT, "EUR", legs)


async def prepare(dsn: str) -> str:
    connection = await asyncpg.connect(dsn)
    await connection.execute("CREATE DATABASE ledger_bench")
    await connection.close()
    found = urlsplit(dsn)._replace(path="/ledger_bench").geturl()
    async with await Database.open(Target(found), pool_size=2) as database:
        await migrate(database)
        async with database.connection() as on:
            await on.execute(TEXTBOOK)
            for first in range(0, MANY + 1, 1000):
                owners = range(first, min(first + 1000, MANY + 1))
                deposits = [rules.deposit(f"d-{n}", str(n), CENTS, "EUR") for n in owners]
                await transfer_many(on, deposits)
            await on.execute("VACUUM ANALYZE")
    return found


async def rate(way: Way, case: str, callers: int, seconds: float, names: Any) -> float:
    """Transfers per second of one way."""
    until, done, size = time.monotonic() + seconds, 0, CASES[case]

    async def call() -> None:
        nonlocal done
        while time.monotonic() < until:
            if size:
                source, target = random.sample(range(size), 2)
            else:
                source, target = random.randrange(1, MANY), 0  # noqa: S311
            await way(source, target, f"b-{next(names)}")
            done += 1

    began = time.monotonic()
    await asyncio.gather(*(call() for _ in range(callers)))
    return done / (time.monotonic() - began)


async def transfers(dsn: str, args: argparse.Namespace) -> dict[str, dict[str, list[float]]]:
    names = count()
    async with await Database.open(Target(dsn), pool_size=args.callers) as database:
        ways = Ways(database)
        known: dict[str, Way] = {
            name: getattr(ways, name) for name in ("locked", "atomic", "optimistic", "ours", "gate")
        }
        samples: dict[str, dict[str, list[float]]] = {
            case: {name: [] for name in known} for case in CASES
        }
        for turn in range(args.repeat):
            print(f"round {turn + 1} of {args.repeat}, the load before it {os.getloadavg()[0]:.1f}")
            for case in CASES:
                order = list(known)
                for name in order[turn % 5 :] + order[: turn % 5]:
                    got = await rate(known[name], case, args.callers, args.seconds, names)
                    samples[case][name].append(got)
                figures = "  ".join(f"{n} {samples[case][n][-1]:,.0f}" for n in known)
                print(f"  {case:<5} {figures}", flush=True)
        await ways.ledger.close()
    return samples


async def over_rows(dsn: str, rows: int) -> dict[str, float]:
    """Entries per second of what reads all of them."""
    async with (
        await Database.open(Target(dsn), pool_size=1) as database,
        database.connection() as on,
    ):
        have = await on.fetchval("SELECT count(*) FROM handfast_ledger.entries")
        for first in range(0, max(0, rows - have) // 2, 1000):
            events = [
                paid(random.randrange(MANY), MANY, f"r-{first + n}")  # noqa: S311
                for n in range(1000)
            ]
            await transfer_many(on, events)
        await on.execute("VACUUM ANALYZE")
    return await over_all(dsn)


async def over_all(dsn: str) -> dict[str, float]:
    figures: dict[str, float] = {}

    def tell(name: str, entries: int, began: float) -> None:
        seconds = time.perf_counter() - began
        figures[name] = entries / seconds
        print(f"{name}: {entries:,} entries in {seconds:.1f} s", flush=True)

    async with await Database.open(Target(dsn), pool_size=2) as database:
        async with database.connection() as on:
            figures["entries"] = await on.fetchval("SELECT count(*) FROM handfast_ledger.entries")
        began = time.perf_counter()
        sealed = 0
        while True:
            async with database.transaction() as tx:
                seal = await seal_next(tx)
            if seal is None:
                break
            sealed += seal.entries
        tell("sealing", sealed, began)
        for name in ("check, cold", "check"):
            began = time.perf_counter()
            checked = await check_ledger(database)
            assert checked.passed, checked.findings[:3]
            tell(name, int(figures["entries"]), began)
        began = time.perf_counter()
        report = await verify_seals(database)
        assert report.passed
        tell("verify", report.entries, began)
        with TemporaryDirectory() as folder:
            file = Path(folder) / "export"
            await export_ledger(database, file)
            done = await asyncio.to_thread(
                subprocess.run,
                [sys.executable, str(VERIFIER), str(file), "--json"],
                capture_output=True,
                check=True,
            )
        said = json.loads(done.stdout)
        tell("verify_ledger.py", said["entries"], time.perf_counter() - said["seconds"])
    return figures


async def wal_of(dsn: str) -> dict[str, float]:
    """Bytes of WAL for one transfer alone, and for one of many together: counts, not times."""
    names, figures = count(10**9), {}
    async with (
        await Database.open(Target(dsn), pool_size=1) as database,
        database.connection() as on,
    ):
        await on.execute("CHECKPOINT")
        for together in (1, 100):
            # The first rounds write whole pages after the checkpoint; the last ones do not.
            for size in (200, 1000):
                before = await on.fetchval("SELECT pg_current_wal_insert_lsn()")
                for _ in range(size // together):
                    events = [paid(n % 40, 41 + n % 9, f"w-{next(names)}") for n in range(together)]
                    await transfer_many(on, events)
                written = await on.fetchval(
                    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)", before
                )
            figures[f"wal of one in {together}"] = float(written) / size
    return figures


def show(result: dict[str, Any]) -> None:
    table = Table("accounts", *result["transfers"]["many"], "gate / best textbook")
    for case, samples in result["transfers"].items():
        found = {name: statistics.median(values) for name, values in samples.items()}
        best = max(found[name] for name in ("locked", "atomic", "optimistic"))
        cells = [f"{value:,.0f}/s" for value in found.values()]
        table.add_row(case, *cells, f"{found['gate'] / best:.2f}")
    console = Console()
    console.print(table)
    for name, figure in result["rows"].items():
        unit = "" if name == "entries" else " bytes" if name.startswith("wal") else " entries/s"
        console.print(f"{name}: {figure:,.0f}{unit}")


async def run(args: argparse.Namespace) -> dict[str, Any]:
    async with server(args.server) as base:
        dsn = await prepare(base)
        rates = await transfers(dsn, args)
        rows = await wal_of(dsn) | await over_rows(dsn, args.rows)
    return {"machine": machine(), "callers": args.callers, "transfers": rates, "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--callers", type=int, default=8)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--server", help="DSN of a server to create a database on")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true", help="does it run?")
    args = parser.parse_args()
    if args.quick:
        args.seconds, args.repeat, args.rows = 0.5, 1, 20_000
    result = uvloop.run(run(args))
    show(result)
    if args.json is not None:
        args.json.write_text(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
