"""Workers of runs as real processes: killed, stopped past their lease, and come back too late."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import asyncpg
import pytest

from handfast.db.pool import Database
from tests.support.corpus_rows import add_version, as_role
from tests.support.eventually import eventually_async
from tests.support.runs_harness import RunsHarness

ROOT = Path(__file__).parents[2]
STARTUPS = {f"s{n}": f"https://s{n}.com" for n in range(5)}

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
async def start(dsn: str) -> AsyncIterator[Start]:
    processes: list[subprocess.Popen[bytes]] = []

    def begin(name: str, *how: str) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.runs_process", dsn, name, *how], cwd=ROOT
        )
        processes.append(process)
        return process

    yield begin
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.wait(10)


@pytest.fixture
async def desk(database: Database) -> RunsHarness:
    await add_version(database, STARTUPS, {name: [("inv", 500)] for name in STARTUPS})
    return RunsHarness(database)


def stopped(process: "subprocess.Popen[bytes]") -> bool:
    stat = Path(f"/proc/{process.pid}/stat").read_text()
    return stat.rpartition(")")[2].split()[0] == "T"


async def until_stopped(how_many: int, *processes: "subprocess.Popen[bytes]") -> None:
    async def enough() -> bool:
        return sum(map(stopped, processes)) == how_many

    await eventually_async(enough, within=60)


async def ends(desk: RunsHarness) -> dict[str, int]:
    """How often each run has ended, by what was told to the world."""
    async with desk.database.connection() as connection:
        rows = await connection.fetch(
            "SELECT aggregate, count(*) AS n FROM handfast_engine.events WHERE type LIKE"
            " 'run.%' GROUP BY 1"
        )
    return {row["aggregate"]: row["n"] for row in rows}


async def test_three_workers_five_runs(desk: RunsHarness, start: Start) -> None:
    for name in ("one", "two", "three"):
        start(name)
    runs = await asyncio.gather(*(desk.start(url) for url in STARTUPS.values()))
    ended = [await desk.ended(run.run_id, within=120) for run in runs]
    assert {run.status for run in ended} == {"ready"}
    assert await ends(desk) == {f"run:{run.run_id}": 1 for run in runs}
    assert await desk.fetch("SELECT count(*) FROM handfast_engine.attempts") == 5


@pytest.mark.on_linux
async def test_killed_and_stopped_past_the_lease(desk: RunsHarness, start: Start, dsn: str) -> None:
    urls = list(STARTUPS.values())
    # Both are there before there is work: else the lease of the first, which takes whatever there
    # is, would end while the second is still starting.
    killed, late = start("killed", "stuck"), start("late", "stuck")
    there = "SELECT count(*) = 2 FROM handfast_engine.workers"
    await eventually_async(lambda: desk.fetch(there), within=60)
    runs = []
    for stuck, url in enumerate(urls[:2], 1):
        runs.append(await desk.start(url))
        await until_stopped(stuck, killed, late)
    held = {run.locked_by for run in [await desk.get(run.run_id) for run in runs]}
    assert held == {"killed", "late"}
    killed.send_signal(signal.SIGKILL)
    killed.wait(10)

    by_hand = await asyncpg.connect(as_role(dsn))
    watching = True

    async def release() -> int:
        """By hand, all the time, beside the engine's own."""
        taken = 0
        while watching:
            taken += await by_hand.fetchval("SELECT handfast_runs.release_expired_leases()")
            await asyncio.sleep(0.01)
        return taken

    releasing = asyncio.create_task(release())
    start("well")
    runs += [await desk.start(url) for url in urls[2:]]
    ended = [await desk.ended(run.run_id, within=120) for run in runs]
    assert {run.status for run in ended} == {"ready"}
    assert {run.match_count for run in ended} == {1}

    before = await desk.fetch(
        "SELECT array_agg(r ORDER BY r.run_id)::text FROM handfast_runs.records AS r"
    )
    late.send_signal(signal.SIGCONT)  # it goes on with the completion that it was about to send
    given_up = "SELECT count(*) FROM handfast_engine.workers WHERE name = 'late'"
    await eventually_async(lambda: desk.fetch(f"SELECT ({given_up}) > 1"))
    watching = False
    await releasing
    await by_hand.close()
    after = await desk.fetch(
        "SELECT array_agg(r ORDER BY r.run_id)::text FROM handfast_runs.records AS r"
    )
    assert after == before, "the late completion changed nothing"
    assert await ends(desk) == {f"run:{run.run_id}": 1 for run in runs}
    async with desk.database.connection() as connection:
        outcomes = await connection.fetch(
            "SELECT outcome::text, count(*) AS n FROM handfast_engine.attempts GROUP BY 1 ORDER"
            " BY 1"
        )
    assert [tuple(row) for row in outcomes] == [("lost", 2), ("succeeded", 5)]


async def test_releasing_by_hand_is_what_the_engine_does(desk: RunsHarness) -> None:
    """What is not expired is left; what is, goes back exactly as the engine sends it back."""
    for url in list(STARTUPS.values())[:2]:
        await desk.start(url)
    for worker in ("a", "b"):
        await desk.fetch("SELECT run_id FROM handfast_runs.claim_next_match_run($1, 3600)", worker)
    look = (
        "SELECT array_agg((l.state, l.token, l.failures, l.worker, l.lease_until, l.reason)"
        " ORDER BY l.id)::text FROM handfast_engine.live AS l"
    )
    async with desk.database.connection() as connection:
        before = await connection.fetchval(look)
        assert await connection.fetchval("SELECT handfast_runs.release_expired_leases()") == 0
        assert await connection.fetchval(look) == before
        await connection.execute(
            "UPDATE handfast_engine.live SET lease_until = handfast_db.now() - interval '1 s'"
            " WHERE id ="
            " (SELECT job_id FROM handfast_runs.records WHERE locked_by = 'a')"
        )
        answers = []
        for call in ("handfast_runs.release_expired_leases()", "handfast_engine.rescue(1000)"):
            undone = connection.transaction()
            await undone.start()
            taken = await connection.fetchval(f"SELECT {call}")
            answers.append((taken, await connection.fetchval(look)))
            await undone.rollback()
        assert answers[0] == answers[1]
        assert answers[0][0] == 1
