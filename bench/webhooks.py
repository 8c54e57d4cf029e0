"""Measure webhook deliveries beside a bare loop of the same HTTP client, in the same run.

    python bench/webhooks.py [--events N] [--repeat N] [--json FILE] [--quick]

The sink is a process of its own that answers 200 as quickly as Python can; one of its paths never
answers. The bodies are those of real events. Measured, in turns:

bare        the pool of the HTTP client beneath our sender posts the same bodies with the same
            headers to the same sink, 4 at once (16 and 64 made it slower): no database, no
            signature, no guard
deliveries  one deliverer, from its start to the last delivery recorded and its job finished, on a
            durable PostgreSQL; the events were emitted before, to four endpoints: what the relay
            does is part of it
others      the same while a fifth endpoint, with as many deliveries waiting, never answers
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import asyncpg
import httpcore2
import uvloop
from rich.console import Console
from rich.table import Table

from bench.jobs import machine, server
from handfast.db.connect import Target
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.engine.event_envelope import StoredEvent
from handfast.engine.host import Host
from handfast.services.webhooks.endpoints import add_endpoint
from handfast.services.webhooks.sending.deliverer import webhooks_crew
from handfast.services.webhooks.signing.secrets import SigningSecret, new_secret
from handfast.services.webhooks.signing.signature import sign

HERE = Path(__file__).resolve().parent
ENDPOINTS = 4
BARE_AT_ONCE = 4  # tried 4 and 16: more at once made the bare loop slower
DEAD = "/dead"
EMIT = """
SELECT handfast_engine.emit_many(
    array_fill('match.created'::text, ARRAY[$1::integer]),
    array_fill($2::text, ARRAY[$1::integer]),
    ARRAY(SELECT jsonb_build_object('matchId', n, 'users', jsonb_build_array(n, n + 1),
                                    'score', n % 100, 'note', repeat('x', 200))
          FROM generate_series(1, $1) AS n)
)"""


# --- the sink ---------------------------------------------------------------------------------


class Answering(asyncio.Protocol):
    """Reads requests with a body of a known length, and answers 200, or never."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but name
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            at = head.index(b"content-length:") + 15
            length = int(head[at:].split(b"\r\n", 1)[0])
            if len(self.buffer) < end + 4 + length:
                return
            self.buffer = self.buffer[end + 4 + length :]
            if not head.startswith(b"post " + DEAD.encode()):
                self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def sink(tell: Connection) -> None:
    async def run() -> None:
        served = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
        tell.send(served.sockets[0].getsockname()[1])
        await served.serve_forever()

    uvloop.run(run())


# --- what is measured -------------------------------------------------------------------------


async def bare(port: int, bodies: list[tuple[dict[str, str], bytes]]) -> float:
    """Posts per second."""
    waiting = iter(bodies)
    async with httpcore2.AsyncConnectionPool(
        max_connections=None, max_keepalive_connections=100
    ) as pool:

        async def loop() -> None:
            for headers, body in waiting:
                sent = {"host": f"127.0.0.1:{port}", "content-type": "application/json", **headers}
                answer = await pool.request(
                    "POST",
                    f"http://127.0.0.1:{port}/0",
                    headers=[*sent.items(), ("content-length", str(len(body)))],
                    content=body,
                )
                if answer.status != 200:
                    raise SystemExit(f"the sink answered {answer.status}")

        began = time.perf_counter()
        await asyncio.gather(*(loop() for _ in range(BARE_AT_ONCE)))
        return len(bodies) / (time.perf_counter() - began)


@asynccontextmanager
async def fresh(dsn: str) -> AsyncIterator[Database]:
    """A new, migrated database on the server."""
    name = f"webhooks_{uuid4().hex[:8]}"
    admin = await asyncpg.connect(dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    try:
        async with await Database.open(Target(_named(dsn, name))) as database:
            await migrate(database)
            yield database
    finally:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


def _named(dsn: str, name: str) -> str:
    head, mark, query = dsn.partition("?")
    return f"{head.rpartition('/')[0]}/{name}{mark}{query}"


async def deliveries(dsn: str, port: int, events: int, *, dead: bool) -> float:
    """Deliveries per second to the endpoints that answer."""
    async with fresh(dsn) as database:
        async with database.transaction() as tx:
            for number in range(ENDPOINTS):
                url = f"http://127.0.0.1:{port}/{number}"
                await add_endpoint(tx, url, allow_private=True)
            if dead:
                await add_endpoint(tx, f"http://127.0.0.1:{port}{DEAD}", allow_private=True)
        async with database.transaction() as tx:
            await tx.execute(EMIT, events // ENDPOINTS, "match:1")
        async with database.connection() as connection:
            await connection.execute("VACUUM (ANALYZE)")
            await connection.execute("CHECKPOINT")
        crew = webhooks_crew(database, allow_private=True, disable_after=timedelta(days=5))
        deliverer = Host(database, database.target, [crew])
        began = time.perf_counter()
        running = asyncio.create_task(deliverer.run())
        wanted = events // ENDPOINTS * ENDPOINTS
        done = 0
        while done < wanted:
            await asyncio.sleep(0.02)
            if running.done():
                await running
            async with database.connection() as connection:
                done = await connection.fetchval(
                    "SELECT count(*) FROM handfast_webhooks.attempts WHERE outcome = 'delivered'"
                )
        took = time.perf_counter() - began
        deliverer.stop()
        running.cancel()  # do not wait for the dead endpoint
        await asyncio.wait([running])
        async with database.connection() as connection:
            finished = await connection.fetchval(
                "SELECT count(*) FROM handfast_engine.jobs WHERE state = 'succeeded'"
            )
        if finished != wanted:
            raise SystemExit(f"{finished} of {wanted} deliveries are finished")
        return wanted / took


def bodies(events: int) -> list[tuple[dict[str, str], bytes]]:
    """What the deliveries will post, made beforehand."""
    secret = SigningSecret.parse(new_secret())
    made = []
    for number in range(1, events // ENDPOINTS + 1):
        data = {
            "note": "x" * 200,
            "score": number % 100,
            "users": [number, number + 1],
            "matchId": number,
        }
        identity = UUID(int=number)
        stored = StoredEvent(
            str(identity), datetime.now(UTC), "match.created", "match:1", number, json.dumps(data)
        )
        body = stored.envelope()
        made += [(sign([secret], str(identity), int(time.time()), body), body)] * ENDPOINTS
    return made


async def run(args: argparse.Namespace, port: int) -> dict[str, Any]:
    samples: dict[str, list[float]] = {"bare": [], "deliveries": [], "others": []}
    loads = []
    prepared = bodies(args.events)
    async with server(args.server) as dsn:
        for turn in range(args.repeat):
            loads.append(os.getloadavg()[0])
            print(f"round {turn + 1} of {args.repeat}, the load before it {loads[-1]:.1f}")
            names = list(samples)
            for name in names[turn % 3 :] + names[: turn % 3]:
                if name == "bare":
                    rate = await bare(port, prepared)
                else:
                    rate = await deliveries(dsn, port, args.events, dead=name == "others")
                samples[name].append(rate)
                print(f"  {name:<12}{samples[name][-1]:>10,.0f}/s", flush=True)
    figures = {name: statistics.median(values) for name, values in samples.items()}
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "events": args.events,
        "repeat": args.repeat,
        "loads": loads,
        "figures": figures,
        "samples": samples,
        "bars": [
            _bar("deliveries / bare loop", figures["deliveries"] / figures["bare"], 0.5),
            _bar(
                "beside a dead endpoint / without", figures["others"] / figures["deliveries"], 0.8
            ),
        ],
    }


def _bar(what: str, value: float, bound: float) -> dict[str, Any]:
    return {"bar": what, "value": value, "bound": bound, "kind": "at least", "met": value >= bound}


def show(result: dict[str, Any]) -> None:
    console = Console()
    table = Table(title=f"Webhooks to a local sink, {result['events']:,} deliveries")
    table.add_column("what")
    table.add_column("per second", justify="right")
    for name, value in result["figures"].items():
        table.add_row(name, f"{value:,.0f}")
    console.print(table)
    bars = Table(title="BARS")
    for title in ("bar", "ratio", "bound", ""):
        bars.add_column(title)
    for bar in result["bars"]:
        verdict = "[green]met[/]" if bar["met"] else "[red]MISSED[/]"
        bars.add_row(bar["bar"], f"{bar['value']:.2f}", f"at least {bar['bound']:.2f}", verdict)
    console.print(bars)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--events", type=int, help="deliveries of each measurement (default 10000)")
    parser.add_argument("--repeat", type=int, help="rounds, of which the median counts (default 3)")
    parser.add_argument("--server", help="DSN of a server to create databases on")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--quick", action="store_true", help="a few hundred: a smoke test")
    args = parser.parse_args()
    args.events = args.events or (400 if args.quick else 10_000)
    args.repeat = args.repeat or (1 if args.quick else 3)
    args.json = args.json or HERE / "results" / "webhooks.json"
    return args


def main() -> int:
    args = arguments()
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=sink, args=(there,), daemon=True)
    process.start()
    try:
        result = uvloop.run(run(args, here.recv()))
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
