"""The processes that bench/runs.py measures: one that answers HTTP, one that works.

The server is the product's own application, whole, with one route more: a POST that inserts one
row and commits it durably, the cheapest thing that anybody could promise. The worker is the
product's own worker of match runs, logged in as the role that only reads, and beside it a worker of
the engine whose handler does nothing but tell the time.
"""

import multiprocessing
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import uvicorn
import uvloop
from litestar import post
from litestar.datastructures import State

from handfast.apps.runs.worker import runs_crew
from handfast.base.logs import LogFormat, LogLevel, configure_logs
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.edge.http.policies import ANYONE, policy
from handfast.engine.crew import WorkerOptions
from handfast.engine.host import Host
from handfast.engine.work.context import Context
from handfast.facade import Handfast
from handfast.wiring import hosting, load_settings, open_system

NOOP = "bench.noop"
LANE = "bench"
LIMIT = 1_000_000  # runs a minute of one address: the bench is one


@policy(ANYONE)
@post("/bench/durable", status_code=201)
async def durable(state: State) -> dict[str, int]:
    async with state.system.database.transaction() as tx:
        number = await tx.fetchval("INSERT INTO public.bench_rows DEFAULT VALUES RETURNING id")
    return {"id": number}


def serve(bound: socket.socket, dsn: str) -> None:
    configure_logs(LogLevel.ERROR, LogFormat.TEXT)

    async def main() -> None:
        settings = load_settings(database_url=dsn, match_run_limit=LIMIT, pool_size=16)
        async with (
            open_system(settings, migrated=False) as system,
            hosting(system) as host,
        ):
            api = create_api(system, "operator-of-the-bench", host=host)
            api.register(durable)
            config = uvicorn.Config(
                surrounded(api),
                http="httptools",
                lifespan="on",
                log_level="error",
                timeout_keep_alive=60,  # the one caller's connection rests while others are timed
            )
            await uvicorn.Server(config).serve(sockets=[bound])

    uvloop.run(main())


def work(dsn: str, wire: Any) -> None:
    """Match runs, and no-op jobs, each of which says when its handler was called."""

    configure_logs(LogLevel.ERROR, LogFormat.TEXT)

    async def main() -> None:
        hf = Handfast(database_url=dsn)

        async def noop(ctx: Context) -> None:
            wire.send((ctx.key, time.time()))

        hf.job(NOOP, lane=LANE)(noop)
        target = Target(dsn)
        async with (
            await Database.open(target, pool_size=16) as database,
            await Database.open(Target(as_role(dsn)), pool_size=16) as reader,
            hf,
        ):
            idle = await hf.crew(WorkerOptions(lanes=(LANE,), name="bench"))
            host = Host(database, target, [runs_crew(database, reader), idle])
            wire.send("ready")
            await host.run()

    uvloop.run(main())


def as_role(dsn: str) -> str:
    parts = urlsplit(dsn)
    return urlunsplit(parts._replace(netloc=f"handfast_runs@{parts.netloc.rpartition('@')[2]}"))


@contextmanager
def serving(dsn: str) -> Iterator[int]:
    """The server as a process of its own; yields its port."""
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    bound.listen(1024)
    process = multiprocessing.get_context("spawn").Process(
        target=serve, args=(bound, dsn), daemon=True
    )
    process.start()
    try:
        yield bound.getsockname()[1]
    finally:
        process.terminate()
        process.join(10)
        bound.close()


@contextmanager
def working(dsn: str) -> Iterator[Any]:
    """The worker as a process of its own; yields the wire on which no-ops tell their time."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=work, args=(dsn, there), daemon=True)
    process.start()
    try:
        if not here.poll(60):
            raise SystemExit("the worker did not start")
        here.recv()
        yield here
    finally:
        process.terminate()
        process.join(10)
