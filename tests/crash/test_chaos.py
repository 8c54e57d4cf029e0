"""Exactly once, under fire.

Real worker processes are killed, frozen past their lease and thawed; their clocks are wrong;
PostgreSQL is restarted, crashed and killed. The effect of a job is a row in the transaction that
completes it, in a table that would take any number of them. ``--chaos-seconds 600`` goes on for
longer.
"""

# ruff: noqa: S311  # chance here hides no secrets

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer, status
from handfast.db.migrate import migrate
from handfast.db.pool import Database
from tests.support.eventually import eventually_async

WORKERS = 4
KILLS_MIN = 50
REFUSALS_MIN = 20
KILL_EVERY = 0.5
FREEZE_SECONDS = 2.6  # the lease is a second, and rescue looks every second
FIRE_SECONDS_MAX = 60.0
CRASH_EVERY = 8.0
CRASHES = (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL)  # fast, immediate, without a word
ROOT = Path(__file__).parents[2]


class Fleet:
    """Worker processes that come and go."""

    def __init__(self, dsn: str) -> None:
        self._nursery = subprocess.Popen(
            [sys.executable, "-m", "tests.support.nursery", dsn],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )
        self.running: list[int] = []
        self.frozen: dict[int, float] = {}

    def start(self) -> int:
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        self._nursery.stdin.write(f"{random.uniform(-86400, 86400)}\n")
        self._nursery.stdin.flush()
        pid = int(self._nursery.stdout.readline())
        self.running.append(pid)
        return pid

    def signal(self, pid: int, what: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # it may have killed itself
            os.kill(pid, what)

    def kill(self, pid: int) -> None:
        self.running.remove(pid)
        self.frozen.pop(pid, None)
        self.signal(pid, signal.SIGKILL)

    def freeze(self, pid: int) -> None:
        self.running.remove(pid)
        self.frozen[pid] = time.monotonic() + FREEZE_SECONDS
        self.signal(pid, signal.SIGSTOP)

    def thaw_due(self) -> None:
        for pid, until in list(self.frozen.items()):
            if time.monotonic() > until:
                del self.frozen[pid]
                self.running.append(pid)
                self.signal(pid, signal.SIGCONT)

    def bury_the_dead(self) -> None:
        for pid in list(self.running):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                self.running.remove(pid)

    def fill(self) -> None:
        self.bury_the_dead()
        while len(self.running) < WORKERS:
            self.start()

    def end(self) -> None:
        for pid in [*self.frozen, *self.running]:
            self.signal(pid, signal.SIGKILL)
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        self._nursery.stdin.close()
        self._nursery.wait(10)
        self._nursery.stdout.close()


@contextmanager
def fleet(dsn: str) -> Iterator[Fleet]:
    fleet = Fleet(dsn)
    try:
        yield fleet
    finally:
        fleet.end()


@pytest.fixture
async def own(tmp_path: Path, postgres_bin: Path | None) -> AsyncIterator[EmbeddedServer]:
    """A server that may be mistreated."""
    with EmbeddedServer(
        tmp_path / "pg", bin_dir=postgres_bin, settings={"max_connections": "120"}
    ) as server:
        async with await Database.open(Target(server.dsn())) as database:
            await migrate(database)
            async with database.connection() as connection:
                await connection.execute(
                    "CREATE TABLE effects (number bigint, pid bigint);"
                    "CREATE TABLE refused (number bigint)"
                )
        yield server


async def ask(dsn: str, sql: str, *args: Any) -> Any:
    """On a connection of its own: the server comes and goes."""
    deadline = time.monotonic() + 30
    while True:
        try:
            connection = await asyncpg.connect(dsn, timeout=10)
            try:
                return await connection.fetchval(sql, *args)
            finally:
                connection.terminate()
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.05)


RUNNING_ON = (
    "SELECT count(*) FROM engine.live AS l JOIN engine.workers AS w ON w.id = l.worker "
    "WHERE w.name = $1 AND l.state = 'running'"
)
ENQUEUE = (
    "SELECT count(*) FROM engine.enqueue_many($1, "
    "ARRAY(SELECT g::text FROM generate_series($2::int, $3) AS g), "
    "ARRAY(SELECT jsonb_build_object('number', g) FROM generate_series($2::int, $3) AS g))"
)


def hit_postgres(server: EmbeddedServer, how: signal.Signals) -> None:
    found = status(server.folder.root)
    if found is not None and found.postmaster_pid is not None:
        with suppress(ProcessLookupError):
            os.kill(found.postmaster_pid, how)


class Fire:
    """Kills, freezes and crashes until enough has happened to prove something."""

    def __init__(self, server: EmbeddedServer, workers: Fleet, seconds: float | None) -> None:
        self._server = server
        self._dsn = server.dsn()
        self._workers = workers
        self._seconds = seconds
        self._began = time.monotonic()
        self._crashes = list(CRASHES)
        self._crash_at = self._began + CRASH_EVERY
        self.hits = self.enqueued = self.refused = 0

    async def burn(self) -> None:
        turn, next_at = 0, time.monotonic()
        while not await self._enough():
            turn += 1
            await self._feed()
            await self._crash_if_due()
            self._workers.thaw_due()
            self._workers.fill()
            self.hits += await _strike(self._workers, self._dsn, freeze=turn % 6 == 0)
            next_at += KILL_EVERY
            await asyncio.sleep(max(0.05, next_at - time.monotonic()))

    async def _enough(self) -> bool:
        elapsed = time.monotonic() - self._began
        if self._seconds is not None:
            return elapsed > self._seconds
        self.refused = await ask(self._dsn, "SELECT count(*) FROM refused")
        proved = self.hits >= KILLS_MIN and self.refused >= REFUSALS_MIN and not self._crashes
        return proved or elapsed > FIRE_SECONDS_MAX

    async def _feed(self) -> None:
        ready = "SELECT count(*) FROM engine.live WHERE state = 'ready'"
        if await ask(self._dsn, ready) < 200:
            for kind in ("chaos.effect", "chaos.plain"):
                await ask(self._dsn, ENQUEUE, kind, self.enqueued + 1, self.enqueued + 300)
            self.enqueued += 300

    async def _crash_if_due(self) -> None:
        if time.monotonic() > self._crash_at:
            self._crash_at += CRASH_EVERY
            how = self._crashes.pop(0) if self._crashes else random.choice(CRASHES)
            hit_postgres(self._server, how)
            await asyncio.to_thread(self._server.ensure)

    async def die_down(self) -> None:
        """Everything that is left must come to its end by itself."""
        while self._workers.frozen:
            self._workers.thaw_due()
            await asyncio.sleep(0.05)
        self._workers.fill()

        async def drained() -> bool:
            return bool(await ask(self._dsn, "SELECT count(*) = 0 FROM engine.live"))

        await eventually_async(drained, within=40)
        self.refused = await ask(self._dsn, "SELECT count(*) FROM refused")


@pytest.mark.timeout(0)  # it bounds itself; --chaos-seconds may be long
async def test_exactly_once_under_fire(own: EmbeddedServer, request: pytest.FixtureRequest) -> None:
    dsn = own.dsn()
    with fleet(dsn) as workers:
        workers.fill()
        fire = Fire(own, workers, request.config.getoption("--chaos-seconds"))
        await fire.burn()
        await fire.die_down()
    assert fire.hits >= KILLS_MIN, "too few kills hit running jobs: nothing is proved"
    assert fire.refused >= REFUSALS_MIN, "too few late completions: nothing is proved"
    jobs = fire.enqueued
    finished = "SELECT count(*) FROM engine.jobs WHERE state = 'succeeded'"
    assert await ask(dsn, finished) == 2 * jobs
    assert await ask(dsn, "SELECT count(*) FROM engine.jobs") == 2 * jobs
    assert await ask(dsn, "SELECT count(*) FROM effects") == jobs
    assert await ask(dsn, "SELECT count(DISTINCT number) FROM effects") == jobs
    successes = "SELECT count(*) FROM engine.attempts WHERE outcome = 'succeeded' AND kind = $1"
    assert await ask(dsn, successes, "chaos.effect") == jobs
    assert await ask(dsn, successes, "chaos.plain") == jobs


async def _strike(workers: Fleet, dsn: str, *, freeze: bool) -> int:
    """Freeze a worker, or kill one. Answers 1 if a running job was killed with it."""
    for victim in random.sample(workers.running, len(workers.running)):
        workers.signal(victim, signal.SIGSTOP)  # so that what we count is what is killed
        if not await ask(dsn, RUNNING_ON, str(victim)):  # it has hardly begun: let it live
            workers.signal(victim, signal.SIGCONT)
            continue
        if freeze:
            workers.freeze(victim)
            return 0
        workers.kill(victim)
        return 1
    return 0


async def test_a_job_that_kills_its_process_ends_as_a_dead_letter(own: EmbeddedServer) -> None:
    dsn = own.dsn()
    await ask(dsn, "SELECT id FROM engine.enqueue('chaos.killer', 'k')")
    await ask(dsn, ENQUEUE, "chaos.effect", 1, 40)

    async def over() -> bool:
        workers.bury_the_dead()
        while len(workers.running) < 2:
            workers.start()
        return bool(await ask(dsn, "SELECT count(*) = 0 FROM engine.live"))

    with fleet(dsn) as workers:
        await eventually_async(over, within=60)
    assert (
        await ask(dsn, "SELECT state::text FROM engine.jobs WHERE kind = 'chaos.killer'") == "dead"
    )
    assert (
        await ask(
            dsn,
            "SELECT count(*) FROM engine.attempts WHERE kind = 'chaos.killer' AND outcome = 'lost'",
        )
        == 4
    )
    assert (
        await ask(dsn, "SELECT error FROM engine.dead")
        == "the worker that ran it stopped answering"
    )
    assert await ask(dsn, "SELECT count(*) FROM engine.events WHERE type = 'job.dead'") == 1
    assert await ask(dsn, "SELECT count(*) FROM engine.jobs WHERE state = 'succeeded'") == 40
    assert await ask(dsn, "SELECT count(*) FROM effects") == 40
