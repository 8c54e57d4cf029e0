"""What a page that is open costs the database, for ``bench/dashboard.py --open``.

A whole ``handfast up`` that has nothing to do, and a real Chromium that opens one page after the
other. Transactions are the commits and rollbacks in its database (pg_stat_database): what is asked
outside of one is one.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
from tests.support.node import DASHBOARD, NODE, environment
from tests.support.up import Up

from bench.idle import transactions, with_parts
from handfast.apps.runs.login import ROLE

TOKEN = "hf_admin_of_the_bench"  # noqa: S105 - of a server that lives for minutes
NONE = "none"
A_SECOND_MAX = 5.0  # transactions that one page may add
ARRIVED_SECONDS = 3.0  # what a page asks when it is opened is not what it costs to stay
STARTED_SECONDS = 30.0


@dataclass(frozen=True)
class Cost:
    page: str
    a_second: float
    is_within: bool


async def watched(watcher: asyncpg.Connection, database: str, seconds: float) -> float:
    before = (await transactions(watcher))[database]
    await asyncio.sleep(seconds)
    return ((await transactions(watcher))[database] - before) / seconds


async def pages_open(
    folder: Path, dsn: str, watcher: asyncpg.Connection, pages: list[str], seconds: float
) -> list[Cost]:
    """With none open last, which the bar is above: what a start leaves to do is done by then."""
    database = urlsplit(dsn).path.removeprefix("/")
    settings = {
        "DATABASE_URL": dsn,
        "HANDFAST_RUNS_DATABASE_URL": with_parts(dsn, database=database, user=ROLE),
        "HANDFAST_ADMIN_TOKEN": f"bench={TOKEN}",
    }
    opened: dict[str, float] = {}
    with Up(folder, **settings) as up:
        await asyncio.sleep(STARTED_SECONDS)
        browser = await asyncio.create_subprocess_exec(
            *(NODE, DASHBOARD / "tools" / "open.mjs"),
            *(up.url, TOKEN, *pages),
            cwd=DASHBOARD,
            env=environment(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert browser.stdin
        assert browser.stdout
        async for line in browser.stdout:
            await asyncio.sleep(ARRIVED_SECONDS)
            opened[line.decode().strip()] = await watched(watcher, database, seconds)
            browser.stdin.write(b"\n")
        if await browser.wait() != 0:
            raise SystemExit("the browser ended with an error; what it said is above")
        alone = await watched(watcher, database, 2 * seconds)
    costs = [Cost(NONE, alone, is_within=True)]
    costs += [Cost(page, cost, cost - alone <= A_SECOND_MAX) for page, cost in opened.items()]
    for cost in costs:
        missed = "" if cost.is_within else "  MISSED"
        print(f"{cost.page:20} {cost.a_second:6.2f} transactions a second{missed}", flush=True)
    return costs
