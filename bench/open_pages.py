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
    """With none open first, which the bar is above."""
    database = urlsplit(dsn).path.removeprefix("/")
    settings = {
        "DATABASE_URL": dsn,
        "HANDFAST_RUNS_DATABASE_URL": with_parts(dsn, database=database, user=ROLE),
        "HANDFAST_ADMIN_TOKEN": f"bench={TOKEN}",
    }
    with Up(folder, **settings) as up:
        await asyncio.sleep(STARTED_SECONDS)
        alone = await watched(watcher, database, 2 * seconds)
        costs = [Cost(NONE, alone, is_within=True)]
        print(f"{NONE:20} {alone:6.2f} transactions a second", flush=True)
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
            cost = await watched(watcher, database, seconds)
            costs.append(Cost(line.decode().strip(), cost, cost - alone <= A_SECOND_MAX))
            missed = "" if costs[-1].is_within else "  MISSED"
            print(f"{costs[-1].page:20} {cost:6.2f} transactions a second{missed}", flush=True)
            browser.stdin.write(b"\n")
        if await browser.wait() != 0:
            raise SystemExit("the browser ended with an error; what it said is above")
    return costs
