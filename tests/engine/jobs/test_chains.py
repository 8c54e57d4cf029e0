"""Jobs that wait for others."""

import pytest

from handfast import Context, Retry
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_every_postgres

CLAIM = "SELECT token FROM handfast_engine.claim(NULL, '{default}', 1, '1 h')"


async def finish(shop: Workers, job: int) -> None:
    await shop.fetch("SELECT id FROM handfast_engine.claim(NULL, '{default}', 1, '1 h')")
    assert await shop.fetch(
        "SELECT handfast_engine.finish(ARRAY[id], ARRAY[token]) FROM handfast_engine.live WHERE"
        " id = $1",
        job,
    ) == [job]


async def die(shop: Workers, job: int) -> None:
    await shop.fetch("SELECT id FROM handfast_engine.claim(NULL, '{default}', 1, '1 h')")
    found = await shop.fetch(
        "SELECT handfast_engine.fail(id, token, 'logic', 'x')::text FROM handfast_engine.live"
        " WHERE id = $1",
        job,
    )
    assert found == "dead"


async def test_a_chain_runs_in_order(shop: Workers) -> None:
    ran: list[str] = []

    @shop.hf.job("t.step")
    async def step(ctx: Context) -> None:
        ran.append(ctx.key)

    first = await shop.enqueue(step, "a")
    await shop.enqueue(step, "b", requires=[(step, "a")], priority=1)
    last = await shop.enqueue(step, "c", requires=[(step, "a"), (step, "b")], priority=1)
    assert await shop.state(last) == "blocked"
    async with shop.working():
        await shop.reaches(last, "succeeded")
    assert ran == ["a", "b", "c"]
    late = await shop.enqueue(step, "d", requires=[(step, "a")])
    assert await shop.state(late) == "ready", "what has succeeded need not be waited for"
    assert await shop.state(first) == "succeeded"


async def test_a_freed_job_that_is_not_due_is_scheduled(shop: Workers) -> None:
    from datetime import timedelta

    first = await shop.enqueue("t.job", "a")
    second = await shop.enqueue("t.job", "b", requires=[("t.job", "a")], delay=timedelta(hours=1))
    await finish(shop, first)
    assert await shop.state(second) == "scheduled"


@pytest.mark.parametrize("how", ["dies", "is cancelled", "is skipped"])
async def test_a_dependant_says_why_it_is_blocked_and_goes_on_later(
    shop: Workers, how: str
) -> None:
    first = await shop.enqueue("t.job", "a")
    second = await shop.enqueue("t.job", "b", requires=[("t.job", "a")])
    if how == "dies":
        await die(shop, first)
    else:
        await shop.fetch(
            "SELECT handfast_engine.withdraw($1, $2, 'x')", first, how.removeprefix("is ")
        )
    reason = "SELECT reason FROM handfast_engine.live WHERE id = $1"
    assert (await shop.fetch(reason, second)).startswith("prerequisite t.job a is ")
    again = (
        "SELECT handfast_engine.requeue(ARRAY[$1::bigint])"
        if how == "dies"
        else "SELECT handfast_engine.revive($1)"
    )
    await shop.fetch(again, first)
    assert await shop.fetch(reason, second) is None
    await finish(shop, first)
    assert await shop.state(second) == "ready"


async def test_of_two_ended_prerequisites_the_other_is_still_blamed(shop: Workers) -> None:
    first = await shop.enqueue("t.job", "a")
    other = await shop.enqueue("t.job", "b")
    last = await shop.enqueue("t.job", "c", requires=[("t.job", "a"), ("t.job", "b")])
    await shop.fetch("SELECT handfast_engine.cancel($1, 'x')", first)
    await shop.fetch("SELECT handfast_engine.cancel($1, 'x')", other)
    await shop.fetch("SELECT handfast_engine.revive($1)", first)
    reason = await shop.fetch("SELECT reason FROM handfast_engine.live WHERE id = $1", last)
    assert reason == "prerequisite t.job b is cancelled"


async def test_by_policy_a_dependant_is_skipped_all_the_way_down(shop: Workers) -> None:
    @shop.hf.job("t.first", retry=Retry.never)
    async def first(ctx: Context) -> None: ...

    @shop.hf.job("t.then", skip_when_prerequisite_dies=True)
    async def then(ctx: Context) -> None: ...

    await shop.declare()
    start = await shop.enqueue(first)
    second = await shop.enqueue(then, "b", requires=[(first, "one")])
    third = await shop.enqueue(then, "c", requires=[(then, "b")])
    await die(shop, start)
    assert [await shop.state(second), await shop.state(third)] == ["skipped", "skipped"]
    too_late = await shop.enqueue(then, "d", requires=[(first, "one")])
    assert await shop.state(too_late) == "skipped"


LONG = 1000  # PostgreSQL's stack, as it comes, has room for some 300 functions within each other


async def test_a_chain_that_is_skipped_may_be_long(shop: Workers) -> None:
    """And whoever finds its first job lost takes back the other jobs, too."""

    @shop.hf.job("t.first", retry=Retry.never)
    async def first(ctx: Context) -> None: ...

    @shop.hf.job("t.then", skip_when_prerequisite_dies=True)
    async def then(ctx: Context) -> None: ...

    await shop.declare()
    start = await shop.enqueue(first)
    await shop.enqueue(then, "0", requires=[(first, "one")])
    await shop.fetch(
        "SELECT count(*) FROM generate_series(1, $1::integer) AS n CROSS JOIN LATERAL"
        " handfast_engine.enqueue('t.then', n::text, '{}', NULL, jsonb_build_object("
        "'requires', jsonb_build_array(jsonb_build_array('t.then', (n - 1)::text))))",
        LONG,
    )
    other = await shop.enqueue("t.other")
    await shop.fetch("SELECT id FROM handfast_engine.claim(NULL, '{default}', 2, '1 h')")
    await shop.fetch("UPDATE handfast_engine.live SET lease_until = now() WHERE state = 'running'")
    assert await shop.fetch("SELECT handfast_engine.rescue(100)") == 2
    assert await shop.state(start) == "dead"
    assert await shop.state(other) == "ready"
    skipped = await shop.column(
        "SELECT a.error FROM handfast_engine.jobs AS j"
        " JOIN handfast_engine.attempts AS a ON a.job_id = j.id"
        " WHERE j.kind = 't.then' AND j.state = 'skipped' AND j.came_from = 'blocked'"
        " AND a.outcome = 'skipped' ORDER BY j.key::integer"
    )
    assert skipped[:2] == ["prerequisite t.first one is dead", "prerequisite t.then 0 is skipped"]
    assert len(skipped) == LONG + 1


async def test_a_dependant_may_be_cancelled_while_it_waits(shop: Workers) -> None:
    first = await shop.enqueue("t.job", "a")
    second = await shop.enqueue("t.job", "b", requires=[("t.job", "a")])
    assert await shop.fetch("SELECT handfast_engine.cancel($1, 'x')::text", second) == "cancelled"
    await finish(shop, first)
    assert await shop.state(second) == "cancelled"
    await shop.fetch("SELECT handfast_engine.revive($1)", second)
    assert await shop.state(second) == "ready"


async def test_who_is_revived_over_an_ended_prerequisite_says_so(shop: Workers) -> None:
    first = await shop.enqueue("t.job", "a")
    second = await shop.enqueue("t.job", "b", requires=[("t.job", "a")])
    for job in (second, first):
        await shop.fetch("SELECT handfast_engine.cancel($1, 'x')::text", job)
    reason = "SELECT reason FROM handfast_engine.live WHERE id = $1"
    await shop.fetch("SELECT handfast_engine.revive($1)", second)
    assert await shop.state(second) == "blocked"
    assert await shop.fetch(reason, second) == "prerequisite t.job a is cancelled"
    await shop.fetch("SELECT handfast_engine.revive($1)", first)
    assert await shop.fetch(reason, second) is None
    await finish(shop, first)
    assert await shop.state(second) == "ready"
