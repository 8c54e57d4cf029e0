"""Gaps: found by one join, repaired once, whoever races."""

import asyncio
import json
from datetime import timedelta

import pytest

from handfast.base.errors import NotFound
from handfast.db.pool import Database
from handfast.engine.errors import ExpectationInvalid
from handfast.engine.gaps.expectation import window_of
from handfast.engine.gaps.listing import _LIST, GapReport
from handfast.engine.gaps.mapping import map_gaps
from handfast.engine.gaps.repair import RepairReport
from handfast.engine.maintenance.gap_repair import gap_repair
from handfast.engine.work.context import Context
from handfast.facade import Handfast
from tests.support.fleet import FleetMember
from tests.support.jobs import die, enqueue, program, succeed

pytestmark = pytest.mark.on_every_postgres

SQL = """
SELECT w.key, jsonb_build_object('n', w.n) AS payload, w.due_at, r.key IS NOT NULL AS result_exists,
       coalesce(r.made_for <> w.due_at, false) AS stale
FROM wanted AS w LEFT JOIN results AS r USING (key)
WHERE w.due_at >= $1 AND w.due_at < $2
"""


@pytest.fixture
async def hf(database: Database, dsn: str) -> Handfast:
    hf = program(database, dsn)

    @hf.job("gap.one")
    async def one(ctx: Context, n: int) -> None: ...

    hf.expect("ones", kind=one, sql=SQL, window=timedelta(hours=48), past=timedelta(hours=1))
    async with database.connection() as connection:
        await connection.execute(
            "CREATE TABLE wanted (key text PRIMARY KEY, n int, due_at timestamptz)"
        )
        await connection.execute(
            "CREATE TABLE results (key text PRIMARY KEY, made_for timestamptz)"
        )
    return hf


async def want(database: Database, *keys: str, due: str = "1 hour") -> None:
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO wanted SELECT k, 1, handfast_db.now() + $2::text::interval"
            " FROM unnest($1::text[]) k",
            list(keys),
            due,
        )


async def make(database: Database, key: str, shift: str = "0") -> None:
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO results SELECT key, due_at + $2::text::interval FROM wanted WHERE key=$1",
            key,
            shift,
        )


async def report(hf: Handfast) -> GapReport:
    return (await hf.gaps())[0]


async def repair(hf: Handfast) -> RepairReport:
    return (await hf.repair_gaps())[0]


async def states(database: Database) -> dict[str, str]:
    async with database.connection() as connection:
        rows = await connection.fetch(
            "SELECT j.key, coalesce(j.state, l.state)::text AS state"
            " FROM handfast_engine.jobs j LEFT JOIN handfast_engine.live l USING (id)"
        )
    return {row["key"]: row["state"] for row in rows}


async def test_missing(hf: Handfast, database: Database) -> None:
    await want(database, "a", "b")
    await want(database, "has-result")
    await make(database, "has-result")
    await want(database, "too-late", due="49 hours")
    await want(database, "now", due="-5 minutes")
    found = await report(hf)
    assert (found.expected, found.missing) == (4, 3)
    assert [(g.gap, g.key) for g in found.gaps] == [
        ("missing", "now"),
        ("missing", "a"),
        ("missing", "b"),
    ]
    assert (await repair(hf)).enqueued == 3
    assert await states(database) == {"a": "scheduled", "b": "scheduled", "now": "ready"}
    assert (await repair(hf)).enqueued == 0
    assert (await report(hf)).missing == 0


async def test_a_finished_job_without_its_result_runs_again(
    hf: Handfast, database: Database
) -> None:
    await want(database, "a", "b", due="-1 minute")
    await repair(hf)
    await succeed(database)
    await make(database, "b", shift="1 hour")  # made before the anchor moved
    found = await report(hf)
    assert (found.result_missing, found.stale) == (1, 1)
    assert {g.key: g.gap for g in found.gaps} == {"a": "result_missing", "b": "stale"}
    before = await hf.find("gap.one", "a")
    assert (await repair(hf)).revived == 2
    assert await states(database) == {"a": "ready", "b": "ready"}
    after = await hf.find("gap.one", "a")
    assert before is not None
    assert after is not None
    assert after.id == before.id
    assert (await repair(hf)).revived == 0


async def test_the_dead_are_repaired_once(hf: Handfast, database: Database) -> None:
    await want(database, "t", due="-1 minute")
    await repair(hf)
    await die(database, "transient")
    await want(database, "l", due="-1 minute")
    await repair(hf)  # requeues t, enqueues l
    await succeed_only(database, "t")
    await die(database, "logic")
    found = await report(hf)
    assert (found.dead_transient, found.dead) == (0, 1)
    done = await repair(hf)
    assert (done.requeued, done.dead) == (0, 1)


async def succeed_only(database: Database, key: str) -> None:
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_engine.live SET state = 'scheduled', due_at = handfast_db.now()"
            " WHERE key <> $1",
            key,
        )
    await succeed(database)
    await make(database, key)
    async with database.connection() as connection:
        await connection.execute("SELECT handfast_engine.promote(100)")


async def test_a_second_transient_death_is_a_persons(hf: Handfast, database: Database) -> None:
    await want(database, "t", due="-1 minute")
    await repair(hf)
    await die(database, "transient")
    assert (await report(hf)).dead_transient == 1
    assert (await repair(hf)).requeued == 1
    await die(database, "timeout")
    found = await report(hf)
    assert (found.dead_transient, found.dead) == (0, 1)
    assert found.gaps[0].error == "boom"
    async with hf.transaction() as tx:
        await hf.discard(tx, "gap.one", ["t"], reason="enough")
    assert (await report(hf)).gaps == []


async def test_cancelled_is_not_a_gap(hf: Handfast, database: Database) -> None:
    await want(database, "a")
    await repair(hf)
    async with hf.transaction() as tx:
        await hf.cancel(tx, "gap.one", "a")
    assert (await report(hf)).gaps == []


async def test_repairs_that_race(hf: Handfast, database: Database) -> None:
    await want(database, *(f"k{n:04}" for n in range(500)), due="-1 minute")
    done = await asyncio.gather(*(repair(hf) for _ in range(5)))
    assert sum(report.enqueued for report in done) == 500
    await succeed(database)
    done = await asyncio.gather(*(repair(hf) for _ in range(5)))
    assert sum(report.revived for report in done) == 500
    await die(database, "transient")
    done = await asyncio.gather(*(repair(hf) for _ in range(5)))
    assert sum(report.requeued for report in done) == 500


async def test_a_success_that_ran_again_is_not_revived_twice(
    hf: Handfast, database: Database
) -> None:
    await want(database, "a", due="-1 minute")
    await repair(hf)
    await succeed(database)
    found = await hf.find("gap.one", "a")
    assert found is not None
    assert (await repair(hf)).revived == 1
    await succeed(database)
    async with database.connection() as connection:
        late = await connection.fetchval(
            "SELECT handfast_engine.revive_same($1, $2, NULL, NULL, '{}')", found.id, found.token
        )
    assert late is False


async def test_prerequisites_come_first(hf: Handfast, database: Database) -> None:
    @hf.job("gap.two")
    async def two(ctx: Context, n: int) -> None: ...

    hf.expect(
        "twos",
        kind="gap.two",
        after=["ones"],
        window=timedelta(hours=12),
        sql="""
        SELECT w.key, jsonb_build_object('n', 1) AS payload, w.due_at, false AS result_exists,
               jsonb_build_array(jsonb_build_array('gap.one', w.key)) AS requires, 5 AS priority
        FROM wanted AS w WHERE w.due_at >= $1 AND w.due_at < $2
        """,
    )
    await want(database, "a", "b")
    alone = (await hf.repair_gaps("twos"))[0]
    assert (alone.enqueued, alone.waiting) == (0, 2)
    both = await hf.repair_gaps()
    assert [(r.name, r.enqueued, r.waiting) for r in both] == [("ones", 2, 0), ("twos", 2, 0)]
    found = await hf.find("gap.two", "a")
    assert found is not None
    assert (found.state, found.priority) == ("blocked", 5)
    assert [r.kind for r in found.requires] == ["gap.one"]
    assert [r.enqueued for r in await hf.repair_gaps()] == [0, 0]


async def test_many_are_one_join(hf: Handfast, database: Database) -> None:
    """200,000 expected, half of them there: a hash or merge join, and quick."""
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO wanted SELECT 'k' || n, n, handfast_db.now() + interval '1 hour'"
            " FROM generate_series(1, 200000) AS n"
        )
        await connection.execute(
            "SELECT handfast_engine.enqueue_many('gap.one', array_agg(key), array_agg('{\"n\":"
            " 1}'::jsonb),"
            " array_agg(due_at)) FROM wanted WHERE n % 2 = 0"
        )
        await connection.execute("ANALYZE handfast_engine.jobs")
        await connection.execute("ANALYZE wanted")
    async with database.transaction() as tx:
        expectation = next(iter(hf.expectations))
        window = await window_of(tx, expectation)
        listing = _LIST.on(expected=window.query)
        plan = await tx.fetchval(
            f"EXPLAIN (FORMAT JSON) {listing.sql}", window.since, window.until, "gap.one", 10
        )
    joins = set(_node_types(json.loads(plan)[0]["Plan"]))
    assert "Nested Loop" not in joins
    assert joins & {"Hash Join", "Merge Join"}
    found_gaps = (await hf.gaps(limit=10))[0]
    assert (found_gaps.expected, found_gaps.missing, len(found_gaps.gaps)) == (200_000, 100_000, 10)
    assert (await repair(hf)).enqueued == 100_000
    assert (await report(hf)).missing == 0


def _node_types(plan: dict[str, object]) -> list[str]:
    below = plan.get("Plans", [])
    assert isinstance(below, list)
    return [str(plan["Node Type"]), *(name for part in below for name in _node_types(part))]


async def test_wrong_queries(hf: Handfast, database: Database) -> None:
    hour = timedelta(hours=1)
    hf.expect("syntax", kind="gap.one", sql="SELEKT", window=hour)
    hf.expect("columns", kind="gap.one", sql="SELECT 'x' AS key", window=hour)
    hf.expect(
        "payload",
        kind="gap.one",
        sql="SELECT 'x' AS key, '{\"n\": \"no\"}'::jsonb AS payload, $1::timestamptz AS due_at,"
        " $2::timestamptz IS NULL AS result_exists",
        window=hour,
    )
    await want(database, "a")
    reports = {r.name: r for r in await hf.repair_gaps()}
    assert reports["ones"].enqueued == 1, "the others are repaired all the same"
    assert "syntax error" in (reports["syntax"].error or "")
    assert "no column payload" in (reports["columns"].error or "")
    assert "does not fit" in (reports["payload"].error or "")
    listed = {r.name: r for r in await hf.gaps()}
    assert (listed["ones"].expected, listed["ones"].error) == (1, None), "as if alone"
    assert "'syntax' cannot be used: syntax error" in (listed["syntax"].error or "")
    assert listed["columns"].since < listed["columns"].until, "its window is told all the same"
    mapped = {r.name: r for r in await map_gaps(database, hf.expectations)}
    assert sum(cell.expected for cell in mapped["ones"].cells) == 1
    assert "no column payload" in (mapped["columns"].error or "")
    with pytest.raises(ExpectationInvalid, match="no column"):
        await hf.gaps("columns")
    with pytest.raises(NotFound, match="Nothing is expected"):
        await hf.gaps("nonsense")
    with pytest.raises(ExpectationInvalid, match="declared twice"):
        hf.expect("ones", kind="gap.one", sql="", window=hour)
    with pytest.raises(ExpectationInvalid, match="no time at all"):
        hf.expect("never", kind="gap.one", sql="")
    with pytest.raises(ExpectationInvalid, match="not declared"):
        hf.expect("x", kind="gap.one", sql="", window=hour, after=["y"])


async def test_the_fleet_repairs_once(hf: Handfast, database: Database) -> None:
    await want(database, "a")
    fleet = [FleetMember(database, gap_repair(database, hf.expectations, hf.kinds)) for _ in "abcd"]
    assert sum(await asyncio.gather(*(member.come_round() for member in fleet))) == 1
    assert await states(database) == {"a": "scheduled"}
    await want(database, "b")
    for member in fleet:
        await member.come_round()
    assert "b" not in await states(database), "it is not an hour since"
    async with database.connection() as connection:
        await connection.execute(
            "UPDATE handfast_engine.chores SET done_at = done_at - interval '61 min'"
        )
    for member in fleet:
        await member.come_round()
    assert "b" in await states(database)


async def test_many_repairs_of_what_exists_already(hf: Handfast, database: Database) -> None:
    await want(database, "a")
    await enqueue(database, "gap.one", "a", due="1 hour", payload={"n": 1})
    assert (await repair(hf)).enqueued == 0


async def test_optional_columns_may_be_there_or_not(hf: Handfast, database: Database) -> None:
    """In any type that can be cast, and null where the query has nothing to say."""
    more = """
    SELECT w.key || suffix AS key, jsonb_build_object('n', w.n) AS payload, w.due_at,
           false AS result_exists, NULL AS stale, priority, deadline::text AS deadline,
           NULL AS requires
    FROM wanted AS w, (VALUES ('-3', 3::bigint, timestamptz '2999-01-01'), ('-d', NULL, NULL))
        AS v(suffix, priority, deadline)
    WHERE w.due_at >= $1 AND w.due_at < $2
    """
    hf.expect("more", kind="gap.one", sql=more, window=timedelta(hours=48))
    await want(database, "a")
    assert [(r.name, r.expected, r.missing) for r in await hf.gaps()] == [
        ("ones", 1, 1),
        ("more", 2, 2),
    ]
    assert [(r.name, r.enqueued, r.error) for r in await hf.repair_gaps()] == [
        ("ones", 1, None),
        ("more", 2, None),
    ]
    async with database.connection() as connection:
        rows = await connection.fetch(
            "SELECT key, priority, deadline_at IS NOT NULL FROM handfast_engine.live ORDER BY key"
        )
    assert [tuple(row) for row in rows] == [("a", 10, False), ("a-3", 3, True), ("a-d", 10, False)]


async def test_a_name_that_a_query_lacks_is_no_default_of_ours(
    hf: Handfast, database: Database
) -> None:
    """The optional columns are in scope around the query; it is checked by itself before."""
    lacking = SQL.replace("w.due_at,", "coalesce(deadline, w.due_at) AS due_at,", 1)
    hf.expect("lacking", kind="gap.one", sql=lacking, window=timedelta(hours=48))
    with pytest.raises(ExpectationInvalid, match='column "deadline" does not exist'):
        await hf.gaps("lacking")
    assert "deadline" in ((await hf.repair_gaps("lacking"))[0].error or "")
