"""What a worker has to hold in memory is bounded: one payload, one result, one claim."""

import msgspec
import pytest

from handfast import Context
from handfast.engine.errors import JobTooLarge
from handfast.engine.jobs.kinds import PAYLOAD_BYTES_MAX
from tests.support.workers_here import Workers

BUDGET = 16 * 1024 * 1024
LARGE = 255 * 1024
PUT = (
    "SELECT count(*) FROM handfast_engine.enqueue_many('t.large',"
    " ARRAY(SELECT n::text FROM generate_series(1, $1::int) AS n),"
    " ARRAY(SELECT jsonb_build_object('text', {text}) FROM generate_series(1, $1::int) AS n))"
)
TEXTS = {
    "compressed": f"repeat('x', {LARGE})",
    "as it is": f"(SELECT string_agg(md5(n::text || i::text), '')"
    f" FROM generate_series(1, {LARGE // 32}) AS i)",
}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT handfast_engine.enqueue('t.large', 'big', $1::jsonb)",
        (
            "SELECT handfast_engine.enqueue_many("
            "'t.large', ARRAY['a', 'big'], ARRAY['{}', $1]::jsonb[])"
        ),
    ],
)
async def test_sql_has_the_limit_too(shop: Workers, sql: str) -> None:
    payload = msgspec.json.encode({"text": "x" * 400_000}).decode()
    with pytest.raises(JobTooLarge, match=r"t\.large big has 400\d* bytes.* 256 KiB"):
        async with shop.database.transaction() as tx:
            await tx.execute(sql, payload)


async def test_whatever_python_lets_through_the_database_does_too(shop: Workers) -> None:
    @shop.hf.job("t.large")
    async def large(ctx: Context, n: list[int]) -> None: ...

    n = [1] * (PAYLOAD_BYTES_MAX // 2 - 4)  # PostgreSQL puts a blank behind each comma
    assert await shop.state(await shop.enqueue(large, n=n)) == "ready"


async def test_a_result_has_a_limit_in_the_database(shop: Workers) -> None:
    await shop.fetch("SELECT count(*) FROM handfast_engine.enqueue('t.large', 'one')")
    job, token = await shop.fetch(
        "SELECT (id, token) FROM handfast_engine.claim(NULL, '{default}', 1, interval '1 minute')"
    )
    with pytest.raises(JobTooLarge, match="attempt_result_size"):
        async with shop.database.transaction() as tx:
            await tx.execute(
                "SELECT handfast_engine.finish(ARRAY[$1::bigint], ARRAY[$2::bigint],"
                " ARRAY[to_jsonb(repeat('x', 400000))])",
                job,
                token,
            )


@pytest.mark.parametrize("lanes", ["{default}", "{default,other}"])
@pytest.mark.parametrize("text", TEXTS)
async def test_one_claim_has_a_limit_in_bytes(shop: Workers, text: str, lanes: str) -> None:
    await shop.fetch(PUT.format(text=TEXTS[text]), 150)
    claimed: list[list[int]] = []
    for _ in range(3):
        rows = await shop.column(
            "SELECT length(payload::text) FROM handfast_engine.claim(NULL, $1::text::text[], 1000,"
            " interval '1 minute')",
            lanes,
        )
        claimed.append(rows)
        assert sum(rows) <= BUDGET
    assert sum(len(rows) for rows in claimed) == 150, "and the next ones bring the rest"


async def test_small_ones_are_claimed_as_many_as_ever(shop: Workers) -> None:
    await shop.fetch(PUT.format(text="repeat('x', 1500)"), 3000)
    assert (
        len(
            await shop.column(
                "SELECT id FROM handfast_engine.claim(NULL, '{default}', 3000, interval '1 minute')"
            )
        )
        == 3000
    )


async def test_a_worker_holds_no_more_than_it_can(shop: Workers) -> None:
    held: list[int] = []

    @shop.hf.job("t.large")
    async def large(ctx: Context, text: str) -> None:
        executor = host.workers[0]._executor
        assert executor is not None
        held.append(executor.waiting_bytes)

    await shop.fetch(PUT.format(text=TEXTS["compressed"]), 300)
    async with shop.working(concurrency=200) as host:
        await shop.drained()
    assert len(held) == 300
    assert BUDGET // 2 < max(held) <= 2 * BUDGET
    assert held[-1] == 0, "what was taken is not counted any more"
