"""A batch of 1,000 jobs with 3,000 rows and 1,000 events in one transaction, killed anywhere.

As a program: ``python -m tests.support.batch_program DSN``. It reads lines, ``before 3``,
``after 3`` or ``sent 3``, makes a fork for each, which works until it kills itself at that
statement of the transaction, and answers how the fork ended: by which signal, or 0 if it came to
the end.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextvars import ContextVar
from datetime import timedelta
from typing import Any

import asyncpg
import msgspec
import structlog

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.host import Host, HostOptions
from handfast.engine.jobs.kinds import Kind, Kinds
from handfast.engine.work.batch import Batch

JOBS = 1000
KIND = "kills.batch"
TABLE = "CREATE TABLE pairs (key text NOT NULL, place integer NOT NULL)"
ROWS = "INSERT INTO pairs SELECT key, $2 FROM unnest($1::text[]) AS key"
EVENTS = """
SELECT handfast_engine.emit_many(
    array_agg('match.created'::text), array_agg('user:' || key), array_agg('{}'::jsonb)
)
FROM unnest($1::text[]) AS key
"""

_watched: ContextVar[bool] = ContextVar("watched", default=False)
ended = asyncio.Event()


class Nothing(msgspec.Struct):
    pass


async def pairs(batch: Batch) -> None:
    _watched.set(True)
    try:
        async with batch.completing() as tx:
            keys = [job.key for job in batch.held]
            for place in range(3):
                await tx.execute(ROWS, keys, place)
            await tx.fetchval(EVENTS, keys)
    finally:
        _watched.set(False)
    ended.set()


def kinds() -> Kinds:
    made = Kinds()
    made.add(Kind(name=KIND, handler=pairs, payload=Nothing, batch=JOBS))
    return made


def crew() -> Crew:
    """One call for all of them."""
    return Crew(kinds(), WorkerOptions(concurrency=1, lease=timedelta(hours=1)))


def kill_at(when: str, number: int) -> None:
    """This process, at that statement of the transaction, counted from BEGIN: before it is sent,
    when it was sent and not answered, or after its answer."""
    count = 0

    def watched(name: str) -> None:
        original: Callable[..., Any] = getattr(asyncpg.Connection, name)

        async def run(*args: Any, **options: Any) -> Any:
            nonlocal count
            count += _watched.get()
            if count != number or not _watched.get():
                return await original(*args, **options)
            if when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            answer = asyncio.ensure_future(original(*args, **options))
            if when == "sent":
                await asyncio.sleep(0)
                os.kill(os.getpid(), signal.SIGKILL)
            answered = await answer
            os.kill(os.getpid(), signal.SIGKILL)
            return answered

        setattr(asyncpg.Connection, name, run)

    for name in ("execute", "fetch", "fetchrow", "fetchval"):
        watched(name)


async def work(target: Target) -> None:
    async with await Database.open(target, pool_size=6) as database:
        host = Host(database, target, [crew()], HostOptions(poll=0.2, grace=1.0))
        running = asyncio.create_task(host.run())
        await ended.wait()
        host.stop()
        await running


def main() -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    target = Target(sys.argv[1])
    for line in sys.stdin:
        when, number = line.split()
        pid = os.fork()
        if pid == 0:
            kill_at(when, int(number))
            try:
                asyncio.run(work(target))
            finally:
                os._exit(0)
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.WTERMSIG(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
