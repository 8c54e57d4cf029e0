"""SIGTERM ends a worker, whatever its handlers do; Ctrl-C says what is being waited for."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handfast.db.pool import Database
from handfast.edge.stopping import EXIT_STUCK
from tests.support.eventually import eventually, eventually_async
from tests.support.jobs import enqueue
from tests.support.workers_here import Workers

ROOT = Path(__file__).parents[2]


class Running:
    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process = process
        self._log = log

    @property
    def said(self) -> str:
        return self._log.read_text()

    def says(self, pattern: str) -> str:
        return eventually(lambda: found[0] if (found := re.search(pattern, self.said)) else "")

    def ends(self, within: float) -> int:
        return self.process.wait(within)


@contextmanager
def running(dsn: str, folder: Path, *command: str) -> Iterator[Running]:
    log = folder / "said"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdout=file,
            stderr=file,
            text=True,
            cwd=ROOT,
            env={**os.environ, "DATABASE_URL": dsn},
        )
    try:
        yield Running(process, log)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


async def begun(database: Database, job: int) -> None:
    """Not only claimed: its handler has said something."""

    async def is_so() -> bool:
        shop = Workers(database)
        return bool(
            await shop.fetch("SELECT count(*) FROM handfast_engine.progress WHERE job_id = $1", job)
        )

    await eventually_async(is_so)


async def at_work(database: Database, job: int) -> None:
    await Workers(database).reaches(job, "running")


@pytest.mark.parametrize("what", ["swallow", "compute", "outside"])
async def test_a_handler_that_will_not_stop_does_not_keep_the_process(
    database: Database, dsn: str, tmp_path: Path, what: str
) -> None:
    job = await enqueue(database, f"stub.{what}", "one")
    with running(dsn, tmp_path, "tests.support.stubborn_worker") as worker:
        worker.says(f"begun stub.{what} one")
        worker.process.send_signal(signal.SIGTERM)
        assert worker.ends(within=60) == EXIT_STUCK, worker.said
    assert "process_ended_by_force" in worker.said
    assert f"stub.{what} one" in worker.said
    shop = Workers(database)
    assert await shop.state(job) == "running", "nobody has it before its lease ends"
    assert await shop.fetch("SELECT count(*) FROM handfast_engine.attempts") == 0


async def test_a_thread_that_goes_on_keeps_its_job(
    database: Database, dsn: str, tmp_path: Path
) -> None:
    job = await enqueue(database, "stub.thread", "one")
    fine = await enqueue(database, "stub.fine", "two")
    with running(dsn, tmp_path, "tests.support.stubborn_worker", "patient") as worker:
        worker.says("begun stub.thread one")
        worker.says("begun stub.fine two")
        worker.process.send_signal(signal.SIGTERM)
        assert worker.ends(within=60) == 0, worker.said
    assert "left in good order" in worker.said
    shop = Workers(database)
    assert (await shop.state(job), await shop.state(fine)) == ("running", "ready")


async def test_ctrl_c_says_what_it_waits_for_and_a_second_one_leaves(
    database: Database, dsn: str, tmp_path: Path
) -> None:
    job = await enqueue(database, "shop.slow", "basket-7", payload={"seconds": 60.0})
    command = ("handfast", "worker", "--app", "tests.support.user_program:hf", "--lanes", "default")
    with running(dsn, tmp_path, *command) as worker:
        worker.says("Handfast works on default")
        await begun(database, job)
        worker.process.send_signal(signal.SIGINT)
        worker.says(r"Waiting at most 20 s for shop\.slow basket-7 \(for \d+ s\)")
        worker.process.send_signal(signal.SIGINT)
        assert worker.ends(within=18) == 0, worker.said
    assert "Handing back" in worker.said
    shop = Workers(database)

    async def handed_back() -> bool:
        return await shop.state(job) == "ready"

    await eventually_async(handed_back)


@pytest.mark.long
@pytest.mark.parametrize("command", ["worker", "up"])
async def test_sigterm_before_everything_is_up_hands_back(
    database: Database, dsn: str, tmp_path: Path, command: str
) -> None:
    """Workers claim before the port is served: their jobs are no less theirs then."""
    job = await enqueue(database, "stub.slow_start", "one")
    words = ("tests.support.slow_start", command)
    with running(dsn, tmp_path, *words) as process:
        await at_work(database, job)
        process.process.send_signal(signal.SIGTERM)
        assert process.ends(within=60) == 0, process.said
        assert "is ready at" not in process.said
    assert await Workers(database).state(job) == "ready"


async def test_a_second_ctrl_c_hands_back_beside_a_handler_that_will_not_stop(
    database: Database, dsn: str, tmp_path: Path
) -> None:
    """With the times that are shipped: cleaning up must leave some for handing back."""
    stubborn = await enqueue(database, "stub.swallow", "one")
    fine = await enqueue(database, "stub.fine", "two")
    command = (
        "handfast",
        "worker",
        "--app",
        "tests.support.stubborn_worker:hf",
        "--lanes",
        "default",
    )
    with running(dsn, tmp_path, *command) as worker:
        worker.says("Handfast works on default")
        worker.says("begun stub.swallow one")
        worker.says("begun stub.fine two")
        worker.process.send_signal(signal.SIGINT)
        worker.says("Waiting at most 20 s")
        worker.process.send_signal(signal.SIGINT)
        worker.ends(within=60)
    shop = Workers(database)
    assert (await shop.state(stubborn), await shop.state(fine)) == ("running", "ready")
