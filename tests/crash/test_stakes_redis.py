"""Redis is killed, emptied, frozen and filled with what is not so, while matchmakers are killed
that pair through it: nobody is lost, nobody is paired twice, the ledger adds up, each pot is
cleared."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from handfast.apps.stakes.fast.lines import RedisLines
from handfast.apps.stakes.fast.mirror import Mirror
from handfast.apps.stakes.fast.path import FastPath
from handfast.apps.stakes.queue.tickets import TICKETS
from handfast.db.pool import Database
from handfast.db.redis import CALL_SECONDS, GuardedRedis
from tests.crash.test_stakes_postgres_crash import (
    MADE,
    QUEUED,
    assert_all_cleared,
    assert_all_paired_once,
    parts,
    rich,
    stake_in_bulk,
)
from tests.support.eventually import eventually_async
from tests.support.stakes_table import StakesTable
from tests.support.valkey import Valkey

pytestmark = pytest.mark.on_every_redis

ROOT = Path(__file__).parents[2]
STAKES = (1000, 5000, 10000, 50000)
CROWD = 30  # who stake while one thing after the other goes wrong
PROCESSES = 10


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")) as valkey:
        yield valkey


@asynccontextmanager
async def mirrored(
    database: Database, url: str, *, call_seconds: float = CALL_SECONDS
) -> AsyncIterator[RedisLines]:
    """What is staked here is told to Redis."""
    async with GuardedRedis(url, call_seconds=call_seconds, rest_seconds=0.05) as redis:
        lines = RedisLines(redis, STAKES)
        mirror = Mirror(database, lines)
        end = database.hear(TICKETS, mirror.soon)
        yield lines
        end()
        await mirror.close()


def process(dsn: str, name: str, *more: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.stakes_process", dsn, name, *more],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


async def nothing(_: Valkey, __: list[int]) -> None: ...


async def killed(valkey: Valkey, _: list[int]) -> None:
    valkey.kill()
    valkey.start()


async def emptied(valkey: Valkey, _: list[int]) -> None:
    async with GuardedRedis(valkey.url, call_seconds=30.0) as redis:
        await redis.client.flushall()


async def frozen(valkey: Valkey, _: list[int]) -> None:
    with valkey.frozen():
        await asyncio.sleep(0.6)  # more than a call is given


async def filled(valkey: Valkey, known: list[int]) -> None:
    """Stale, duplicated, of the future, foreign."""
    async with GuardedRedis(valkey.url, call_seconds=30.0) as redis:
        for stake in STAKES:
            members: dict[str, float] = {str(ticket): -1.0 for ticket in known}
            members |= {str(10**12 + n): n for n in range(200)} | {f"x{n}": n for n in range(200)}
            await redis.client.zadd(f"queue:stake:{stake}", members)


TROUBLES: list[Callable[[Valkey, list[int]], Awaitable[None]]] = [
    nothing,
    killed,
    emptied,
    frozen,
    filled,
]


async def test_redis_and_matchmakers_in_every_trouble(
    database: Database, dsn: str, valkey: Valkey
) -> None:
    table = StakesTable(database)
    names = [f"p{n}" for n in range(CROWD * len(TROUBLES))]
    await rich(table, names)
    async with mirrored(database, valkey.url):
        for number, trouble in enumerate(TROUBLES):
            before, known = await table.fetch(MADE), await _tickets(table)
            # On a busy machine Redis may be slow, and is left: not by those without trouble.
            more = ["patient"] if trouble is nothing else []
            makers = [process(dsn, f"m{number}-{n}", valkey.url, *more) for n in range(2)]
            said = [_heard(maker) for maker in makers]
            group = names[number * CROWD : (number + 1) * CROWD]
            staking = asyncio.create_task(table.stake_all(group))

            async def at_work(wanted: int) -> bool:
                return int(await table.fetch(MADE)) > wanted

            await eventually_async(lambda wanted=before: at_work(wanted), within=120)  # type: ignore[misc]
            await trouble(valkey, known)
            await staking
            await eventually_async(lambda wanted=before + 5: at_work(wanted), within=120)  # type: ignore[misc]
            if trouble is nothing:
                await eventually_async(lambda said=said: _through_redis(said), within=120)  # type: ignore[misc]
            for maker in makers:
                maker.kill()  # anywhere: before, in or after a claim
                maker.wait()
            await table.assert_sound()
    while (await table.pair()).pairs:
        pass
    await assert_all_paired_once(table, len(names))
    await assert_all_cleared(table)


def _heard(maker: "subprocess.Popen[str]") -> list[str]:
    """What it says, as it says it."""
    lines: list[str] = []

    def listen() -> None:
        assert maker.stdout is not None
        with maker.stdout as stdout:
            for line in stdout:
                lines.append(line)  # noqa: PERF402 - each when it comes

    threading.Thread(target=listen, daemon=True).start()
    return lines


async def _through_redis(said: list[list[str]]) -> bool:
    return any(line.rstrip().endswith("redis") for lines in said for line in lines)


async def _tickets(table: StakesTable) -> list[int]:
    sql = "SELECT coalesce(array_agg(id), '{}') FROM handfast_stakes.matchmaking_queue"
    found: list[int] = await table.fetch(sql)
    return found


@pytest.mark.long
async def test_ten_thousand_in_line_when_everything_is_restarted(
    database: Database, dsn: str, valkey: Valkey
) -> None:
    """Redis comes back empty, and ten processes tell it at once who is in line."""
    table = StakesTable(database)
    names = [f"p{n}" for n in range(QUEUED)]
    await rich(table, names)
    async with mirrored(database, valkey.url, call_seconds=30.0) as lines:
        tickets = await stake_in_bulk(table, names)
        await eventually_async(lambda: _has(lines, tickets[-1]))
    valkey.kill()
    valkey.start()
    makers = [process(dsn, f"m{n}", valkey.url, "compare") for n in range(PROCESSES)]
    told = [maker.communicate()[0].split() for maker in makers]
    assert [maker.returncode for maker in makers] == [0] * PROCESSES
    assert sum(int(added) for added, _ in told) == QUEUED, "each was missing once"
    assert {removed for _, removed in told} == {"0"}
    async with GuardedRedis(valkey.url, call_seconds=30.0) as redis:
        lines = RedisLines(redis, STAKES)
        found = [int(one) for one in await lines.page(1000, 0, 2 * QUEUED)]
        assert found == tickets, "all are there, in order"
        fast = FastPath(database, lines, table.terms)
        while await fast.pair("again", pairs=100):
            pass
        assert fast.in_use
        assert await lines.length(1000) == 0
    pairs = await table.fetch(
        "SELECT array_agg(p.tickets ORDER BY p.session_id) FROM (SELECT session_id,"
        " array_agg(id ORDER BY line) AS tickets FROM handfast_stakes.matchmaking_queue"
        " GROUP BY session_id) AS p"
    )
    assert pairs == list(parts(tickets, 2)), "first come, first paired"
    stale = "SELECT count(*) FROM handfast_stakes.claims WHERE outcome <> 'paired'"
    assert await table.fetch(stale) == 0
    await assert_all_paired_once(table, QUEUED)


async def _has(lines: RedisLines, ticket: int) -> bool:
    return str(ticket).encode() in await lines.page(1000, 0, 2 * QUEUED)
