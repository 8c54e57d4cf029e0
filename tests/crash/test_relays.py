"""Relays killed anywhere: each event is in each endpoint's queue once, and none is lost."""

import asyncio
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from handfast.db.pool import Database
from handfast.engine.events import NewEvent, emit_many
from tests.support.eventually import eventually_async
from tests.support.webhooks_harness import WebhooksHarness

ROOT = Path(__file__).parents[2]
NOWHERE = "http://127.0.0.1:1/hook"
KILLS = 6
ENDPOINTS = 3

AT_WORK = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = $1 AND backend_xid IS NOT NULL"""


def start(dsn: str, name: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.relay_process", dsn, name],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


async def test_killed_relays_lose_nothing_and_repeat_nothing(
    database: Database, dsn: str, chance: random.Random
) -> None:
    desk = WebhooksHarness(database)
    endpoints = [str((await desk.add(NOWHERE)).endpoint.id) for _ in range(ENDPOINTS)]
    names = iter(f"relay:{n}" for n in range(100))
    running = {name: start(dsn, name) for name in (next(names), next(names))}
    emitted: list[str] = []
    kills = 0

    async def emits() -> None:
        async with database.transaction() as tx:
            events = [NewEvent("match.created", f"match:{n % 7}", {}) for n in range(200)]
            emitted.extend(await emit_many(tx, events))

    async def caught(name: str) -> bool:
        """Killed while it has taken rows, and not committed that."""
        process = running[name]
        process.send_signal(signal.SIGSTOP)
        if not await desk.fetch(AT_WORK, name):
            process.send_signal(signal.SIGCONT)
            return False
        process.kill()
        process.wait()
        del running[name]
        fresh = next(names)
        running[fresh] = start(dsn, fresh)
        return True

    try:
        async with asyncio.timeout(120):
            while kills < KILLS:
                if await desk.fetch("SELECT count(*) < 100 FROM handfast_engine.outbox"):
                    await emits()
                for name in list(running):
                    if kills < KILLS and await caught(name):
                        kills += 1
                await asyncio.sleep(chance.random() * 0.05)
        await eventually_async(lambda: _empty(desk))
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    keys = Counter(await desk.jobs())
    assert sorted(keys) == sorted(f"{event}:{one}" for event in emitted for one in endpoints)


async def _empty(desk: WebhooksHarness) -> bool:
    return not await desk.fetch("SELECT count(*) FROM handfast_engine.outbox")
