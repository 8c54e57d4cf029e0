"""However an attempt ends, it is counted once and told in the same words."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import pytest
from structlog.testing import capture_logs

from handfast import BatchJob, Context, DataInconsistent
from handfast.base.errors import EngineError
from handfast.engine.jobs.retry import FailureClass
from tests.support.eventually import eventually_async
from tests.support.job_metrics import job_metrics
from tests.support.workers_here import Workers

Handler = Callable[[Workers, Context], Awaitable[None]]


class Nothing(msgspec.Struct): ...


async def _fail(shop: Workers, ctx: Context, failure: str, error: str) -> str | None:
    state: str | None = await shop.fetch(
        "SELECT handfast_engine.fail($1, $2, $3, $4)::text", ctx.job_id, ctx.token, failure, error
    )
    return state


async def _take_away(shop: Workers, ctx: Context) -> None:
    """Somebody else puts the job off for an hour."""
    await shop.fetch(
        "SELECT handfast_engine.fail($1, $2, 'transient', '', NULL, handfast_db.now() + '1 hour')",
        ctx.job_id,
        ctx.token,
    )


# --- by the engine, and by a statement of the handler's own ---------------------------------------


async def _returns(shop: Workers, ctx: Context) -> None: ...


async def _finishes(shop: Workers, ctx: Context) -> None:
    await shop.fetch(
        "SELECT handfast_engine.finish(ARRAY[$1::bigint], ARRAY[$2::bigint])", ctx.job_id, ctx.token
    )
    ctx.end("succeeded")


async def _completes(shop: Workers, ctx: Context) -> None:
    async with ctx.completing():
        pass


async def _completes_elsewhere(shop: Workers, ctx: Context) -> None:
    async with shop.database.transaction() as tx:
        await ctx.complete(tx)


async def _raises(shop: Workers, ctx: Context) -> None:
    raise OSError("no answer")


async def _fails(shop: Workers, ctx: Context) -> None:
    state = await _fail(shop, ctx, "transient", "OSError: no answer")
    assert state == "scheduled"
    ctx.end(state, "OSError: no answer")


async def _raises_for_good(shop: Workers, ctx: Context) -> None:
    raise DataInconsistent("two of one")


async def _fails_for_good(shop: Workers, ctx: Context) -> None:
    state = await _fail(shop, ctx, "data", "DataInconsistent: two of one")
    assert state == "dead"
    ctx.end(state, "DataInconsistent: two of one", FailureClass.DATA)


async def _returns_too_late(shop: Workers, ctx: Context) -> None:
    await _take_away(shop, ctx)


async def _fails_too_late(shop: Workers, ctx: Context) -> None:
    await _take_away(shop, ctx)
    ctx.end(await _fail(shop, ctx, "transient", "OSError: no answer"))


async def _skips(shop: Workers, ctx: Context) -> None:
    await shop.fetch(
        "SELECT handfast_engine.withdraw(b.id, 'skipped', 'nobody wants it')"
        " FROM unnest(handfast_engine.hand_back(ARRAY[$1::bigint], ARRAY[$2::bigint])) AS b(id)",
        ctx.job_id,
        ctx.token,
    )
    ctx.end("skipped", "nobody wants it")


@pytest.mark.parametrize(
    ("handler", "counted", "event", "failure"),
    [
        (_returns, {"succeeded": 1, "timed": 1}, None, None),
        (_finishes, {"succeeded": 1, "timed": 1}, None, None),
        (_completes, {"succeeded": 1, "timed": 1}, None, None),
        (_completes_elsewhere, {"succeeded": 1, "timed": 1}, None, None),
        (_raises, {"failed": 1}, "attempt_failed", "transient"),
        (_fails, {"failed": 1}, "attempt_failed", "transient"),
        (_raises_for_good, {"failed": 1, "exhausted": 1}, "job_dead", "data"),
        (_fails_for_good, {"failed": 1, "exhausted": 1}, "job_dead", "data"),
        (_returns_too_late, {"lost": 1}, "lease_lost", None),
        (_fails_too_late, {"lost": 1}, "lease_lost", None),
        (_skips, {"skipped": 1}, "job_skipped", "transient"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
async def test_each_end_is_counted_and_told(
    shop: Workers, handler: Handler, counted: dict[str, int], event: str | None, failure: str | None
) -> None:
    kind = f"t.end{handler.__name__}"

    @shop.hf.job(kind)
    async def ends(ctx: Context) -> None:
        await handler(shop, ctx)

    async def is_counted() -> bool:
        return job_metrics(kind) == counted

    job = await shop.enqueue(ends)
    with capture_logs() as logs:
        async with shop.working():
            await eventually_async(is_counted)
    about = [line for line in logs if line.get("job_id") == job]
    assert [line["event"] for line in about] == ([] if event is None else [event])
    for line in about:
        assert (line["kind"], line["key"], line["attempt"]) == (kind, "one", 1)
        assert line.get("failure") == failure
    assert job_metrics(kind) == counted


async def test_what_fails_after_its_end_has_ended(shop: Workers) -> None:
    @shop.hf.job("t.end_and_fail")
    async def ends(ctx: Context) -> None:
        await _finishes(shop, ctx)
        raise OSError("afterwards")

    async def is_counted() -> bool:
        return "succeeded" in job_metrics("t.end_and_fail")

    job = await shop.enqueue(ends)
    with capture_logs() as logs:
        async with shop.working():
            await eventually_async(is_counted)
    assert await shop.state(job) == "succeeded"
    assert job_metrics("t.end_and_fail") == {"succeeded": 1, "timed": 1}
    told = [line["event"] for line in logs if line.get("job_id") == job]
    assert told == ["handler_failed_after_ending"]


async def test_an_attempt_ends_once_and_with_a_state_that_is_an_end(shop: Workers) -> None:
    refused: list[str] = []

    @shop.hf.job("t.end_twice")
    async def ends(ctx: Context) -> None:
        for state in ("running", "no state"):
            with pytest.raises((EngineError, ValueError)) as caught:
                ctx.end(state)
            refused.append(str(caught.value))
        await _finishes(shop, ctx)
        with pytest.raises(EngineError) as twice:
            ctx.end("succeeded")
        refused.append(str(twice.value))

    job = await shop.enqueue(ends)
    async with shop.working():
        await shop.reaches(job, "succeeded")
        await eventually_async(lambda: asyncio.sleep(0, len(refused) == 3))
    assert "has not been ended" in refused[0]
    assert "no state" in refused[1]
    assert "ended already" in refused[2]
    assert job_metrics("t.end_twice") == {"succeeded": 1, "timed": 1}


# --- ends that nobody's handler chose -------------------------------------------------------------


async def test_a_cancelled_job_that_was_lost_is_lost(shop: Workers) -> None:
    taken = asyncio.Event()

    @shop.hf.job("t.cancel_lost")
    async def waits(ctx: Context) -> None:
        await _take_away(shop, ctx)
        taken.set()
        await asyncio.Event().wait()

    async def is_lost() -> bool:
        return "lost" in job_metrics("t.cancel_lost")

    job = await shop.enqueue(waits)
    async with shop.working() as host:
        await asyncio.wait_for(taken.wait(), 60)
        [worker] = host.workers
        assert worker._executor is not None
        worker._executor.cancel([job])
        await eventually_async(is_lost)
    assert job_metrics("t.cancel_lost") == {"lost": 1}


async def test_a_batch_that_is_lost_counts_for_each(shop: Workers) -> None:
    full = asyncio.Event()

    @shop.hf.batch_job("t.batch_lost", payload=Nothing, size=10)
    async def batch(jobs: list[BatchJob]) -> None:
        full.set()
        await asyncio.Event().wait()

    async def are_lost() -> bool:
        return job_metrics("t.batch_lost").get("lost") == 3

    async with shop.database.transaction() as tx:
        await shop.hf.enqueue_many(tx, batch, [(str(n), {}) for n in range(3)])
    async with shop.working() as host:
        await asyncio.wait_for(full.wait(), 60)
        [worker] = host.workers
        assert worker._executor is not None
        worker._executor.forget_all()
        await eventually_async(are_lost)
    assert job_metrics("t.batch_lost") == {"lost": 3}
