"""Deliverers killed in the middle of their deliveries: each event arrives at least once."""

import asyncio
import signal
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

from handfast.db.pool import Database
from handfast.services.webhooks.endpoints import BUSY_MAX
from tests.support.eventually import eventually_async
from tests.support.scripted_receiver import Reply, open_receiver
from tests.support.webhooks_harness import WebhooksHarness

ROOT = Path(__file__).parents[2]
EVENTS = 60
KILLS = 6

HOLDS = """
SELECT count(*) FROM handfast_engine.live AS l JOIN handfast_engine.workers AS w ON w.id = l.worker
WHERE l.state = 'running' AND w.name = $1"""


def start(dsn: str, *how: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.deliverer_process", dsn, *how],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


async def test_killed_deliverers_lose_no_event(database: Database, dsn: str) -> None:
    desk = WebhooksHarness(database)
    async with open_receiver() as sink:
        sink.reply = Reply(delay=0.2)
        made = [(await desk.add(f"{sink.url}/{n}")).endpoint.id for n in range(2)]
        events = {str(await desk.emit(aggregate=f"match:{n}")) for n in range(EVENTS)}
        running = [start(dsn), start(dsn)]
        hits = 0
        try:
            async with asyncio.timeout(300):  # who is lost three times has to wait for two minutes
                while await desk.fetch("SELECT count(*) FROM handfast_engine.live"):
                    await asyncio.sleep(0.05)
                    if hits >= KILLS:
                        continue
                    for place, process in enumerate(running):
                        process.send_signal(signal.SIGSTOP)  # what we see is what is killed
                        if not await desk.fetch(HOLDS, f"deliverer:{process.pid}"):
                            process.send_signal(signal.SIGCONT)
                            continue
                        process.kill()
                        process.wait()
                        hits += 1
                        running[place] = start(dsn)
                        break
        finally:
            for process in running:
                process.kill()
                process.wait()
    assert hits >= KILLS, "too few kills hit a delivery: nothing is proved"
    assert set((await desk.jobs()).values()) == {"succeeded"}
    for number, endpoint in enumerate(made):
        arrived = Counter(
            got.headers["webhook-id"] for got in sink.received if got.path == f"/hook/{number}"
        )
        assert set(arrived) == events
        # Recorded exactly once each, however often it arrived.
        log = [str(a.event_id) for a in await desk.attempts(endpoint) if a.outcome == "delivered"]
        assert sorted(log) == sorted(events)
    bodies = {(got.headers["webhook-id"], got.body) for got in sink.received}
    assert len(bodies) == EVENTS
    # A kill between the answer and its record is what "at least" means.
    assert len(sink.received) >= 2 * EVENTS


async def test_a_killed_deliverer_holds_its_endpoints_for_half_a_minute_at_most(
    database: Database, dsn: str
) -> None:
    desk = WebhooksHarness(database)
    async with open_receiver() as sink:
        sink.reply = "hang"
        await desk.add(sink.url)
        for n in range(3 * BUSY_MAX):
            await desk.emit(aggregate=f"match:{n}")
        process = start(dsn, "usual")
        try:
            await eventually_async(lambda: _true(len(sink.received) == BUSY_MAX), within=60)
        finally:
            process.kill()
            process.wait()
        sink.reply = Reply()
        died = await desk.fetch("SELECT max(beat_at) FROM handfast_engine.workers")
        async with desk.delivering():
            await desk.at(died + timedelta(seconds=20))
            assert (
                await desk.fetch("SELECT handfast_engine.rescue(100)") == 0
            )  # too soon: it may live
            await desk.at(died + timedelta(seconds=31))
            # All that waited behind those that it held; these come back by their schedule.
            await eventually_async(lambda: _true(len(sink.received) >= 3 * BUSY_MAX), within=60)


async def _true(what: bool) -> bool:
    return what
