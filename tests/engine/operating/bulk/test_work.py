"""Bulk actions carried out: each job once, whoever dies meanwhile, whoever wants the opposite."""

import asyncio
import os
import signal
import sys
import time
from datetime import timedelta
from typing import Any

import pytest

from handfast.base.errors import Conflict
from handfast.db.pool import Database
from handfast.engine.errors import GapsNotRepaired
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.jobs.kinds import Kinds, declare
from handfast.engine.jobs.states import JobState
from handfast.engine.maintenance.retention import Retention
from handfast.engine.operating.audit import AuditFilter, list_audit
from handfast.engine.operating.bulk.records import (
    KIND,
    BulkState,
    BulkView,
    ask,
    get_bulk,
    preview,
)
from handfast.engine.operating.bulk.request import BulkAction
from handfast.engine.operating.bulk.work import BulkWork, operating_crew
from handfast.engine.operating.dead_letters import requeue
from handfast.engine.work.context import Context
from tests.engine.operating.bulk.test_records import ANNA, BERT, NOW, asked, undone, wanted
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.interleave import Stage
from tests.support.jobs import claim, enqueue, program, running_attempt, succeed
from tests.support.letters import make_dead

pytestmark = pytest.mark.on_every_postgres

PAGES = 25
CLAIM = "SELECT id, token FROM handfast_engine.claim(NULL, ARRAY[$1], $2, interval '5 minutes')"


async def found(database: Database, bulk: int) -> BulkView:
    async with database.connection() as connection:
        return await get_bulk(connection, bulk)


async def start(database: Database, *bulks: BulkView) -> None:
    """The time for undoing is over."""
    async with database.connection() as connection:
        for bulk in bulks:
            await connection.fetchrow("SELECT * FROM handfast_engine.retry($1)", bulk.job_id)


async def carry_out(database: Database, *bulks: BulkView, **more: Any) -> None:
    """All of them at once, in this process."""
    await start(database, *bulks)
    held = await claim(database, "operating")
    work = BulkWork(
        database, more.get("expectations", Expectations()), more.get("kinds", Kinds()), rows=50
    )
    contexts = [
        running_attempt(database, bulk.job_id or 0, held[bulk.job_id or 0]) for bulk in bulks
    ]
    async with asyncio.TaskGroup() as tasks:
        for bulk, context in zip(bulks, contexts, strict=True):
            tasks.create_task(work.carry_out(context, bulk.id))
    async with database.connection() as connection:
        await connection.fetch(
            "SELECT handfast_engine.finish($1::bigint[], $2::bigint[])",
            [context.job_id for context in contexts],
            [context.token for context in contexts],
        )


async def count(database: Database, sql: str, *args: Any) -> Any:
    async with database.connection() as connection:
        return await connection.fetchval(sql, *args)


LIVE = "SELECT count(*) FROM handfast_engine.live WHERE kind = 'b.a'"
DISCARDED = "SELECT count(*) FROM handfast_engine.dead WHERE discarded_at IS NOT NULL"


async def audited(database: Database, action: str) -> list[tuple[str, str]]:
    async with database.connection() as connection:
        page = await list_audit(connection, AuditFilter(action=action), limit=1000)
    return [(one.subject, one.actor) for one in page.entries]


async def test_requeue_and_its_audit(database: Database) -> None:
    await make_dead(database, "b.a", 120)
    await make_dead(database, "b.b", 5)
    bulk = await asked(database, wanted(BulkAction.REQUEUE, kind="b.a"))
    await make_dead(database, "b.a", 130)  # ten more, that died later
    await carry_out(database, bulk)
    done = await found(database, bulk.id)
    assert (done.state, done.changed, done.passed) == (BulkState.DONE, 120, 0)
    assert await count(database, LIVE) == 120
    rows = await audited(database, "dead.requeue")
    assert len(set(rows)) == len(rows) == 120
    assert {actor for _, actor in rows} == {"anna"}


async def test_discard(database: Database) -> None:
    await make_dead(database, "b.a", 120)
    bulk = await asked(database, wanted(BulkAction.DISCARD, text="boom"))
    await carry_out(database, bulk)
    assert (await found(database, bulk.id)).changed == 120
    assert await count(database, DISCARDED) == 120


async def test_retry_and_cancel(database: Database) -> None:
    for number in range(120):
        await enqueue(database, "b.a", f"{number:03}", due="1 hour", lane="x")
    await enqueue(database, "b.b", "other", due="1 hour")
    bulk = await asked(database, wanted(BulkAction.RETRY, kind="b.a", key="00"))
    later = await enqueue(database, "b.a", "00-later", due="1 hour", lane="x")
    await carry_out(database, bulk)
    assert (await found(database, bulk.id)).changed == 10
    assert await count(database, LIVE + " AND state = 'ready'") == 10
    for request in (wanted(BulkAction.CANCEL, lane="x"), wanted(BulkAction.CANCEL, kind="b.b")):
        bulk = await asked(database, request)
        await carry_out(database, bulk)
        assert (await found(database, bulk.id)).changed == bulk.matched
    assert await count(database, LIVE) == 0
    assert await count(
        database, "SELECT state::text FROM handfast_engine.jobs WHERE id = $1", later
    )


async def test_what_left_the_state_of_the_filter_is_passed(database: Database, dsn: str) -> None:
    """Cancel what waits, and let finish what runs: a worker claims one of them meanwhile."""
    for number in range(5):
        await enqueue(database, "b.a", str(number), lane="x")
    bulk = await asked(database, wanted(BulkAction.CANCEL, lane="x", state=JobState.READY))
    async with Stage(dsn) as stage:
        (worker,) = await stage.sessions("worker")
        await worker.begin()
        await worker.rows(CLAIM, "x", 2)
        page = asyncio.create_task(carry_out(database, bulk))
        await stage.blocking("worker")
        await worker.commit()
        await page
    done = await found(database, bulk.id)
    assert (done.matched, done.changed, done.passed) == (5, 3, 2)
    assert await count(database, LIVE + " AND state = 'running' AND NOT cancelling") == 2
    assert len(await audited(database, "job.cancel")) == 3


async def test_what_died_meanwhile_is_not_requeued(database: Database, dsn: str) -> None:
    """Retrying is for what waits for its time; a dead letter waits for a person."""
    job = await enqueue(database, "b.a", "1", due="1 hour", lane="x")
    bulk = await asked(database, wanted(BulkAction.RETRY, lane="x"))
    async with Stage(dsn) as stage:
        (worker,) = await stage.sessions("worker")
        await worker.begin()
        await worker.run("SELECT changed FROM handfast_engine.retry($1)", job)
        ((_, token),) = await worker.rows(CLAIM, "x", 1)
        await worker.run(
            "SELECT handfast_engine.fail($1, $2, 'logic', 'boom', NULL, NULL)", job, token
        )
        page = asyncio.create_task(carry_out(database, bulk))
        await stage.blocking("worker")
        await worker.commit()
        await page
    done = await found(database, bulk.id)
    assert (done.matched, done.changed, done.passed) == (1, 0, 1)
    assert await count(database, LIVE) == 0


async def test_revive_passes_what_was_pruned(database: Database) -> None:
    for number in range(60):
        await enqueue(database, "b.a", f"{number:02}")
    await succeed(database)
    async with database.connection() as connection:
        await connection.execute(
            "DELETE FROM handfast_engine.attempts AS a USING handfast_engine.jobs AS j"
            " WHERE j.id = a.job_id AND j.key = '17'"
        )
    bulk = await asked(database, wanted(BulkAction.REVIVE), everything=True)
    await carry_out(database, bulk)
    done = await found(database, bulk.id)
    assert (done.matched, done.changed, done.passed) == (60, 59, 1)
    assert await count(database, LIVE) == 59


async def test_repair(database: Database, dsn: str) -> None:
    hf = program(database, dsn)

    @hf.job("b.a")
    async def one(ctx: Context) -> None: ...

    hf.expect(
        "ones",
        kind=one,
        window=timedelta(hours=1),
        sql="SELECT 'expected' AS key, '{}'::jsonb AS payload, $1::timestamptz AS due_at,"
        " $2::timestamptz IS NULL AS result_exists",
    )
    request = wanted(BulkAction.REPAIR, expectation="ones")
    counted = await preview(database, request, hf.expectations)
    assert counted.matched == 1
    async with database.transaction() as tx:
        bulk = await ask(tx, request, counted, by=ANNA, reason="because")
    await carry_out(database, bulk, expectations=hf.expectations, kinds=hf.kinds)
    done = await found(database, bulk.id)
    assert (done.state, done.changed) == (BulkState.DONE, 1)
    assert await count(database, LIVE) == 1


async def test_a_repair_that_failed_is_tried_again(database: Database, dsn: str) -> None:
    """The query of one of two breaks after it was asked for: the other is repaired, the attempt
    fails and says why, and the next one does the rest."""
    hf = program(database, dsn)

    @hf.job("b.a")
    async def one(ctx: Context) -> None: ...

    for name in ("broken", "sound"):
        hf.expect(
            name,
            kind=one,
            window=timedelta(hours=1),
            sql=f"SELECT key, '{{}}'::jsonb AS payload, $1::timestamptz AS due_at,"
            f" $2::timestamptz IS NULL AS result_exists FROM public.{name}",
        )
    async with database.connection() as connection:
        for name in ("broken", "sound"):
            await connection.execute(f"CREATE TABLE public.{name} AS SELECT '{name}' AS key")
    request = wanted(BulkAction.REPAIR)
    counted = await preview(database, request, hf.expectations)
    assert counted.matched == 2
    async with database.transaction() as tx:
        bulk = await ask(tx, request, counted, by=ANNA, reason="because", everything=True)
        await tx.execute("ALTER TABLE public.broken RENAME TO away")
    await start(database, bulk)
    ((job, token),) = (await claim(database, "operating")).items()
    work = BulkWork(database, hf.expectations, hf.kinds)
    with pytest.raises(GapsNotRepaired, match=r'broken: .* "public.broken" does not exist') as why:
        await work.carry_out(running_attempt(database, job, token), bulk.id)
    assert "sound" not in str(why.value)
    fail = "SELECT handfast_engine.fail($1, $2, 'transient', $3)::text"
    assert await count(database, fail, job, token, str(why.value)) == "scheduled"
    half = await found(database, bulk.id)
    assert (half.state, half.changed) == (BulkState.RUNNING, 1)
    async with database.connection() as connection:
        await connection.execute("ALTER TABLE public.away RENAME TO broken")
    await carry_out(database, bulk, expectations=hf.expectations, kinds=hf.kinds)
    done = await found(database, bulk.id)
    assert (done.state, done.changed) == (BulkState.DONE, 2)
    assert await count(database, LIVE) == 2


async def test_two_operators_who_want_the_opposite(database: Database) -> None:
    """Each letter goes one way or the other, and no page waits for ever."""
    await make_dead(database, "b.a", 1000)
    bulks = [
        await asked(database, wanted(BulkAction.REQUEUE, kind="b.a"), ANNA),
        await asked(database, wanted(BulkAction.DISCARD, text="boom"), BERT),
    ]
    await carry_out(database, *bulks)
    back, gone = [await found(database, bulk.id) for bulk in bulks]
    assert back.changed + gone.changed == 1000
    assert (await count(database, LIVE), await count(database, DISCARDED)) == (
        back.changed,
        gone.changed,
    )
    rows = await audited(database, "dead.requeue") + await audited(database, "dead.discard")
    assert len({subject for subject, _ in rows}) == len(rows) == 1000


@pytest.mark.parametrize("where", [{"text": "boom"}, {"kind": "b.a"}], ids=["text", "kind"])
async def test_killed_when_nothing_was_left(database: Database, where: dict[str, str]) -> None:
    """Somebody was faster: the only page finds no letter at all. Then the process dies before the
    job is finished, and another begins where there is no place yet."""
    await make_dead(database, "b.a", 3)
    bulk = await asked(database, wanted(BulkAction.REQUEUE, **where))
    async with database.transaction() as tx:
        letters = "SELECT array_agg(job_id) FROM handfast_engine.dead"
        assert len(await requeue(tx, await tx.fetchval(letters))) == 3
    await start(database, bulk)
    ((job, token),) = (await claim(database, "operating")).items()
    work = BulkWork(database, Expectations(), Kinds())
    for _ in range(2):
        await work.carry_out(running_attempt(database, job, token), bulk.id)
        left = await found(database, bulk.id)
        assert (left.state, left.changed, left.passed) == (BulkState.RUNNING, 0, 0)
        with pytest.raises(Conflict, match="too late"):
            await undone(database, bulk.id)


async def test_what_was_done_stays_done(database: Database) -> None:
    """Its state is that of its job: the identity is kept as long as the row that says so."""
    await declare(database, list(operating_crew(database, Expectations(), Kinds()).kinds))
    await freeze(database, NOW)
    await make_dead(database, "b.a", 3)
    bulk = await asked(database, wanted(BulkAction.REQUEUE, kind="b.a"))
    await carry_out(database, bulk)
    await freeze(database, NOW + timedelta(days=1000))
    await Retention(database).forget()
    done = await found(database, bulk.id)
    assert (done.state, done.changed) == (BulkState.DONE, 3)


async def test_it_may_take_as_long_as_it_takes(database: Database) -> None:
    """Each statement of a page has its own limit; there is none for how many pages there are."""
    kind = operating_crew(database, Expectations(), Kinds()).kinds.get(KIND)
    assert kind is not None
    assert kind.timeout is None


async def test_undone_before_it_began(database: Database) -> None:
    await make_dead(database, "b.a", 120)
    bulk = await asked(database, wanted(BulkAction.REQUEUE, kind="b.a"))
    await undone(database, bulk.id)
    await start(database, bulk)
    assert await claim(database, "operating") == {}
    assert await count(database, LIVE) == 0


async def working(dsn: str, rows: int, dies_in: int = 0) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.bulk_process", str(rows), str(dies_in)),
        env={**os.environ, "DATABASE_URL": dsn},
    )


@pytest.fixture
def letters(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--bulk-letters"))


@pytest.mark.timeout(0)  # --bulk-letters can make it long
async def test_killed_in_the_middle(database: Database, dsn: str, letters: int) -> None:
    """Within a page that is done and not committed; another goes on from the place before it."""
    rows = letters // PAGES
    await make_dead(database, "b.a", letters)
    bulk = await asked(database, wanted(BulkAction.REQUEUE, kind="b.a"))
    await start(database, bulk)
    victim = await working(dsn, rows, dies_in=10)
    assert await victim.wait() == -signal.SIGKILL
    half = await found(database, bulk.id)
    assert (half.state, half.changed) == (BulkState.RUNNING, 9 * rows)
    assert await count(database, LIVE) == 9 * rows
    heir = await working(dsn, rows)
    began = time.monotonic()

    async def is_done() -> bool:
        return (await found(database, bulk.id)).state is BulkState.DONE

    try:
        await eventually_async(is_done, within=120 + letters / 100)
    finally:
        heir.kill()
        await heir.wait()
    done = await found(database, bulk.id)
    took = time.monotonic() - began
    sys.stdout.write(f"the last {letters - 9 * rows:,} of {letters:,} took {took:.1f} s\n")
    assert (done.changed, done.passed) == (letters, 0)
    assert await count(database, LIVE) == letters
    once = "SELECT count(DISTINCT subject) = count(*) AND count(*) = $1 FROM handfast_engine.audit"
    assert await count(database, once, letters)


@pytest.mark.timeout(0)
async def test_undone_in_another_run(database: Database, dsn: str, letters: int) -> None:
    """The worker is there and would begin. What was asked for after it is done; this is not."""
    await make_dead(database, "b.a", letters)
    await make_dead(database, "b.b", 10, lane="other")
    first = await asked(database, wanted(BulkAction.REQUEUE, kind="b.a"))
    worker = await working(dsn, letters // PAGES)
    try:
        assert (await undone(database, first.id)).state is BulkState.UNDONE
        await start(database, first)  # too late: its job has ended
        second = await asked(database, wanted(BulkAction.REQUEUE, kind="b.b"))
        await start(database, second)

        async def is_done() -> bool:
            return (await found(database, second.id)).state is BulkState.DONE

        await eventually_async(is_done)
    finally:
        worker.kill()
        await worker.wait()
    left = await found(database, first.id)
    assert (left.state, left.changed, left.passed) == (BulkState.UNDONE, 0, 0)
    assert await count(database, LIVE) == 0
    dead = "SELECT count(*) FROM handfast_engine.dead WHERE kind = 'b.a' AND discarded_at IS NULL"
    assert await count(database, dead) == letters
