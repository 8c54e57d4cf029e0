"""What happens when two things happen at once, step by step, on real connections.

Each script decides who comes first, and asks the server who waits for whom. None of them may
deadlock, lose a job, or let a second effect through.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from tests.support.interleave import Session, Stage

pytestmark = pytest.mark.on_every_postgres

ENQUEUE = "SELECT id FROM handfast_engine.enqueue($1, $2)"
REQUIRING = "SELECT id FROM handfast_engine.enqueue($1, $2, '{}', NULL, $3::jsonb)"
CLAIM = "SELECT id, token FROM handfast_engine.claim($1, '{default}', 10)"
FINISH = "SELECT handfast_engine.finish(ARRAY[$1::bigint], ARRAY[$2::bigint])"


@pytest.fixture
async def stage(dsn: str) -> AsyncIterator[Stage]:
    async with Stage(dsn) as stage:
        yield stage


async def worker(session: Session, name: str = "w") -> int:
    found: int = await session.run(
        "SELECT handfast_engine.register_worker($1, '{default}', '1 hour')", name
    )
    return found


async def claimed(session: Session, key: str = "one") -> tuple[int, int, int]:
    """A running job: its worker, its id, its token."""
    mine = await worker(session)
    await session.run(ENQUEUE, "t.job", key)
    [(job, token)] = await session.rows(CLAIM, mine)
    return mine, job, token


async def silence(session: Session, worker: int) -> None:
    """The worker's lease ends; nobody has noticed yet."""
    await session.run(
        "UPDATE handfast_engine.workers SET lease_until = handfast_db.now() - interval '1 s'"
        " WHERE id = $1",
        worker,
    )


# --- rescue -----------------------------------------------------------------------------------


async def test_rescue_leaves_alone_what_is_being_completed(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    mine, job, token = await claimed(a)
    await silence(a, mine)
    await a.begin()
    assert await a.run(FINISH, job, token) == [job]
    assert await b.run("SELECT handfast_engine.rescue(10)") == 0, (
        "its row is held by the completion"
    )
    await a.commit()
    assert await b.run("SELECT handfast_engine.rescue(10)") == 0
    assert await stage.state(job) == "succeeded"
    assert await stage.look(
        "SELECT ended_at IS NOT NULL FROM handfast_engine.workers WHERE id = $1", mine
    )


async def test_a_completion_that_waits_for_rescue_is_refused(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    mine, job, token = await claimed(a)
    await silence(a, mine)
    await b.begin()
    assert await b.run("SELECT handfast_engine.rescue(10)") == 1
    late = a.start(FINISH, job, token)
    await stage.blocked("a", by="b")
    await b.commit()
    assert await late == []
    assert await stage.state(job) == "ready"


async def test_a_rolled_back_completion_leaves_the_job_to_rescue(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    mine, job, token = await claimed(a)
    await silence(a, mine)
    await a.begin()
    await a.run(FINISH, job, token)
    await a.rollback()
    assert await b.run("SELECT handfast_engine.rescue(10)") == 1
    assert await stage.state(job) == "ready"


async def test_a_heartbeat_that_waits_for_rescue_learns_that_it_is_lost(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    mine, job, _ = await claimed(a)
    await silence(a, mine)
    await b.begin()
    assert await b.run("SELECT handfast_engine.rescue(10)") == 1
    beat = a.start("SELECT handfast_engine.beat($1, '1 hour')", mine)
    await stage.blocked("a", by="b")
    await b.commit()
    assert await beat is None
    with pytest.raises(asyncpg.PostgresError, match="lost its lease"):
        await a.rows(CLAIM, mine)
    assert await stage.state(job) == "ready"


async def test_a_heartbeat_under_way_keeps_rescue_off(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    mine, job, token = await claimed(a)
    await silence(a, mine)
    await a.begin()
    assert await a.run("SELECT handfast_engine.beat($1, '1 hour')", mine) == []
    assert await b.run("SELECT handfast_engine.rescue(10)") == 0
    await a.commit()
    assert await b.run("SELECT handfast_engine.rescue(10)") == 0, "it lives"
    assert await a.run(FINISH, job, token) == [job]


async def test_a_claim_under_way_keeps_rescue_off(stage: Stage) -> None:
    """Otherwise rescue would declare the worker dead without seeing what it is just taking."""
    a, b = await stage.sessions("a", "b")
    mine = await worker(a)
    job = await a.run(ENQUEUE, "t.job", "one")
    await a.begin()
    [(_, token)] = await a.rows(CLAIM, mine)
    await b.run("SELECT handfast_engine.rescue(10)")
    await a.commit()
    await silence(a, mine)
    assert await b.run("SELECT handfast_engine.rescue(10)") == 1
    assert await a.run(FINISH, job, token) == []


async def test_leaving_waits_for_a_claim_that_is_under_way(stage: Stage) -> None:
    """Its answer was lost; an ended worker's jobs are nobody's, so it takes them along."""
    a, b = await stage.sessions("a", "b")
    mine = await worker(a)
    job = await a.run(ENQUEUE, "t.job", "one")
    await a.begin()
    assert len(await a.rows(CLAIM, mine)) == 1
    leave = b.start("SELECT handfast_engine.end_worker($1)", mine)
    await stage.blocked("b", by="a")
    await a.commit()
    await leave
    assert await stage.state(job) == "ready"
    assert await stage.look("SELECT failures FROM handfast_engine.live WHERE id = $1", job) == 0


async def test_the_late_finisher_is_refused_and_the_next_one_is_not(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    first, job, old = await claimed(a)
    await silence(a, first)
    await b.run("SELECT handfast_engine.rescue(10)")
    second = await worker(b)
    [(again, new)] = await b.rows(CLAIM, second)
    assert again == job
    assert new > old
    assert await a.run(FINISH, job, old) == []
    assert await a.run("SELECT handfast_engine.fail($1, $2, 'logic', 'late')", job, old) is None
    assert (
        await a.run(
            "SELECT handfast_engine.hand_back(ARRAY[$1::bigint], ARRAY[$2::bigint])", job, old
        )
        == []
    )
    assert not await a.run(
        "SELECT handfast_engine.report_progress($1, $2, 0.5::real, 'late')", job, old
    )
    assert not await a.run("SELECT handfast_engine.acknowledge_cancel($1, $2)", job, old)
    assert await stage.state(job) == "running"
    assert await b.run(FINISH, job, new) == [job]
    assert await stage.look("SELECT token FROM handfast_engine.jobs WHERE id = $1", job) == new


async def test_what_a_claim_finds_on_its_way_did_not_start_before_it_was_free(stage: Stage) -> None:
    a, b, c = await stage.sessions("a", "b", "c")
    _, first, token = await claimed(a)
    then = await a.run(REQUIRING, "t.job", "two", '{"requires": [["t.job", "one"]]}')
    other = await worker(b)
    await c.begin()
    await c.run("SELECT 1 FROM handfast_engine.workers WHERE id = $1 FOR UPDATE", other)
    claim = b.start(CLAIM, other)
    await stage.blocked("b", by="c")
    assert await a.run(FINISH, first, token) == [first]
    await c.commit()
    await claim
    assert await stage.state(then) == "running"
    assert await stage.look(
        "SELECT l.started_at >= j.finished_at FROM handfast_engine.live AS l"
        " CROSS JOIN handfast_engine.jobs AS j WHERE l.id = $1 AND j.id = $2",
        then,
        first,
    )


async def test_two_rescuers_take_a_job_back_once(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    mine, job, _ = await claimed(a)
    await silence(a, mine)
    await a.begin()
    assert await a.run("SELECT handfast_engine.rescue(10)") == 1
    assert await b.run("SELECT handfast_engine.rescue(10)") == 0
    await a.commit()
    assert await stage.look("SELECT failures FROM handfast_engine.live WHERE id = $1", job) == 1


# --- anchors ----------------------------------------------------------------------------------


async def anchored(session: Session, key: str = "one") -> int:
    found: int = await session.run(
        REQUIRING, "t.job", key, '{"anchor": "kickoff", "offset": "-1 hour"}'
    )
    return found


async def test_an_anchor_moved_while_its_job_is_being_claimed(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    await a.run("SELECT handfast_engine.set_anchor('kickoff', handfast_db.now())")
    job = await anchored(a)
    mine = await worker(a)
    await a.begin()
    [(_, token)] = await a.rows(CLAIM, mine)
    move = b.start(
        "SELECT handfast_engine.set_anchor('kickoff', handfast_db.now() + interval '1 day')"
    )
    await stage.blocked("b", by="a")
    await a.commit()
    assert await move == 0, "it runs: it finishes as it is"
    assert await stage.state(job) == "running"
    # It does not finish: then it waits for the anchor where that is now.
    await a.run(
        "SELECT handfast_engine.hand_back(ARRAY[$1::bigint], ARRAY[$2::bigint])", job, token
    )
    assert await stage.state(job) == "scheduled"
    assert await stage.look(
        "SELECT due_at > handfast_db.now() + interval '22 hours' FROM handfast_engine.live"
    )


async def test_a_claim_passes_by_a_job_whose_anchor_is_being_moved(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    await a.run("SELECT handfast_engine.set_anchor('kickoff', handfast_db.now())")
    job = await anchored(a)
    mine = await worker(a)
    await b.begin()
    assert (
        await b.run(
            "SELECT handfast_engine.set_anchor('kickoff', handfast_db.now() + interval '1 day')"
        )
        == 1
    )
    assert await a.rows(CLAIM, mine) == []
    await b.commit()
    assert await a.rows(CLAIM, mine) == []
    assert await stage.state(job) == "scheduled"


async def test_enqueue_and_move_agree_on_where_the_anchor_is(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    await a.run("SELECT handfast_engine.set_anchor('kickoff', handfast_db.now())")
    await a.begin()
    await anchored(a)
    move = b.start("SELECT handfast_engine.set_anchor('kickoff', '2030-01-01 12:00+00')")
    await stage.blocked("b", by="a")
    await a.commit()
    assert await move == 1
    assert await stage.look("SELECT due_at = '2030-01-01 11:00+00' FROM handfast_engine.live")


async def test_an_anchor_cancelled_while_its_job_runs_and_fails(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    await a.run("SELECT handfast_engine.set_anchor('kickoff', handfast_db.now())")
    job = await anchored(a)
    mine = await worker(a)
    [(_, token)] = await a.rows(CLAIM, mine)
    assert await b.run("SELECT handfast_engine.cancel_anchor('kickoff', 'rain')") == 0
    assert (
        await a.run("SELECT handfast_engine.fail($1, $2, 'transient', 'x')", job, token)
        == "cancelled"
    )
    assert await b.run("SELECT handfast_engine.set_anchor('kickoff', '2030-01-01 12:00+00')") == 1
    assert await stage.state(job) == "scheduled"


async def test_an_anchor_is_being_cancelled_while_its_job_fails(stage: Stage) -> None:
    """Each way round: what fails meanwhile waits for nothing that will not come."""
    a, b = await stage.sessions("a", "b")
    await a.run("SELECT handfast_engine.set_anchor('kickoff', handfast_db.now())")
    jobs = [await anchored(a), await anchored(a, "two")]
    mine = await worker(a)
    [(_, first), (_, second)] = sorted(await a.rows(CLAIM, mine))
    await b.begin()
    assert await b.run("SELECT handfast_engine.cancel_anchor('kickoff', 'rain')") == 0
    failing = a.start("SELECT handfast_engine.fail($1, $2, 'transient', 'x')", jobs[0], first)
    await stage.blocked("a", by="b")
    await b.commit()
    assert await failing == "cancelled"
    await b.run("SELECT handfast_engine.set_anchor('kickoff', handfast_db.now())")
    await a.begin()
    await a.run("SELECT handfast_engine.fail($1, $2, 'transient', 'x')", jobs[1], second)
    cancelling = b.start("SELECT handfast_engine.cancel_anchor('kickoff', 'rain')")
    await stage.blocked("b", by="a")
    await a.commit()
    assert await cancelling == 2
    assert [await stage.state(job) for job in jobs] == ["cancelled", "cancelled"]


async def test_an_anchor_is_being_cancelled_while_its_job_is_revived(stage: Stage) -> None:
    """Each way round, as gap repair revives: nothing runs on an anchor that is cancelled."""
    a, b = await stage.sessions("a", "b")
    await a.run("SELECT handfast_engine.set_anchor('kickoff', handfast_db.now())")
    mine = await worker(a)
    jobs = [await anchored(a), await anchored(a, "two")]
    for job, token in await a.rows(CLAIM, mine):
        assert await a.run(FINISH, job, token) == [job]
    revive = (
        "SELECT handfast_engine.revive_same(j.id, j.token, NULL, '{}',"
        ' \'{"anchor": "kickoff", "offset": "-1 hour"}\')'
        " FROM handfast_engine.jobs AS j WHERE j.id = $1"
    )
    await b.begin()
    assert await b.run("SELECT handfast_engine.cancel_anchor('kickoff', 'rain')") == 0
    revival = a.start(revive, jobs[0])
    await stage.blocked("a", by="b")
    await b.commit()
    assert await revival
    assert await stage.state(jobs[0]) == "cancelled"
    assert await b.run("SELECT handfast_engine.set_anchor('kickoff', handfast_db.now())") == 1
    assert await stage.state(jobs[0]) == "ready"
    await a.begin()
    assert await a.run(revive, jobs[1])
    cancelling = b.start("SELECT handfast_engine.cancel_anchor('kickoff', 'rain')")
    await stage.blocked("b", by="a")
    await a.commit()
    assert await cancelling == 2
    assert [await stage.state(job) for job in jobs] == ["cancelled", "cancelled"]


# --- dead letters -----------------------------------------------------------------------------


async def test_requeue_against_completion(stage: Stage) -> None:
    """A zombie finishes while its job, dead since, is requeued: once each way round."""
    a, b, c = await stage.sessions("a", "b", "c")
    mine, job, token = await claimed(a)
    assert await b.run("SELECT handfast_engine.fail($1, $2, 'logic', 'x')", job, token) == "dead"
    await b.begin()
    assert await b.run("SELECT handfast_engine.requeue(ARRAY[$1::bigint])", job) == [job]
    assert await a.run(FINISH, job, token) == [], "the new life has not even committed"
    await b.commit()
    assert await a.run(FINISH, job, token) == []
    [(_, new)] = await c.rows(CLAIM, mine)
    assert new > token
    await c.begin()
    assert await c.run(FINISH, job, new) == [job]
    assert await b.run("SELECT handfast_engine.requeue(ARRAY[$1::bigint])", job) == []
    await c.commit()
    assert await b.run("SELECT handfast_engine.requeue(ARRAY[$1::bigint])", job) == []
    assert await stage.state(job) == "succeeded"


async def test_two_requeues_make_one_life(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    _, job, token = await claimed(a)
    await a.run("SELECT handfast_engine.fail($1, $2, 'logic', 'x')", job, token)
    await a.begin()
    assert await a.run("SELECT handfast_engine.requeue(ARRAY[$1::bigint])", job) == [job]
    second = b.start("SELECT handfast_engine.requeue(ARRAY[$1::bigint])", job)
    await stage.blocked("b", by="a")
    await a.commit()
    assert await second == []
    assert await stage.look("SELECT count(*) FROM handfast_engine.live") == 1


# --- chains -----------------------------------------------------------------------------------


async def test_a_prerequisite_dies_while_its_dependant_is_enqueued(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    _, first, token = await claimed(a, "first")
    await b.begin()
    second = await b.run(REQUIRING, "t.job", "second", '{"requires": [["t.job", "first"]]}')
    death = a.start("SELECT handfast_engine.fail($1, $2, 'logic', 'broken')", first, token)
    await stage.blocked("a", by="b")
    await b.commit()
    assert await death == "dead"
    assert await stage.state(second) == "blocked"
    assert "is dead" in await stage.look(
        "SELECT reason FROM handfast_engine.live WHERE id = $1", second
    )


async def test_the_dependant_comes_a_moment_after_the_death(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    mine, first, token = await claimed(a, "first")
    await a.begin()
    await a.run("SELECT handfast_engine.fail($1, $2, 'logic', 'broken')", first, token)
    enqueue = b.start(REQUIRING, "t.job", "second", '{"requires": [["t.job", "first"]]}')
    await stage.blocked("b", by="a")
    await a.commit()
    second = await enqueue
    assert "is dead" in await stage.look(
        "SELECT reason FROM handfast_engine.live WHERE id = $1", second
    )
    # And it is freed by the requeued prerequisite.
    await a.run("SELECT handfast_engine.requeue(ARRAY[$1::bigint])", first)
    assert await stage.look("SELECT reason FROM handfast_engine.live WHERE id = $1", second) is None
    [(_, token)] = await a.rows(CLAIM, mine)
    await a.run(FINISH, first, token)
    assert await stage.state(second) == "ready"


async def test_a_prerequisite_succeeds_while_its_dependant_is_enqueued(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    _, first, token = await claimed(a, "first")
    await b.begin()
    second = await b.run(REQUIRING, "t.job", "second", '{"requires": [["t.job", "first"]]}')
    success = a.start(FINISH, first, token)
    await stage.blocked("a", by="b")
    await b.commit()
    assert await success == [first]
    assert await stage.state(second) == "ready"


async def test_two_prerequisites_finish_at_once(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    mine = await worker(a)
    await a.run(ENQUEUE, "t.job", "p1")
    await a.run(ENQUEUE, "t.job", "p2")
    [(p1, t1), (p2, t2)] = await a.rows(CLAIM, mine)
    both = '{"requires": [["t.job", "p1"], ["t.job", "p2"]]}'
    last = await a.run(REQUIRING, "t.job", "last", both)
    await a.begin()
    await b.begin()
    assert await a.run(FINISH, p1, t1) == [p1]
    second = b.start(FINISH, p2, t2)
    await stage.blocked("b", by="a")
    await a.commit()
    assert await second == [p2]
    assert await stage.state(last) == "blocked"
    await b.commit()
    assert await stage.state(last) == "ready"


async def test_of_two_prerequisites_one_is_rolled_back(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    mine = await worker(a)
    await a.run(ENQUEUE, "t.job", "p1")
    await a.run(ENQUEUE, "t.job", "p2")
    [(p1, t1), (p2, t2)] = await a.rows(CLAIM, mine)
    both = '{"requires": [["t.job", "p1"], ["t.job", "p2"]]}'
    last = await a.run(REQUIRING, "t.job", "last", both)
    await a.begin()
    await a.run(FINISH, p1, t1)
    second = b.start(FINISH, p2, t2)
    await stage.blocked("b", by="a")
    await a.rollback()
    await second
    assert await stage.state(last) == "blocked"
    assert await a.run(FINISH, p1, t1) == [p1]
    assert await stage.state(last) == "ready"


async def test_a_dependant_is_revived_while_its_prerequisite_finishes(stage: Stage) -> None:
    """It must be counted as met or see that somebody waits; it was neither once."""
    a, b = await stage.sessions("a", "b")
    _, first, token = await claimed(a, "first")
    second = await a.run(REQUIRING, "t.job", "second", '{"requires": [["t.job", "first"]]}')
    await a.run("SELECT handfast_engine.cancel($1, 'not now')", second)
    await a.begin()
    await a.run(FINISH, first, token)
    revival = b.start("SELECT handfast_engine.revive($1)", second)
    await stage.blocked("b", by="a")
    await a.commit()
    assert await revival
    assert await stage.state(second) == "ready"


async def test_a_prerequisite_finishes_while_its_dependant_is_revived(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    _, first, token = await claimed(a, "first")
    second = await a.run(REQUIRING, "t.job", "second", '{"requires": [["t.job", "first"]]}')
    await a.run("SELECT handfast_engine.cancel($1, 'not now')", second)
    await b.begin()
    assert await b.run("SELECT handfast_engine.revive($1)", second)
    success = a.start(FINISH, first, token)
    await stage.blocked("a", by="b")
    await b.commit()
    assert await success == [first]
    assert await stage.state(second) == "ready"


# --- enqueueing -------------------------------------------------------------------------------


@pytest.mark.parametrize("commits", [True, False])
async def test_two_enqueues_of_one_identity(stage: Stage, commits: bool) -> None:
    a, b = await stage.sessions("a", "b")
    await a.begin()
    first = await a.run(ENQUEUE, "t.job", "one")
    second = b.start_rows("SELECT id, created FROM handfast_engine.enqueue('t.job', 'one')")
    await stage.blocked("b", by="a")
    await (a.commit() if commits else a.rollback())
    [(found, created)] = await second
    assert created is not commits
    assert (found == first) is commits
    assert await stage.look("SELECT count(*) FROM handfast_engine.jobs") == 1
    assert await stage.look("SELECT count(*) FROM handfast_engine.live") == 1


async def test_overlapping_bulks_in_opposite_orders_do_not_deadlock(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    bulk = (
        "SELECT id FROM handfast_engine.enqueue_many('t.job', $1::text[], "
        "array_fill('{}'::jsonb, ARRAY[cardinality($1::text[])]))"
    )
    for n in range(5):  # the interesting moment is within the statement; try a few
        keys = [f"{n}-{key}" for key in range(2000)]
        await a.begin()
        await b.begin()
        first = a.start_rows(bulk, keys)
        second = b.start_rows(bulk, keys[::-1])
        mine, yours = await asyncio.gather(_committed(a, first), _committed(b, second))
        assert mine == yours[::-1]
    assert await stage.look("SELECT count(*) FROM handfast_engine.jobs") == 10_000


async def _committed(session: Session, bulk: "asyncio.Task[list[tuple[Any, ...]]]") -> list[int]:
    ids = [row[0] for row in await bulk]
    await session.commit()
    return ids


# --- forgetting -------------------------------------------------------------------------------


async def old_identity(session: Session, key: str) -> int:
    """Of a kind whose horizon has passed."""
    await session.run(
        "INSERT INTO handfast_engine.kinds (kind, policy, horizon) VALUES ('t.old', '{}', '1 day')"
        " ON CONFLICT DO NOTHING"
    )
    job: int = await session.run(ENQUEUE, "t.old", key)
    await session.run("SELECT handfast_engine.cancel($1, 'x')", job)
    await session.run(
        "UPDATE handfast_engine.jobs SET finished_at = finished_at - interval '2 days'"
        " WHERE id = $1",
        job,
    )
    return job


async def test_an_identity_is_depended_on_while_it_is_forgotten(stage: Stage) -> None:
    """The dependant is refused: else it would wait for what is gone."""
    a, b, c = await stage.sessions("a", "b", "c")
    for key in ("before", "first"):
        await old_identity(a, key)
    # It stops while it deletes the one before. (One by one: a hash would hold all of them by then.)
    await b.connection.execute("SET enable_hashjoin = off; SET enable_mergejoin = off")
    await a.connection.execute(
        "CREATE FUNCTION public.halt() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN OLD; END $$;"
        "CREATE TRIGGER halt BEFORE DELETE ON handfast_engine.jobs FOR EACH ROW"
        " WHEN (OLD.key = 'before') EXECUTE FUNCTION public.halt()"
    )
    await c.begin()
    await c.run("SELECT pg_advisory_xact_lock(7)")
    forgetting = b.start("SELECT handfast_engine.forget_identities(0, 100)")
    await stage.blocked("b", by="c")
    dependant = a.start(REQUIRING, "t.job", "second", '{"requires": [["t.old", "first"]]}')
    await stage.blocked("a", by="b")
    await c.commit()
    await forgetting
    with pytest.raises(asyncpg.ForeignKeyViolationError, match="does not exist"):
        await dependant


async def test_an_identity_that_somebody_came_to_depend_on_is_kept(stage: Stage) -> None:
    """Also when forgetting looked a moment before, and waits for nobody."""
    a, b = await stage.sessions("a", "b")
    first = await old_identity(a, "first")
    await a.begin()
    second = await a.run(REQUIRING, "t.job", "second", '{"requires": [["t.old", "first"]]}')
    await b.run("SELECT handfast_engine.forget_identities(0, 100)")
    await a.commit()
    await b.run("SELECT handfast_engine.forget_identities(0, 100)")
    assert await stage.state(first) == "cancelled"
    await a.run("SELECT handfast_engine.revive($1, NULL, '{}')", first)
    mine = await worker(a)
    [(_, token)] = await a.rows(CLAIM, mine)
    await a.run(FINISH, first, token)
    assert await stage.state(second) == "ready"


# --- cancelling -------------------------------------------------------------------------------


async def test_cancel_waits_for_a_claim_and_then_asks_it_to_stop(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    mine = await worker(a)
    job = await a.run(ENQUEUE, "t.job", "one")
    await a.begin()
    [(_, token)] = await a.rows(CLAIM, mine)
    cancel = b.start("SELECT handfast_engine.cancel($1, 'enough')", job)
    await stage.blocked("b", by="a")
    await a.commit()
    assert await cancel == "running"
    assert await a.run("SELECT handfast_engine.beat($1, '1 hour')", mine) == [job]
    assert await a.run("SELECT handfast_engine.acknowledge_cancel($1, $2)", job, token)
    assert await stage.state(job) == "cancelled"


async def test_a_claim_passes_by_a_job_that_is_being_cancelled(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    mine = await worker(a)
    job = await a.run(ENQUEUE, "t.job", "one")
    await b.begin()
    assert await b.run("SELECT handfast_engine.cancel($1, 'enough')", job) == "cancelled"
    assert await a.rows(CLAIM, mine) == []
    await b.rollback()
    assert len(await a.rows(CLAIM, mine)) == 1


@pytest.mark.parametrize("how", ["fails", "is lost", "is handed back"])
async def test_a_job_that_is_told_to_stop_does_not_run_again(stage: Stage, how: str) -> None:
    a, b = await stage.sessions("a", "b")
    mine, job, token = await claimed(a)
    assert await b.run("SELECT handfast_engine.cancel($1, 'enough')", job) == "running"
    if how == "fails":
        await a.run("SELECT handfast_engine.fail($1, $2, 'transient', 'x')", job, token)
    elif how == "is lost":
        await silence(a, mine)
        await b.run("SELECT handfast_engine.rescue(10)")
    else:
        await a.run(
            "SELECT handfast_engine.hand_back(ARRAY[$1::bigint], ARRAY[$2::bigint])", job, token
        )
    assert await stage.state(job) == "cancelled"


async def test_cancel_against_completion(stage: Stage) -> None:
    a, b = await stage.sessions("a", "b")
    _, job, token = await claimed(a)
    await a.begin()
    await a.run(FINISH, job, token)
    cancel = b.start("SELECT handfast_engine.cancel($1, 'enough')", job)
    await stage.blocked("b", by="a")
    await a.commit()
    assert await cancel == "succeeded"
