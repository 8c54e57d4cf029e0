"""Matchmakers that are killed in the middle of a pair: nobody is lost, nobody is paired twice, and
the ledger adds up."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handfast.db.pool import Database
from handfast.services.ledger.values import ESCROW
from tests.support.eventually import eventually_async
from tests.support.stakes_table import StakesTable

ROOT = Path(__file__).parents[2]
Start = Callable[[str], "subprocess.Popen[str]"]
PLAYERS = 80
KILLED = 4
MADE = "SELECT count(*) FROM handfast_stakes.game_sessions"


@pytest.fixture
def start(dsn: str) -> Iterator[Start]:
    processes: list[subprocess.Popen[str]] = []

    def begin(name: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.stakes_process", dsn, name],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield begin
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.communicate()


async def test_matchmakers_that_are_killed(database: Database, start: Start) -> None:
    table = StakesTable(database)
    names = [f"p{n}" for n in range(PLAYERS)]
    await table.rich(*names, amount=10_000)
    staked = iter(names)
    for number in range(KILLED):
        before = await table.fetch(MADE)
        matchmakers = [start(f"m{number}-{n}") for n in range(2)]
        for name in (next(staked) for _ in range(PLAYERS // KILLED)):
            await table.stake(name)

        async def at_work(known: int = before) -> bool:
            return int(await table.fetch(MADE)) > known

        await eventually_async(at_work, within=120)
        for process in matchmakers:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        await table.assert_sound()
    while (await table.pair()).pairs:
        pass
    matched = "SELECT count(*) FROM handfast_stakes.matchmaking_queue WHERE status = 'matched'"
    assert await table.fetch(matched) == PLAYERS, "nobody is lost"
    assert await table.fetch(MADE) == PLAYERS // 2
    once = "SELECT count(DISTINCT player_id) FROM handfast_stakes.matchmaking_queue"
    assert await table.fetch(once) == PLAYERS
    assert await table.ledger.balance(ESCROW) == PLAYERS * 1000
    logged = "SELECT count(*) FROM handfast_stakes.claims WHERE outcome = 'paired'"
    assert await table.fetch(logged) == PLAYERS // 2, "what is in the log is what happened"
    for session in await table.fetch("SELECT array_agg(id) FROM handfast_stakes.game_sessions"):
        await table.stakes.report(session, None)
    assert await table.ledger.balance(ESCROW) == 0, "each pot is cleared"
    await table.assert_sound()
