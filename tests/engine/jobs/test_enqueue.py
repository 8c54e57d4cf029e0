"""Jobs in: once for each identity, in the caller's transaction, with bad input refused."""

from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from handfast import PRUNED, Context
from handfast.base.errors import DatabaseError, HandfastError
from handfast.db.errors import ConstraintViolated, TransactionEnded
from handfast.engine.errors import JobInvalid, KindInvalid, PayloadInvalid
from handfast.engine.jobs.enqueue import BULK_PART
from tests.support.workers_here import Workers

pytestmark = [pytest.mark.on_every_postgres, pytest.mark.on_lowest]


async def test_an_identity_is_for_ever(shop: Workers) -> None:
    async with shop.database.transaction() as tx:
        first = await shop.hf.enqueue(tx, "t.job", key="one", n=1)
        again = await shop.hf.enqueue(tx, "t.job", key="one", n=2)
        other = await shop.hf.enqueue(tx, "t.other", key="one")
    assert (first.created, again.created, other.created) == (True, False, True)
    assert first.id == again.id != other.id
    assert await shop.column(
        "SELECT payload FROM handfast_engine.live WHERE id = $1", first.id
    ) == ['{"n": 1}']
    await shop.fetch(
        "SELECT handfast_engine.finish(ARRAY[id], ARRAY[token], '{\"[1, 2]\"}')"
        " FROM handfast_engine.claim(NULL, '{default}', 1, '1 h')"
    )
    async with shop.database.transaction() as tx:
        done = await shop.hf.enqueue(tx, "t.job", key="one")
    assert (done.id, done.created, done.state, done.result) == (
        first.id,
        False,
        "succeeded",
        [1, 2],
    )
    await shop.fetch("DELETE FROM handfast_engine.attempts")
    async with shop.database.transaction() as tx:
        pruned = await shop.hf.enqueue(tx, "t.job", key="one")
    assert pruned.result is PRUNED
    assert repr(PRUNED) == "PRUNED"


async def test_an_ended_transaction_takes_no_job(shop: Workers) -> None:
    """It would be in whoever has the connection now, and gone when that one is rolled back."""
    async with shop.database.transaction() as ended:
        pass
    async with shop.database.transaction() as other:
        with pytest.raises(TransactionEnded):
            await shop.hf.enqueue(ended, "t.job", key="one")
        await shop.hf.enqueue(other, "t.job", key="two")
    assert await shop.column("SELECT key FROM handfast_engine.jobs") == ["two"]


async def test_a_rollback_leaves_nothing(shop: Workers) -> None:
    async def change_my_mind() -> None:
        async with shop.database.transaction() as tx:
            await shop.hf.enqueue(tx, "t.job", key="one")
            await shop.hf.enqueue_many(tx, "t.job", [(str(n), {}) for n in range(10)])
            raise LookupError

    with pytest.raises(LookupError):
        await change_my_mind()
    assert await shop.fetch("SELECT count(*) FROM handfast_engine.jobs") == 0
    assert await shop.fetch("SELECT count(*) FROM handfast_engine.live") == 0


async def test_in_the_callers_own_asyncpg_transaction(shop: Workers, dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        with pytest.raises(DatabaseError, match="no open transaction"):
            await shop.hf.enqueue(connection, "t.job", key="one")
        async with connection.transaction():
            assert (await shop.hf.enqueue(connection, "t.job", key="one")).created
    finally:
        await connection.close()


async def test_a_hundred_thousand_in_one_call(shop: Workers) -> None:
    jobs: list[tuple[str, dict[str, int]]] = [(f"{n:06}", {"n": n}) for n in range(100_000)]
    async with shop.database.transaction() as tx:
        made = await shop.hf.enqueue_many(tx, "t.job", jobs)
    assert len({one.id for one in made}) == 100_000
    assert all(one.created for one in made)
    assert await shop.fetch("SELECT count(*) FROM handfast_engine.live") == 100_000
    async with shop.database.transaction() as tx:
        again = await shop.hf.enqueue_many(tx, "t.job", jobs[:10][::-1])
    assert [one.id for one in again] == [one.id for one in made[:10]][::-1]


async def test_a_key_twice_in_one_bulk_is_one_job(shop: Workers) -> None:
    async with shop.database.transaction() as tx:
        made = await shop.hf.enqueue_many(
            tx, "t.job", [("b", {"n": 1}), ("a", {"n": 2}), ("b", {"n": 3})]
        )
    assert [one.created for one in made] == [True, True, False]
    assert made[0].id == made[2].id
    assert await shop.column("SELECT payload FROM handfast_engine.live ORDER BY key") == [
        '{"n": 2}',
        '{"n": 1}',
    ]
    async with shop.database.transaction() as tx:
        assert await shop.hf.enqueue_many(tx, "t.job", []) == []


async def test_what_the_program_declares_holds_before_any_worker_has_started(shop: Workers) -> None:
    @shop.hf.job("t.mail", lane="mail", priority=3, group="smtp", version=4)
    async def mail(ctx: Context) -> None: ...

    await shop.enqueue(mail)
    async with shop.database.transaction() as tx:
        await shop.hf.enqueue_many(tx, mail, [("two", {})])
    async with shop.database.connection() as connection:
        rows = await connection.fetch(
            "SELECT lane, priority, group_name, version FROM handfast_engine.live"
        )
    assert [tuple(row) for row in rows] == [("mail", 3, "smtp", 4)] * 2


NAIVE = datetime(2030, 1, 1)  # noqa: DTZ001
AWARE = datetime(2030, 1, 1, tzinfo=UTC)
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"key": ""}, JobInvalid),
        ({"key": "  "}, JobInvalid),
        ({"key": 7}, JobInvalid),
        ({"key": "x" * 501}, JobInvalid),
        ({"key": "a\x00b"}, JobInvalid),
        ({"key": "\ud800"}, JobInvalid),
        ({"delay": timedelta(seconds=-1)}, JobInvalid),
        ({"delay": timedelta.max}, JobInvalid),
        ({"due": NAIVE}, JobInvalid),
        ({"due": AWARE, "delay": timedelta(1)}, JobInvalid),
        ({"deadline": NAIVE}, JobInvalid),
        ({"priority": 0}, JobInvalid),
        ({"priority": 70_000}, JobInvalid),
        ({"lane": ""}, JobInvalid),
        ({"lane": "x" * 101}, JobInvalid),
        ({"lane": "a\x00"}, JobInvalid),
        ({"group": "\ud800"}, JobInvalid),
        ({"offset": timedelta(1)}, JobInvalid),
        ({"anchor": "a", "due": AWARE}, JobInvalid),
        ({"anchor": "nowhere"}, ConstraintViolated),
        ({"requires": [("t.job", "nobody")]}, ConstraintViolated),
        ({"requires": [("t.job", "one")]}, ConstraintViolated),
        ({"n": "not a number"}, PayloadInvalid),
        ({"n": 1, "unknown": 1}, PayloadInvalid),
        ({"n": 1, "text": "a\x00b"}, PayloadInvalid),
        ({"n": 1, "text": "\ud800"}, PayloadInvalid),
        ({"n": 1, "text": "x" * 300_000}, PayloadInvalid),
        ({"n": 1, "anything": object()}, PayloadInvalid),
        ({"n": 1, "anything": DEEP}, PayloadInvalid),
        ({}, PayloadInvalid),
    ],
    ids=lambda value: "",
)
async def test_bad_input_is_refused_in_words(
    shop: Workers, given: dict[str, Any], error: type[HandfastError]
) -> None:
    @shop.hf.job("t.job")
    async def job(ctx: Context, n: int, text: str = "", anything: Any = None) -> None: ...

    given = dict(given)
    payload = given if error is PayloadInvalid else {"n": 1} | given
    async with shop.database.transaction() as tx:
        with pytest.raises(error) as refused:
            await shop.hf.enqueue(tx, job, **({"key": "one"} | payload))
    assert str(refused.value)
    assert await shop.fetch("SELECT count(*) FROM handfast_engine.jobs") == 0


@pytest.mark.parametrize(
    ("kind", "payload", "error"),
    [
        ("", {}, JobInvalid),
        ("x" * 201, {}, JobInvalid),
        ("a\x00", {}, JobInvalid),
        ("t.job", {"a": object()}, PayloadInvalid),
        ("t.job", {"a": "\x00"}, PayloadInvalid),
        ("t.job", {"a": "x" * 300_000}, PayloadInvalid),
        (print, {}, KindInvalid),
    ],
    ids=lambda value: "",
)
async def test_bad_input_for_a_kind_that_is_not_known_here(
    shop: Workers, kind: Any, payload: dict[str, Any], error: type[HandfastError]
) -> None:
    async with shop.database.transaction() as tx:
        with pytest.raises(error):
            await shop.hf.enqueue(tx, kind, key="one", **payload)
        with pytest.raises(error):
            await shop.hf.enqueue_many(tx, kind, [("one", payload)])


async def test_an_escaped_backslash_is_not_a_nul(shop: Workers) -> None:
    job = await shop.enqueue("t.job", text="a\\u0000b")
    assert await shop.fetch(
        "SELECT payload ->> 'text' FROM handfast_engine.live WHERE id = $1", job
    ) == ("a\\u0000b")


@pytest.mark.parametrize(
    "call",
    [
        "SELECT handfast_engine.enqueue('t.job', 'one', '[1]')",
        "SELECT handfast_engine.enqueue('t.job', '')",
        "SELECT handfast_engine.enqueue('', 'one')",
        "SELECT handfast_engine.enqueue('t.job', NULL)",
        "SELECT handfast_engine.enqueue('t.job', 'one', NULL)",
        "SELECT handfast_engine.enqueue('t.job', 'one', '{}', NULL, '{\"priority\": 0}')",
        "SELECT handfast_engine.enqueue_many('t.job', '{a,b}', '{\"{}\"}')",
        "SELECT handfast_engine.claim(NULL, '{default}', 1)",
    ],
)
async def test_from_sql_too(shop: Workers, call: str) -> None:
    with pytest.raises(asyncpg.PostgresError):
        await shop.fetch(call)
    assert await shop.fetch("SELECT count(*) FROM handfast_engine.jobs") == 0


async def test_a_prerequisite_named_twice_counts_once(shop: Workers) -> None:
    await shop.enqueue("t.job", "first")
    job = await shop.enqueue("t.job", "second", requires=[("t.job", "first")] * 2)
    assert await shop.fetch("SELECT waits_for FROM handfast_engine.live WHERE id = $1", job) == 1


async def test_bulks_take_no_prerequisites_and_count_their_due_times(shop: Workers) -> None:
    async with shop.database.transaction() as tx:
        with pytest.raises(JobInvalid, match="due times"):
            await shop.hf.enqueue_many(tx, "t.job", [("a", {})], due=[AWARE, AWARE])
        with pytest.raises(JobInvalid, match="time zone"):
            await shop.hf.enqueue_many(tx, "t.job", [("a", {})], due=[NAIVE])


async def test_a_bulk_in_parts_is_all_or_none(shop: Workers) -> None:
    """Larger than one part: a payload that does not fit in the last one takes the others back."""

    @shop.hf.job("t.many")
    async def many(ctx: Context, n: int) -> None: ...

    size = BULK_PART * 2 + 10
    jobs: list[tuple[str, dict[str, Any]]] = [(f"k{n}", {"n": n}) for n in range(size)]
    async with shop.database.transaction() as tx:
        with pytest.raises(PayloadInvalid):
            await shop.hf.enqueue_many(tx, many, [*jobs, ("kz", {"n": "not a number"})])
        assert await tx.fetchval("SELECT count(*) FROM handfast_engine.jobs") == 0, (
            "the caller goes on"
        )
        made = await shop.hf.enqueue_many(tx, many, [*jobs, jobs[7]])
    assert [job.created for job in made] == [True] * size + [False]
    assert made[-1].id == made[7].id, "answers are in the caller's order"
    async with shop.database.connection() as connection:
        key = await connection.fetchval(
            "SELECT key FROM handfast_engine.jobs WHERE id = $1", made[11].id
        )
    assert key == "k11"
