"""Processes that all do everything for fixtures at once, made quickly: imported once, then forked.

A program: ``python -m tests.support.forked_fixtures DSN``. For each line on standard input it
forks one process and answers with its id. Each process ingests the same fixtures, catches up and
repairs over and over, and works on the steps, until it is killed.
"""

import asyncio
import contextlib
import os
import random
import signal
import sys
from datetime import UTC, datetime, timedelta

import structlog

from handfast.apps.fixtures.pipelines.crew import FixturesKeeping, fixtures_crew
from handfast.apps.fixtures.pipelines.outputs import put_output
from handfast.apps.fixtures.pipelines.pipeline import FOOTBALL
from handfast.apps.fixtures.pipelines.planning import catch_up
from handfast.apps.fixtures.values import FixtureRow
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.crew import WorkerOptions
from handfast.engine.host import Host, HostOptions
from handfast.engine.jobs.faults import AWAY
from handfast.engine.jobs.kinds import Kind, payload_of
from handfast.engine.jobs.retry import RetryPolicy
from handfast.engine.work.context import Context
from tests.support.fixtures_harness import STEPS, FixturesHarness, row

LEASE = timedelta(seconds=1)
PATIENT = RetryPolicy(retries=10_000, waits=(0.0,))  # what is killed all the time needs many tries
FIXTURES = 120


def rows() -> list[FixtureRow]:
    """The same for every process: matches of which each is due now in all its steps."""
    noon = datetime.fromtimestamp(int(os.environ["FIXTURES_NOON"]), UTC)
    return [row(f"m{n}", noon + timedelta(seconds=n)) for n in range(FIXTURES)]


def kind(step: str) -> Kind:
    async def handler(ctx: Context, fixture: int) -> None:
        await asyncio.sleep(random.uniform(0.02, 0.15))  # noqa: S311
        async with ctx.completing() as tx:
            kickoff = await tx.fetchval(
                "SELECT kickoff FROM handfast_fixtures.fixtures WHERE id = $1", fixture
            )
            await tx.execute(
                "INSERT INTO made (fixture, step, pid) VALUES ($1, $2, $3)",
                fixture,
                step,
                os.getpid(),
            )
            await put_output(tx, fixture, step, kickoff, {})

    return Kind(f"fixtures.{step}", handler, payload_of(handler), lane="fixtures", retry=PATIENT)


async def plan_for_ever(database: Database, keeping: FixturesKeeping) -> None:
    """Ingest, catch-up and repair, at the same moment, again and again."""
    ground = FixturesHarness(database)
    mine = rows()
    while True:
        random.shuffle(mine)
        results = await asyncio.gather(
            ground.ingest(*mine), catch_up(database), keeping.repair(), return_exceptions=True
        )
        for result in results:
            errors = result["errors"] if isinstance(result, dict) else None
            if errors or isinstance(result, BaseException):
                async with database.connection() as connection:
                    what = f"{result!r} {errors or ''}"
                    await connection.execute("INSERT INTO faults VALUES ($1)", what)
        await asyncio.sleep(random.uniform(0.0, 0.2))  # noqa: S311


async def live(dsn: str) -> None:
    while True:
        with contextlib.suppress(*AWAY):
            async with await Database.open(Target(dsn), pool_size=6) as database:
                options = WorkerOptions(
                    lanes=("fixtures",),
                    concurrency=2,
                    batch_max=2,
                    lease=LEASE,
                    name=str(os.getpid()),
                )
                crew = fixtures_crew(
                    database, steps=[kind(step) for step in STEPS], options=options
                )
                host = Host(database, Target(dsn), [crew], HostOptions(poll=0.1))
                keeping = FixturesKeeping(database, crew.kinds, [FOOTBALL])
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(plan_for_ever(database, keeping))
                    tasks.create_task(host.run())
        await asyncio.sleep(0.2)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they died
    for number, _ in enumerate(sys.stdin):
        pid = os.fork()
        if pid == 0:
            structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
            random.seed(number)
            try:
                asyncio.run(live(sys.argv[1]))
            finally:
                os._exit(0)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
