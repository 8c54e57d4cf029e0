"""What emitting costs beside plain inserts, how soon an event is delivered, what a listener weighs.

    python bench/events.py [--seconds N] [--repeat N] [--json FILE] [--quick]

With a `handfast up` (its deliverer and one open stream of events, read as it comes) on an embedded
PostgreSQL that flushes its commits, 16 clients of pgbench, each transaction BEGIN, two statements,
COMMIT. In turns:

plain      two inserts into tables of the bench's own
emit       an insert and handfast_engine.emit; every endpoint is paused
endpoints  the same with three active endpoints, each of which answers after 100 ms, as somebody
           else's server does. After the turn every event must be in each endpoint's queue once.

Then one event at a time, about every 100 ms: how long until it has arrived. And in a process of its
own, listeners of a hub: how much memory for each, and how many statements in all.

Beside the rates: the CPU that the clients' backends took for each transaction, which is what the
statements cost without waiting for the disk, for locks and for whoever else uses the machine.

The bars: emit at least 0.8 of plain, endpoints at least 0.6; at most 2 statements a second.
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx2
import uvloop

from bench.jobs import machine
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer, postmaster
from handfast.db.embedded.binaries import find_binaries
from handfast.db.pool import Database
from handfast.services.webhooks.endpoints import add_endpoint, pause, resume

ROOT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")  # of CPU time, in a second
CLIENTS = 16
ENDPOINTS = 3
ANSWER_SECONDS = 0.1
TOKEN = "hf_admin_of_the_bench"  # noqa: S105
EVENTS = 60  # of which the latency is taken
LISTENERS = 1000

TABLES = """
CREATE TABLE bench_orders (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(),
    customer integer NOT NULL, note text NOT NULL
);
CREATE TABLE bench_lines (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(),
    customer integer NOT NULL, data jsonb NOT NULL
);
"""
# They have been told of before, as what lives on has.
CUSTOMERS = """
SELECT handfast_engine.emit_many(
    ARRAY(SELECT 'customer.made' FROM generate_series(1, 20000)),
    ARRAY(SELECT 'customer:' || n FROM generate_series(1, 20000) AS n),
    ARRAY(SELECT '{}'::jsonb FROM generate_series(1, 20000))
)
"""
INSERT = "INSERT INTO bench_orders (customer, note) VALUES (:customer, 'as ever');"
DATA = """jsonb_build_object('orderId', :customer::integer, 'matchId', 7)"""
SCRIPTS = {
    "plain": f"INSERT INTO bench_lines (customer, data) VALUES (:customer, {DATA});",
    "emit": f"SELECT handfast_engine.emit('order.placed', 'customer:' || :customer, {DATA});",
}
SCRIPT = "\\set customer random(1, 20000)\nBEGIN;\n{first}\n{second}\nCOMMIT;\n"
QUEUED = """
SELECT count(*), count(DISTINCT j.key) FROM handfast_engine.jobs AS j
JOIN handfast_engine.events AS e ON e.id = split_part(j.key, ':', 1)::uuid
WHERE j.kind = 'webhooks.deliver' AND e.at >= $1 AND e.type = 'order.placed'
"""
EVERY = "SELECT count(*) FROM handfast_engine.events WHERE type LIKE 'order.%'"
EMITTED = "SELECT count(*) FROM handfast_engine.events WHERE at >= $1 AND type = 'order.placed'"


# --- the endpoints ----------------------------------------------------------------------------


class Answering(asyncio.Protocol):
    """Answers 200 after a while, and tells when the request was there."""

    tell: Connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            at = head.index(b"content-length:") + 15
            length = int(head[at:].split(b"\r\n", 1)[0])
            if len(self.buffer) < end + 4 + length:
                return
            body = self.buffer[end + 4 : end + 4 + length]
            self.buffer = self.buffer[end + 4 + length :]
            if b"order.timed" in body:
                self.tell.send(time.monotonic())
            loop = asyncio.get_running_loop()
            loop.call_later(ANSWER_SECONDS, self._answer)

    def _answer(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def sink(tell: Connection) -> None:
    async def run() -> None:
        Answering.tell = tell
        served = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
        tell.send(served.sockets[0].getsockname()[1])
        await served.serve_forever()

    uvloop.run(run())


# --- the house --------------------------------------------------------------------------------


@contextmanager
def up(dsn: str, folder: Path) -> Iterator[str]:
    """A `handfast up` on that database; its address."""
    settings = {
        "DATABASE_URL": dsn,
        "HANDFAST_DATA_DIR": str(folder / "up"),
        "HANDFAST_ADMIN_TOKEN": TOKEN,
        "HANDFAST_CAPABILITIES": "webhooks",
        "HANDFAST_WEBHOOKS_ALLOW_PRIVATE": "true",
        "HANDFAST_LOG_LEVEL": "error",
        "PYTHONPATH": str(ROOT),
    }
    with (folder / "up.log").open("wb") as log:
        running = subprocess.Popen(
            [sys.executable, "-m", "handfast", "up", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, **settings},
        )
    try:
        assert running.stdout is not None
        line = running.stdout.readline()
        if "http" not in line:
            raise SystemExit((folder / "up.log").read_text()[-4000:])
        yield line[line.index("http") :].strip()
    finally:
        running.terminate()
        try:
            running.wait(60)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


@dataclass
class Watching:
    """Somebody who reads the stream of events as it comes."""

    seen: int = 0
    task: asyncio.Task[None] | None = None

    def start(self, url: str) -> None:
        self.task = asyncio.create_task(self._read(url))

    async def _read(self, url: str) -> None:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(timeout=None) as client,
            client.stream("GET", f"{url}/admin/events", headers=headers) as stream,
        ):
            async for chunk in stream.aiter_raw():
                self.seen += chunk.count(b"event: order.")

    async def stop(self) -> None:
        assert self.task is not None
        if self.task.done():
            await self.task
        self.task.cancel()
        await asyncio.wait([self.task])


@dataclass
class Measured:
    rates: dict[str, list[float]] = field(default_factory=dict)
    micros: dict[str, list[float]] = field(default_factory=dict)
    latencies: list[float] = field(default_factory=list)


def pgbench(dsn: str, second: str, seconds: int, folder: Path) -> float:
    """Transactions a second."""
    script = folder / "script.sql"
    script.write_text(SCRIPT.format(first=INSERT, second=second))
    done = subprocess.run(
        [
            str(find_binaries().bin / "pgbench"),
            *("-n", "-M", "prepared", "-c", str(CLIENTS), "-j", "1", "-T", str(seconds)),
            *("-f", str(script), dsn),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    assert found is not None, done.stdout
    return float(found[1])


async def switch(database: Database, endpoints: list[UUID], *, on: bool) -> None:
    async with database.transaction() as tx:
        for endpoint in endpoints:
            await (resume(tx, endpoint) if on else pause(tx, endpoint))


async def relayed(database: Database, since: datetime) -> None:
    """Every event is in each endpoint's queue, once; waits for the relay, not for deliveries."""
    async with database.connection() as connection:
        # Another process does it.
        while await connection.fetchval("SELECT count(*) FROM handfast_engine.outbox"):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        events = await connection.fetchval(EMITTED, since)
        queued, keys = (await connection.fetch(QUEUED, since))[0]
    if not queued == keys == ENDPOINTS * events:
        raise SystemExit(f"{events} events, {queued} deliveries, {keys} of them different")


@dataclass(frozen=True)
class House:
    database: Database
    dsn: str
    url: str
    folder: Path
    postmaster: int
    endpoints: list[UUID] = field(default_factory=list)


def cpu_of_ended(postmaster: int) -> float:
    """CPU seconds of the server's processes that have ended: those of pgbench, nearly all."""
    fields = Path(f"/proc/{postmaster}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / TICKS


async def turn(name: str, house: House, seconds: int) -> tuple[float, float]:
    """Transactions a second, and microseconds of CPU of the clients' backends for each."""
    database, endpoints = house.database, house.endpoints
    async with database.connection() as connection:
        since = await connection.fetchval("SELECT clock_timestamp()")
    if name == "endpoints":
        await switch(database, endpoints, on=True)
    second = SCRIPTS["plain" if name == "plain" else "emit"]
    before = cpu_of_ended(house.postmaster)
    rate = await asyncio.to_thread(pgbench, house.dsn, second, seconds, house.folder)
    await asyncio.sleep(0.3)  # until the server knows that they have ended
    micros = 1e6 * (cpu_of_ended(house.postmaster) - before) / (rate * seconds)
    if name == "endpoints":
        began = time.monotonic()
        await relayed(database, since)
        print(f"    the relay was done {time.monotonic() - began:.1f} s later")
        await switch(database, endpoints, on=False)
    return rate, micros


async def latencies(database: Database, endpoint: UUID, heard: Connection) -> list[float]:
    """Seconds from before the emitting transaction to its arrival, of an idle house."""
    await switch(database, [endpoint], on=True)
    await asyncio.sleep(2)
    found = []
    for number in range(EVENTS):
        began = time.monotonic()
        async with database.transaction() as tx:
            await tx.execute(
                "SELECT handfast_engine.emit('order.timed', $1, '{}')", f"timed:{number}"
            )
        found.append(await asyncio.to_thread(heard.recv) - began)
        await asyncio.sleep(0.1)
    await switch(database, [endpoint], on=False)
    return sorted(found)


# --- listeners --------------------------------------------------------------------------------


def listeners(tell: Connection, dsn: str) -> None:
    """In a process of its own: memory for each, and statements a second while events come."""
    uvloop.run(_listeners(tell, dsn))


async def _listeners(tell: Connection, dsn: str) -> None:
    from handfast.db.listen import Listener  # noqa: PLC0415  # not in the process that measures
    from handfast.engine.events import NewEvent, emit_many  # noqa: PLC0415
    from handfast.engine.streams.hub import Hub  # noqa: PLC0415

    async with await Database.open(Target(dsn)) as database:
        listener = Listener(database.target, through=database)
        hub = Hub(database, listener)
        users = [uuid4() for _ in range(LISTENERS)]
        seen = 0

        async def read(user: UUID) -> None:
            nonlocal seen
            async for message in (await hub.stream_of_user(user)).messages():
                seen += message is not None

        async def statements() -> int:
            async with database.connection() as connection:
                return int(await connection.fetchval(CALLS))

        async with listener:
            first = asyncio.create_task(read(uuid4()))
            await asyncio.sleep(2)
            before = _kib()
            reading = [asyncio.create_task(read(user)) for user in users]
            await asyncio.sleep(5)
            each = (_kib() - before) / LISTENERS
            calls, began = await statements(), time.monotonic()
            for number in range(40):
                async with database.transaction() as tx:
                    await emit_many(tx, [NewEvent("order.told", f"o:{number}", {}, users)])
                await asyncio.sleep(0.25)
            rate = (await statements() - calls) / (time.monotonic() - began)
            while seen < 40 * LISTENERS:  # noqa: ASYNC110  # asked rarely: it is measured
                await asyncio.sleep(0.1)
            tell.send((each, rate))
            await hub.close()
            await asyncio.wait([first, *reading])


def _kib() -> int:
    """What this process has in memory now."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


CALLS = "SELECT sum(calls) FROM pg_stat_user_functions WHERE funcname = 'look_for_events'"


# --- the run ----------------------------------------------------------------------------------


async def run(args: argparse.Namespace, port: int, heard: Connection) -> dict[str, Any]:
    names = ("plain", "emit", "endpoints")
    measured = Measured({name: [] for name in names}, {name: [] for name in names})
    with tempfile.TemporaryDirectory(prefix="bench-events-") as made:
        folder = Path(made)
        embedded = EmbeddedServer(folder / "server", settings={"track_functions": "all"})
        await asyncio.to_thread(embedded.start)
        try:
            dsn = embedded.app_dsn()
            with up(dsn, folder) as url:
                async with await Database.open(Target(dsn), pool_size=4) as database:
                    found = postmaster.read(embedded.folder.pgdata)
                    assert found is not None
                    house = House(database, dsn, url, folder, found.pid)
                    await _measure(args, house, port, heard, measured)
                each, looks = await asyncio.to_thread(_weigh, dsn)
        finally:
            await asyncio.to_thread(embedded.stop, wait=True)
    return _result(args, measured, each, looks)


async def _measure(
    args: argparse.Namespace, house: House, port: int, heard: Connection, measured: Measured
) -> None:
    database, endpoints = house.database, house.endpoints
    async with database.transaction() as tx:
        await tx.execute(TABLES)
        await tx.execute(CUSTOMERS)
        for number in range(ENDPOINTS):
            url = f"http://127.0.0.1:{port}/{number}"
            endpoints.append((await add_endpoint(tx, url, allow_private=True)).endpoint.id)
    await switch(database, endpoints, on=False)
    watching = Watching()
    watching.start(house.url)
    measured.latencies = await latencies(database, endpoints[0], heard)
    names = list(measured.rates)
    for number in range(args.repeat):
        print(f"round {number + 1} of {args.repeat}, load {os.getloadavg()[0]:.1f}", flush=True)
        for name in names[number % 3 :] + names[: number % 3]:
            rate, micros = await turn(name, house, args.seconds)
            measured.rates[name].append(rate)
            measured.micros[name].append(micros)
            print(f"  {name:<10}{rate:>8,.0f}/s, {micros:.0f} µs of CPU each", flush=True)
    async with database.connection() as connection:
        emitted = await connection.fetchval(EVERY)
    await asyncio.sleep(2)
    print(f"the open stream has shown {watching.seen:,} of {emitted:,} events")
    await watching.stop()


def _weigh(dsn: str) -> tuple[float, float]:
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=listeners, args=(there, dsn), daemon=True)
    process.start()
    try:
        if not here.poll(180):
            raise SystemExit("the listeners have not been told everything")
        each, looks = here.recv()
        return each, looks
    finally:
        process.terminate()
        process.join(5)


def _result(
    args: argparse.Namespace, measured: Measured, each: float, looks: float
) -> dict[str, Any]:
    ratios = {
        name: [
            one / plain
            for one, plain in zip(measured.rates[name], measured.rates["plain"], strict=True)
        ]
        for name in ("emit", "endpoints")
    }
    late = measured.latencies
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "seconds": args.seconds,
        "rates": measured.rates,
        "backend_cpu_us": measured.micros,
        "arrival_ms": {
            "p50": 1000 * late[len(late) // 2],
            "p95": 1000 * late[int(len(late) * 0.95)],
        },
        "kib_per_listener": each,
        "bars": [
            _bar("emit / plain", statistics.median(ratios["emit"]), 0.8, at_least=True),
            _bar("endpoints / plain", statistics.median(ratios["endpoints"]), 0.6, at_least=True),
            _bar("looks a second", looks, 2.0, at_least=False),
        ],
    }


def _bar(what: str, value: float, bound: float, *, at_least: bool) -> dict[str, Any]:
    met = value >= bound if at_least else value <= bound
    kind = "at least" if at_least else "at most"
    return {"bar": what, "value": value, "bound": bound, "kind": kind, "met": met}


def show(result: dict[str, Any]) -> None:
    for name, rates in result["rates"].items():
        micros = statistics.median(result["backend_cpu_us"][name])
        rate = statistics.median(rates)
        print(f"{name:<12}{rate:>9,.0f} transactions a second, {micros:.0f} µs of CPU each")
    arrival = result["arrival_ms"]
    print(f"an event has arrived after {arrival['p50']:.0f} ms (p50), {arrival['p95']:.0f} (p95)")
    print(f"{result['kib_per_listener']:.1f} KiB for each of {LISTENERS} listeners")
    for bar in result["bars"]:
        verdict = "met" if bar["met"] else "MISSED"
        print(f"{bar['bar']:<20}{bar['value']:>6.2f}  {bar['kind']} {bar['bound']}: {verdict}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=int, help="for each turn (default 3)")
    parser.add_argument("--repeat", type=int, help="rounds, of which the median counts (default 9)")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--quick", action="store_true", help="a few seconds: a smoke test")
    args = parser.parse_args()
    args.seconds = args.seconds or (1 if args.quick else 3)
    args.repeat = args.repeat or (1 if args.quick else 9)
    args.json = args.json or ROOT / "bench" / "results" / "events.json"
    return args


def main() -> int:
    args = arguments()
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=sink, args=(there,), daemon=True)
    process.start()
    try:
        result = uvloop.run(run(args, here.recv(), here))
    finally:
        process.terminate()
        process.join(5)
    show(result)
    args.json.parent.mkdir(parents=True, exist_ok=True)
    args.json.write_text(json.dumps(result, indent=1) + "\n")
    print(f"written to {args.json}")
    return 0 if args.quick or all(bar["met"] for bar in result["bars"]) else 2


if __name__ == "__main__":
    sys.exit(main())
