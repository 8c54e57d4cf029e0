"""Policies, classes and budgets, as section 2 of the specification has them; time stands still."""

from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from handfast import Context, DataInconsistent, FailureClass, Retry, RetryAt, RetryPolicy
from handfast.engine.errors import KindInvalid, PayloadInvalid
from handfast.engine.jobs.retry import classify
from tests.support.clock import freeze
from tests.support.workers_here import Workers

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
RETRY_AT = "SELECT handfast_engine.retry_at($1::jsonb, $2, $3, $4, $5, $6)"


async def waits(shop: Workers, policy: RetryPolicy, *, starts_late: float = 0.0) -> list[float]:
    """Fail at once each time; answers the seconds from the first start to each retry."""

    @shop.hf.job("t.fails", retry=policy)
    async def fails(ctx: Context) -> None: ...

    await shop.declare()
    await freeze(shop.database, NOON)
    await shop.enqueue(fails)
    start = now = NOON + timedelta(seconds=starts_late)
    found: list[float] = []
    while True:
        await freeze(shop.database, now)
        await shop.fetch("SELECT handfast_engine.promote(10)")
        token = await shop.fetch(
            "SELECT token FROM handfast_engine.claim(NULL, '{default}', 1, '1 d')"
        )
        state = await shop.fetch(
            "SELECT handfast_engine.fail(id, $1, 'transient', 'x')::text FROM handfast_engine.live",
            token,
        )
        if state == "dead":
            return found
        now = await shop.fetch("SELECT due_at FROM handfast_engine.live")
        found.append((now - start).total_seconds())


async def test_transient_failures_wait_30_s_2_min_5_min(shop: Workers) -> None:
    assert await waits(shop, Retry.default) == [30, 150, 450]


async def test_a_background_job_is_tried_five_times_within_5_min(shop: Workers) -> None:
    found = await waits(shop, Retry.background)
    assert len(found) == 5
    gaps = [b - a for a, b in zip([0.0, *found], found, strict=False)]
    for n, gap in enumerate(gaps):
        assert min(2**n, 30) <= gap <= min(2**n + 1, 30)


DAY = (5, 30, 120, 600, 1800, 3600, 21600, 43200, 86400)


async def test_a_webhook_is_tried_ten_times_within_24_h_and_never_late(shop: Workers) -> None:
    found = await waits(shop, Retry.webhook)
    assert len(found) == 9
    for at, offset, before in zip(found, DAY, (0, *DAY), strict=False):
        assert offset - 0.1 * (offset - before) <= at <= offset


async def test_offsets_count_from_the_first_due_time(shop: Workers) -> None:
    """The worker was down for a minute: the retries do not move."""
    policy = RetryPolicy(retries=9, waits=DAY, within=86400, offsets=True)
    assert (await waits(shop, policy, starts_late=60))[:4] == [0, 0, 60, 540]


async def test_offsets_count_from_the_first_start(shop: Workers) -> None:
    """The worker was down for a minute: the retries move with the first attempt."""
    policy = RetryPolicy(retries=9, waits=DAY, within=86400, from_start=True)
    assert await waits(shop, policy, starts_late=60) == list(DAY)


async def test_a_budget_stops_the_retries_before_the_count(shop: Workers) -> None:
    assert await waits(shop, RetryPolicy(retries=10, waits=(40.0,), within=100)) == [40, 80]


@pytest.mark.parametrize(
    ("policy", "retries", "within"),
    [
        (Retry.default, 3, None),
        (Retry.background, 5, 300),
        (Retry.scheduled, 3, 3600),
        (Retry.webhook, 9, 86400),
        (Retry.user_facing, 3, 10),
        (Retry.never, 0, None),
    ],
)
async def test_the_ready_made_policies(
    policy: RetryPolicy, retries: int, within: float | None
) -> None:
    assert (policy.retries, policy.within, policy.logic_retries) == (retries, within, 0)


@pytest.mark.parametrize("failure", ["logic", "data", "payload"])
async def test_what_no_retry_can_fix_is_dead_at_once(shop: Workers, failure: str) -> None:
    assert await shop.fetch(RETRY_AT, None, failure, 1, NOON, NOON, NOON) is None
    policy = '{"transient": {"retries": 9}, "logic": {"retries": 0}}'
    assert await shop.fetch(RETRY_AT, policy, failure, 1, NOON, NOON, NOON) is None


@pytest.mark.parametrize("failure", ["transient", "timeout", "lost"])
async def test_the_rest_is_transient(shop: Workers, failure: str) -> None:
    found = await shop.fetch(RETRY_AT, None, failure, 2, NOON, NOON, NOON)
    assert found == NOON + timedelta(minutes=2)
    assert await shop.fetch(RETRY_AT, None, failure, 4, NOON, NOON, NOON) is None


async def lost(shop: Workers, policy: RetryPolicy, after: timedelta) -> list[str]:
    """Its worker is killed each time, and the lease ends only then; answers the states."""

    @shop.hf.job("t.lost", retry=policy)
    async def unlucky(ctx: Context) -> None: ...

    await shop.declare()
    now = NOON
    await freeze(shop.database, now)
    job = await shop.enqueue(unlucky)
    found: list[str] = []
    while not found or found[-1] == "ready":
        await shop.fetch("SELECT count(*) FROM handfast_engine.claim(NULL, '{default}', 1, '1 s')")
        now += after
        await freeze(shop.database, now)
        assert await shop.fetch("SELECT handfast_engine.rescue(10)") == 1
        found.append(await shop.state(job))
    return found


@pytest.mark.parametrize("policy", [Retry.background, Retry.user_facing])
async def test_a_lost_lease_takes_a_try_and_none_of_the_time(
    shop: Workers, policy: RetryPolicy
) -> None:
    """A lease is 5 minutes long: that is all that these policies have, or more."""
    found = await lost(shop, policy, timedelta(minutes=6))
    assert found == [*["ready"] * policy.retries, "dead"]


async def test_after_a_lost_lease_a_failure_has_its_time(shop: Workers) -> None:
    @shop.hf.job("t.lost", retry=Retry.background)
    async def unlucky(ctx: Context) -> None: ...

    await shop.declare()
    await freeze(shop.database, NOON)
    job = await shop.enqueue(unlucky)
    await shop.fetch("SELECT count(*) FROM handfast_engine.claim(NULL, '{default}', 1, '1 s')")
    await freeze(shop.database, NOON + timedelta(minutes=6))
    await shop.fetch("SELECT handfast_engine.rescue(10)")
    token = await shop.fetch("SELECT token FROM handfast_engine.claim(NULL, '{default}', 1, '1 d')")
    await shop.fetch("SELECT handfast_engine.fail($1, $2, 'transient', 'x')", job, token)
    assert await shop.state(job) == "scheduled"


async def test_a_lost_lease_does_not_prolong_the_day_of_a_webhook(shop: Workers) -> None:
    assert await lost(shop, Retry.webhook, timedelta(hours=13)) == ["ready", "dead"]


async def test_the_thousandth_failure_waits_like_the_tenth(shop: Workers) -> None:
    """Two to the power of two thousand does not fit anywhere."""
    policy = '{"transient": {"retries": 5000}}'
    for failures in (10, 2000):
        found = await shop.fetch(RETRY_AT, policy, "transient", failures, NOON, NOON, NOON)
        assert found == NOON + timedelta(seconds=30)


async def test_a_policy_that_cannot_be_read_does_not_stop_the_rescue_of_others(
    shop: Workers,
) -> None:
    @shop.hf.job("t.broken")
    async def broken(ctx: Context) -> None: ...

    await shop.declare()
    await shop.fetch(
        'UPDATE handfast_engine.kinds SET policy = \'{"transient": {"retries": "x"}}\''
    )
    await shop.enqueue(broken, "a", priority=1)
    fine = await shop.enqueue("t.fine", "b")
    await shop.fetch("SELECT count(*) FROM handfast_engine.claim(NULL, '{default}', 2, '-1 s')")
    assert await shop.fetch("SELECT handfast_engine.rescue(10)") == 1
    assert await shop.state(fine) == "ready"


async def refuse_to_rescue(shop: Workers, job: int, code: str) -> None:
    """Whatever the reason is, writing of this job fails."""
    async with shop.database.connection() as connection:
        await connection.execute(
            "CREATE OR REPLACE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$;"
            "CREATE TRIGGER refuse BEFORE UPDATE ON handfast_engine.live FOR EACH ROW"
            f" WHEN (OLD.state = 'running' AND OLD.id = {job}) EXECUTE FUNCTION public.refuse()"
        )


@pytest.mark.parametrize("code", ["P0001", "54001", "42P01", "XX001"])
@pytest.mark.parametrize("by_worker", [True, False])
async def test_any_lasting_error_of_one_job_leaves_the_rescue_of_others(
    shop: Workers, code: str, by_worker: bool
) -> None:
    poisoned = await shop.enqueue("t.job", "a", priority=1)
    fine = await shop.enqueue("t.job", "b")
    if by_worker:
        worker = await shop.fetch(
            "SELECT handfast_engine.register_worker('t', '{default}', '1 hour')"
        )
        await shop.fetch("SELECT count(*) FROM handfast_engine.claim($1, '{default}', 2)", worker)
        await shop.fetch("UPDATE handfast_engine.workers SET lost = true")
    else:
        await shop.fetch("SELECT count(*) FROM handfast_engine.claim(NULL, '{default}', 2, '-1 s')")
    await refuse_to_rescue(shop, poisoned, code)
    assert await shop.fetch("SELECT handfast_engine.rescue(10)") == 1
    assert await shop.state(fine) == "ready"
    assert await shop.state(poisoned) == "running"


@pytest.mark.parametrize("code", ["57014", "40P01", "40001", "55P03", "53100", "08006"])
async def test_what_is_wrong_with_the_statement_is_said_by_the_rescue(
    shop: Workers, code: str
) -> None:
    job = await shop.enqueue("t.job", "a")
    await shop.fetch("SELECT count(*) FROM handfast_engine.claim(NULL, '{default}', 1, '-1 s')")
    await refuse_to_rescue(shop, job, code)
    with pytest.raises(asyncpg.PostgresError) as raised:
        await shop.fetch("SELECT handfast_engine.rescue(10)")
    assert raised.value.sqlstate == code


@pytest.mark.parametrize("by_worker", [True, False])
async def test_many_that_cannot_be_rescued_do_not_hide_the_rest(
    shop: Workers, by_worker: bool
) -> None:
    @shop.hf.job("t.broken")
    async def broken(ctx: Context) -> None: ...

    await shop.declare()
    await shop.fetch(
        'UPDATE handfast_engine.kinds SET policy = \'{"transient": {"retries": "x"}}\''
    )
    for key in "abc":
        await shop.enqueue(broken, key, priority=1)
    fine = [await shop.enqueue("t.fine", key) for key in "abc"]
    if by_worker:
        worker = await shop.fetch(
            "SELECT handfast_engine.register_worker('t', '{default}', '1 hour')"
        )
        await shop.fetch("SELECT count(*) FROM handfast_engine.claim($1, '{default}', 6)", worker)
        await shop.fetch("UPDATE handfast_engine.workers SET lost = true")
    else:
        await shop.fetch("SELECT count(*) FROM handfast_engine.claim(NULL, '{default}', 6, '-1 s')")
    assert await shop.fetch("SELECT handfast_engine.rescue(2)") == 2
    assert await shop.fetch("SELECT handfast_engine.rescue(2)") == 1
    assert [await shop.state(job) for job in fine] == ["ready"] * 3


async def test_many_workers_that_cannot_be_ended_do_not_hide_the_rest(shop: Workers) -> None:
    @shop.hf.job("t.broken")
    async def broken(ctx: Context) -> None: ...

    await shop.declare()
    await shop.fetch(
        'UPDATE handfast_engine.kinds SET policy = \'{"transient": {"retries": "x"}}\''
    )
    await shop.fetch(
        "SELECT count(*) FROM generate_series(1, 110) AS n"
        " CROSS JOIN LATERAL handfast_engine.enqueue('t.broken', n::text)"
    )
    await shop.fetch(
        "SELECT count(*) FROM generate_series(1, 110) AS n CROSS JOIN LATERAL"
        " handfast_engine.claim(handfast_engine.register_worker("
        "'w' || n, '{default}', '1 hour'), '{default}', 1)"
    )
    fine = await shop.enqueue("t.fine")
    await shop.fetch(
        "SELECT count(*) FROM handfast_engine.claim(handfast_engine.register_worker("
        "'last', '{default}', '1 hour'), '{default}', 1)"
    )
    await shop.fetch("UPDATE handfast_engine.workers SET lost = true")
    assert await shop.fetch("SELECT handfast_engine.rescue(10)") == 1
    assert await shop.state(fine) == "ready"


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (TypeError(), FailureClass.LOGIC),
        (AttributeError(), FailureClass.LOGIC),
        (NameError(), FailureClass.LOGIC),
        (UnboundLocalError(), FailureClass.LOGIC),
        (AssertionError(), FailureClass.LOGIC),
        (DataInconsistent(), FailureClass.DATA),
        (PayloadInvalid("x"), FailureClass.PAYLOAD),
        (TimeoutError(), FailureClass.TIMEOUT),
        (OSError(), FailureClass.TRANSIENT),
        (ValueError(), FailureClass.TRANSIENT),
        (SystemExit(), FailureClass.TRANSIENT),
    ],
)
def test_classes(error: BaseException, failure: FailureClass) -> None:
    assert classify(error) is failure


@pytest.mark.parametrize(
    "wrong",
    [
        {"retries": -1},
        {"logic_retries": -1},
        {"waits": (1.0, -1.0)},
        {"waits": (float("nan"),)},
        {"waits": (1e300,)},
        {"within": 0},
        {"within": float("inf")},
        {"jitter": 1.5},
        {"offsets": True, "from_start": True},
        {"from_start": True, "waits": (5.0, 1.0)},
    ],
    ids=str,
)
def test_policies_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(KindInvalid):
        RetryPolicy(**wrong)  # type: ignore[arg-type]


def test_retry_at_wants_an_aware_instant() -> None:
    with pytest.raises(ValueError, match="aware"):
        RetryAt(datetime(2030, 1, 1))  # noqa: DTZ001


async def test_a_requeued_job_starts_counting_anew(shop: Workers) -> None:
    @shop.hf.job("t.fails", retry=Retry.webhook)
    async def fails(ctx: Context) -> None: ...

    await shop.declare()
    await freeze(shop.database, NOON)
    job = await shop.enqueue(fails)
    claim = "SELECT token FROM handfast_engine.claim(NULL, '{default}', 1, '1 d')"
    fail = "SELECT handfast_engine.fail($1, $2, $3, 'x')::text"
    assert await shop.fetch(fail, job, await shop.fetch(claim), "logic") == "dead"
    await freeze(shop.database, NOON + timedelta(days=7))
    await shop.fetch("SELECT handfast_engine.requeue(ARRAY[$1::bigint])", job)
    await shop.fetch(fail, job, await shop.fetch(claim), "transient")
    wait = await shop.fetch("SELECT due_at FROM handfast_engine.live") - NOON - timedelta(days=7)
    assert timedelta(seconds=4.5) <= wait <= timedelta(seconds=5)
