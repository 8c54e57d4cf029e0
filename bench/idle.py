"""What an idle Handfast costs its database: connections, and transactions a second.

Real processes, each on a database of its own, all on one embedded server: `handfast up` with
everything on, `handfast worker`, the same with a program of twenty lanes, kinds and schedules, and
a process with twenty toy capabilities beside ours, each a crew with a lane, a kind, a schedule and
a chore. They start, come to rest, and are watched for a minute. Connections are the backends of
their database (pg_stat_activity, by application; the most that were seen), transactions are the
commits and rollbacks in it (pg_stat_database), which counts PostgreSQL's own autovacuum too. The
bench watches from another database, so nothing of it is in there.

The bars: `up` at most 8 connections and 2 transactions a second, a worker process at most 5 and 1,
and twenty capabilities more cost no connection and no transaction.

    python bench/idle.py                       # four minutes
    python bench/idle.py --seconds 10 --rest 5 # does it run? Nothing has come to rest by then
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import uvloop

from handfast.apps.runs.login import ROLE
from handfast.db.embedded import EmbeddedServer
from handfast.db.embedded.cluster import APP_USER

ROOT = Path(__file__).resolve().parent.parent
TOYS = 20
REST_SECONDS = 140.0  # all is calm after a minute; a minute later unused connections are closed
LOOKS_SECONDS = 1.0
START_SECONDS_MAX = 120.0
STOP_SECONDS_MAX = 60.0
GROWTH_MAX = 0.25  # transactions a second: the noise of one minute

BACKENDS = """
    SELECT datname, application_name FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND datname = ANY ($1)
"""
TRANSACTIONS = "SELECT datname, xact_commit + xact_rollback FROM pg_stat_database"


@dataclass
class Process:
    """One that is measured, and what it was before there was one host for a process."""

    name: str
    command: Sequence[str]
    toys: int = 0
    bars: tuple[int, float] | None = None
    before: tuple[int, float] | None = None
    most: Counter[str] = field(default_factory=Counter)  # connections by application
    transactions: float = 0.0

    @property
    def database(self) -> str:
        return f"idle_{self.name.replace(' ', '_')}"

    @property
    def connections(self) -> int:
        return self.most["in all"]


APP = ("--app", "bench.idle_program:hf")
HANDFAST = ("-m", "handfast")
PROCESSES = (
    Process("up", (*HANDFAST, "up", "--port", "0"), bars=(8, 2.0), before=(19, 18.0)),
    Process("up and a program", (*HANDFAST, "up", "--port", "0", *APP), TOYS, (8, 2.0)),
    Process("worker", (*HANDFAST, "worker", *APP), bars=(5, 1.0)),
    Process("worker and a program", (*HANDFAST, "worker", *APP), TOYS, (5, 1.0)),
    Process("twenty capabilities more", ("-m", "bench.idle_program"), TOYS, (5, 1.0)),
)


def with_parts(dsn: str, *, database: str, user: str | None = None) -> str:
    parts = urlsplit(dsn)
    netloc = parts.netloc if user is None else f"{user}@{parts.netloc.rpartition('@')[2]}"
    return urlunsplit(parts._replace(path=f"/{database}", netloc=netloc))


def start(process: Process, server: EmbeddedServer, folder: Path) -> "subprocess.Popen[str]":
    dsn = with_parts(server.app_dsn(), database=process.database)
    settings = {
        "DATABASE_URL": dsn,
        "HANDFAST_RUNS_DATABASE_URL": with_parts(dsn, database=process.database, user=ROLE),
        "HANDFAST_DATA_DIR": str(folder / process.database),
        "HANDFAST_LOG_LEVEL": "error",
        "BENCH_TOYS": str(process.toys),
        "PYTHONPATH": str(ROOT),
    }
    with (folder / f"{process.database}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, *process.command],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=ROOT,
            env={**os.environ, **settings},
        )


def stop(running: "subprocess.Popen[str]") -> None:
    if running.poll() is None:
        running.send_signal(signal.SIGTERM)
    try:
        running.wait(STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()


def has_started(running: "subprocess.Popen[str]", log: Path) -> None:
    assert running.stdout is not None
    if not running.stdout.readline():
        raise SystemExit(f"It did not start:\n{log.read_text()[-4000:]}")


async def prepare(server: EmbeddedServer, processes: Sequence[Process]) -> None:
    admin = await asyncpg.connect(server.address.dsn())
    try:
        for process in processes:
            await admin.execute(f'CREATE DATABASE "{process.database}" OWNER {APP_USER}')
    finally:
        await admin.close()
    for process in processes:
        dsn = with_parts(server.app_dsn(), database=process.database)
        await asyncio.to_thread(
            subprocess.run,
            [sys.executable, *HANDFAST, "migrate"],
            check=True,
            capture_output=True,
            env={**os.environ, "DATABASE_URL": dsn, "HANDFAST_LOG_LEVEL": "error"},
        )


async def transactions(watcher: "asyncpg.Connection") -> dict[str, int]:
    return dict(map(tuple, await watcher.fetch(TRANSACTIONS)))


async def watch(dsn: str, processes: Sequence[Process], seconds: float) -> None:
    watcher = await asyncpg.connect(dsn)
    before = await transactions(watcher)
    by_database = {process.database: process for process in processes}
    loop = asyncio.get_running_loop()
    began = loop.time()
    while loop.time() < began + seconds:
        seen = {name: Counter[str]() for name in by_database}
        for database, application in await watcher.fetch(BACKENDS, list(by_database)):
            seen[database].update([application, "in all"])
        for name, count in seen.items():
            by_database[name].most |= count
        await asyncio.sleep(LOOKS_SECONDS)
    took = loop.time() - began
    after = await transactions(watcher)
    await watcher.close()
    for name, process in by_database.items():
        process.transactions = (after[name] - before[name]) / took


async def measure(processes: Sequence[Process], rest: float, seconds: float) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-idle-") as made, ExitStack() as stack:
        folder = Path(made)
        server = EmbeddedServer(folder / "server")
        await asyncio.to_thread(server.start)
        stack.callback(server.stop)
        await prepare(server, processes)
        for process in processes:
            running = start(process, server, folder)
            stack.callback(stop, running)
            async with asyncio.timeout(START_SECONDS_MAX):
                log = folder / f"{process.database}.log"
                await asyncio.to_thread(has_started, running, log)
            print(f"{process.name} has started.", flush=True)
        print(f"Resting for {rest:g} s, then watching for {seconds:g} s.", flush=True)
        await asyncio.sleep(rest)
        await watch(server.address.dsn(), processes, seconds)


def report(processes: Sequence[Process]) -> bool:
    """Prints the table, and answers whether the bars are met."""
    met = True
    print(f"\n{'idle':26} {'connections':>12} {'at most':>8} {'tx/s':>7} {'at most':>8}  was")
    for one in processes:
        bars = one.bars or (0, 0.0)
        well = one.connections <= bars[0] and one.transactions <= bars[1]
        met = met and well
        was = "" if one.before is None else f"{one.before[0]} and {one.before[1]:g}"
        print(
            f"{one.name:26} {one.connections:12} {bars[0]:8} {one.transactions:7.2f} "
            f"{bars[1]:8.1f}  {was:10} {'' if well else 'MISSED'}"
        )
        kinds = {name: n for name, n in sorted(one.most.items()) if name != "in all"}
        print(f"{'':26} {', '.join(f'{n} {name}' for name, n in kinds.items())}")
    named = {one.name: one for one in processes}
    # Beside everything that `up` has; a worker with a program has the engine alone.
    plain, more = named["up"], named["twenty capabilities more"]
    growth = more.transactions - plain.transactions
    # One either way is chance: whether two of its loops met within the last minute.
    grown = more.connections > plain.connections + 1 or growth > GROWTH_MAX
    print(f"Twenty capabilities more: {growth:+.2f} transactions a second, {plain.connections} and "
          f"{more.connections} connections{': MISSED' if grown else ''}")  # fmt: skip
    return met and not grown


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to watch")
    parser.add_argument("--rest", type=float, default=REST_SECONDS, help="before watching")
    parser.add_argument("--json", type=Path, help="write the figures there")
    given = parser.parse_args()
    uvloop.run(measure(PROCESSES, given.rest, given.seconds))
    met = report(PROCESSES)
    if given.json is not None:
        figures = {
            one.name: {"connections": dict(one.most), "transactions": one.transactions}
            for one in PROCESSES
        }
        given.json.write_text(json.dumps(figures, indent=2))
    sys.exit(0 if met else 2)


if __name__ == "__main__":
    main()
