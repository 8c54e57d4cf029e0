"""``handfast scheduler`` and ``handfast schedules``, on a program in a folder of its own."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.support.command import run_handfast
from tests.support.eventually import eventually_async

PROGRAM = """
from datetime import time
from handfast import Context, Handfast

hf = Handfast()

@hf.job("reports.send")
async def send(ctx: Context, day: str = "") -> None: ...

hf.cron("reports.often", send, "* * * * *", payload={})
hf.daily("reports.daily", send, at=time(9), zones=["Asia/Kathmandu", "UTC"], payload={})
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "reports.py").write_text(PROGRAM)
    (tmp_path / "broken.py").write_text("import nowhere_to_be_found")
    return tmp_path


def handfast(folder: Path, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return run_handfast(*words, cwd=folder, env={"COLUMNS": "200", **environment})


@pytest.fixture
def scheduler(folder: Path, dsn: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", "handfast", "scheduler", "--app", "reports:hf"],
        cwd=folder,
        env={**os.environ, "DATABASE_URL": dsn},
        stderr=subprocess.PIPE,
        text=True,
    )
    yield process
    if process.poll() is None:
        process.kill()
        process.wait()
    assert process.stderr is not None
    process.stderr.close()


async def test_a_scheduler_and_its_schedules(
    folder: Path, dsn: str, scheduler: "subprocess.Popen[str]"
) -> None:
    def asked(*words: str) -> Any:
        done = handfast(folder, "schedules", *words, "--json", DATABASE_URL=dsn)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    connection = await asyncpg.connect(dsn)

    async def count(what: str) -> int:
        found: int = await connection.fetchval(f"SELECT count(*) FROM handfast_engine.{what}")
        return found

    await eventually_async(lambda: count("schedules WHERE next_at IS NOT NULL"))
    assert asked("pause", "reports.often")["paused"] is True
    await connection.execute(
        "UPDATE handfast_engine.schedules SET cursor = handfast_db.now() - interval '61 seconds'"
        " WHERE name = 'reports.often'"
    )
    assert asked("resume", "reports.often", "--catch-up")["paused"] is False
    await eventually_async(lambda: count("jobs"))

    listed = {row["name"]: row for row in asked("list")["schedules"]}
    assert set(listed) == {"reports.often", "reports.daily"}
    daily = listed["reports.daily"]
    assert daily["words"] == "daily at 09:00 in Asia/Kathmandu, UTC"
    assert (daily["kind"], daily["declared"], daily["paused"]) == ("reports.send", True, False)
    assert listed["reports.often"]["lastFired"] is not None
    assert {row["name"] for row in asked()["schedules"]} == set(listed)
    upcoming = asked("next", "reports.daily", "--count", "4")["ticks"]
    assert [tick["at"][11:16] for tick in upcoming if tick["zone"] == "UTC"] == ["09:00"] * 2
    assert [t["at"][11:16] for t in upcoming if t["zone"] != "UTC"] == ["03:15"] * 2
    shown = handfast(folder, "schedules", DATABASE_URL=dsn).stdout
    assert "every minute, UTC time" in shown
    assert "on time" in shown
    told = handfast(folder, "schedules", "next", "reports.daily", DATABASE_URL=dsn).stdout
    assert "09:00 in Asia/Kathmandu" in told
    await connection.close()

    scheduler.send_signal(signal.SIGTERM)
    assert scheduler.wait(10) == 0
    assert scheduler.stderr is not None
    said = scheduler.stderr.read()
    assert "The scheduler follows 2 schedules." in said
    assert "The scheduler has stopped." in said


async def test_a_worker_fires_the_schedules_of_its_program(folder: Path, dsn: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "handfast", "worker", "--app", "reports:hf", "--lanes", "default"],
        cwd=folder,
        env={**os.environ, "DATABASE_URL": dsn},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    connection = await asyncpg.connect(dsn)
    try:
        assert process.stdout is not None
        line = await asyncio.to_thread(process.stdout.readline)
        assert line == "Handfast works on default and fires 2 schedules\n"
        declared = "SELECT true FROM handfast_engine.schedules WHERE next_at IS NOT NULL"
        await eventually_async(lambda: connection.fetchval(declared))
        process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(process.wait, 20) == 0
    finally:
        process.kill()
        process.wait()
        await connection.close()
        if process.stdout is not None:
            process.stdout.close()


def test_no_schedules_yet(folder: Path, dsn: str) -> None:
    done = handfast(folder, "schedules", DATABASE_URL=dsn)
    assert "No schedule has been declared" in done.stdout
    missing = handfast(folder, "schedules", "pause", "x", DATABASE_URL=dsn)
    assert missing.returncode == 1
    assert "There is no schedule 'x'" in missing.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (None, "No program is named"),
        ("reports", "not module:attribute"),
        ("report:hf", "There is no module 'report'"),
        ("reports:send", "not a Handfast object"),
        ("reports:nothing", "There is: reports:hf"),
    ],
)
def test_a_program_that_is_not_there(folder: Path, name: str | None, said: str) -> None:
    named = {} if name is None else {"HANDFAST_APP": name}
    done = handfast(folder, "scheduler", **named)
    assert done.returncode == 3
    assert said in done.stderr
    assert "Example: --app myapp.jobs:hf" in done.stderr


def test_a_fault_inside_the_program_keeps_its_traceback(folder: Path) -> None:
    done = handfast(folder, "scheduler", "--app", "broken:hf")
    assert done.returncode == 1
    assert "nowhere_to_be_found" in done.stderr
    assert "Traceback" in done.stderr
