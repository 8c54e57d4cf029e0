"""Makes worker processes quickly: everything is imported once, then each worker is a fork.

A program: ``python -m tests.support.nursery DSN``. It reads lines from standard input, forks one
worker for each, and answers with the worker's process id. The line is the offset in seconds by
which that worker's clock is wrong.
"""

import asyncio
import contextlib
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import structlog

from handfast.base.errors import HandfastError, LeaseLost
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.context import Context
from handfast.engine.kinds import Kind, Kinds, payload_of
from handfast.engine.retry import RetryPolicy
from handfast.engine.worker import Worker, WorkerOptions

LEASE = timedelta(seconds=1)
PATIENT = RetryPolicy(retries=10_000, waits=(0.0,))  # what is killed all the time needs many tries

kinds = Kinds()


def kind(name: str, retry: RetryPolicy) -> Callable[[Callable[..., Any]], None]:
    def declare(handler: Callable[..., Any]) -> None:
        kinds.add(Kind(name=name, handler=handler, payload=payload_of(handler), retry=retry))

    return declare


@kind("chaos.effect", PATIENT)
async def effect(ctx: Context, number: int) -> None:
    """Its effect is a row in the transaction that completes it.

    Goes on when it is cancelled, as a program that has stood still would: whether its lease is
    lost is for the database to say.
    """
    await asyncio.shield(asyncio.ensure_future(_work(ctx, number)))


async def _work(ctx: Context, number: int) -> None:
    await asyncio.sleep(random.uniform(0.02, 0.2))  # noqa: S311
    try:
        async with ctx.completing(result=number) as tx:
            await tx.execute(
                "INSERT INTO effects (number, pid) VALUES ($1, $2)", number, os.getpid()
            )
    except LeaseLost:
        async with ctx.database.connection() as connection:
            await connection.execute("INSERT INTO refused (number) VALUES ($1)", number)
        raise


@kind("chaos.plain", PATIENT)
async def plain(ctx: Context, number: int) -> int:
    """Completed by the worker, from what it returns."""
    await asyncio.sleep(random.uniform(0.0, 0.1))  # noqa: S311
    return number * 2


@kind("chaos.killer", RetryPolicy(retries=3, waits=(0.0,)))
async def killer(ctx: Context) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def work(dsn: str) -> None:
    loop = asyncio.get_running_loop()
    # An abandoned effect whose database has gone: nobody waits for its exception.
    loop.set_exception_handler(lambda *_: None)
    while True:
        with contextlib.suppress(HandfastError):
            async with await Database.open(Target(dsn, connect_timeout=3), pool_size=6) as database:
                options = WorkerOptions(
                    concurrency=8, lease=LEASE, poll=0.2, grace=2.0, name=str(os.getpid())
                )
                worker = Worker(database, Target(dsn, connect_timeout=3), kinds, options)
                loop.add_signal_handler(signal.SIGTERM, worker.stop)
                await worker.run()
                return
        await asyncio.sleep(0.2)


def _wrong_time(truth: Callable[[], float], skew: float) -> float:
    return truth() + skew


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they died
    dsn = sys.argv[1]
    for line in sys.stdin:
        skew = float(line)
        pid = os.fork()
        if pid == 0:
            time.time = partial(_wrong_time, time.time, skew)
            structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
            random.seed()
            try:
                asyncio.run(work(dsn))
            finally:
                os._exit(0)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
