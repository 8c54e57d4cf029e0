"""A rolling upgrade: old processes go on while a new version migrates, and both work side by side.

The model for every later migration. The next version is made from this one (tests/support/
next_version.py): each table of each schema has a column more, and each function was replaced.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from handfast import Handfast, __version__
from handfast.db.connect import Target
from handfast.db.migrations.files import shipped
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from tests.schema import test_statements_fit as statements_fit
from tests.support.eventually import eventually_async
from tests.support.next_version import MARK, TABLES, VERSION, make_next_version

SRC = Path(__file__).parents[3] / "src"
WORKER = Path(__file__).parents[2] / "support" / "upgrade_worker.py"
ENOUGH = 40  # jobs of each version, before and after; a few would do
BACKLOG = 300  # jobs that wait, so that nobody who can work is idle
WITHIN = 120.0


@pytest.fixture
async def baseline(empty_dsn: str) -> AsyncIterator[Database]:
    """A database as this version makes it."""
    async with await Database.open(Target(empty_dsn)) as database:
        await migrate(database)
        async with database.connection() as connection:
            await connection.execute("CREATE TABLE effects (number int, version text, seen text)")
        yield database


@pytest.fixture
async def next_version(baseline: Database, tmp_path: Path) -> Path:
    async with baseline.connection() as connection:
        tables = [(row["schema"], row["table"]) for row in await connection.fetch(TABLES)]
    assert len(tables) > 20
    return make_next_version(tmp_path / "next", tables)


def environment(home: Path, dsn: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(home), "DATABASE_URL": dsn}


@asynccontextmanager
async def worker_of(home: Path, dsn: str) -> AsyncIterator[None]:
    """A worker of the version that lives there; told to stop at the end, and ends well."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", str(WORKER), dsn),
        env=environment(home, dsn),
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        assert await process.stdout.readline() == b"working\n"
        yield
    except BaseException:
        process.kill()
        raise
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        code = await process.wait()
    assert code == 0


async def migrate_by(home: Path, dsn: str) -> tuple[int, bytes, bytes]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "handfast", "migrate", "--json"),
        env=environment(home, dsn),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out, err


class Work:
    """Jobs for whoever works, enqueued by the old version; and what became of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._hf = Handfast()
        self.numbers = 0
        self.enough = False

    async def fetch(self, sql: str, *args: object) -> int:
        async with self._database.connection() as connection:
            return int(await connection.fetchval(sql, *args))

    async def go_on(self) -> None:
        """There is always something to do, until nothing more is wanted. Not until cancelled: who
        is, in the middle of a commit, does not know what was enqueued."""
        while not self.enough:
            if await self.fetch("SELECT count(*) FROM handfast_engine.live") < BACKLOG:
                await self._enqueue(50)
            await asyncio.sleep(0.02)

    async def _enqueue(self, count: int) -> None:
        numbers = range(self.numbers, self.numbers + count)
        async with self._database.transaction() as tx:
            for kind in ("upgrade.effect", "upgrade.plain"):
                jobs = [(str(number), {"number": number}) for number in numbers]
                await self._hf.enqueue_many(tx, kind, jobs)
        self.numbers += count

    async def done_by(self, version: str, seen: str | None) -> None:
        """As many more as are enough, by this version, with this in the new column."""
        sql = (
            "SELECT count(*) FROM effects WHERE version = $1 AND seen IS NOT DISTINCT FROM $2::text"
        )
        before = await self.fetch(sql, version, seen)

        async def has_done() -> bool:
            return await self.fetch(sql, version, seen) >= before + ENOUGH

        await eventually_async(has_done, within=WITHIN)

    async def is_drained(self) -> None:
        async def is_empty() -> bool:
            return not await self.fetch("SELECT count(*) FROM handfast_engine.live")

        await eventually_async(is_empty, within=WITHIN)

    async def is_done_once(self) -> None:
        jobs = "SELECT count(*) FROM handfast_engine.jobs WHERE state = 'succeeded'"
        assert await self.fetch(jobs) == 2 * self.numbers
        assert await self.fetch("SELECT count(*) FROM handfast_engine.jobs") == 2 * self.numbers
        disturbed = (
            "SELECT count(*) FROM handfast_engine.attempts"
            " WHERE outcome NOT IN ('succeeded', 'handed_back')"  # by who was told to stop
        )
        assert await self.fetch(disturbed) == 0
        for distinct in ("", "DISTINCT"):
            effects = f"SELECT count({distinct} number) FROM effects"
            assert await self.fetch(effects) == self.numbers
            events = f"SELECT count({distinct} aggregate) FROM handfast_engine.events"
            assert await self.fetch(events) == self.numbers


async def test_old_and_new_side_by_side(
    baseline: Database, empty_dsn: str, next_version: Path
) -> None:
    work = Work(baseline)
    enqueueing = asyncio.create_task(work.go_on())
    async with worker_of(SRC, empty_dsn):
        await work.done_by(__version__, None)

        code, out, err = await migrate_by(next_version, empty_dsn)
        assert code == 0, err
        assert len(json.loads(out)["applied"]) > 20

        await work.done_by(__version__, MARK)  # the old worker, by the new functions
        async with worker_of(next_version, empty_dsn):
            await asyncio.gather(work.done_by(__version__, MARK), work.done_by(VERSION, MARK))
    # The deployment is taken back: the old version starts on the new schema.
    async with worker_of(SRC, empty_dsn):
        await work.done_by(__version__, MARK)
        work.enough = True
        await enqueueing
        await work.is_drained()
    await work.is_done_once()

    code, _, err = await migrate_by(SRC, empty_dsn)
    assert code == 6
    assert b"newer" in err, "it does not put its own functions back"


@pytest.mark.on_every_postgres
async def test_no_statement_minds_a_new_column(baseline: Database, next_version: Path) -> None:
    """What names its columns is the same on the next version's tables; ``SELECT *`` is not, and
    fails in an old process, whose plans are prepared."""
    report = await migrate(baseline, shipped(next_version / "handfast" / "sql"))
    assert len(report.applied) > 20
    async with baseline.connection() as connection:
        for bound in statements_fit.ALL.values():
            await statements_fit.test_columns_are_the_fields(connection, bound)
