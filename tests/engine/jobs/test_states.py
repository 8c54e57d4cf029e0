"""Every pair of states, tried against the database."""

import asyncpg
import pytest

from handfast.db.pool import Database
from handfast.engine.errors import JobMoveRefused
from handfast.engine.jobs.states import FINAL, MOVES, JobState
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_every_postgres

PAIRS = [(a, b) for a in JobState for b in JobState if a is not b]
LIVE = [state for state in JobState if state not in FINAL]


async def in_state(shop: Workers, state: JobState) -> int:
    """A job that got there by the engine's own functions."""
    if state is JobState.BLOCKED:
        await shop.enqueue("t.first", "first", priority=900)
        return await shop.enqueue("t.job", "one", requires=[("t.first", "first")])
    job = await shop.enqueue("t.job", "one")
    if state is JobState.SCHEDULED:
        await shop.fetch("SELECT handfast_engine.set_anchor('a', handfast_db.now())")
        await shop.fetch(
            "UPDATE handfast_engine.live SET state = 'scheduled', due_at = handfast_db.now() +"
            " interval '1 h'"
        )
    elif state in (JobState.CANCELLED, JobState.SKIPPED):
        await shop.fetch("SELECT handfast_engine.withdraw($1, $2, 'why')", job, state)
    elif state is not JobState.READY:
        token = await shop.fetch(
            "SELECT token FROM handfast_engine.claim(NULL, '{default}', 1, '1 h')"
        )
        if state is JobState.SUCCEEDED:
            await shop.fetch(
                "SELECT handfast_engine.finish(ARRAY[$1::bigint], ARRAY[$2::bigint])", job, token
            )
        elif state is JobState.DEAD:
            await shop.fetch("SELECT handfast_engine.fail($1, $2, 'logic', 'x')", job, token)
    assert await shop.state(job) == state
    return job


async def move(shop: Workers, job: int, old: JobState, new: JobState) -> None:
    """By hand, telling the truth about where it comes from."""
    columns = {
        "running": "started_at = handfast_db.now(), lease_until = handfast_db.now()",
        "blocked": "started_at = NULL, waits_for = 1",
    }.get(new, "started_at = NULL")
    async with shop.database.transaction() as tx:
        if old not in FINAL and new not in FINAL:
            await tx.execute(
                f"UPDATE handfast_engine.live SET state = $2, {columns} WHERE id = $1", job, new
            )
        elif new in FINAL:
            await tx.execute("DELETE FROM handfast_engine.live WHERE id = $1", job)
            await tx.execute(
                "UPDATE handfast_engine.jobs SET state = $2, came_from = $3 WHERE id = $1",
                job,
                new,
                None if old in FINAL else old,
            )
        else:
            await tx.execute(
                "INSERT INTO handfast_engine.live (id, token, due_at, first_due_at, state,"
                " kind, key, "
                "waits_for) VALUES ($1, 1, handfast_db.now(), handfast_db.now(), $2, 't.job',"
                " 'one', $3)",
                job,
                new,
                int(new is JobState.BLOCKED),
            )
            await tx.execute(
                "UPDATE handfast_engine.jobs SET state = NULL, came_from = NULL WHERE id = $1", job
            )


@pytest.mark.parametrize(("old", "new"), PAIRS, ids=str)
async def test_the_database_allows_what_the_table_allows(
    shop: Workers, old: JobState, new: JobState
) -> None:
    job = await in_state(shop, old)
    if new in MOVES[old]:
        await move(shop, job, old, new)
        assert await shop.state(job) == new
    else:
        with pytest.raises(JobMoveRefused):
            await move(shop, job, old, new)
        assert await shop.state(job) == old


async def test_every_state_has_its_row(database: Database) -> None:
    async with database.connection() as connection:
        stored = await connection.fetchval(
            "SELECT enum_range(NULL::handfast_engine.job_state)::text[]"
        )
    assert stored == list(JobState)
    assert set(MOVES) == set(JobState)


@pytest.mark.parametrize("state", sorted(FINAL))
async def test_a_final_state_is_not_left_for_nothing(shop: Workers, state: JobState) -> None:
    job = await in_state(shop, state)
    with pytest.raises(asyncpg.CheckViolationError, match="to nothing"):
        await shop.fetch(
            "UPDATE handfast_engine.jobs SET state = NULL, came_from = NULL WHERE id = $1", job
        )


async def test_the_fence_is_never_lowered(shop: Workers) -> None:
    job = await in_state(shop, JobState.SUCCEEDED)
    with pytest.raises(asyncpg.CheckViolationError):
        await shop.fetch("UPDATE handfast_engine.jobs SET token = 0 WHERE id = $1", job)
