"""A worker whose handlers will not stop, as a process of its own.

``python -m tests.support.stubborn_worker`` is soon ended by force; with the word ``patient`` after
it, it has all the time that is shipped, for who is to see it end in good order.
"""

import asyncio
import contextlib
import os
import sys
import time

import uvloop

from handfast import Context, Handfast
from handfast.base.logs import LogFormat, LogLevel, configure_logs
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge import stopping
from handfast.engine.crew import Crew
from handfast.engine.host import Host, HostOptions
from handfast.engine.work import slots

GRACE_SECONDS = 0.5

hf = Handfast()


def say_begun(ctx: Context) -> None:
    """A job is claimed before its handler begins; whoever signals in between meets no handler."""
    sys.stdout.write(f"begun {ctx.kind} {ctx.key}\n")
    sys.stdout.flush()


@hf.job("stub.swallow")
async def swallow(ctx: Context) -> None:
    say_begun(ctx)
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)


@hf.job("stub.compute")
async def compute(ctx: Context) -> None:
    say_begun(ctx)
    while True:
        pass


@hf.job("stub.outside")
async def outside(ctx: Context) -> None:
    say_begun(ctx)
    time.sleep(60)  # noqa: ASYNC251 - as a call into C that lets other threads run


@hf.job("stub.thread")
def thread(ctx: Context) -> None:
    say_begun(ctx)
    time.sleep(60)


@hf.job("stub.fine")
async def fine(ctx: Context) -> None:
    say_begun(ctx)
    await asyncio.sleep(60)


async def main() -> None:
    if sys.argv[1:] != ["patient"]:
        stopping.SLACK_SECONDS = 1.5
    slots.ABANDON_SECONDS = 0.3
    target = Target(os.environ["DATABASE_URL"])
    async with await Database.open(target) as database:
        host = Host(database, target, [Crew(hf.kinds)], HostOptions(grace=GRACE_SECONDS, poll=0.1))
        working = asyncio.create_task(host.run())
        await stopping.until_told(host, lambda: None)
        await working
    sys.stdout.write("left in good order\n")


if __name__ == "__main__":
    configure_logs(LogLevel.INFO, LogFormat.JSON)
    uvloop.run(main())
