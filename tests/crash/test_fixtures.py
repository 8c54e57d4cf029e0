"""Ten processes ingest, catch up and repair at the same moment, and are killed all the time."""

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from handfast.db.pool import Database
from tests.support.fixtures_nursery import FIXTURES
from tests.support.kickoffs import STEPS, Ground

ROOT = Path(__file__).parents[2]
PROCESSES = 10
KILLS_MIN = 25
SECONDS_MAX = 100.0

Birth = Callable[[], int]


@pytest.fixture
async def birth(dsn: str) -> AsyncIterator[Birth]:
    """Makes a process; answers its id."""
    nursery = subprocess.Popen(
        [sys.executable, "-m", "tests.support.fixtures_nursery", dsn],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "FIXTURES_NOON": str(int(time.time()) + 600)},
    )
    born: list[int] = []

    def make() -> int:
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        nursery.stdin.write("\n")
        nursery.stdin.flush()
        born.append(int(nursery.stdout.readline()))
        return born[-1]

    yield make
    for pid in born:
        kill(pid)
    nursery.kill()
    nursery.wait(10)


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


async def test_each_step_of_each_fixture_once_and_in_order(
    database: Database, birth: Birth
) -> None:
    ground = Ground(database)
    await ground.fetch(
        "CREATE TABLE made"
        " (n bigint GENERATED ALWAYS AS IDENTITY, fixture bigint, step text, pid int)"
    )
    await ground.fetch("CREATE TABLE faults (what text)")
    living = [birth() for _ in range(PROCESSES)]
    chance = random.Random(os.urandom(8))  # noqa: S311
    kills, began = 0, time.monotonic()
    while True:
        await asyncio.sleep(chance.uniform(0.1, 0.6))
        made = await ground.value("SELECT count(*) FROM made")
        if made >= FIXTURES * 3 and kills >= KILLS_MIN:
            break
        assert time.monotonic() - began < SECONDS_MAX, f"{made} made, {kills} killed"
        victim = living.pop(chance.randrange(len(living)))
        kill(victim)
        kills += 1
        living.append(birth())
    # Once more, with everybody planning what is all done, and then nobody.
    await asyncio.sleep(1.0)
    for pid in living:
        kill(pid)

    assert await ground.fetch("SELECT what FROM faults") == [], "no deadlock that was not retried"
    assert await ground.value("SELECT count(*) FROM fixtures.fixtures") == FIXTURES
    assert await ground.value("SELECT count(*) FROM engine.jobs WHERE kind LIKE 'fixtures.%s'") == (
        FIXTURES * 3
    )
    assert await ground.fetch("SELECT count(*), count(DISTINCT (fixture, step)) FROM made") == [
        (FIXTURES * 3, FIXTURES * 3)
    ], "exactly once"
    chains = await ground.fetch(
        "SELECT array_agg(step ORDER BY n) AS steps FROM made GROUP BY fixture"
    )
    assert {tuple(chain) for (chain,) in chains} == {STEPS}, "in the chain's order"
    assert await ground.fetch(
        "SELECT decision, count(*), count(DISTINCT (fixture_id, step)) FROM fixtures.decisions"
        " GROUP BY 1"
    ) == [("planned", FIXTURES * 3, FIXTURES * 3)], "each planned once, whoever asked"
    assert await ground.value("SELECT count(DISTINCT pid) FROM made") > 3, "many took part"
    lost = await ground.value("SELECT count(*) FROM engine.attempts WHERE outcome = 'lost'")
    assert lost > 0, "some were killed in the middle of a step"
