"""What a process has done is counted here, and written down with the heartbeat."""

import asyncio

import pytest

from handfast.db.pool import Database
from handfast.engine.work.context import Context
from handfast.engine.work.tally import ALL_KINDS, BOUNDS, Tally, note_figures
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_every_postgres

ROWS = (
    "SELECT kind, sum(succeeded)::int, sum(failed)::int, sum(lost)::int, sum(died)::int"
    " FROM handfast_engine.figures GROUP BY kind ORDER BY kind"
)


async def rows(database: Database) -> dict[str, tuple[int, ...]]:
    async with database.connection() as connection:
        return {row[0]: tuple(row)[1:] for row in await connection.fetch(ROWS)}


def test_counted_by_how_long_it_took() -> None:
    tally = Tally()
    tally.succeeded("t.a", [0.0, *BOUNDS, 301.0])
    tally.succeeded("t.a", [0.02])
    tally.failed("t.a", died=False)
    tally.failed("t.b", died=True)
    a, b = tally.take()
    assert (a.succeeded, a.failed, a.died) == (12, 1, 0)
    assert a.buckets == [2, 2, 1, 1, 1, 1, 1, 1, 1, 1]
    assert (b.kind, b.failed, b.died) == ("t.b", 1, 1)
    assert tally.take() == []
    tally.put_back([a])
    tally.failed("t.a", died=True)
    [again] = tally.take()
    assert (again.succeeded, again.failed, again.died) == (12, 2, 1)


async def test_added_to_the_minute(database: Database) -> None:
    tally = Tally()
    async with database.connection() as connection:
        for _ in range(2):
            tally.succeeded("t.a", [0.02, 400.0])
            tally.failed("t.b", died=True)
            await note_figures(connection, tally.take())
        sums = (
            "SELECT sum(seconds), array_agg(buckets) FROM handfast_engine.figures WHERE kind = ''"
        )
        [(seconds, buckets)] = await connection.fetch(sums)
    assert seconds == pytest.approx(800.04)
    assert [sum(one) for one in zip(*buckets, strict=True)] == [0, 2, 0, 0, 0, 0, 0, 0, 0, 2]
    assert await rows(database) == {
        ALL_KINDS: (4, 2, 0, 2),
        "t.a": (4, 0, 0, 0),
        "t.b": (0, 2, 0, 2),
    }


async def test_processes_that_write_at_once(database: Database) -> None:
    """No two of them wait for each other for ever."""
    tallies = [Tally() for _ in range(8)]

    async def write(tally: Tally) -> None:
        for _ in range(10):
            for kind in ("t.c", "t.a", "t.b"):
                tally.succeeded(kind, [0.1])
            async with database.connection() as connection:
                await note_figures(connection, tally.take())

    await asyncio.gather(*(write(tally) for tally in tallies))
    assert (await rows(database))[ALL_KINDS][0] == 240


async def test_all_that_a_worker_did_is_written_when_it_has_stopped(database: Database) -> None:
    here = Workers(database)

    @here.hf.job("t.well")
    async def well(ctx: Context) -> None: ...

    @here.hf.job("t.badly")
    async def badly(ctx: Context) -> None:
        raise TypeError("wrong")

    await here.declare()
    for number in range(30):
        await here.enqueue(well, str(number))
        await here.enqueue(badly, str(number))
    async with here.working():
        await here.drained()
    assert await rows(database) == {
        ALL_KINDS: (30, 30, 0, 30),
        "t.badly": (0, 30, 0, 30),
        "t.well": (30, 0, 0, 0),
    }


async def test_what_was_lost_is_counted_by_who_rescues_it(database: Database) -> None:
    async with database.connection() as connection:
        await connection.execute(
            "SELECT * FROM handfast_engine.enqueue('t.lost', '1', '{}', NULL, '{}')"
        )
        await connection.fetch(
            "SELECT * FROM handfast_engine.claim(NULL, '{default}', 1, interval '-1 second')"
        )
        assert await connection.fetchval("SELECT handfast_engine.rescue(10)") == 1
    assert await rows(database) == {ALL_KINDS: (0, 0, 1, 0), "t.lost": (0, 0, 1, 0)}
