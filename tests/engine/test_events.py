"""Events: one sequence for each aggregate, without holes."""

import asyncio
import random
from datetime import timedelta

import pytest

from handfast.db.errors import ConstraintViolated
from handfast.db.pool import Database
from handfast.engine.errors import JobInvalid
from handfast.engine.operating import event_stream
from handfast.engine.operating.event_stream import follow
from tests.support.eventually import eventually_async
from tests.support.workers_here import Workers


async def test_sequences_have_no_holes_under_concurrency_and_rollbacks(
    shop: Workers, chance: random.Random
) -> None:
    async def emit(n: int) -> None:
        try:
            async with shop.database.transaction() as tx:
                await shop.hf.emit(tx, "thing.happened", f"thing:{n % 3}", {"n": n})
                if chance.random() < 0.3:
                    raise LookupError
        except LookupError:
            pass

    await asyncio.gather(*(emit(n) for n in range(150)))
    async with shop.database.connection() as connection:
        rows = await connection.fetch(
            "SELECT aggregate, array_agg(sequence ORDER BY sequence) AS found, "
            "max(sequence) AS last FROM handfast_engine.events GROUP BY aggregate"
        )
        assert len(rows) == 3
        for row in rows:
            assert row["found"] == list(range(1, row["last"] + 1))


async def test_bad_events(shop: Workers) -> None:
    for event, aggregate, data, error in (
        ("thing.happened", "", {}, JobInvalid),
        ("thing.happened", "thing:1", {"a": object()}, JobInvalid),
        ("thing.happened", "thing:1", {"a": "\x00"}, JobInvalid),
        ("Thing Happened", "thing:1", {}, ConstraintViolated),
    ):
        async with shop.database.transaction() as tx:
            with pytest.raises(error):
                await shop.hf.emit(tx, event, aggregate, data)


async def test_each_dead_letter_raises_one(shop: Workers) -> None:
    job = await shop.enqueue("t.job")
    for _ in range(2):
        await shop.fetch(
            "SELECT handfast_engine.fail(id, token, 'logic', 'x')"
            " FROM handfast_engine.claim(NULL, '{default}', 1, '1 h')"
        )
        await shop.fetch("SELECT handfast_engine.requeue(ARRAY[$1::bigint])", job)
    assert await shop.column("SELECT sequence FROM handfast_engine.events ORDER BY sequence") == [
        1,
        2,
    ]
    assert await shop.column("SELECT DISTINCT type FROM handfast_engine.events") == ["job.dead"]


class Watching:
    """Somebody who follows the feed, and what they have seen."""

    def __init__(self, database: Database) -> None:
        self.seen: list[str] = []
        self.looks = 0
        self._stopping = asyncio.Event()
        self._task = asyncio.create_task(self._run(database))

    async def _run(self, database: Database) -> None:
        async for events in follow(database, self._stopping, look=0.01):
            self.looks += 1
            self.seen += [event.aggregate for event in events]

    async def sees(self, *expected: str) -> None:
        async def there() -> bool:
            return set(expected) <= set(self.seen)

        await eventually_async(there)

    async def looks_again(self) -> None:
        before = self.looks
        await eventually_async(lambda: asyncio.sleep(0, self.looks > before + 1))

    async def stop(self) -> None:
        self._stopping.set()
        await self._task


async def test_a_late_commit_is_not_lost_behind_full_pages(
    shop: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "PAGE", 5)
    monkeypatch.setattr(event_stream, "OVERLAP", timedelta(0))
    watching = Watching(shop.database)
    await watching.looks_again()
    async with shop.database.transaction() as late:
        await shop.hf.emit(late, "thing.happened", "late", {})
        for n in range(23):
            async with shop.database.transaction() as tx:
                await shop.hf.emit(tx, "thing.happened", f"n:{n}", {})
        await watching.sees(*(f"n:{n}" for n in range(23)))
        await watching.looks_again()
    await watching.sees("late")
    await watching.looks_again()
    await watching.stop()
    assert len(watching.seen) == len(set(watching.seen)) == 24


async def test_while_a_transaction_is_held_only_so_much_is_remembered(
    shop: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "SHOWN_MAX", 10)
    watching = Watching(shop.database)
    await watching.looks_again()
    async with shop.database.transaction() as held:
        await shop.hf.emit(held, "thing.happened", "held", {})
        for n in range(40):
            async with shop.database.transaction() as tx:
                await shop.hf.emit(tx, "thing.happened", f"n:{n}", {})
        await watching.sees(*(f"n:{n}" for n in range(40)))
        await watching.looks_again()
    await watching.stop()
    assert len(watching.seen) == len(set(watching.seen)), "and nothing is shown twice for that"
