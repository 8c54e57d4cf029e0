"""Events: one sequence for each aggregate, without holes."""

import asyncio
import random

import pytest

from handfast.base.errors import ConstraintViolated, JobInvalid
from tests.support.working import Shop


async def test_sequences_have_no_holes_under_concurrency_and_rollbacks(
    shop: Shop, chance: random.Random
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
            "max(sequence) AS last FROM engine.events GROUP BY aggregate"
        )
        assert len(rows) == 3
        for row in rows:
            assert row["found"] == list(range(1, row["last"] + 1))


async def test_bad_events(shop: Shop) -> None:
    for event, aggregate, data, error in (
        ("thing.happened", "", {}, JobInvalid),
        ("thing.happened", "thing:1", {"a": object()}, JobInvalid),
        ("thing.happened", "thing:1", {"a": "\x00"}, JobInvalid),
        ("Thing Happened", "thing:1", {}, ConstraintViolated),
    ):
        async with shop.database.transaction() as tx:
            with pytest.raises(error):
                await shop.hf.emit(tx, event, aggregate, data)


async def test_each_dead_letter_raises_one(shop: Shop) -> None:
    job = await shop.enqueue("t.job")
    for life in (1, 2):
        await shop.fetch("SELECT id FROM engine.claim(NULL, '{default}', 1, '1 h')")
        await shop.fetch("SELECT engine.fail($1, $2, 'logic', 'x')", job, life)
        await shop.fetch("SELECT engine.requeue(ARRAY[$1::bigint])", job)
    assert await shop.column("SELECT sequence FROM engine.events ORDER BY sequence") == [1, 2]
    assert await shop.column("SELECT DISTINCT type FROM engine.events") == ["job.dead"]
