"""Ten processes ingest, catch up and repair at the same moment, and are killed all the time."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from handfast.db.pool import Database
from tests.support.fixtures_harness import STEPS, FixturesHarness
from tests.support.forked_fixtures import FIXTURES

ROOT = Path(__file__).parents[2]
PROCESSES = 10
KILLS_MIN = 25
SECONDS_MAX = 300.0  # on a busy machine they are killed before they have got far


class Herd:
    """The processes, by their ids."""

    def __init__(self, nursery: "subprocess.Popen[str]") -> None:
        self._nursery = nursery
        self.living: list[int] = []

    def grow(self) -> None:
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        self._nursery.stdin.write("\n")
        self._nursery.stdin.flush()
        self.living.append(int(self._nursery.stdout.readline()))

    def kill(self, place: int = 0) -> None:
        os.kill(self.living.pop(place), signal.SIGKILL)


@pytest.fixture
def herd(dsn: str) -> Iterator[Herd]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.forked_fixtures", dsn],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "FIXTURES_NOON": str(int(time.time()) + 600)},
    ) as nursery:
        herd = Herd(nursery)
        yield herd
        while herd.living:
            herd.kill()
        nursery.kill()


async def test_each_step_of_each_fixture_once_and_in_order(
    database: Database, herd: Herd, chance: random.Random
) -> None:
    ground = FixturesHarness(database)
    await ground.fetch(
        "CREATE TABLE made"
        " (n bigint GENERATED ALWAYS AS IDENTITY, fixture bigint, step text, pid int)"
    )
    await ground.fetch("CREATE TABLE faults (what text)")
    for _ in range(PROCESSES):
        herd.grow()
    kills, began = 0, time.monotonic()
    while True:
        await asyncio.sleep(chance.uniform(0.1, 0.6))
        made = await ground.value("SELECT count(*) FROM made")
        if made >= FIXTURES * 3 and kills >= KILLS_MIN:
            break
        assert time.monotonic() - began < SECONDS_MAX, f"{made} made, {kills} killed"
        herd.kill(chance.randrange(PROCESSES))
        kills += 1
        herd.grow()
    # Once more, with everybody planning what is all done, and then nobody.
    await asyncio.sleep(1.0)
    while herd.living:
        herd.kill()

    assert await ground.fetch("SELECT what FROM faults") == [], "no deadlock that was not retried"
    assert await ground.value("SELECT count(*) FROM handfast_fixtures.fixtures") == FIXTURES
    assert await ground.value(
        "SELECT count(*) FROM handfast_engine.jobs WHERE kind LIKE 'fixtures.%s'"
    ) == (FIXTURES * 3)
    assert await ground.fetch("SELECT count(*), count(DISTINCT (fixture, step)) FROM made") == [
        (FIXTURES * 3, FIXTURES * 3)
    ], "exactly once"
    chains = await ground.fetch(
        "SELECT array_agg(step ORDER BY n) AS steps FROM made GROUP BY fixture"
    )
    assert {tuple(chain) for (chain,) in chains} == {STEPS}, "in the chain's order"
    assert await ground.fetch(
        "SELECT decision, count(*), count(DISTINCT (fixture_id, step)) FROM"
        " handfast_fixtures.decisions"
        " GROUP BY 1"
    ) == [("planned", FIXTURES * 3, FIXTURES * 3)], "each planned once, whoever asked"
    assert await ground.value("SELECT count(DISTINCT pid) FROM made") > 3, "many took part"
    lost = await ground.value(
        "SELECT count(*) FROM handfast_engine.attempts WHERE outcome = 'lost'"
    )
    assert lost > 0, "some were killed in the middle of a step"
