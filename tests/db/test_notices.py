"""NOTIFY after the commit, where the commit is ours."""

import asyncio
from collections.abc import AsyncIterator, Iterable

import asyncpg
import msgspec
import pytest

from handfast import Context, Handfast
from handfast.db.connect import Target
from handfast.db.notices import Notices
from handfast.db.pool import Database
from handfast.db.transaction import Notice, Transaction
from handfast.engine.jobs.options import Options
from tests.support.eventually import eventually_async
from tests.support.jobs import program
from tests.support.workers_here import Workers

TOLD = ("handfast_ready", '["default","t.job"]')


class Heard:
    """What arrives, in order. The mark is notified by hand: what comes before it has come."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection
        self.notices: list[Notice] = []

    async def listen(self) -> None:
        for channel in ("handfast_ready", "mark"):
            await self.connection.add_listener(
                channel, lambda _, _pid, name, said: self.notices.append((name, str(said)))
            )

    async def so_far(self, database: Database) -> list[Notice]:
        async with database.connection() as connection:
            await connection.execute("NOTIFY mark")
        await eventually_async(lambda: asyncio.sleep(0, ("mark", "") in self.notices))
        before, self.notices = self.notices, []
        return [notice for notice in before if notice[0] != "mark"]


@pytest.fixture
async def heard(dsn: str) -> AsyncIterator[Heard]:
    connection = await asyncpg.connect(dsn)
    found = Heard(connection)
    await found.listen()
    yield found
    await connection.close()


@pytest.fixture
async def hf(database: Database, dsn: str) -> Handfast:
    """With a worker that is idle."""
    hf = program(database, dsn)

    @hf.job("t.job")
    async def job(ctx: Context) -> None: ...

    async with database.connection() as connection:
        await connection.execute(
            "SELECT handfast_engine.register_worker('w', '{default}', '1 hour', '{t.job}');"
            "UPDATE handfast_engine.workers SET idle = true"
        )
    return hf


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[Notice]:
    """Nobody tells: what would be told after a commit is kept here."""
    found: list[Notice] = []

    def keep(_: Notices, notices: Iterable[Notice]) -> None:
        found.extend(notices)

    monkeypatch.setattr(Notices, "tell", keep)
    return found


async def test_it_is_told_once_after_the_commit(hf: Handfast, heard: Heard) -> None:
    async with hf.transaction() as tx:
        for key in "abc":
            await hf.enqueue(tx, "t.job", key=key)
        await hf.enqueue_many(tx, "t.job", [("d", {}), ("e", {})])
    database = await hf.database()
    await eventually_async(lambda: asyncio.sleep(0, bool(heard.notices)))
    assert await heard.so_far(database) == [TOLD]


@pytest.mark.parametrize("way", ["one", "deadline", "bulk", "now", "now, tied"])
async def test_nothing_is_notified_in_a_transaction_of_ours(
    hf: Handfast, heard: Heard, kept: list[Notice], way: str
) -> None:
    match way:
        case "now":
            await hf.enqueue_now("t.job", key="a")
        case "now, tied":
            await hf.enqueue_now("t.job", key="a", group="g")
        case _:
            async with hf.transaction() as tx:
                if way == "one":
                    await hf.enqueue(tx, "t.job", key="a")
                elif way == "deadline":
                    now = await tx.fetchval("SELECT now() + interval '1 day'")
                    await hf.enqueue(tx, "t.job", key="a", deadline=now)
                else:
                    await hf.enqueue_many(tx, "t.job", [("a", {})])
                assert kept == []
    assert await heard.so_far(await hf.database()) == []
    assert kept == [TOLD]


async def test_what_is_not_ready_or_not_committed_tells_nobody(
    hf: Handfast, kept: list[Notice]
) -> None:
    async with hf.transaction() as tx:
        await hf.enqueue(
            tx, "t.job", key="later", due=await tx.fetchval("SELECT now() + interval '1 day'")
        )
        await hf.enqueue(tx, "t.other", key="nobody knows it", lane="default")
    with pytest.raises(ZeroDivisionError):
        async with hf.transaction() as tx:
            await hf.enqueue(tx, "t.job", key="undone")
            raise ZeroDivisionError
    assert kept == []


async def test_in_somebody_elses_transaction_it_is_part_of_it(
    hf: Handfast, heard: Heard, kept: list[Notice], dsn: str
) -> None:
    connection = await asyncpg.connect(dsn)
    async with connection.transaction():
        await hf.enqueue(connection, "t.job", key="a")
        await hf.enqueue_many(connection, "t.job", [("b", {})])
    async with connection.transaction():
        await connection.execute("SELECT handfast_engine.enqueue('t.job', 'c')")
    await connection.close()
    assert await heard.so_far(await hf.database()) == [TOLD, TOLD]
    assert kept == []


async def test_closing_the_pool_tells_what_is_left(dsn: str, heard: Heard) -> None:
    async with await Database.open(Target(dsn)) as database:
        async with database.connection() as connection:
            tx = Transaction(connection, ours=True)
        assert tx.notices is not None
        tx.notices.add(TOLD)
        database.committed(tx)
    await eventually_async(lambda: asyncio.sleep(0, heard.notices == [TOLD]))


async def test_one_that_is_lost_costs_the_poll_interval(
    database: Database, kept: list[Notice]
) -> None:
    """The process that enqueued died between the commit and the notification."""
    shop = Workers(database)

    @shop.hf.job("t.job")
    async def job(ctx: Context) -> None: ...

    async with shop.working(poll=0.1):
        idle = "SELECT bool_or(idle) FROM handfast_engine.workers"
        await eventually_async(lambda: shop.fetch(idle))
        made = await shop.enqueue(job)
        await shop.reaches(made, "succeeded")
    assert kept == [TOLD]


def test_options_say_that_nobody_is_told() -> None:
    assert msgspec.json.decode(Options(lane="a").as_data(wake_later=True)) == {
        "lane": "a",
        "wake": "later",
    }
