"""A worker, and handlers that do everything a handler should not."""

import asyncio
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import msgspec
import pytest

from handfast import BatchJob, Context, DataInconsistent, Handfast, Retry, RetryAt, RetryPolicy
from handfast.base import supervise
from handfast.engine.errors import LeaseLost, PayloadInvalid
from handfast.engine.jobs import metrics
from handfast.engine.maintenance.chores import Chore
from handfast.engine.work import heartbeat, slots, worker
from tests.support.eventually import eventually_async
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_lowest

SOON = RetryPolicy(retries=2, waits=(0.0,))
BY_URGENCY = "ORDER BY priority, due_at, id"


class Nothing(msgspec.Struct): ...


class Number(msgspec.Struct):
    n: int


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "WATCH_SECONDS", 0.05)
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS_MAX", 0.2)
    monkeypatch.setattr(worker, "AUDIT_SECONDS", 0.3)
    monkeypatch.setattr(worker, "AUDIT_SHARE", 1)  # one that is slow puts off no other for a minute


async def test_a_result_is_kept_and_returned(shop: Workers) -> None:
    @shop.hf.job("t.double")
    async def double(ctx: Context, n: int) -> dict[str, int]:
        assert ctx.attempt == 1
        return {"twice": 2 * n}

    async with shop.working():
        await shop.reaches(await shop.enqueue(double, n=21), "succeeded")
    async with shop.database.transaction() as tx:
        again = await shop.hf.enqueue(tx, double, key="one", n=5)
    assert (again.created, again.state, again.result) == (False, "succeeded", {"twice": 42})


async def test_completing_commits_work_and_completion_together(shop: Workers) -> None:
    await shop.fetch("CREATE TABLE effects (n int)")

    @shop.hf.job("t.effect", retry=SOON)
    async def effect(ctx: Context, n: int) -> None:
        if ctx.attempt == 1:
            async with ctx.completing() as tx:
                await tx.execute("INSERT INTO effects VALUES ($1)", n)
                raise OSError("after the work, before the completion")
        async with ctx.completing(result="done") as tx:
            await tx.execute("INSERT INTO effects VALUES ($1)", n)
        raise OSError("after the completion")

    async with shop.working():
        job = await shop.enqueue(effect, n=1)
        await shop.reaches(job, "succeeded")
    assert await shop.column("SELECT n FROM effects") == [1]
    assert await shop.column(
        "SELECT outcome::text FROM handfast_engine.attempts ORDER BY token"
    ) == [
        "failed",
        "succeeded",
    ]


async def test_completing_in_the_handlers_own_transaction_is_no_lost_lease(shop: Workers) -> None:
    @shop.hf.job("t.own_tx")
    async def own(ctx: Context) -> None:
        async with ctx.database.transaction() as tx:
            await ctx.complete(tx, 7)

    async with shop.working():
        await shop.reaches(await shop.enqueue(own), "succeeded")
        await shop.reaches(await shop.enqueue(own, "two"), "succeeded")
    assert metrics.LEASES_LOST.labels("t.own_tx")._value.get() == 0
    assert await shop.column("SELECT result FROM handfast_engine.attempts") == ["7", "7"]


async def test_a_lost_lease_undoes_the_work(shop: Workers) -> None:
    await shop.fetch("CREATE TABLE effects (n int)")
    lost: list[BaseException] = []

    @shop.hf.job("t.slow")
    async def slow(ctx: Context) -> None:
        if ctx.attempt == 1:
            async with shop.database.connection() as other:  # somebody takes it away
                await other.execute(
                    "SELECT handfast_engine.fail($1, $2, 'lost', 'x')", ctx.job_id, ctx.token
                )
        try:
            async with ctx.completing() as tx:
                await tx.execute("INSERT INTO effects VALUES ($1)", ctx.attempt)
        except LeaseLost as error:
            lost.append(error)
            raise

    before = metrics.LEASES_LOST.labels("t.slow")._value.get()
    async with shop.working():
        await shop.reaches(await shop.enqueue(slow), "succeeded")
    assert await shop.column("SELECT n FROM effects") == [2]
    assert len(lost) == 1
    assert metrics.LEASES_LOST.labels("t.slow")._value.get() == before + 1


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("I say nothing")


class Odd(BaseException):
    pass


@pytest.mark.parametrize(
    ("error", "said", "failure"),
    [
        (OSError("network"), "OSError: network", "transient"),
        (Odd("odd"), "Odd: odd", "transient"),
        (SystemExit(3), "SystemExit: 3", "transient"),
        (KeyboardInterrupt(), "KeyboardInterrupt", "transient"),
        (GeneratorExit(), "GeneratorExit", "transient"),
        (asyncio.CancelledError(), "CancelledError", "transient"),
        (StopAsyncIteration(), "StopAsyncIteration", "transient"),
        (Mute(), "Mute: (its message cannot be shown)", "transient"),
        (ValueError("nul \x00, lone \ud800"), "ValueError: nul \\0, lone ?", "transient"),
        (ValueError("x" * 10_000_000), "ValueError: " + "x" * 3988, "transient"),
        (
            ExceptionGroup("many", [ValueError("a")]),
            "ExceptionGroup: many (1 sub-exception)",
            "transient",
        ),
        (TimeoutError(), "TimeoutError", "timeout"),
        (AssertionError("no"), "AssertionError: no", "logic"),
        (DataInconsistent("two of one"), "DataInconsistent: two of one", "data"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
@pytest.mark.parametrize("how", ["async", "thread"])
async def test_whatever_a_handler_raises_is_written_down(
    shop: Workers, error: BaseException, said: str, failure: str, how: str
) -> None:
    @shop.hf.job("t.a_odd", retry=Retry.never)
    async def odd(ctx: Context) -> None:
        raise error

    @shop.hf.job("t.s_odd", retry=Retry.never)
    def plain(ctx: Context) -> None:
        raise error

    @shop.hf.job("t.fine")
    async def fine(ctx: Context) -> None: ...

    async with shop.working(concurrency=1):
        await shop.reaches(await shop.enqueue(odd if how == "async" else plain), "dead")
        await shop.reaches(await shop.enqueue(fine), "succeeded")
    error_text, error_class = (
        await shop.column("SELECT error FROM handfast_engine.dead"),
        await shop.column("SELECT error_class FROM handfast_engine.dead"),
    )
    assert error_text == [said]
    assert error_class == [failure]


async def test_a_handler_that_never_returns_is_cancelled(shop: Workers) -> None:
    @shop.hf.job("t.endless", timeout=0.1, retry=Retry.never)
    async def endless(ctx: Context) -> None:
        await asyncio.Event().wait()

    async with shop.working(concurrency=1):
        await shop.reaches(await shop.enqueue(endless), "dead")
    assert await shop.column("SELECT error_class FROM handfast_engine.dead") == ["timeout"]
    assert "longer than 0.1 s" in await shop.fetch("SELECT error FROM handfast_engine.dead")


async def test_one_that_swallows_its_cancellation_is_left_behind(
    shop: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "ASKED_MAX", 1)
    leave = asyncio.Event()

    @shop.hf.job("t.stubborn", timeout=0.1, retry=Retry.never)
    async def stubborn(ctx: Context) -> None:
        while not leave.is_set():
            try:
                await asyncio.wait_for(leave.wait(), 5)
            except asyncio.CancelledError:
                continue

    @shop.hf.job("t.fine")
    async def fine(ctx: Context) -> None: ...

    async with shop.working(concurrency=1):
        await shop.reaches(await shop.enqueue(stubborn), "dead")
        await shop.reaches(await shop.enqueue(fine), "succeeded")
        leave.set()
    assert "ignored being cancelled" in await shop.fetch("SELECT error FROM handfast_engine.dead")


async def test_one_that_swallows_once_and_returns_leaves_no_trace_in_its_slot(
    shop: Workers,
) -> None:
    @shop.hf.job("t.swallows", timeout=0.1)
    async def swallows(ctx: Context) -> str:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            return "late"
        return "never"

    seen: list[int] = []

    @shop.hf.job("t.after")
    async def after(ctx: Context) -> None:
        task = asyncio.current_task()
        assert task is not None
        seen.append(task.cancelling())

    async with shop.working(concurrency=1):
        await shop.reaches(await shop.enqueue(swallows), "succeeded")
        await shop.reaches(await shop.enqueue(after), "succeeded")
    assert seen == [0], "the slot is not half cancelled"


async def test_a_thread_that_never_returns_does_not_keep_the_worker(shop: Workers) -> None:
    release = threading.Event()

    @shop.hf.job("t.hung", timeout=0.1, retry=Retry.never)
    def hung(ctx: Context, n: int) -> None:
        release.wait(60)

    try:
        async with shop.working():
            jobs = [await shop.enqueue(hung, str(n), n=n) for n in range(12)]
            for job in jobs:
                await shop.reaches(job, "dead")
            began = time.monotonic()
        assert time.monotonic() - began < 30, "the threads have a minute"
    finally:
        release.set()


async def test_plain_functions_run_beside_each_other(shop: Workers) -> None:
    together = threading.Barrier(10)

    @shop.hf.job("t.sync")
    def sync(ctx: Context, n: int) -> int:
        together.wait(60)  # until all of them were enqueued, one after the other
        return n

    async with shop.working():
        for n in range(10):
            await shop.enqueue(sync, str(n), n=n)
        await shop.drained()
    assert (
        await shop.fetch(
            "SELECT count(*) FROM handfast_engine.attempts WHERE outcome = 'succeeded'"
        )
        == 10
    )


async def test_a_handler_that_blocks_the_loop_past_the_lease_loses_its_job(shop: Workers) -> None:
    calls: list[int] = []

    @shop.hf.job("t.blocks")
    async def blocks(ctx: Context) -> int:
        calls.append(ctx.attempt)
        if ctx.attempt == 1:
            time.sleep(2.5)  # noqa: ASYNC251  # that is the point
        return ctx.attempt

    async with shop.working(lease=timedelta(seconds=0.5)):
        # Somebody else looks after the house meanwhile: this loop stands still.
        job = await shop.enqueue(blocks)
        await eventually_async(_true_when(lambda: bool(calls)))
        await shop.reaches(job, "succeeded")
    assert (
        await shop.fetch(
            "SELECT count(*) FROM handfast_engine.attempts WHERE outcome = 'succeeded'"
        )
        == 1
    )


def _true_when(look: Any) -> Any:
    async def looks() -> bool:
        return bool(look())

    return looks


async def test_a_silent_database_does_not_hide_that_the_lease_ends(shop: Workers) -> None:
    """The worker's row is locked by somebody for longer than the lease: no beat goes through."""
    stopped: list[str] = []

    @shop.hf.job("t.long")
    async def long(ctx: Context) -> None:
        if ctx.attempt > 1:
            return
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            stopped.append(ctx.key)
            raise

    async with shop.working(lease=timedelta(seconds=0.6)) as alive:
        job = await shop.enqueue(long)
        await shop.reaches(job, "running")
        async with shop.database.transaction() as tx:
            await tx.execute(
                "SELECT 1 FROM handfast_engine.workers WHERE id = $1 FOR UPDATE", alive.worker
            )
            await eventually_async(_true_when(lambda: stopped))
        await shop.reaches(job, "succeeded")


async def test_a_claim_whose_answer_was_lost_is_returned(shop: Workers) -> None:
    """The database says that we run it; nobody here knows. The heartbeat would keep it for ever."""

    @shop.hf.job("t.job")
    async def job(ctx: Context) -> None: ...

    await shop.declare()
    async with shop.working(lanes=("other",)) as alive:
        await eventually_async(_true_when(lambda: alive.worker is not None))
        lost = await shop.enqueue(job)
        await shop.fetch("SELECT id FROM handfast_engine.claim($1, '{default}', 1)", alive.worker)
        await shop.reaches(lost, "ready")
    assert await shop.fetch("SELECT failures FROM handfast_engine.live") == 0


async def test_a_result_that_cannot_be_stored_fails_its_own_job_only(shop: Workers) -> None:
    @shop.hf.job("t.result")
    async def result(ctx: Context, n: int) -> Any:
        return "nul \x00" if n == 3 else msgspec.Raw(b"not json") if n == 5 else n

    async with shop.working():
        jobs = [await shop.enqueue(result, str(n), n=n) for n in range(8)]
        for n, job in enumerate(jobs):
            await shop.reaches(job, "dead" if n in (3, 5) else "succeeded")


async def test_a_result_that_only_the_database_finds_too_large_fails_its_own_job_only(
    shop: Workers,
) -> None:
    """1e-17 has five characters in JSON; PostgreSQL writes all of its digits."""

    @shop.hf.job("t.result")
    async def result(ctx: Context, n: int) -> Any:
        return [1e-17] * 20_000 if n == 3 else n

    async with shop.working():
        jobs = [await shop.enqueue(result, str(n), n=n) for n in range(8)]
        for n, job in enumerate(jobs):
            await shop.reaches(job, "dead" if n == 3 else "succeeded")
    error = await shop.fetch("SELECT error FROM handfast_engine.dead WHERE job_id = $1", jobs[3])
    assert "attempt_result_size" in error


async def test_the_worker_outlives_its_connections(shop: Workers) -> None:
    @shop.hf.job("t.quick", retry=RetryPolicy(retries=50, waits=(0.0,)))
    async def quick(ctx: Context, n: int) -> int:
        await asyncio.sleep(0.002)
        return n

    async with shop.database.transaction() as tx:
        await shop.hf.enqueue_many(tx, quick, [(str(n), {"n": n}) for n in range(3000)])
    # Not of the pool, where a statement of ours may meet a connection that is just being cut.
    killer = await asyncpg.connect(shop.direct.dsn)

    async def is_drained() -> bool:
        return bool(await killer.fetchval("SELECT count(*) = 0 FROM handfast_engine.live"))

    async with shop.working(concurrency=20):
        for _ in range(8):
            await killer.fetchval(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            await asyncio.sleep(0.1)
        await eventually_async(is_drained)
    assert (
        await killer.fetchval("SELECT count(*) FROM handfast_engine.jobs WHERE state = 'succeeded'")
        == 3000
    )
    await killer.close()


# --- batches ----------------------------------------------------------------------------------


async def test_each_job_of_a_batch_has_its_own_outcome(shop: Workers) -> None:
    sizes: list[int] = []

    @shop.hf.batch_job("t.batch", payload=Number, size=10, retry=Retry.never)
    async def batch(jobs: list[BatchJob]) -> None:
        sizes.append(len(jobs))
        for job in jobs:
            if job.payload.n == 3:
                job.fail(OSError("this one \x00"))
            elif job.payload.n == 4 and job.attempt == 1:
                job.retry_at(datetime.now(UTC))
            else:
                job.succeed(job.payload.n)

    async with shop.database.transaction() as tx:
        made = await shop.hf.enqueue_many(tx, batch, [(str(n), {"n": n}) for n in range(10)])
    async with shop.working():
        for n, one in enumerate(made):
            await shop.reaches(one.id, "dead" if n == 3 else "succeeded")
    assert max(sizes) > 1


async def test_one_bad_job_does_not_take_its_batch_down(shop: Workers) -> None:
    @shop.hf.batch_job("t.batch", payload=Number, size=10, retry=Retry.never)
    async def batch(jobs: list[BatchJob]) -> None:
        if any(job.payload.n == 3 for job in jobs):
            raise SystemExit("the whole call fails")

    async with shop.database.transaction() as tx:
        made = await shop.hf.enqueue_many(tx, batch, [(str(n), {"n": n}) for n in range(10)])
    await shop.fetch(
        "UPDATE handfast_engine.live SET payload = '{\"n\": \"text\"}' WHERE key = '7'"
    )
    async with shop.working():
        for n, one in enumerate(made):
            await shop.reaches(one.id, "dead" if n in (3, 7) else "succeeded")
    assert sorted(await shop.column("SELECT error_class FROM handfast_engine.dead")) == [
        "payload",
        "transient",
    ]


# --- stopping, cancelling, progress -----------------------------------------------------------


async def test_a_connection_lost_over_one_outcome_runs_no_other_job_again(shop: Workers) -> None:
    """The first failure that is written takes its own connection down."""
    await shop.fetch("CREATE SEQUENCE cuts")
    await shop.fetch(
        "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF nextval('cuts') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;"
        " RETURN NULL; END $$"
    )
    await shop.fetch(
        "CREATE TRIGGER cut AFTER UPDATE ON handfast_engine.live FOR EACH ROW"
        " WHEN (NEW.failures > OLD.failures) EXECUTE FUNCTION cut()"
    )
    ran: list[str] = []

    @shop.hf.batch_job("t.cut", payload=Nothing, size=10, retry=SOON)
    async def cut(jobs: list[BatchJob]) -> None:
        for job in jobs:
            ran.append(job.key)
            if job.key == "1" and ran.count("1") == 1:
                job.fail(RuntimeError("the middle one"))

    async with shop.database.transaction() as tx:
        await shop.hf.enqueue_many(tx, cut, [(str(n), {}) for n in range(3)])
    async with shop.working():
        await shop.drained()
    assert sorted(ran) == ["0", "1", "1", "2"]


@pytest.mark.parametrize(
    "result", [object(), float("nan"), {"deep": [1, {"er": float("inf")}]}, "x" * 300_000, "\x00"]
)
async def test_a_result_that_cannot_be_stored_fails_that_job_of_a_batch(
    shop: Workers, result: Any
) -> None:
    ran: list[str] = []

    @shop.hf.batch_job("t.results", payload=Nothing, size=10)
    async def results(jobs: list[BatchJob]) -> None:
        for job in jobs:
            ran.append(job.key)
            job.succeed(result if job.key == "1" else {"fine": None})

    async with shop.database.transaction() as tx:
        made = await shop.hf.enqueue_many(tx, results, [(str(n), {}) for n in range(3)])
    async with shop.working():
        await shop.drained()
    assert [await shop.state(job.id) for job in made] == ["succeeded", "dead", "succeeded"]
    assert sorted(ran) == ["0", "1", "2"]
    assert "result" in await shop.fetch("SELECT error FROM handfast_engine.dead")


async def test_no_number_that_json_lacks_becomes_null(shop: Workers) -> None:
    @shop.hf.job("t.number")
    async def number(ctx: Context, n: float, parts: list[float] | None = None) -> float:
        return n / 1e-320 if n else n

    for given in ({"n": float("inf")}, {"n": 1.0, "parts": [float("nan")]}):
        with pytest.raises(PayloadInvalid, match="no word for"):
            await shop.enqueue(number, **given)
    job = await shop.enqueue(number, n=1.0)  # overflows to infinity
    async with shop.working():
        await shop.reaches(job, "dead")
    assert "it contains inf" in await shop.fetch("SELECT error FROM handfast_engine.dead")


async def test_a_wish_that_cannot_be_stored_is_recorded_as_near_as_can_be(shop: Workers) -> None:
    @shop.hf.job("t.never")
    async def never(ctx: Context) -> None:
        raise RetryAt(datetime.max.replace(tzinfo=UTC))

    job = await shop.enqueue(never)
    async with shop.working():
        await shop.reaches(job, "scheduled")


async def test_housekeeping_that_dies_begins_again(shop: Workers) -> None:
    calls = 0

    async def odd() -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise OverflowError("year 10000 is out of range")

    one = shop.worker(Chore("odd", odd, timedelta(seconds=0.05), once_per_fleet=False))
    running = asyncio.create_task(one.run())
    await eventually_async(lambda: asyncio.sleep(0, "odd" in supervise.ailing()))
    await eventually_async(lambda: asyncio.sleep(0, calls > 2))
    one.stop()
    await running


async def test_a_cancelled_running_job_stops(shop: Workers) -> None:
    @shop.hf.job("t.long")
    async def long(ctx: Context) -> None:
        await asyncio.sleep(60)

    async with shop.working():
        job = await shop.enqueue(long)
        await shop.reaches(job, "running")
        assert await shop.fetch("SELECT handfast_engine.cancel($1, 'enough')", job) == "running"
        await shop.reaches(job, "cancelled")
    assert await shop.column("SELECT error FROM handfast_engine.attempts") == ["enough"]


async def test_a_stop_hands_back_without_counting(shop: Workers) -> None:
    @shop.hf.job("t.long")
    async def long(ctx: Context) -> None:
        await asyncio.sleep(60)

    jobs = [await shop.enqueue(long, str(n)) for n in range(5)]
    async with shop.working(grace=0.1, concurrency=2):
        await shop.reaches(jobs[0], "running")
    assert await shop.fetch("SELECT count(*) FROM handfast_engine.live WHERE state = 'ready'") == 5
    assert await shop.fetch("SELECT max(failures) FROM handfast_engine.live") == 0
    assert (
        await shop.fetch("SELECT count(*) FROM handfast_engine.workers WHERE ended_at IS NULL") == 0
    )


async def test_progress_is_shown_and_goes_with_the_attempt(shop: Workers) -> None:
    go = asyncio.Event()

    @shop.hf.job("t.progress")
    async def progress(ctx: Context) -> None:
        with pytest.raises(ValueError, match="fraction"):
            await ctx.progress(1.5)
        await ctx.progress(0.5, "half")
        await go.wait()

    async with shop.working():
        job = await shop.enqueue(progress)

        async def reported() -> bool:
            return await shop.column("SELECT message FROM handfast_engine.progress") == ["half"]

        await eventually_async(reported)
        go.set()
        await shop.reaches(job, "succeeded")
    assert await shop.column("SELECT job_id FROM handfast_engine.progress") == []


# --- what is claimed, and when ----------------------------------------------------------------


async def test_a_group_is_never_exceeded_by_three_workers(shop: Workers) -> None:
    shop.hf.group("api", max_running=2)
    running = peak = 0

    @shop.hf.job("t.grouped", group="api")
    async def grouped(ctx: Context) -> None:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.02)
        running -= 1

    async with shop.database.transaction() as tx:
        await shop.hf.enqueue_many(tx, grouped, [(str(n), {}) for n in range(30)])
    async with shop.working(), shop.working(), shop.working():
        await shop.drained()
    assert peak == 2


async def test_a_rescued_job_frees_its_place_in_the_group(shop: Workers) -> None:
    shop.hf.group("api", max_running=1)

    @shop.hf.job("t.grouped", group="api")
    async def grouped(ctx: Context) -> None: ...

    await shop.declare()
    await shop.enqueue(grouped, "a")
    await shop.enqueue(grouped, "b")
    claim = f"SELECT key FROM handfast_engine.claim(NULL, '{{default}}', 10, '1 hour') {BY_URGENCY}"
    assert await shop.column(claim) == ["a"]
    assert await shop.column(claim) == []
    await shop.fetch(
        "UPDATE handfast_engine.live SET lease_until = handfast_db.now() - interval '1 s' WHERE"
        " key = 'a'"
    )
    await shop.fetch("SELECT handfast_engine.rescue(10)")
    assert await shop.column(claim) == ["a"]


async def test_a_group_that_nobody_declared_runs_one_at_a_time(shop: Workers) -> None:
    """It used to run never."""
    for key in "ab":
        await shop.enqueue("t.foreign", key, group="undeclared")
    claim = f"SELECT key FROM handfast_engine.claim(NULL, '{{default}}', 10, '1 hour') {BY_URGENCY}"
    assert await shop.column(claim) == ["a"]


@pytest.mark.parametrize("through", ["python", "sql"])
async def test_a_kind_known_by_name_alone_keeps_to_the_group_that_its_program_declared(
    shop: Workers, through: str
) -> None:
    """The group itself was declared by nobody: then it runs one at a time."""

    @shop.hf.job("t.grouped", group="undeclared")
    async def grouped(ctx: Context) -> None: ...

    await shop.declare()
    for key in "ab":
        if through == "python":
            async with shop.database.transaction() as tx:
                await Handfast().enqueue(tx, "t.grouped", key=key)
        else:
            await shop.fetch("SELECT * FROM handfast_engine.enqueue('t.grouped', $1)", key)
    claim = f"SELECT key FROM handfast_engine.claim(NULL, '{{default}}', 10, '1 hour') {BY_URGENCY}"
    assert await shop.column(claim) == ["a"]
    assert await shop.column(claim) == []


async def test_prepared_before_it_runs(shop: Workers) -> None:
    @shop.hf.job("t.job", lane="mail")
    async def job(ctx: Context) -> None: ...

    one = shop.worker(lanes=("mail",))
    await one.prepare()
    assert await shop.column("SELECT lane FROM handfast_engine.kinds WHERE kind = 't.job'") == [
        "mail"
    ]
    assert await shop.column("SELECT id FROM handfast_engine.workers") == []
    await shop.enqueue(job, "a")
    running = asyncio.create_task(one.run())
    await shop.drained()
    one.stop()
    await running


async def test_priority_then_due_then_id_also_among_groups_and_lanes(shop: Workers) -> None:
    jobs: dict[str, dict[str, Any]] = {
        "low": {"priority": 20},
        "grouped": {"priority": 2, "group": "g"},
        "first": {"priority": 1, "lane": "b"},
        "normal": {},
        "earlier": {"due": datetime(2020, 1, 1, tzinfo=UTC)},
        "grouped-too": {"priority": 3, "group": "h"},
        "later": {},
    }
    for key, more in jobs.items():
        await shop.enqueue("t.job", key, **more)
    claim = (
        f"SELECT key FROM handfast_engine.claim(NULL, '{{default,b}}', $1, '1 hour') {BY_URGENCY}"
    )
    assert await shop.column(claim, 3) == ["first", "grouped", "grouped-too"]
    assert await shop.column(claim, 10) == ["earlier", "normal", "later", "low"]


async def test_it_works_by_polling_alone(shop: Workers) -> None:
    @shop.hf.job("t.job", lane="quiet")
    async def job(ctx: Context) -> None: ...

    async with shop.working(notifications=False, lanes=("default", "quiet")):
        await shop.reaches(await shop.enqueue(job), "succeeded")
        later = await shop.enqueue(job, "later", delay=timedelta(seconds=0.2))
        await shop.reaches(later, "succeeded")


async def test_retry_at_runs_later_and_is_no_failure(shop: Workers) -> None:
    @shop.hf.job("t.later", retry=Retry.never)
    async def later(ctx: Context) -> None:
        if ctx.attempt == 1:
            raise RetryAt(datetime.now(UTC) + timedelta(seconds=0.2), "not yet \x00")

    async with shop.working():
        await shop.reaches(await shop.enqueue(later), "succeeded")
    assert await shop.column(
        "SELECT outcome::text FROM handfast_engine.attempts ORDER BY token"
    ) == [
        "snoozed",
        "succeeded",
    ]
