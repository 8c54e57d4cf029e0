"""Events: one sequence for each aggregate, without holes."""

import asyncio
import random
from uuid import UUID

import asyncpg
import pytest

from handfast.db.errors import ConstraintViolated
from handfast.engine.errors import JobInvalid
from handfast.engine.events import NewEvent
from handfast.engine.maintenance.retention import Retention
from tests.support.interleave import Stage
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_every_postgres


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
        ("thing.happened", "thing:\x00", {}, JobInvalid),
        ("thing.happened", "thing:\ud800", {}, JobInvalid),
        ("thing.happened", "t" * 501, {}, JobInvalid),
        ("thing.happened", "thing:1", {"a": "b" * 300_000}, JobInvalid),
        ("Thing Happened", "thing:1", {}, ConstraintViolated),
    ):
        async with shop.database.transaction() as tx:
            with pytest.raises(error):
                await shop.hf.emit(tx, event, aggregate, data)


@pytest.mark.parametrize(
    ("aggregate", "data", "constraint"),
    [
        ("''", "'{}'", "event_aggregate_length"),
        ("repeat('t', 501)", "'{}'", "event_aggregate_length"),
        ("'thing:1'", "'null'", "event_data_is_an_object"),
        ("'thing:1'", "jsonb_build_object('a', repeat('b', 400000))", "event_data_size"),
    ],
)
async def test_bad_events_of_other_languages(
    shop: Workers, aggregate: str, data: str, constraint: str
) -> None:
    """A stream holds hundreds of events for each who watches: what one may be has an end."""
    one = f"handfast.emit('thing.happened', {aggregate}, {data})"
    given = f"'{{thing.happened}}', ARRAY[{aggregate}], ARRAY[{data}::jsonb]"
    for emit in (one, f"handfast_engine.emit_many({given})"):
        with pytest.raises(asyncpg.CheckViolationError) as refused:
            await shop.fetch(f"SELECT {emit}")
        assert refused.value.constraint_name == constraint


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


async def test_many_in_one_statement(shop: Workers) -> None:
    """Numbered in their order, beside those that were there; the ids come back in order too."""
    async with shop.database.transaction() as tx:
        await shop.hf.emit(tx, "thing.happened", "b", {"n": 0})
        events = [NewEvent("thing.happened", "ab"[n % 2], {"n": n}) for n in range(1, 7)]
        ids = await shop.hf.emit_many(tx, events)
        assert await shop.hf.emit_many(tx, []) == []
    assert (
        await shop.column(
            "SELECT id::text FROM handfast_engine.events WHERE data ->> 'n' <> '0'"
            " ORDER BY data ->> 'n'"
        )
        == ids
    )
    for aggregate, wanted in (("a", [2, 4, 6]), ("b", [0, 1, 3, 5])):
        assert await shop.column(
            "SELECT (data ->> 'n')::integer FROM handfast_engine.events WHERE aggregate = $1"
            " ORDER BY sequence", aggregate,
        ) == wanted  # fmt: skip
    assert await shop.column(
        "SELECT sequence FROM handfast_engine.events ORDER BY aggregate, sequence"
    ) == [1, 2, 3, 1, 2, 3, 4]


async def test_unequal_arrays_are_refused(shop: Workers) -> None:
    for wrong in ("'{a.b}', '{x,y}', '{null}'", "'{a.b}', '{x}', '{\"{}\"}', '{1}', '{}'"):
        with pytest.raises(asyncpg.InvalidParameterValueError, match="equally many"):
            await shop.fetch(f"SELECT handfast_engine.emit_many({wrong})")


async def test_crossing_bulks_do_not_deadlock(shop: Workers) -> None:
    """Whatever order the caller has them in, rows are locked in one order."""
    names = [f"thing:{n}" for n in range(20)]

    async def bulk(n: int) -> None:
        mine = names if n % 2 else names[::-1]
        async with shop.database.transaction() as tx:
            users = [UUID(int=m) for m in range(5)][:: 1 if n % 2 else -1]
            await shop.hf.emit_many(tx, [NewEvent("a.b", name, {}, users) for name in mine])

    await asyncio.gather(*(bulk(n) for n in range(20)))
    assert await shop.column("SELECT DISTINCT sequence FROM handfast_engine.aggregates") == [20]
    assert await shop.column("SELECT DISTINCT number FROM handfast_engine.user_streams") == [400]


async def age(shop: Workers, days: int) -> None:
    await shop.fetch(
        "UPDATE handfast_engine.aggregates SET emitted_at = emitted_at - make_interval(days => $1)",
        days,
    )


FORGET = "SELECT handfast_engine.forget_aggregates($1, handfast_db.now() - interval '14 days', 2)"


async def test_a_forgotten_aggregate_never_counts_again_what_it_had(shop: Workers) -> None:
    async with shop.database.transaction() as tx:
        for name, times in (("a", 3), ("b", 1), ("c", 1), ("d", 7)):
            await shop.hf.emit_many(tx, [NewEvent("x.y", name, {})] * times)
    await age(shop, 20)
    async with shop.database.transaction() as tx:
        await shop.hf.emit(tx, "x.y", "b", {})
    walked = ""
    steps = []
    while (walked := await shop.fetch(FORGET, walked)) is not None:
        steps.append(walked)
    assert steps == ["b", "d"], "two at a time, to the end"
    assert await shop.column("SELECT aggregate FROM handfast_engine.aggregates") == ["b"]
    async with shop.database.transaction() as tx:
        await shop.hf.emit(tx, "x.y", "d", {})
        await shop.hf.emit_many(tx, [NewEvent("x.y", name, {}) for name in "abnbn"])
    found = await shop.column(
        "SELECT aggregate || array_agg(sequence ORDER BY sequence)::text"
        " FROM handfast_engine.events GROUP BY aggregate ORDER BY aggregate"
    )
    assert found == ["a{1,2,3,8}", "b{1,2,3,4}", "c{1}", "d{1,2,3,4,5,6,7,8}", "n{8,9}"]


async def test_what_has_many_numbers_or_is_not_idle_long_enough_stays(shop: Workers) -> None:
    async with shop.database.transaction() as tx:
        await shop.hf.emit(tx, "x.y", "many", {})
        await shop.hf.emit(tx, "x.y", "few", {})
    await shop.fetch(
        "UPDATE handfast_engine.aggregates SET sequence = 1001 WHERE aggregate = 'many'"
    )
    await shop.fetch("SELECT handfast_engine.forget_aggregates('', now() + interval '1 day', 100)")
    await age(shop, 20)
    assert len(await shop.column("SELECT aggregate FROM handfast_engine.aggregates")) == 2
    await shop.fetch("SELECT handfast_engine.forget_aggregates('', now(), 100)")
    assert await shop.column("SELECT aggregate FROM handfast_engine.aggregates") == ["many"]


@pytest.mark.parametrize("isolation", ["READ COMMITTED", "REPEATABLE READ"])
async def test_an_emit_that_waits_for_the_forgetting_begins_above_it(
    shop: Workers, dsn: str, isolation: str
) -> None:
    """Its snapshot is older than the forgetting; the floor that it reads is not."""
    async with shop.database.transaction() as tx:
        await shop.hf.emit_many(tx, [NewEvent("x.y", "a", {})] * 5)
    await age(shop, 20)
    async with Stage(dsn) as stage:
        forgets, emits = await stage.sessions("forgets", "emits")
        await emits.run(f"BEGIN ISOLATION LEVEL {isolation}")
        await emits.run("SELECT count(*) FROM handfast_engine.aggregates")
        await forgets.begin()
        await forgets.run(FORGET, "")
        late = emits.start("SELECT handfast_engine.emit('x.y', 'a', '{}')")
        await stage.blocked("emits", by="forgets")
        await forgets.commit()
        try:
            await late
        except asyncpg.SerializationError:
            assert isolation == "REPEATABLE READ"
            return
        await emits.commit()
        assert await stage.look("SELECT max(sequence) FROM handfast_engine.events") == 6


async def test_the_engines_chore_forgets_them(shop: Workers) -> None:
    async with shop.database.transaction() as tx:
        await shop.hf.emit(tx, "x.y", "a", {})
    await age(shop, 20)
    await Retention(shop.database).forget()
    assert await shop.column("SELECT aggregate FROM handfast_engine.aggregates") == []
