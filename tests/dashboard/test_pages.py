"""Every page's main task as a person does it: in a real browser, against a real server.

One server and one browser for all of them. A task is in ``dashboard/browser/tasks``, what it needs
in the database in ``tests/dashboard/seeds``. To run some of them by hand, by how their names begin:

    ./run test tests/dashboard/test_pages.py --browser-tasks dead:

and in a browser whose processor is six times slower, which every task has to bear:

    ./run test tests/dashboard/test_pages.py --browser-slowdown 6
"""

import asyncio
import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

import pytest

from handfast.db.pool import Database
from tests.dashboard import seeds
from tests.dashboard.seeds import OPERATOR, VIEWER
from tests.support.corpus_rows import as_role
from tests.support.node import DASHBOARD, NODE, environment
from tests.support.up import Up

pytestmark = pytest.mark.needs("npm")

TASKS_MIN = 10  # so that a run that found none is noticed


async def seed_all(database: Database) -> None:
    for found in pkgutil.iter_modules(seeds.__path__):
        module = importlib.import_module(f"{seeds.__name__}.{found.name}")
        if hasattr(module, "seed"):
            await module.seed(database)


async def seed_one(database: Database, name: str) -> Any:
    """What it answers, the task is told."""
    module, function = name.split(".")
    return await getattr(importlib.import_module(f"{seeds.__name__}.{module}"), function)(database)


async def done_in_a_browser(
    url: str, names: list[str], slowdown: int, database: Database
) -> list[dict[str, Any]]:
    """What was done, in the order in which it was; seeds that a task asks for in between."""
    process = await asyncio.create_subprocess_exec(
        *(NODE, DASHBOARD / "browser" / "run.mjs"),
        *(url, OPERATOR, VIEWER, *names),
        cwd=DASHBOARD,
        env={**environment(), "SLOWDOWN": str(slowdown)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=2**24,  # of a line: axe has much to say
    )
    assert process.stdin
    assert process.stdout
    done = []
    try:
        async for line in process.stdout:
            said = json.loads(line)
            if "seed" in said:
                made = await seed_one(database, said["seed"])
                process.stdin.write(json.dumps(made).encode() + b"\n")
            else:
                done.append(said)
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert done, "it ended before it had done anything; what it said is above"
    return done


@pytest.mark.long
@pytest.mark.timeout(1800)
async def test_every_task(
    database: Database, dsn: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    names = [name for name in request.config.getoption("--browser-tasks").split(",") if name]
    slowdown = request.config.getoption("--browser-slowdown")
    await seed_all(database)
    settings = {
        "DATABASE_URL": dsn,
        "HANDFAST_RUNS_DATABASE_URL": as_role(dsn),
        "HANDFAST_ADMIN_TOKEN": f"anna={OPERATOR}",
        "HANDFAST_VIEWER_TOKEN": f"vera={VIEWER}",
    }
    app = ("--app", "tests.dashboard.shop:hf")
    with Up(tmp_path / "killed", *app, **settings) as before:
        before.kill()  # what was planned by then is on the pages of the next one
    with Up(tmp_path / "data", *app, **settings) as up:
        done = await done_in_a_browser(up.url, names, slowdown, database)
    wrong = [
        f"{one['task']}: {what}"
        for one in done
        for what in [*([one["error"]] if one["error"] else []), *one["complaints"]]
    ]
    assert not wrong, "\n".join(wrong)
    assert names or len(done) >= TASKS_MIN
