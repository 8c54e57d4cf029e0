"""Planning against planning, and against everything that may happen to a fixture meanwhile."""

from collections.abc import AsyncIterator
from datetime import timedelta

import msgspec
import pytest

from handfast.apps.fixtures.pipelines.pipeline import FOOTBALL
from handfast.db.pool import Database
from tests.support.fixtures_harness import NOON, STEPS, FixturesHarness, row
from tests.support.interleave import Session, Stage

pytestmark = pytest.mark.on_every_postgres

HOUR = timedelta(hours=1)
PLAN = (
    "SELECT (p.planned, p.moved, p.revived, p.skipped, p.cancelled)::text"
    " FROM handfast_fixtures.plan($1) AS p"
)
NOTHING = "(0,0,0,0,0)"
CLAIM = "SELECT id, token FROM handfast_engine.claim(NULL, '{fixtures}', 1, '5 minutes')"
FINISH = "SELECT handfast_engine.finish(ARRAY[$1::bigint], ARRAY[$2::bigint])"
PUT = "SELECT handfast_fixtures.put_output($1, $2, $3, '{}')"
MOVE = "UPDATE handfast_fixtures.fixtures SET kickoff = kickoff + interval '1 h' WHERE id = $1"
POSTPONE = "UPDATE handfast_fixtures.fixtures SET status = 'postponed' WHERE id = $1"


@pytest.fixture
async def stage(dsn: str) -> AsyncIterator[Stage]:
    async with Stage(dsn) as stage:
        yield stage


@pytest.fixture
async def ground(database: Database) -> FixturesHarness:
    """A fixture that kicks off in ten minutes, stored and not planned."""
    ground = FixturesHarness(database)
    await ground.declare()
    kickoff = await ground.value(
        "SELECT date_trunc('second', handfast_db.now()) + interval '10 min'"
    )
    await ground.store_only(row("one", kickoff), row("two", kickoff))
    return ground


async def claimed(session: Session) -> tuple[int, int]:
    [(job, token)] = await session.rows(CLAIM)
    return job, token


async def test_two_plan_the_same(stage: Stage, ground: FixturesHarness) -> None:
    a, b = await stage.sessions("a", "b")
    one, two = await ground.id_of("one"), await ground.id_of("two")
    await a.begin()
    assert await a.run(PLAN, [one, two]) == "(6,0,0,0,0)"
    second = b.start(PLAN, [two, one])
    await stage.blocked("b", by="a")
    await a.commit()
    assert await second == NOTHING


async def test_who_plans_after_a_plan_that_was_undone_does_it(
    stage: Stage, ground: FixturesHarness
) -> None:
    a, b = await stage.sessions("a", "b")
    one = await ground.id_of("one")
    await a.begin()
    await a.run(PLAN, [one])
    second = b.start(PLAN, [one])
    await stage.blocked("b", by="a")
    await a.rollback()
    assert await second == "(3,0,0,0,0)"
    assert list(await ground.jobs("one")) == list(STEPS)


async def test_a_step_that_ends_does_not_wait_for_planning(
    stage: Stage, ground: FixturesHarness
) -> None:
    a, b = await stage.sessions("a", "b")
    one = await ground.id_of("one")
    await b.run(PLAN, [one])
    job, token = await claimed(a)
    await b.begin()
    await b.run(PLAN, [one])
    kickoff = await stage.look("SELECT kickoff FROM handfast_fixtures.fixtures WHERE id = $1", one)
    assert await a.run(PUT, one, "analysis", kickoff)
    assert await a.run(FINISH, job, token) == [job]
    await b.commit()
    assert (await ground.states("one"))["lineups"] == "ready"


async def test_moved_while_a_step_is_under_way(stage: Stage, ground: FixturesHarness) -> None:
    """It finishes, for the kickoff that it knew. That is stale, and it runs again: once."""
    a, b = await stage.sessions("a", "b")
    one = await ground.id_of("one")
    await b.run(PLAN, [one])
    job, token = await claimed(a)
    kickoff = await stage.look("SELECT kickoff FROM handfast_fixtures.fixtures WHERE id = $1", one)
    await b.begin()
    await b.run(MOVE, one)
    assert await b.run(PLAN, [one]) == "(0,1,0,0,0)"
    await a.begin()
    assert await a.run(PUT, one, "analysis", kickoff)
    finish = a.start(FINISH, job, token)
    await stage.blocked("a", by="b")
    await b.commit()
    assert await finish == [job]
    await a.commit()
    assert await b.run(PLAN, [one]) == "(0,0,2,0,0)", "the analysis, and what it had just freed"
    assert await ground.states("one") == {
        "analysis": "ready",
        "lineups": "blocked",
        "predictions": "blocked",
    }
    assert await b.run(PLAN, [one]) == NOTHING
    assert await ground.work() == [f"analysis-{one}"], "the others wait for their new time"
    assert await b.run(PLAN, [one]) == NOTHING


async def test_postponed_while_a_step_is_being_claimed(
    stage: Stage, ground: FixturesHarness
) -> None:
    a, b = await stage.sessions("a", "b")
    one = await ground.id_of("one")
    await b.run(PLAN, [one])
    await a.begin()
    job, token = await claimed(a)
    await b.begin()
    await b.run(POSTPONE, one)
    off = b.start(PLAN, [one])
    await stage.blocked("b", by="a")
    await a.commit()
    assert await off == "(0,0,0,0,1)"
    await b.commit()
    assert await ground.states("one") == {
        "analysis": "running",
        "lineups": "cancelled",
        "predictions": "cancelled",
    }
    assert (
        await a.run("SELECT handfast_engine.fail($1, $2, 'transient', 'x')", job, token)
        == "cancelled"
    )


async def test_two_store_the_same_for_the_first_time(stage: Stage, ground: FixturesHarness) -> None:
    a, b = await stage.sessions("a", "b")
    teams = await ground.value("SELECT array_agg(id ORDER BY id) FROM handfast_fixtures.teams")
    upsert = (
        "SELECT outcome FROM handfast_fixtures.upsert(ARRAY['new'], ARRAY['en.1'], ARRAY['s'],"
        " ARRAY[NULL],"
        " ARRAY[$1::bigint], ARRAY[$2::bigint], ARRAY[$3::timestamptz], ARRAY[NULL],"
        " ARRAY[NULL::date],"
        " ARRAY['scheduled'], ARRAY[NULL::int], ARRAY[NULL::int], ARRAY['test'])"
    )
    await a.begin()
    assert await a.run(upsert, teams[0], teams[1], NOON) == "created"
    other = b.start(upsert, teams[0], teams[1], NOON + HOUR)
    await stage.blocked("b", by="a")
    await a.commit()
    assert await other == "changed", "it has seen what the first one stored, and moved it"


async def test_who_plans_by_the_old_steps_is_waited_for_and_follows(
    stage: Stage, ground: FixturesHarness
) -> None:
    a, b = await stage.sessions("a", "b")
    one = await ground.id_of("one")
    steps = [
        {
            **msgspec.to_builtins(step, builtin_types=(timedelta,)),
            "pipeline": "football",
            "step": step.name,
            "position": position,
            "offset": step.offset.total_seconds() - 3600,
            "window": step.window.total_seconds(),
            "over_after": step.useful_until.total_seconds(),
        }
        for position, step in enumerate(FOOTBALL.steps, 1)
    ]
    declared = msgspec.json.encode(steps).decode()
    await a.begin()
    assert await a.run(PLAN, [one]) == "(3,0,0,0,0)"
    declaring = b.start(
        "SELECT handfast_fixtures.declare_pipelines($1::text::jsonb, true)", declared
    )
    await stage.blocked("b", by="a")
    await a.commit()
    assert await declaring == 1
    before = await ground.fetch(
        "SELECT a.at - l.due_at FROM handfast_engine.live AS l JOIN handfast_engine.anchors AS"
        " a ON a.name = l.anchor"
        " ORDER BY l.due_at"
    )
    assert before == [(HOUR - step.offset,) for step in FOOTBALL.steps]
