"""Money, when processes are killed in the middle of it: what was acknowledged is there, once."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handfast.db.pool import Database
from handfast.services.ledger.sealing.verifying import verify_seals
from handfast.services.ledger.values import wallet
from tests.support.ledger_desk import LedgerDesk

ROOT = Path(__file__).parents[2]
Start = Callable[[str, int], "subprocess.Popen[str]"]


@pytest.fixture
def start(dsn: str) -> Iterator[Start]:
    processes: list[subprocess.Popen[str]] = []

    def begin(name: str, how_many: int) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.ledger_process", dsn, name, str(how_many)],
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
            process.wait(30)


async def test_killed_in_the_middle_and_told_again(database: Database, start: Start) -> None:
    desk = LedgerDesk(database)
    killed = start("one", 10**9)
    assert killed.stdout is not None
    acknowledged = {int(killed.stdout.readline()) for _ in range(200)}
    killed.send_signal(signal.SIGKILL)
    acknowledged |= {int(line) for line in killed.communicate()[0].splitlines() if line}
    stored = await desk.fetch("SELECT count(*) FROM handfast_ledger.transfers")
    assert stored >= len(acknowledged)
    await desk.assert_sound()

    events = max(acknowledged) + 50  # all that were told, and some that were not
    again = start("one", events)
    told, _ = again.communicate(timeout=300)
    assert again.returncode == 0
    assert {int(line) for line in told.splitlines()} == set(range(events))
    beyond = await desk.fetch(
        "SELECT count(*) FROM handfast_ledger.transfers"
        " WHERE split_part(reference, '-', 2)::int >= $1",
        events,
    )
    balances = await desk.balance(wallet("one")) + await desk.balance(wallet("hot"))
    assert balances == events + beyond, "each event moved one cent, however often it was told"
    await desk.assert_sound()


async def test_four_processes_at_one_account(database: Database, start: Start) -> None:
    desk = LedgerDesk(database)
    names = [f"p{number}" for number in range(4)]
    processes = [start(name, 200) for name in names]
    # All at once, and one of them twice: it tells the same events.
    twin = start("p0", 200)
    for process in (*processes, twin):
        told, _ = process.communicate(timeout=300)
        assert process.returncode == 0
        assert len(told.splitlines()) == 200
    assert await desk.balance(wallet("hot")) == 400
    assert [await desk.balance(wallet(name)) for name in names] == [100] * 4
    assert await desk.fetch("SELECT count(*) FROM handfast_ledger.transfers") == 800
    await desk.seal_all(transfers=100)
    assert (await verify_seals(database)).passed
    await desk.assert_sound()
