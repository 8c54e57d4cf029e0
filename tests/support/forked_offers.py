"""Processes that all do everything for offers at once, made quickly: imported once, then forked.

A program: ``python -m tests.support.forked_offers DSN``. For each line on standard input it forks
one process and answers with its id. Each looks at the clock over and over, as a scheduler does, and
works, until it is killed.
"""

import asyncio
import contextlib
import dataclasses
import os
import signal
import sys
from datetime import timedelta

import structlog

from handfast.apps.offers.daily.looking import look
from handfast.apps.offers.settings import OfferRules
from handfast.apps.offers.work import offers_kinds
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.host import Host, HostOptions
from handfast.engine.jobs.faults import AWAY
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.jobs.retry import RetryPolicy

BATCH = 40
LEASE = timedelta(seconds=6)  # a busy machine may let a heartbeat wait for seconds
PATIENT = RetryPolicy(retries=10_000, waits=(0.0,))  # what is killed all the time needs many tries
RULES = OfferRules(anchor_day=7)


async def look_for_ever(database: Database) -> None:
    while True:
        async with database.transaction() as tx:
            await look(tx, RULES)
        await asyncio.sleep(0.2)


def patient_kinds(database: Database) -> Kinds:
    kinds = Kinds()
    for kind in offers_kinds(database, RULES, BATCH):
        kinds.add(dataclasses.replace(kind, retry=PATIENT))
    return kinds


async def live(dsn: str) -> None:
    while True:
        with contextlib.suppress(*AWAY):
            async with await Database.open(Target(dsn), pool_size=4) as database:
                options = WorkerOptions(
                    lanes=("offers",), concurrency=1, lease=LEASE, name=str(os.getpid())
                )
                crew = Crew(patient_kinds(database), options)
                host = Host(database, Target(dsn), [crew], HostOptions(poll=0.1))
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(look_for_ever(database))
                    tasks.create_task(host.run())
        await asyncio.sleep(0.2)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they died
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
            try:
                asyncio.run(live(sys.argv[1]))
            finally:
                os._exit(0)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
