"""Each reason why a job does not run, produced for real and answered."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from handfast.base.errors import NotFound
from handfast.db.pool import Database
from handfast.engine.jobs.states import JobState
from handfast.engine.operating import operations
from handfast.engine.operating.pauses import Pausable, pause
from handfast.engine.operating.why import WhyCode, WhyReason, why
from tests.support.clock import freeze
from tests.support.jobs import claim, die, enqueue, succeed

pytestmark = pytest.mark.on_every_postgres

NOW = datetime(2026, 2, 19, 9, tzinfo=UTC)

Produce = Callable[[Database], Awaitable[int]]


async def sql(database: Database, text: str, *args: object) -> object:
    async with database.connection() as connection:
        return await connection.fetchval(text, *args)


async def hire(database: Database, lane: str = "default", kind: str | None = None) -> int:
    """A registered worker that listens to this lane."""
    found = await sql(
        database,
        "SELECT handfast_engine.register_worker('w', ARRAY[$1], interval '5 minutes', $2)",
        lane,
        None if kind is None else [kind],
    )
    assert isinstance(found, int)
    return found


async def claimed_by_worker(database: Database) -> int:
    worker = await hire(database)
    job = await enqueue(database, "w.a", "1")
    await sql(
        database, "SELECT count(*) FROM handfast_engine.claim($1, ARRAY['default'], 1)", worker
    )
    return job


async def running(database: Database) -> int:
    return await claimed_by_worker(database)


async def cancelling(database: Database) -> int:
    job = await claimed_by_worker(database)
    async with database.transaction() as tx:
        assert await operations.cancel(tx, job, "enough") is JobState.RUNNING
    return job


async def lost(database: Database) -> int:
    job = await claimed_by_worker(database)
    await freeze(database, NOW + timedelta(minutes=6))
    return job


async def due_later(database: Database) -> int:
    await hire(database)
    return await enqueue(database, "w.a", "1", due="1 hour")


async def retried(database: Database) -> int:
    await hire(database)
    job = await enqueue(database, "w.a", "1")
    [(_, token)] = (await claim(database)).items()
    await sql(database, "SELECT handfast_engine.fail($1, $2, 'transient', 'no route')", job, token)
    return job


async def overdue(database: Database) -> int:
    await hire(database)
    job = await enqueue(database, "w.a", "1", due="1 minute")
    await freeze(database, NOW + timedelta(minutes=2))
    return job


async def blocked(database: Database) -> int:
    await hire(database)
    await enqueue(database, "w.a", "first", due="1 hour")
    return await enqueue(database, "w.a", "2", requires=[["w.a", "first"]])


async def blocked_by_end(database: Database) -> int:
    await hire(database)
    await enqueue(database, "w.a", "first")
    job = await enqueue(database, "w.a", "2", requires=[["w.a", "first"]])
    await die(database)
    return job


async def lane_paused(database: Database) -> int:
    await hire(database)
    async with database.transaction() as tx:
        await pause(tx, Pausable.LANE, "default", by="anna", reason="the shop moves")
    return await enqueue(database, "w.a", "1")


async def kind_paused(database: Database) -> int:
    await hire(database)
    async with database.transaction() as tx:
        await pause(tx, Pausable.KIND, "w.a", by="anna", reason="the shop moves")
    return await enqueue(database, "w.a", "1")


async def group_full(database: Database) -> int:
    await hire(database)
    await sql(database, "SELECT handfast_engine.make_group('shop', 1)")
    for key in ("1", "2"):
        job = await enqueue(database, "w.a", key, group="shop")
    assert len(await claim(database)) == 1
    return job


async def shared_group_full(database: Database) -> int:
    await hire(database)
    for name in ("all", "one", "two"):
        await sql(database, "SELECT handfast_engine.make_group($1, 1)", name)
    await sql(database, "UPDATE handfast_engine.groups SET shares = 'all' WHERE name <> 'all'")
    await enqueue(database, "w.a", "1", group="one")
    assert len(await claim(database)) == 1
    return await enqueue(database, "w.a", "2", group="two")


async def no_worker(database: Database) -> int:
    return await enqueue(database, "w.a", "1")


async def lane_without_worker(database: Database) -> int:
    await hire(database, "other")
    return await enqueue(database, "w.a", "1")


async def kind_without_worker(database: Database) -> int:
    await hire(database, "default", "w.b")
    return await enqueue(database, "w.a", "1")


async def next_one(database: Database) -> int:
    await hire(database)
    return await enqueue(database, "w.a", "1")


async def succeeded(database: Database) -> int:
    job = await enqueue(database, "w.a", "1")
    await succeed(database)
    return job


async def cancelled(database: Database) -> int:
    job = await enqueue(database, "w.a", "1")
    async with database.transaction() as tx:
        await operations.cancel(tx, job)
    return job


async def skipped(database: Database) -> int:
    job = await enqueue(database, "w.a", "1")
    await sql(database, "SELECT handfast_engine.withdraw($1, 'skipped', 'late')", job)
    return job


async def dead(database: Database) -> int:
    job = await enqueue(database, "w.a", "1")
    await die(database)
    return job


async def discarded(database: Database) -> int:
    job = await dead(database)
    await sql(
        database, "SELECT handfast_engine.discard(ARRAY[$1::bigint], 'nobody misses it')", job
    )
    return job


PRODUCED: dict[WhyCode, Produce] = {
    WhyCode.RUNNING: running,
    WhyCode.CANCELLING: cancelling,
    WhyCode.LOST: lost,
    WhyCode.DUE_AT: due_later,
    WhyCode.RETRY_AT: retried,
    WhyCode.OVERDUE: overdue,
    WhyCode.BLOCKED: blocked,
    WhyCode.BLOCKED_BY_END: blocked_by_end,
    WhyCode.LANE_PAUSED: lane_paused,
    WhyCode.KIND_PAUSED: kind_paused,
    WhyCode.GROUP_FULL: group_full,
    WhyCode.SHARED_GROUP_FULL: shared_group_full,
    WhyCode.NO_WORKER: no_worker,
    WhyCode.LANE_WITHOUT_WORKER: lane_without_worker,
    WhyCode.KIND_WITHOUT_WORKER: kind_without_worker,
    WhyCode.NEXT: next_one,
    WhyCode.SUCCEEDED: succeeded,
    WhyCode.CANCELLED: cancelled,
    WhyCode.SKIPPED: skipped,
    WhyCode.DEAD: dead,
    WhyCode.DISCARDED: discarded,
}
NOTES = {
    WhyCode.CANCELLING: "enough",
    WhyCode.RETRY_AT: "no route",
    WhyCode.BLOCKED_BY_END: "prerequisite w.a first is dead",
    WhyCode.LANE_PAUSED: "the shop moves",
    WhyCode.KIND_PAUSED: "the shop moves",
    WhyCode.DISCARDED: "nobody misses it",
}


async def asked(database: Database, job: int) -> list[WhyReason]:
    async with database.connection() as connection:
        return await why(connection, job)


def test_every_reason_is_produced() -> None:
    assert set(PRODUCED) == set(WhyCode)


@pytest.mark.parametrize("code", WhyCode)
async def test_each_reason(database: Database, code: WhyCode) -> None:
    await freeze(database, NOW)
    [reason] = await asked(database, await PRODUCED[code](database))
    assert reason.code is code
    assert reason.text.endswith(".")
    assert reason.note == NOTES.get(code)
    for words in NOTES.values():
        assert words not in reason.text, (
            "what people wrote is in the note, which viewers do not see"
        )


async def test_when_and_for_whom(database: Database) -> None:
    await freeze(database, NOW)
    job = await blocked(database)
    [reason] = await asked(database, job)
    [first] = reason.jobs
    assert (first.kind, first.key, first.state) == ("w.a", "first", "scheduled")
    [due] = await asked(database, first.id)
    assert due.at == NOW + timedelta(hours=1)


async def test_all_that_stand_in_the_way(database: Database) -> None:
    async with database.transaction() as tx:
        await pause(tx, Pausable.LANE, "default", by="anna", reason="a")
        await pause(tx, Pausable.KIND, "w.a", by="bert", reason="b")
    job = await enqueue(database, "w.a", "1", due="1 hour")
    assert [one.code for one in await asked(database, job)] == [
        WhyCode.DUE_AT,
        WhyCode.LANE_PAUSED,
        WhyCode.KIND_PAUSED,
        WhyCode.NO_WORKER,
    ]


async def test_how_many_are_before_it(database: Database) -> None:
    await hire(database)
    for key in range(3):
        job = await enqueue(database, "w.a", str(key))
    urgent = await enqueue(database, "w.a", "urgent", priority=1)
    [last], [first] = await asked(database, job), await asked(database, urgent)
    assert last.text == "It is ready; 3 of its kind are before it."
    assert first.text == "It is ready, and next of its kind."


async def test_no_such_job(database: Database) -> None:
    with pytest.raises(NotFound):
        await asked(database, 4711)
