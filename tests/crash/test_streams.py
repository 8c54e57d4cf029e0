"""Processes that serve streams, killed: whoever goes on after the last id misses nothing."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx2

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.pool import Database
from handfast.engine.events import emit
from tests.support.up import Up

ROOT = Path(__file__).parents[2]
TOKEN = "hf_admin_for_the_tests_only"
KILLS = 3


async def test_a_users_stream_goes_on_in_another_process(database: Database, dsn: str) -> None:
    """Events are emitted all the time; each process is killed in the middle of them."""
    user = uuid4()
    emitted = 0
    seen: list[tuple[str, str]] = []
    stopping = asyncio.Event()

    async def emits() -> None:
        nonlocal emitted
        while not stopping.is_set():
            async with database.transaction() as tx:
                await emit(tx, "thing.happened", f"n:{emitted + 1}", {}, users=[user])
            emitted += 1
            await asyncio.sleep(0.01)

    def read(last: str, until: int) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.stream_process", dsn, str(user), last],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "open\n"
            while len(seen) < until:
                number, name = process.stdout.readline().split()
                seen.append((number, name))
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    emitting = asyncio.create_task(emits())
    try:
        for _ in range(KILLS):
            await asyncio.to_thread(read, seen[-1][0] if seen else "0", len(seen) + 20)
    finally:
        stopping.set()
        await emitting
    await asyncio.to_thread(read, seen[-1][0], emitted)
    assert seen == [(str(n), f"n:{n}") for n in range(1, emitted + 1)]


def test_the_operators_stream_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    async def told(dsn: str, name: str) -> None:
        async with await Database.open(Target(dsn)) as database, database.transaction() as tx:
            await emit(tx, "thing.happened", name, {})

    def emits(name: str) -> None:
        with EmbeddedServer(data_dir) as server:
            asyncio.run(told(server.app_dsn(), name))

    headers = {"Authorization": f"Bearer {TOKEN}"}
    data_dir = tmp_path / "data"
    with Up(data_dir, HANDFAST_ADMIN_TOKEN=TOKEN) as up:
        address = f"{up.url}/admin/events"
        with httpx2.stream("GET", address, headers=headers, timeout=60) as stream:
            emits("first")
            last, name = _next_event(stream.iter_lines())
            assert name == "first"
            up.kill()
    with Up(data_dir, HANDFAST_ADMIN_TOKEN=TOKEN) as up:
        emits("second")
        address = f"{up.url}/admin/events"
        headers |= {"Last-Event-ID": last}
        with httpx2.stream("GET", address, headers=headers, timeout=60) as stream:
            assert _next_event(stream.iter_lines())[1] == "second"


def _next_event(lines: Iterator[str]) -> tuple[str, str]:
    """The id and the aggregate of the next event that is one of ours."""
    identity = ""
    for line in lines:
        if line.startswith("id: "):
            identity = line.removeprefix("id: ")
        elif line.startswith("data: ") and identity:
            return identity, json.loads(line.removeprefix("data: "))["aggregate"]
    raise AssertionError("the stream ended")
