"""One limit, many processes, and a server that is killed under them."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psutil
import pytest

from handfast.base.errors import HandfastError
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer, status
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.services.limits.limit import Limit
from handfast.services.limits.limiter import Limiter
from tests.support.embedded import BIN_DIR, clean_folder
from tests.support.eventually import eventually_async
from tests.support.folders import tmp_path_on_disk

tmp_path = tmp_path_on_disk  # kills are tried on a disk, not in memory
ROOT = Path(__file__).parents[3]
PROCESSES = 4
KILLS = 3
MONTH = timedelta(days=30)  # so long that nothing comes back during a test


def hammers(dsn: str, redis_url: str, quota: int, asks: int) -> list[int]:
    """What each process was given; all begin at the same moment."""
    words = [sys.executable, "-m", "tests.support.limit_hammer"]
    words += [dsn, redis_url, "hammered", str(quota), str(asks)]
    started = [
        subprocess.Popen(words, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(PROCESSES)
    ]
    try:
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        return [int(process.communicate(timeout=90)[0]) for process in started]
    finally:
        for process in started:
            process.kill()
            process.communicate()


async def test_processes_never_exceed_it_and_use_it_fully(dsn: str) -> None:
    # More than three of them ask for: one that is late is given its share all the same.
    given = await asyncio.to_thread(hammers, dsn, "", 700, 200)
    assert sum(given) == 700
    assert min(given) >= 100, "all of them were at it"


async def test_processes_on_redis(dsn: str, database: Database, redis_url: str) -> None:
    given = await asyncio.to_thread(hammers, dsn, redis_url, 300, 200)
    assert sum(given) == 300
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM handfast_limits.buckets") == 0


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    with clean_folder(tmp_path) as folder:
        yield folder


async def test_a_crash_of_postgres_gives_nothing_back(data_dir: Path) -> None:
    """The postmaster is killed under eight askers, again and again: whoever was told yes is
    counted, for ever. Those who got no answer may have paid; that is all that is lost."""
    limit = Limit("survivor", 400, MONTH)
    with EmbeddedServer(data_dir, bin_dir=BIN_DIR) as server:
        target = Target(server.dsn(), setting=None, revive=server.ensure)
        async with await Database.open(target) as database:
            await migrate(database)
            limiter = Limiter(database)
            admitted, unanswered, over = 0, 0, False

            async def ask() -> None:
                nonlocal admitted, unanswered
                while not over:
                    try:
                        verdict = await limiter.take(limit, "x")
                    except HandfastError:
                        unanswered += 1
                        continue
                    admitted += verdict.admitted
                    await asyncio.sleep(0.001)

            askers = [asyncio.create_task(ask()) for _ in range(8)]
            for kill in range(1, KILLS + 1):

                async def enough(wanted: int = kill * 60) -> bool:
                    return admitted >= wanted

                await eventually_async(enough, within=60)
                now = status(data_dir)
                assert now is not None
                assert now.postmaster_pid is not None
                psutil.Process(now.postmaster_pid).kill()

            async def back_to_work(wanted: int = admitted + 40) -> bool:
                return admitted >= wanted

            await eventually_async(back_to_work, within=60)
            over = True
            await asyncio.gather(*askers)
            while (await limiter.take(limit, "x")).admitted:
                admitted += 1
    # Each call that broke was tried once more, so it may have paid twice and counted once.
    assert admitted <= 400
    assert admitted >= 400 - KILLS * 8 * 2


async def test_a_restart_forgets_nothing(data_dir: Path) -> None:
    limit, fast = Limit("kept", 5, MONTH), Limit("kept-too", 5, MONTH, durable=False)
    for taken in (3, 2, 0):
        with EmbeddedServer(data_dir, bin_dir=BIN_DIR) as server:
            async with await Database.open(Target(server.dsn())) as database:
                await migrate(database)
                limiter = Limiter(database)
                for one in (limit, fast):
                    given = [(await limiter.take(one, "x")).admitted for _ in range(taken or 2)]
                    assert sum(given) == taken
