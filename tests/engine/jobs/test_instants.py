"""PostgreSQL knows instants that Python does not. They are refused; and one that was stored before
there was a rule harms nobody."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import asyncpg
import httpx2
import pytest

from handfast import Context
from handfast.db.errors import InstantOutOfRange
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.errors import JobInvalid
from handfast.engine.gaps.listing import list_gaps
from handfast.engine.gaps.repair import repair_gaps
from handfast.engine.work.claim_cursor import ClaimCursor
from handfast.engine.work.lease import Claimed
from handfast.wiring import load_settings
from tests.support.systems import whole_system
from tests.support.workers_here import Workers

TOKEN = "hf_admin_for_the_tests_only"
BEFORE = ["-infinity", "4000-01-01 BC", "0001-01-01 00:00:00+00"]
AFTER = ["infinity", "10000-01-01", "9999-12-31 00:00:00+00"]
ENQUEUE = (
    "SELECT count(*) FROM handfast_engine.enqueue('t.far', $1, p_due_at => $2::text::timestamptz)"
)


@pytest.fixture
async def lawless(database: Database) -> Workers:
    """As the database was before it had the rule."""
    shop = Workers(database)
    await shop.fetch("ALTER DOMAIN handfast_db.instant DROP CONSTRAINT instant_in_range")
    return shop


async def put(shop: Workers, key: str, due: str) -> None:
    await shop.fetch(
        "WITH i AS (INSERT INTO handfast_engine.jobs (kind, key, enqueued_at) VALUES ('t.far',"
        " $1, now())"
        "  RETURNING id)"
        " INSERT INTO handfast_engine.live (id, token, due_at, first_due_at, deadline_at,"
        " state, kind, key)"
        " SELECT id, 0, d, d, d, handfast_engine.first_state(0, d, now()), 't.far', $1"
        " FROM i, CAST($2::text AS timestamptz) AS d",
        key,
        due,
    )


@pytest.mark.parametrize("due", [*BEFORE, *AFTER])
async def test_no_job_is_due_then(shop: Workers, due: str) -> None:
    with pytest.raises(InstantOutOfRange, match=r"t\.far far cannot be due at .* 9999-12-31"):
        async with shop.database.transaction() as tx:
            await tx.fetch(ENQUEUE, "far", due)
    assert await shop.fetch("SELECT count(*) FROM handfast_engine.live") == 0


@pytest.mark.parametrize(
    "sql",
    [
        """SELECT handfast_engine.enqueue_many('t.far', ARRAY['a', $1], ARRAY['{}', '{}']::jsonb[],
                                      ARRAY[now(), $2::text::timestamptz])""",
        """SELECT handfast_engine.enqueue_each('t.far', ARRAY[$1], ARRAY['{}'::jsonb],
                                      ARRAY[$2::text::timestamptz], ARRAY['{}'::jsonb])""",
        "SELECT handfast_engine.set_anchor($1, $2::text::timestamptz)",
    ],
)
async def test_every_way_in_names_what_it_refuses(shop: Workers, sql: str) -> None:
    with pytest.raises(InstantOutOfRange, match=r"far cannot be at 10000-01-01"):
        async with shop.database.transaction() as tx:
            await tx.fetch(sql, "far", "10000-01-01 00:00:00+00")


async def test_an_anchor_near_the_end_of_time_with_an_offset(shop: Workers) -> None:
    await shop.fetch("SELECT handfast_engine.set_anchor('end', '9999-12-20 00:00:00+00')")
    late = """SELECT count(*) FROM handfast_engine.enqueue('t.far', 'late', '{}', NULL,
              '{"anchor": "end", "offset": "20 days"}')"""
    with pytest.raises(InstantOutOfRange, match=r"t\.far late cannot be at 10000"):
        async with shop.database.transaction() as tx:
            await tx.execute(late)
    await shop.fetch(late.replace("20 days", "5 days"))
    with pytest.raises(InstantOutOfRange, match=r"t\.far late cannot be at 10000"):
        async with shop.database.transaction() as tx:
            await tx.execute("SELECT handfast_engine.set_anchor('end', '9999-12-29 00:00:00+00')")


async def test_python_is_told_the_range(shop: Workers) -> None:
    @shop.hf.job("t.far")
    async def far(ctx: Context) -> None: ...

    for due in (datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)):
        with pytest.raises(JobInvalid, match="until before 9999-12-31"):
            await shop.enqueue(far, due=due)


async def test_a_retry_past_the_end_of_time_is_a_retry(shop: Workers) -> None:
    await shop.fetch("SELECT count(*) FROM handfast_engine.enqueue('t.far', 'one')")
    job, token = await shop.fetch(
        "SELECT (id, token) FROM handfast_engine.claim(NULL, '{default}', 1, interval '1 minute')"
    )
    state = await shop.fetch(
        "SELECT handfast_engine.fail($1, $2, 'transient', 'later', NULL, 'infinity')::text",
        job,
        token,
    )
    assert state == "scheduled"
    assert await shop.fetch("SELECT due_at FROM handfast_engine.live") < datetime.max.replace(
        tzinfo=UTC
    )


async def test_no_claim_is_held_for_ever(shop: Workers) -> None:
    await shop.fetch("SELECT count(*) FROM handfast_engine.enqueue('t.far', 'one')")
    with pytest.raises(asyncpg.CheckViolationError, match="live_running"):
        async with shop.database.connection() as connection:
            await connection.fetch(
                "SELECT id FROM handfast_engine.claim(NULL, '{default}', 1, interval '9000 years')"
            )


async def test_a_gap_that_is_due_then_is_shown_and_not_filled(shop: Workers) -> None:
    @shop.hf.job("t.far")
    async def far(ctx: Context) -> None: ...

    shop.hf.expect(
        "far",
        kind=far,
        window=timedelta(hours=1),
        sql="SELECT 'far' AS key, '{}'::jsonb AS payload, 'infinity'::timestamptz AS due_at,"
        " $1::timestamptz > $2::timestamptz AS result_exists",
    )
    [shown] = await list_gaps(shop.database, shop.hf.expectations)
    assert shown.gaps[0].due_at.year == 9999
    [report] = await repair_gaps(shop.database, shop.hf.expectations, shop.hf.kinds)
    assert report.error is not None
    assert "far cannot be at infinity" in report.error


@pytest.mark.parametrize("due", BEFORE)
async def test_what_was_due_before_runs_and_the_worker_goes_on(lawless: Workers, due: str) -> None:
    years: list[int] = []

    @lawless.hf.job("t.far")
    async def far(ctx: Context) -> None:
        years.append(ctx.due_at.year)

    await lawless.declare()
    for n in range(3):
        await put(lawless, str(n), due)
    async with lawless.working(concurrency=1, batch_max=1):
        await lawless.drained(within=8)
    assert years == [1, 1, 1]


@pytest.mark.parametrize("due", [AFTER[0], AFTER[1], BEFORE[0]])
async def test_what_is_there_already_stops_nobody(lawless: Workers, due: str) -> None:
    ran: list[str] = []

    @lawless.hf.job("t.soon")
    async def soon(ctx: Context) -> None:
        ran.append(ctx.key)

    await put(lawless, "far", due)
    async with lawless.working(lanes=("default",)):  # it is the next one due, for the worker
        job = await lawless.enqueue(soon, delay=timedelta(milliseconds=300))
        await lawless.reaches(job, "succeeded")
    api = create_api(whole_system(load_settings(), lawless.database, lawless.direct), TOKEN)
    transport = httpx2.ASGITransport(cast("Any", api), raise_app_exceptions=False)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://handfast", headers=headers
    ) as client:
        far = await lawless.fetch("SELECT id FROM handfast_engine.jobs WHERE key = 'far'")
        for path in ("/admin/jobs", f"/admin/jobs/{far}", "/admin/stats", "/metrics", "/ready"):
            assert (await client.get(path)).status_code == 200, path


@pytest.mark.parametrize("due", [float("-inf"), -1e12, -62_135_596_800.0])
def test_a_slow_front_begins_below_it(due: float) -> None:
    cursor = ClaimCursor([("t.old", 1)])
    job = Claimed(1, 1, 1, "t.old", "1", "{}", 1, due, False, "default", 10)
    cursor.note([job], wanted=1, from_front=True, started=0.0, ended=1.0)
    assert cursor.look(1.5).floors == '[[10,"0001-01-01T00:00:00+00:00"]]'
