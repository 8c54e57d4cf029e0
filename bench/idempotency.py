"""What a key costs: the same endpoint with and without the middleware, in one run.

    python bench/idempotency.py [--seconds S] [--connections N,N] [--rounds R] [--json F] [--quick]

One server process (uvicorn, uvloop, httptools) on one durable PostgreSQL; the endpoint inserts one
row in one transaction and commits it durably. Another process sends the requests over sockets that
stay open, each as soon as the one before is answered. The three measurements take turns, often and
for a short time, since a machine's speed drifts; each number of connections has its own verdict.
Server, database and load share one machine.

bare        no middleware, `database.transaction()`
executing   behind the middleware, a new key for each request
replaying   behind the middleware, keys that were answered before

Round trips are counted on the wire, by a proxy between the server and PostgreSQL.
"""

import argparse
import asyncio
import json
import multiprocessing
import socket
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import uvicorn
import uvloop
from rich.console import Console
from rich.table import Table

from bench.jobs import machine, server
from bench.roundtrips import counted
from handfast.db.connect import Target
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.services.idempotency import IdempotencyMiddleware, PostgresStore, transaction

MODES = ("bare", "executing", "replaying")
Samples = dict[int, dict[str, list[float]]]  # by connections and mode: requests a second
REPLAYED_KEYS = 200
BODY = b'{"amount":1000}'
POOL = 16


# --- the endpoint -----------------------------------------------------------------------------


def endpoint(database: Database) -> Callable[..., Awaitable[None]]:
    """POST /bare and POST /keyed: the same work, differing in whose transaction it is."""

    async def work(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        mine = database.transaction() if scope["path"] == "/bare" else transaction(scope)
        async with mine as tx:
            number = await tx.fetchval(
                "INSERT INTO bench_orders (amount) VALUES ($1) RETURNING id", 1000
            )
        body = b'{"id":%d,"amount":1000,"state":"queued"}' % number
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    keyed = IdempotencyMiddleware(work, PostgresStore(database), principal=lambda _: "user:1")

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await (work if scope["path"] == "/bare" else keyed)(scope, receive, send)

    return app


def serve(bound: socket.socket, dsn: str) -> None:
    async def main() -> None:
        async with await Database.open(Target(dsn), pool_size=POOL) as database:
            config = uvicorn.Config(
                endpoint(database), http="httptools", lifespan="off", log_level="error"
            )
            await uvicorn.Server(config).serve(sockets=[bound])

    uvloop.run(main())


# --- the load ---------------------------------------------------------------------------------


def request(path: str, key: str | None) -> bytes:
    header = f"idempotency-key: {key}\r\n" if key else ""
    return (
        f"POST {path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n"
        f"{header}content-length: {len(BODY)}\r\n\r\n"
    ).encode() + BODY


async def one(reader: Any, writer: Any, message: bytes) -> bytes:
    """The head of the answer, its body read to the end."""
    writer.write(message)
    head: bytes = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
    await reader.readexactly(length)
    return head


async def load(port: int, mode: str, seconds: float, connections: int, keys: list[str]) -> float:
    """Requests a second, all of them answered as they should be."""
    path = "/bare" if mode == "bare" else "/keyed"
    done = 0
    end = time.perf_counter() + seconds

    async def client(number: int) -> None:
        nonlocal done
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        turn = number
        while time.perf_counter() < end:
            turn += 1
            key = {"bare": None, "executing": str(uuid4())}.get(mode, keys[turn % len(keys)])
            head = await one(reader, writer, request(path, key))
            if not head.startswith(b"HTTP/1.1 201"):
                raise SystemExit(f"{mode}: {head!r}")
            if (b"idempotent-replayed" in head) != (mode == "replaying"):
                raise SystemExit(f"{mode} was not {mode}: {head!r}")
            done += 1
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(connections)))
    return done / (time.perf_counter() - began)


def _load(wire: Any, port: int, keys: list[str]) -> None:
    """The load's own process: does what it is told, until it is told nothing more."""
    while (order := wire.recv()) is not None:
        mode, seconds, connections = order
        wire.send(uvloop.run(load(port, mode, seconds, connections, keys)))


async def round_trips(dsn: str) -> dict[str, int]:
    """Of one request each, with every statement prepared before."""
    async with counted(dsn) as wire, await Database.open(Target(wire.dsn), pool_size=1) as database:
        app = endpoint(database)
        found: dict[str, int] = {}
        key = str(uuid4())
        await call(app, "/bare", None)
        await call(app, "/keyed", str(uuid4()))
        for mode, path, sent in (
            ("bare", "/bare", None),
            ("executing", "/keyed", key),
            ("replaying", "/keyed", key),
        ):
            wire.reset()
            await call(app, path, sent)
            found[mode] = wire.trips
        return found


async def call(app: Callable[..., Awaitable[None]], path: str, key: str | None) -> None:
    headers = [(b"idempotency-key", key.encode())] if key else []
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": BODY}

    async def send(message: dict[str, Any]) -> None:
        assert message.get("status", 201) == 201

    await app(scope, receive, send)


# --- the run ----------------------------------------------------------------------------------


async def run(args: argparse.Namespace) -> dict[str, Any]:
    keys = [str(uuid4()) for _ in range(REPLAYED_KEYS)]
    samples: Samples = {n: {mode: [] for mode in MODES} for n in args.connections}
    async with server(args.server) as dsn:
        async with await Database.open(Target(dsn), pool_size=1) as database:
            await migrate(database)
            async with database.connection() as connection:
                await connection.execute(
                    "CREATE TABLE bench_orders (id bigserial PRIMARY KEY, amount bigint NOT NULL)"
                )
                facts = {
                    name: await connection.fetchval(f"SHOW {name}")
                    for name in ("server_version", "synchronous_commit", "fsync")
                }
        trips = await round_trips(dsn)
        bound = socket.create_server(("127.0.0.1", 0), backlog=1024)
        port = bound.getsockname()[1]
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        served = spawn.Process(target=serve, args=(bound, dsn), daemon=True)
        loading = spawn.Process(target=_load, args=(theirs, port, keys), daemon=True)
        served.start()
        loading.start()
        try:
            for mode in ("bare", "executing"):  # warm up: connections, plans
                await ask(ours, mode, 1.0, max(args.connections))
            await first_use(port, keys)
            for turn, connections in product(range(args.rounds), args.connections):
                for mode in MODES[turn % 3 :] + MODES[: turn % 3]:
                    rate = await ask(ours, mode, args.seconds, connections)
                    samples[connections][mode].append(rate)
                    said = f"round {turn + 1}, {connections} connections"
                    print(f"  {said}: {mode:<10} {rate:,.0f}/s", flush=True)
            ours.send(None)
            await asyncio.to_thread(loading.join, 10)
        finally:
            for process in (loading, served):
                process.terminate()
                process.join(10)
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "server": facts,
        "connections": args.connections,
        "seconds": args.seconds,
        "rounds": args.rounds,
        "samples": samples,
        "figures": {
            n: {mode: statistics.median(rates) for mode, rates in found.items()}
            for n, found in samples.items()
        },
        "round_trips": trips,
        "bars": bars(samples, trips),
    }


async def first_use(port: int, keys: list[str]) -> None:
    for _ in range(100):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            break
        except OSError:
            await asyncio.sleep(0.1)
    for key in keys:
        await one(reader, writer, request("/keyed", key))
    writer.close()


async def ask(wire: Any, mode: str, seconds: float, connections: int) -> float:
    wire.send((mode, seconds, connections))
    rate: float = await asyncio.to_thread(wire.recv)
    return rate


def _kept(connections: int) -> float:
    """How much of the bare endpoint's throughput a key must leave (decision 18)."""
    return 0.6 if connections == 64 else 0.5


def bars(samples: Samples, trips: dict[str, int]) -> list[dict[str, Any]]:
    """Ratios are of the same round: what else the machine did then, it did to both."""

    def ratio(connections: int, above: str, below: str) -> float:
        of = samples[connections]
        return statistics.median(a / b for a, b in zip(of[above], of[below], strict=True))

    judged = [
        *(
            (f"executing / bare, {n}", ratio(n, "executing", "bare"), _kept(n), True)
            for n in samples
        ),
        *(
            (f"replaying / executing, {n}", ratio(n, "replaying", "executing"), 1.0, True)
            for n in samples
        ),
        ("more round trips on first use", trips["executing"] - trips["bare"], 2, False),
        ("round trips of a replay", trips["replaying"], 1, False),
    ]
    found = []
    for what, value, bound, least in judged:
        met = value >= bound if least else value <= bound
        kind = "at least" if least else "at most"
        found.append({"bar": what, "value": value, "bound": bound, "kind": kind, "met": met})
    return found


def show(result: dict[str, Any]) -> None:
    console = Console()
    table = Table(title="One INSERT, one durable commit, over HTTP")
    for title in ("connections", "", "requests/s", "of bare", "round trips"):
        table.add_column(title, justify="right" if title else "left")
    for (connections, figures), mode in product(result["figures"].items(), MODES):
        table.add_row(
            str(connections),
            mode,
            f"{figures[mode]:,.0f}",
            f"{figures[mode] / figures['bare']:.2f}",
            str(result["round_trips"][mode]),
            end_section=mode == MODES[-1],
        )
    console.print(table)
    verdicts = Table(title="BARS")
    for title in ("bar", "measured", "bound", ""):
        verdicts.add_column(title)
    for bar in result["bars"]:
        verdict = "[green]met[/]" if bar["met"] else "[red]MISSED[/]"
        bound = f"{bar['kind']} {bar['bound']:.2f}"
        verdicts.add_row(bar["bar"], f"{bar['value']:.2f}", bound, verdict)
    console.print(verdicts)


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--connections", type=numbers, default="1,4,16,64", help="one or several")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--server", help="a database to use instead of an embedded one")
    parser.add_argument("--json", type=Path, help="write the result there")
    parser.add_argument("--quick", action="store_true", help="a short run, to see that it works")
    args = parser.parse_args()
    if args.quick:
        args.rounds = 3
    result = asyncio.run(run(args))
    show(result)
    if args.json:
        args.json.write_text(json.dumps(result, indent=2) + "\n")
    return 0 if all(bar["met"] for bar in result["bars"]) else 1


if __name__ == "__main__":
    sys.exit(main())
