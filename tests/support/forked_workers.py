"""Makes worker processes quickly: everything is imported once, then each worker is a fork.

A program: ``python -m tests.support.forked_workers DSN [webhooks]``. It reads lines from standard
input, forks one worker for each, and answers with its process id. The line is the offset in
seconds by which that worker's clock is wrong, and what its chance begins with. With ``webhooks``
each worker delivers as well.
"""

import asyncio
import contextlib
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import structlog

from handfast.base.errors import HandfastError
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.stopping import Stopping
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.errors import LeaseLost
from handfast.engine.host import Host, HostOptions
from handfast.engine.jobs.kinds import Kind, Kinds, payload_of
from handfast.engine.jobs.retry import RetryPolicy
from handfast.engine.work.context import Context
from handfast.services.webhooks.sending.deliverer import LANE, webhooks_crew

LEASE = timedelta(seconds=1)
GRACE = 2.0
PATIENT = RetryPolicy(retries=10_000, waits=(0.0,))  # what is killed all the time needs many tries

OPTIONS = WorkerOptions(concurrency=8, lease=LEASE)
HOST = HostOptions(poll=0.2, grace=GRACE)

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


@kind("chaos.stubborn", PATIENT)
async def stubborn(ctx: Context, number: int) -> None:
    """Its first attempt cannot be stopped by asking: the process has to end."""
    while ctx.attempt == 1:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
    await _work(ctx, -number)


@kind("chaos.killer", RetryPolicy(retries=3, waits=(0.0,)))
async def killer(ctx: Context) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def work(target: Target, *, webhooks: bool) -> None:
    loop = asyncio.get_running_loop()
    # An abandoned effect whose database has gone: nobody waits for its exception.
    loop.set_exception_handler(lambda *_: None)
    while True:
        try:
            async with await Database.open(target, pool_size=6) as database:
                crews = [Crew(kinds, replace(OPTIONS, name=str(os.getpid())))]
                if webhooks:
                    crews.append(_deliveries(database))
                host = Host(database, target, crews, HOST)
                with Stopping(host.stop, host):
                    await host.run()
                return
        except HandfastError:
            await asyncio.sleep(0.2)


def _deliveries(database: Database) -> Crew:
    # More places than all failing endpoints together may hold, as the product has.
    options = replace(
        OPTIONS, lanes=(LANE,), concurrency=64, batch_max=64, name=f"deliverer:{os.getpid()}"
    )
    days = timedelta(days=5)
    return webhooks_crew(database, allow_private=True, disable_after=days, options=options)


def _wrong_time(truth: Callable[[], float], skew: float) -> float:
    return truth() + skew


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they died
    target = Target(sys.argv[1], connect_timeout=3)
    for line in sys.stdin:
        skew, seed = line.split()
        pid = os.fork()
        if pid == 0:
            time.time = partial(_wrong_time, time.time, float(skew))
            structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
            random.seed(seed)
            try:
                asyncio.run(work(target, webhooks="webhooks" in sys.argv))
            finally:
                os._exit(0)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
