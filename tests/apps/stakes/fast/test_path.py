"""Pairing from what Redis proposes: a real Redis that is killed, frozen, read-only, or full of what
somebody else put there. Whatever it does, pairs are those that the database would make."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from structlog.testing import capture_logs

from handfast.apps.stakes.fast.lines import RedisLines
from handfast.apps.stakes.fast.mirror import Mirror, compare
from handfast.apps.stakes.fast.path import FastPath
from handfast.apps.stakes.matching.loop import Matchmaker
from handfast.apps.stakes.matching.pairing import claims
from handfast.apps.stakes.queue.tickets import TICKETS
from handfast.base.telemetry import REGISTRY
from handfast.db.connect import Target
from handfast.db.listen import Listener
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
from tests.support.eventually import eventually_async
from tests.support.patient_lines import PatientLines
from tests.support.stakes_table import StakesTable
from tests.support.valkey import Valkey

pytestmark = pytest.mark.on_every_redis

STAKES = (1000, 5000, 10000, 50000)
FUTURE = 10**9
PAIRED = "SELECT count(*) FROM handfast_stakes.game_sessions"


@pytest.fixture
async def lines(redis: GuardedRedis, lines: RedisLines) -> RedisLines:
    return PatientLines(redis, STAKES, prefix=lines.key(0))


@pytest.fixture
async def fast(table: StakesTable, lines: RedisLines) -> AsyncIterator[FastPath]:
    """What is staked is told to Redis, as in every process that has a system open."""
    async with mirrored(table.database, lines):
        yield FastPath(table.database, lines, table.terms)


@pytest.fixture
async def used(fast: FastPath) -> FastPath:
    """One that has compared, and uses Redis."""
    assert await fast.pair("nobody") is None
    assert fast.in_use
    return fast


@asynccontextmanager
async def mirrored(database: Database, lines: RedisLines) -> AsyncIterator[None]:
    mirror = Mirror(database, lines)
    end = database.hear(TICKETS, mirror.soon)
    yield
    end()
    await mirror.close()


async def rich(table: StakesTable, many: int) -> list[str]:
    names = [f"p{n}" for n in range(many)]
    await table.rich(*names)
    return names


async def known(lines: RedisLines, stake: int = 1000) -> list[int]:
    return [int(one) for one in await lines.page(stake, 0, 100_000)]


async def told(lines: RedisLines, tickets: list[int]) -> None:
    async def are() -> bool:
        return await known(lines) == tickets

    await eventually_async(are)


async def pairs(table: StakesTable) -> list[tuple[int, ...]]:
    """Tickets of the pairs, in the order in which they were made."""
    found: list[list[int]] = await table.fetch(
        "SELECT coalesce(array_agg(t.tickets ORDER BY t.session_id), '{}') FROM"
        " (SELECT session_id, array_agg(id ORDER BY line) AS tickets"
        "  FROM handfast_stakes.matchmaking_queue WHERE session_id IS NOT NULL"
        "  GROUP BY session_id) AS t"
    )
    return [tuple(pair) for pair in found]


def in_order(tickets: list[int]) -> list[tuple[int, ...]]:
    return [tuple(tickets[n : n + 2]) for n in range(0, len(tickets) - 1, 2)]


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


async def test_who_stakes_is_in_redis_and_is_paired_from_there(
    table: StakesTable, fast: FastPath, lines: RedisLines
) -> None:
    before = counted("handfast_stakes_pairs_total", path="redis")
    tickets = await table.stake_all(await rich(table, 5))
    await told(lines, tickets)
    assert await fast.pair("test") == 2
    assert await pairs(table) == in_order(tickets)
    assert await known(lines) == tickets[4:], "the survivor is at its place"
    assert counted("handfast_stakes_pairs_total", path="redis") == before + 2
    assert await fast.pair("test") is None, "nothing more to be had here"
    await table.assert_sound()


async def test_whoever_leaves_or_changes_is_not_there(
    table: StakesTable, fast: FastPath, lines: RedisLines
) -> None:
    anna, ben, cora, dan = await table.stake_all(await rich(table, 4))
    await table.stakes.cancel(anna)
    await table.stakes.change(ben, 5000)
    await table.overdue(cora)
    assert await table.expire() == 1
    await told(lines, [dan])
    assert await known(lines, 5000) == [ben]
    assert await fast.pair("test") is None


async def test_batches_are_those_of_the_database(
    table: StakesTable, fast: FastPath, lines: RedisLines
) -> None:
    tickets = await table.stake_all(await rich(table, 10))
    await told(lines, tickets)
    assert await fast.pair("test", pairs=2) == 5
    assert await pairs(table) == in_order(tickets)


async def test_rehydrated_in_order(
    table: StakesTable, fast: FastPath, lines: RedisLines, redis: GuardedRedis
) -> None:
    tickets = await table.stake_all(await rich(table, 6))
    await told(lines, tickets)
    await redis.client.delete(lines.key(1000))
    assert await FastPath(table.database, lines, table.terms, rehydrate=False).pair("test") is None
    assert not fast.in_use
    assert await fast.pair("test") == 3, "compared before it is used"
    assert await pairs(table) == in_order(tickets)


async def test_what_redis_lacks_is_not_overtaken(
    table: StakesTable, used: FastPath, lines: RedisLines
) -> None:
    """It proposes the third and the fourth; the first and the second are paired before them."""
    tickets = await table.stake_all(await rich(table, 4))
    await told(lines, tickets)
    await lines.remove(1000, [str(one).encode() for one in tickets[:2]])
    assert await used.pair("test", pairs=1) == 2
    assert await pairs(table) == in_order(tickets)
    await told(lines, [])


async def test_no_rematch_because_redis_lacks_the_others(
    table: StakesTable, used: FastPath, lines: RedisLines
) -> None:
    session = await table.paired("anna", "ben")
    await table.stakes.report(session.id, None)
    await table.rich("cora")
    anna, ben, cora = await table.stake_all(["anna", "ben", "cora"])
    await told_has(lines, cora)
    await compare(table.database, lines)
    assert await known(lines) == [anna, ben, cora]
    await lines.remove(1000, [str(cora).encode()])
    assert await used.pair("test") == 1
    assert (await pairs(table))[1:] == [(anna, cora)]


async def test_ids_that_are_stale_foreign_duplicated_or_of_the_future(
    table: StakesTable, used: FastPath, lines: RedisLines, redis: GuardedRedis
) -> None:
    *over, one, other, third = await table.stake_all(await rich(table, 7))
    await told(lines, [*over, one, other, third])
    assert await used.pair("test", pairs=2) == 3
    line = lines.key(1000)
    await redis.client.zadd(line, {str(ticket): -1 for ticket in over})  # stale
    await redis.client.zadd(line, {str(FUTURE): -2, str(2**63): -3, "abc": -4, "\x00": 0.5})
    await redis.client.zadd(lines.key(5000), {str(third): 1, str(over[0]): 2})  # duplicated
    await table.rich("last")
    last = await table.stake("last")
    await told_has(lines, last)
    assert await used.pair("test") == 1
    assert (await pairs(table))[-1] == (third, last)
    assert [await known(lines), await known(lines, 5000)] == [[], []], "nothing of it is left"
    async with table.database.connection() as connection:
        logged = await claims(connection, outcome="stale")
    reasons = {(one.stake, one.reason): one.tickets for one in logged}
    assert reasons[1000, "gone"] == sorted(over)
    assert reasons[1000, "unknown"] == [FUTURE]
    assert over[0] in reasons[5000, "gone"]
    await table.assert_sound()


async def told_has(lines: RedisLines, ticket: int) -> None:
    async def has() -> bool:
        return str(ticket).encode() in await lines.page(1000, 0, 1000)

    await eventually_async(has)


async def test_a_claim_that_fails_gives_back(
    table: StakesTable, fast: FastPath, lines: RedisLines
) -> None:
    """Somebody cancels one of the two at this moment: neither is taken, both have their places;
    and then only the survivor has."""
    anna, ben = await table.stake_all(await rich(table, 2))
    await told(lines, [anna, ben])
    async with table.database.transaction() as tx:
        await tx.execute(
            "SELECT 1 FROM handfast_stakes.matchmaking_queue WHERE id = $1 FOR UPDATE", anna
        )
        assert await fast.pair("test") is None
        assert await known(lines) == [anna, ben]
    await table.stakes.cancel(anna)
    await told(lines, [ben])
    assert await table.fetch(PAIRED) == 0


async def test_a_database_that_refuses_leaves_the_line_as_it_was(
    table: StakesTable, fast: FastPath, lines: RedisLines
) -> None:
    anna, ben = await table.stake_all(await rich(table, 2))
    await told(lines, [anna, ben])
    await table.ledger.run(
        "ALTER TABLE handfast_stakes.game_sessions ADD CONSTRAINT closed CHECK (stake < 0)"
    )
    with pytest.raises(asyncpg.CheckViolationError):
        await fast.pair("test")
    assert await known(lines) == [anna, ben]
    assert await lines.length(1000) == 2


async def test_many_matchmakers_at_once(
    table: StakesTable, fast: FastPath, lines: RedisLines
) -> None:
    tickets = await table.stake_all(await rich(table, 40))
    await told(lines, tickets)
    # Whoever compares while others pair may put back whom they have paired since it looked.
    paths = [FastPath(table.database, lines, table.terms, rehydrate=False) for _ in range(5)]
    made = await asyncio.gather(*(one.pair(f"m{n}", pairs=3) for n, one in enumerate(paths)))
    assert sum(one or 0 for one in made) == 20
    assert sorted(await pairs(table)) == in_order(tickets), "one at a time: nobody is overtaken"
    stale = "SELECT count(*) FROM handfast_stakes.claims WHERE outcome <> 'paired'"
    assert await table.fetch(stale) == 0, "and nobody was proposed twice"
    await table.assert_sound()


async def test_paired_by_the_database_is_told(
    table: StakesTable, used: FastPath, lines: RedisLines
) -> None:
    """A transaction of the program's own: nobody tells Redis, and the matchmaker finds it."""
    tickets = await table.stake_all(await rich(table, 4))
    await told(lines, tickets)
    await lines.remove(1000, [str(one).encode() for one in tickets[1:]])
    maker = Matchmaker(table.database, table.terms, "test", used)
    assert await maker.round() == 2
    assert await pairs(table) == in_order(tickets)
    await told(lines, [])


async def test_ten_rehydrate_at_once(table: StakesTable, lines: RedisLines) -> None:
    tickets = await table.stake_all(await rich(table, 30))
    found = await asyncio.gather(*(compare(table.database, lines) for _ in range(10)))
    assert sum(one.added for one in found) == 30, "each ticket was missing once"
    assert sum(one.removed for one in found) == 0
    assert await known(lines) == tickets


async def test_a_sweep_mends_what_drifted(
    table: StakesTable, used: FastPath, lines: RedisLines, redis: GuardedRedis
) -> None:
    tickets = await table.stake_all(await rich(table, 5))
    await told(lines, tickets)
    line = lines.key(1000)
    await redis.client.zrem(line, tickets[0])
    await redis.client.zadd(line, {str(tickets[3]): -7})  # the wrong place
    await redis.client.zadd(line, {f"junk-{n}": n for n in range(2500)})
    before = counted("handfast_stakes_drift_repaired_total", how="removed")
    await used.sweep()
    assert await known(lines) == tickets
    assert counted("handfast_stakes_drift_repaired_total", how="removed") == before + 2500
    await redis.client.delete(line)
    await redis.client.set(line, "of another type")
    await used.sweep()
    assert await known(lines) == tickets


# --- a Redis of our own, to be mistreated ---------------------------------------------------------


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("mistreated")) as valkey:
        yield valkey


@asynccontextmanager
async def fast_on(table: StakesTable, url: str) -> AsyncIterator[tuple[FastPath, RedisLines]]:
    async with GuardedRedis(url, call_seconds=5.0, rest_seconds=0.05) as redis:
        lines = RedisLines(redis, STAKES)
        async with mirrored(table.database, lines):
            yield FastPath(table.database, lines, table.terms, rest_seconds=0.05), lines


Trouble = Callable[[Valkey, Any], Awaitable[Callable[[], Awaitable[None]]]]


async def killed(valkey: Valkey, _: Any) -> Callable[[], Awaitable[None]]:
    valkey.kill()

    async def back() -> None:
        valkey.start()

    return back


async def frozen(valkey: Valkey, _: Any) -> Callable[[], Awaitable[None]]:
    freeze = valkey.frozen()
    freeze.__enter__()

    async def back() -> None:
        freeze.__exit__(None, None, None)

    return back


def configured(name: str, value: str, usual: str) -> Trouble:
    async def trouble(_: Valkey, client: Any) -> Callable[[], Awaitable[None]]:
        await client.config_set(name, value)

        async def back() -> None:
            await client.config_set(name, usual)

        return back

    return trouble


async def read_only(_: Valkey, client: Any) -> Callable[[], Awaitable[None]]:
    """A replica of nobody: it answers, and takes nothing."""
    await client.execute_command("REPLICAOF", "127.0.0.1", "1")

    async def back() -> None:
        await client.execute_command("REPLICAOF", "NO", "ONE")

    return back


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(killed, id="killed"),
        pytest.param(frozen, id="frozen"),
        pytest.param(read_only, id="read-only"),
        pytest.param(configured("maxmemory", "1", "0"), id="out-of-memory"),
    ],
)
async def test_it_goes_on_without_and_returns_by_itself(
    table: StakesTable, valkey: Valkey, trouble: Trouble
) -> None:
    names = await rich(table, 12)
    async with (
        GuardedRedis(valkey.url, call_seconds=5.0) as control,
        fast_on(table, valkey.url) as (fast, lines),
    ):
        await control.client.flushall()
        maker = Matchmaker(table.database, table.terms, "test", fast)
        first = await table.stake_all(names[:4])
        with capture_logs() as logs:
            assert await maker.round() == 2
            back = await trouble(valkey, control.client)
            second = await table.stake_all(names[4:8])
            assert await maker.round() == 2, "without"
            alone = await table.stake(names[8])
            await fast.sweep()  # who is full notices when something is written
            assert not fast.in_use
            for _ in range(3):
                assert await maker.round() == 0
            await back()
            third = [alone, *await table.stake_all(names[9:])]

            async def returned() -> bool:
                await maker.round()
                return fast.in_use

            await eventually_async(returned)
        said = [one["event"] for one in logs if one["event"].startswith("stakes_with")]
        assert said == ["stakes_with_redis", "stakes_without_redis", "stakes_with_redis"]
        assert await pairs(table) == in_order([*first, *second, *third])

        async def empty() -> bool:
            await maker.round()
            return not sum([await lines.length(stake) for stake in STAKES])

        await eventually_async(empty)
    await table.assert_sound()


async def test_a_wrong_password(table: StakesTable, valkey: Valkey) -> None:
    async with GuardedRedis(valkey.url, call_seconds=5.0) as control:
        await control.client.config_set("requirepass", "right")
        try:
            async with fast_on(table, f"{valkey.url}?password=wrong") as (fast, _):
                tickets = await table.stake_all(await rich(table, 2))
                maker = Matchmaker(table.database, table.terms, "test", fast)
                assert await maker.round() == 1
                assert await pairs(table) == in_order(tickets)
                assert not fast.in_use
        finally:
            await control.client.config_set("requirepass", "")


async def test_nobody_who_stakes_waits_for_a_frozen_one(table: StakesTable, valkey: Valkey) -> None:
    names = await rich(table, 6)
    async with (
        GuardedRedis(valkey.url, call_seconds=60.0) as redis,
        mirrored(table.database, RedisLines(redis, STAKES)),
    ):
        with valkey.frozen():
            async with asyncio.timeout(30):  # half of what Redis is given
                await table.stake_all(names)


async def test_the_matchmaker_is_told_and_finds_them_in_redis(
    table: StakesTable, dsn: str, lines: RedisLines, fast: FastPath
) -> None:
    names = await rich(table, 6)
    maker = Matchmaker(table.database, table.terms, "test", fast)
    async with Listener(Target(dsn), through=table.database) as listener:
        task = asyncio.create_task(maker.run(listener, 0.1))
        for n in range(0, 6, 2):
            await table.stake_all(names[n : n + 2])

            async def paired(wanted: int = n // 2 + 1) -> bool:
                return bool(await table.fetch(PAIRED) == wanted)

            await eventually_async(paired)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert fast.in_use
    await table.assert_sound()


def test_nothing_is_left_in_the_folder(valkey: Valkey) -> None:
    """No persistence is needed, and none was used."""
    assert [one.name for one in Path(valkey.folder).iterdir()] == ["valkey.sock"]
