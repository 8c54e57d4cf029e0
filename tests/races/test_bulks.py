"""Bulks with prerequisites and anchors against everything that may happen to those meanwhile."""

from collections.abc import AsyncIterator

import pytest

from tests.support.interleave import Session, Stage

pytestmark = pytest.mark.on_every_postgres

EACH = (
    "SELECT count(*) FILTER (WHERE created) FROM handfast_engine.enqueue_each('t.next', $1::text[],"
    " array_fill('{}'::jsonb, ARRAY[cardinality($1::text[])]), NULL, array_fill($2::jsonb,"
    " ARRAY[cardinality($1::text[])]))"
)
FINISH = "SELECT handfast_engine.finish($1::bigint[], $2::bigint[])"
REQUIRES = '{"requires": [["t.first", "x"], ["t.first", "y"]]}'
ANCHORED = '{"anchor": "a", "offset": "-1 hour"}'


@pytest.fixture
async def stage(dsn: str) -> AsyncIterator[Stage]:
    async with Stage(dsn) as stage:
        yield stage


async def running(session: Session) -> tuple[list[int], list[int]]:
    """The two prerequisites, claimed: ids and tokens."""
    for key in "xy":
        await session.run("SELECT id FROM handfast_engine.enqueue('t.first', $1)", key)
    held = await session.rows(
        "SELECT id, token FROM handfast_engine.claim(NULL, '{default}', 10, interval '5 minutes')"
    )
    return [job for job, _ in held], [token for _, token in held]


async def waiting(stage: Stage) -> list[str]:
    found: list[str] = await stage.look(
        "SELECT array_agg(format('%s %s %s', key, state, waits_for) ORDER BY key)"
        " FROM handfast_engine.live WHERE kind = 't.next'"
    )
    return found


async def test_prerequisites_succeed_while_the_bulk_is_under_way(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    ids, tokens = await running(a)
    await a.begin()
    assert await a.run(EACH, ["p", "q"], REQUIRES) == 2
    finish = b.start(FINISH, ids, tokens)
    await stage.blocked("b", by="a")
    await a.commit()
    assert sorted(await finish) == sorted(ids)
    assert await waiting(stage) == ["p ready 0", "q ready 0"]


async def test_the_bulk_waits_for_prerequisites_that_are_succeeding(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    ids, tokens = await running(a)
    await b.begin()
    await b.run(FINISH, ids[:1], tokens[:1])
    bulk = a.start(EACH, ["p", "q"], REQUIRES)
    await stage.blocked("a", by="b")
    await b.commit()
    assert await bulk == 2
    assert await waiting(stage) == ["p blocked 1", "q blocked 1"]
    await b.run(FINISH, ids[1:], tokens[1:])
    assert await waiting(stage) == ["p ready 0", "q ready 0"]


async def test_a_prerequisite_dies_while_the_bulk_is_under_way(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    ids, tokens = await running(a)
    await a.begin()
    assert await a.run(EACH, ["p"], REQUIRES) == 1
    death = b.start("SELECT handfast_engine.fail($1, $2, 'logic', 'x')", ids[0], tokens[0])
    await stage.blocked("b", by="a")
    await a.commit()
    assert await death == "dead"
    assert await stage.look(
        "SELECT reason LIKE '%is dead' FROM handfast_engine.live WHERE key = 'p'"
    )


async def test_two_bulks_that_share_jobs(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    await running(a)
    await a.begin()
    assert await a.run(EACH, ["q", "p"], REQUIRES) == 2
    other = b.start(EACH, ["r", "q", "p"], REQUIRES)
    await stage.blocked("b", by="a")
    await a.commit()
    assert await other == 1
    assert await waiting(stage) == ["p blocked 2", "q blocked 2", "r blocked 2"]


async def test_a_bulk_and_a_move_agree_on_where_the_anchors_are(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    await a.run(
        "SELECT handfast_engine.set_anchors('{a,b}', '{2030-01-01 12:00+00,2030-01-01 12:00+00}')"
    )
    await a.begin()
    await a.run(EACH, ["p"], ANCHORED)
    move = b.start(
        "SELECT handfast_engine.set_anchors('{b,a}', '{2031-01-01 12:00+00,2031-01-01 12:00+00}')"
    )
    await stage.blocked("b", by="a")
    await a.commit()
    assert await move == 1
    assert await stage.look("SELECT due_at = '2031-01-01 11:00+00' FROM handfast_engine.live")


async def test_a_bulk_waits_for_a_move(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    await a.run("SELECT handfast_engine.set_anchor('a', '2030-01-01 12:00+00')")
    await b.begin()
    await b.run("SELECT handfast_engine.set_anchor('a', '2031-01-01 12:00+00')")
    bulk = a.start(EACH, ["p"], ANCHORED)
    await stage.blocked("a", by="b")
    await b.commit()
    assert await bulk == 1
    assert await stage.look("SELECT due_at = '2031-01-01 11:00+00' FROM handfast_engine.live")


async def test_an_anchor_that_two_place_at_once_takes_its_jobs_along(stage: Stage) -> None:
    """The second one has seen no anchor yet, and must move what the first has hung on it."""
    a, b = await stage.sessions("a", "b")
    await a.begin()
    await a.run("SELECT handfast_engine.set_anchor('a', '2030-01-01 12:00+00')")
    await a.run(EACH, ["p"], ANCHORED)
    second = b.start("SELECT handfast_engine.set_anchor('a', '2031-01-01 12:00+00')")
    await stage.blocked("b", by="a")
    await a.commit()
    assert await second == 1
    assert await stage.look("SELECT due_at = '2031-01-01 11:00+00' FROM handfast_engine.live")


async def test_two_moves_of_the_same_anchors_in_opposite_orders(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    await a.run(
        "SELECT handfast_engine.set_anchors('{a,b}', '{2030-01-01 12:00+00,2030-01-01 12:00+00}')"
    )
    await a.begin()
    await a.run(
        "SELECT handfast_engine.set_anchors('{a,b}', '{2031-01-01 12:00+00,2031-01-01 12:00+00}')"
    )
    other = b.start(
        "SELECT handfast_engine.set_anchors('{b,a}', '{2032-01-01 12:00+00,2032-01-01 12:00+00}')"
    )
    await stage.blocked("b", by="a")
    await a.commit()
    await other
    assert (
        await stage.look("SELECT count(*) FROM handfast_engine.anchors WHERE at > '2032-01-01'")
        == 2
    )
