"""The core of the engine through a PgBouncer in transaction mode."""

from collections.abc import AsyncIterator

import pytest

from handfast import Context, Retry, RetryPolicy
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.pool import Database
from tests.support.pgbouncer import pgbouncer
from tests.support.workers_here import Workers

pytestmark = pytest.mark.needs("pgbouncer")


@pytest.fixture(params=["direct for notifications", "nothing but the pooler"])
async def pooled(
    request: pytest.FixtureRequest,
    server: EmbeddedServer,
    dsn: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Workers]:
    name = dsn.partition("@/")[2].partition("?")[0]
    with pgbouncer(server, tmp_path_factory.mktemp("bouncer"), pool_size=3) as port:
        target = Target(
            f"postgresql://handfast_owner@127.0.0.1:{port}/{name}?sslmode=disable",
            transaction_pooling=True,
        )
        async with await Database.open(target) as database:
            through = request.param == "nothing but the pooler"
            yield Workers(database, target if through else Target(dsn))


async def test_enqueue_run_retry_chain_and_dead_letters(pooled: Workers) -> None:
    @pooled.hf.job("t.step", retry=RetryPolicy(retries=2, waits=(0.05,)))
    async def step(ctx: Context, fails: int = 0) -> int:
        if ctx.attempt <= fails:
            raise OSError("not yet")
        return ctx.attempt

    @pooled.hf.job("t.bad", retry=Retry.never)
    async def bad(ctx: Context) -> None:
        raise TypeError

    async with pooled.working(notifications=pooled.direct is not pooled.database.target):
        first = await pooled.enqueue(step, "a", fails=1)
        last = await pooled.enqueue(step, "b", requires=[(step, "a")])
        dead = await pooled.enqueue(bad)
        await pooled.reaches(last, "succeeded")
        await pooled.reaches(dead, "dead")
        await pooled.fetch("SELECT handfast_engine.requeue(ARRAY[$1::bigint])", dead)
        await pooled.reaches(dead, "dead")
        async with pooled.database.transaction() as tx:
            await pooled.hf.enqueue_many(tx, step, [(str(n), {}) for n in range(500)])
        await pooled.drained()
    assert await pooled.state(first) == "succeeded"
    assert (
        await pooled.fetch("SELECT count(*) FROM handfast_engine.jobs WHERE state = 'succeeded'")
        == 502
    )
    async with pooled.database.transaction() as tx:
        assert (await pooled.hf.enqueue(tx, step, key="a")).result == 2


async def test_work_and_completion_commit_together_and_the_lost_are_rescued(
    pooled: Workers,
) -> None:
    await pooled.fetch("CREATE TABLE effects (n int)")

    @pooled.hf.job("t.effect")
    async def effect(ctx: Context) -> None:
        async with ctx.completing() as tx:
            await tx.execute("INSERT INTO effects VALUES ($1)", ctx.attempt)

    await pooled.declare()
    job = await pooled.enqueue(effect)
    # A worker that claims it and is never heard of again.
    gone = await pooled.fetch(
        "SELECT handfast_engine.register_worker('gone', '{default}', '1 minute')"
    )
    await pooled.fetch("SELECT id FROM handfast_engine.claim($1, '{default}', 1)", gone)
    await pooled.fetch(
        "UPDATE handfast_engine.workers SET lease_until = handfast_db.now() - interval '1 s'"
        " WHERE id = $1",
        gone,
    )
    async with pooled.working(notifications=False):
        await pooled.reaches(job, "succeeded")
    assert await pooled.column("SELECT n FROM effects") == [2]
