"""The hook in a real browser, against a real server with a real worker.

The page's clock stands still while it follows the stream, so what it shows then came by the
stream; it goes on for one poll where there is no stream.
"""

import asyncio
import json
from asyncio.subprocess import PIPE
from typing import Any

import pytest

from handfast.db.pool import Database
from tests.edge.test_match_runs import RUN, app_of
from tests.support.asgi_server import serving_asgi
from tests.support.corpus_rows import acme
from tests.support.node import DASHBOARD, NODE, environment
from tests.support.runs_harness import RunsHarness

pytestmark = pytest.mark.needs("npm")

DRIVER = DASHBOARD / "match-run" / "browser" / "drive.mjs"
STEP_SECONDS_MAX = 200.0  # the driver's own limit is 120 s for each thing that it waits for


class DrivenBrowser:
    """The driver's side of the conversation: a line from it, a line to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def saw(self, what: str) -> dict[str, Any]:
        assert self._process.stdout
        line = await asyncio.wait_for(self._process.stdout.readline(), STEP_SECONDS_MAX)
        found: dict[str, Any] = json.loads(line) if line else {"saw": await self._end()}
        assert found["saw"] == what
        return found

    def go_on(self) -> None:
        assert self._process.stdin
        self._process.stdin.write(b"\n")

    async def _end(self) -> str:
        assert self._process.stderr
        return (await self._process.stderr.read()).decode()

    async def close(self) -> None:
        if self._process.returncode is None:
            self._process.terminate()
        await self._process.communicate()


async def driven(port: int) -> DrivenBrowser:
    return DrivenBrowser(
        await asyncio.create_subprocess_exec(
            *(NODE, DRIVER, f"http://127.0.0.1:{port}"),
            cwd=DASHBOARD,
            env=environment(),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
        )
    )


async def test_in_a_real_browser(database: Database, dsn: str) -> None:
    await acme(database, matches=3)
    desk = RunsHarness(database)
    async with serving_asgi(app_of(database, dsn)) as port:
        browser = await driven(port)
        try:
            await use_it(browser, desk)
        finally:
            await browser.close()


async def use_it(browser: DrivenBrowser, desk: RunsHarness) -> None:
    await browser.saw("polling")
    async with desk.working():
        browser.go_on()
        ready = await browser.saw("ready")
    [run_id] = [run["run_id"] for run in await runs(desk)]
    at = f"{RUN}/{run_id}"
    assert ready["startup"] == "Acme"
    assert ready["count"] == "3"
    assert ready["matches"][0] == "Inv-000: 90 %"
    assert ready["history"] == ["idle", "loading", "polling", "ready"]
    assert ready["requests"] == [f"POST {RUN}", f"GET {at}/events", f"GET {at}"]
    browser.go_on()

    refused = await browser.saw("refused")
    assert (refused["code"], refused["history"]) == ("INVALID_URL", ["loading", "error"])
    browser.go_on()

    unmounted = await browser.saw("unmounted")
    assert unmounted["history"] == ["loading", "polling"]
    assert [one.split("/")[-1] for one in unmounted["requests"]] == ["run", "events"]
    browser.go_on()

    await browser.saw("polling again")
    [newest, *_] = await runs(desk)
    async with desk.working():
        await desk.ended(newest["run_id"], within=60)
    browser.go_on()
    missing = await browser.saw("not found")
    assert missing["code"] == "STARTUP_NOT_FOUND"
    assert missing["history"] == ["idle", "loading", "polling", "error"]
    assert missing["requests"][-1] == f"GET {RUN}/{newest['run_id']}", "by a poll"
    browser.go_on()

    end = await browser.saw("the end")
    assert (end["complaints"], end["requests"], end["history"]) == ([], [], ["idle"])
    browser.go_on()


async def runs(desk: RunsHarness) -> list[Any]:
    async with desk.database.connection() as connection:
        return list(
            await connection.fetch(
                "SELECT run_id FROM handfast.match_runs ORDER BY created_at DESC, run_id DESC"
            )
        )
