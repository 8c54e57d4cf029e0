"""A process that asks an exact limit by the clock that it is told.

    python -m tests.support.exact_asker DSN

Each line of its input is one ``Round``; it answers with a line of verdicts. What it takes it takes
in transactions of its own, in which the clock of the house is set, and commits whatever it is told.
"""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path

import msgspec

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.services.limits.limit import Ask, Limit
from handfast.services.limits.limiter import Limiter

ROOT = Path(__file__).parents[2]


class Round(msgspec.Struct):
    now: str
    quota: int
    period_us: int
    subject: str
    costs: list[int]

    @property
    def limit(self) -> Limit:
        return Limit("exact", self.quota, timedelta(microseconds=self.period_us), exact=True)


class Told(msgspec.Struct):
    cost: int
    admitted: bool
    retry_after_us: int


async def answer(limiter: Limiter, database: Database, asked: Round) -> list[Told]:
    told = []
    for cost in asked.costs:
        async with database.transaction() as tx:
            await tx.execute("SELECT set_config('handfast.now', $1, true)", asked.now)
            decision = await limiter.take_in(tx, [Ask(asked.limit, asked.subject, cost)])
        wait = round(decision.retry_after * 1e6)
        told.append(Told(cost, decision.admitted, wait))
    return told


async def main(dsn: str) -> None:
    async with await Database.open(Target(dsn), pool_size=1) as database:
        limiter = Limiter(database)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while line := await asyncio.to_thread(sys.stdin.readline):
            told = await answer(limiter, database, msgspec.json.decode(line, type=Round))
            sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
            sys.stdout.flush()


class Askers:
    """The processes, for who started them."""

    def __init__(self, processes: list["subprocess.Popen[str]"]) -> None:
        self._processes = processes

    def ask(self, asked: Round) -> list[Told]:
        """All of them at once; what each was told."""
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.write(msgspec.json.encode(asked).decode() + "\n")
            process.stdin.flush()
        told: list[Told] = []
        for process in self._processes:
            assert process.stdout is not None
            told += msgspec.json.decode(process.stdout.readline(), type=list[Told])
        return told


@contextmanager
def askers(dsn: str, count: int) -> Iterator[Askers]:
    words = [sys.executable, "-m", "tests.support.exact_asker", dsn]
    with ExitStack() as stack:
        processes = []
        for _ in range(count):
            process = subprocess.Popen(
                words, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            stack.callback(_end, process)
            processes.append(process)
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        yield Askers(processes)


def _end(process: "subprocess.Popen[str]") -> None:
    """Its input ends, and so does it."""
    try:
        process.communicate(timeout=60)
    finally:
        process.kill()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
