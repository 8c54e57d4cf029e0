"""Jobs that hang on a moment in the world."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from handfast import Context, RetryPolicy
from handfast.db.migrations import files
from handfast.engine.maintenance.retention import Retention
from tests.support.clock import freeze
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_every_postgres

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SET = "SELECT handfast_engine.set_anchor('kickoff', $1)"
CANCEL = "SELECT handfast_engine.cancel_anchor('kickoff', 'rain')"
SQL = Path(files.__file__).parents[2] / "sql"
FILL = SQL / "migrations" / "engine" / "0004_payloads_of_anchored_ends.sql"


async def hang(shop: Workers, key: str = "one", kind: Any = "t.job", **more: Any) -> int:
    return await shop.enqueue(kind, key, anchor="kickoff", offset=-6 * HOUR, **more)


async def pass_days(shop: Workers, days: int) -> datetime:
    """So many days after NOON; what is too old by then is gone."""
    now = NOON + timedelta(days=days)
    await freeze(shop.database, now)
    retention = Retention(shop.database)
    while await retention.forget() == 0.0:
        pass
    return now


async def test_waiting_jobs_move_with_their_anchor(shop: Workers) -> None:
    await freeze(shop.database, NOON)
    assert await shop.fetch(SET, NOON + 10 * HOUR) == 0
    job = await hang(shop, deadline=NOON + 10 * HOUR)
    first = await shop.enqueue("t.first", "f")
    blocked = await hang(shop, "b", requires=[("t.first", "f")])
    due = "SELECT due_at FROM handfast_engine.live WHERE id = $1"
    assert await shop.fetch(due, job) == NOON + 4 * HOUR
    assert await shop.fetch(SET, NOON + 12 * HOUR) == 2
    assert await shop.fetch(due, job) == await shop.fetch(due, blocked) == NOON + 6 * HOUR
    assert await shop.fetch("SELECT deadline_at FROM handfast_engine.live WHERE id = $1", job) == (
        NOON + 12 * HOUR
    )
    assert await shop.fetch(SET, NOON + 12 * HOUR) == 0, "it did not move"
    assert await shop.fetch(SET, NOON + HOUR) == 2
    assert [await shop.state(job), await shop.state(blocked)] == ["ready", "blocked"]
    assert await shop.fetch(SET, NOON + 20 * HOUR) == 2
    assert [await shop.state(job), await shop.state(first)] == ["scheduled", "ready"]


async def test_a_moved_deadline_keeps_its_urgency(shop: Workers) -> None:
    await freeze(shop.database, NOON)
    await shop.fetch(SET, NOON + HOUR)
    job = await hang(shop, deadline=NOON + timedelta(minutes=20))
    await shop.fetch("SELECT handfast_engine.escalate(10)")
    priority = "SELECT priority FROM handfast_engine.live WHERE id = $1"
    assert await shop.fetch(priority, job) == 5
    await shop.fetch(SET, NOON + HOUR + timedelta(minutes=1))
    assert await shop.fetch(priority, job) == 5
    await shop.fetch(SET, NOON + 20 * HOUR)
    assert await shop.fetch(priority, job) == 10


async def test_cancelling_ends_them_and_reinstating_brings_them_back_as_they_were(
    shop: Workers,
) -> None:
    await freeze(shop.database, NOON)
    await shop.fetch(SET, NOON + 10 * HOUR)

    @shop.hf.job("t.kind", version=3, group="provider", lane="fast", priority=4)
    async def kind(ctx: Context) -> None: ...

    job = await hang(shop, kind=kind, deadline=NOON + 9 * HOUR)
    assert await shop.fetch(CANCEL) == 1
    assert await shop.state(job) == "cancelled"
    assert await shop.fetch(CANCEL) == 0
    assert await shop.fetch(SET, NOON + 11 * HOUR) == 1
    async with shop.database.connection() as connection:
        row = await connection.fetchrow(
            "SELECT state::text, lane, priority, group_name, version, due_at, deadline_at "
            "FROM handfast_engine.live"
        )
    assert tuple(row) == (  # type: ignore[arg-type]
        "scheduled", "fast", 4, "provider", 3, NOON + 5 * HOUR, NOON + 10 * HOUR,
    )  # fmt: skip


async def test_what_ended_for_another_reason_stays_ended(shop: Workers) -> None:
    await freeze(shop.database, NOON)
    await shop.fetch(SET, NOON + 10 * HOUR)
    mine, yours = await hang(shop, "a"), await hang(shop, "b")
    await shop.fetch("SELECT handfast_engine.cancel($1, 'by hand')", mine)
    assert await shop.fetch(CANCEL) == 1
    assert await shop.fetch(SET, NOON + 10 * HOUR) == 1
    assert [await shop.state(mine), await shop.state(yours)] == ["cancelled", "scheduled"]


async def test_a_job_enqueued_on_a_cancelled_anchor_waits_for_it_to_be_reinstated(
    shop: Workers,
) -> None:
    await shop.fetch(SET, NOON)
    await shop.fetch(CANCEL)
    async with shop.database.transaction() as tx:
        made = await shop.hf.enqueue(tx, "t.job", key="one", anchor="kickoff")
    assert (made.created, made.state) == (True, "cancelled")
    await freeze(shop.database, NOON)
    await shop.fetch(SET, NOON + HOUR)
    assert await shop.state(made.id) == "scheduled"


@pytest.mark.parametrize(
    "offset", [timedelta(microseconds=50), timedelta(microseconds=-1), timedelta(days=-400_001)]
)
async def test_an_offset_keeps_its_microseconds(shop: Workers, offset: timedelta) -> None:
    await shop.fetch(SET, NOON)
    job = await shop.enqueue("t.job", anchor="kickoff", offset=offset)
    due = "SELECT due_at FROM handfast_engine.live WHERE id = $1"
    assert await shop.fetch(due, job) == NOON + offset


async def test_a_job_revived_on_a_cancelled_anchor_waits_for_it_to_be_reinstated(
    shop: Workers,
) -> None:
    await freeze(shop.database, NOON)
    await shop.fetch(SET, NOON + 10 * HOUR)
    job = await hang(shop)
    then = await shop.enqueue("t.then", requires=[("t.job", "one")])
    await shop.fetch("SELECT handfast_engine.cancel($1, 'x')::text", job)
    await shop.fetch(CANCEL)
    revive = "SELECT handfast_engine.revive($1, NULL, NULL, $2)"
    assert await shop.fetch(revive, job, '{"anchor": "kickoff", "offset": "-6 hours"}')
    assert await shop.state(job) == "cancelled"
    assert await shop.fetch("SELECT reason FROM handfast_engine.live WHERE id = $1", then) == (
        "prerequisite t.job one is cancelled"
    )
    assert await shop.fetch(SET, NOON + 10 * HOUR) == 1
    assert await shop.state(job) == "scheduled"
    assert await shop.fetch("SELECT due_at FROM handfast_engine.live WHERE id = $1", job) == (
        NOON + 4 * HOUR
    )


async def test_a_skipped_chain_on_the_anchor_comes_back_as_a_whole(shop: Workers) -> None:
    await freeze(shop.database, NOON)
    await shop.fetch(SET, NOON + 10 * HOUR)

    @shop.hf.job("t.then", skip_when_prerequisite_dies=True)
    async def then(ctx: Context) -> None: ...

    await shop.declare()
    first = await hang(shop, "a", kind=then)
    second = await hang(shop, "b", kind=then, requires=[(then, "a")])
    assert await shop.fetch(CANCEL) == 2
    assert await shop.fetch(SET, NOON + 10 * HOUR) == 2
    assert [await shop.state(first), await shop.state(second)] == ["scheduled", "blocked"]


async def test_an_anchor_that_moves_while_its_job_runs(shop: Workers) -> None:
    await freeze(shop.database, NOON)
    await shop.fetch(SET, NOON)
    await hang(shop)
    await shop.fetch("SELECT id FROM handfast_engine.claim(NULL, '{default}', 1, '1 d')")
    assert await shop.fetch(SET, NOON + 10 * HOUR) == 0
    await shop.fetch(
        "SELECT handfast_engine.fail(id, token, 'transient', 'x') FROM handfast_engine.live"
    )
    assert await shop.fetch("SELECT due_at FROM handfast_engine.live") == NOON + 4 * HOUR


async def test_a_result_says_where_its_anchor_stood(shop: Workers) -> None:
    """Moved while the job ran: the result is of the old moment, and whoever looks can tell."""
    await freeze(shop.database, NOON)
    await shop.fetch(SET, NOON)
    await hang(shop)
    await shop.fetch("SELECT id FROM handfast_engine.claim(NULL, '{default}', 1, '1 d')")
    await shop.fetch(SET, NOON + 10 * HOUR)
    await shop.fetch(
        "SELECT handfast_engine.finish(ARRAY[id], ARRAY[token]) FROM handfast_engine.live"
    )
    assert await shop.fetch("SELECT anchor_at FROM handfast_engine.attempts") == NOON
    assert await shop.fetch("SELECT at FROM handfast_engine.anchors") == NOON + 10 * HOUR


async def test_a_move_gives_the_tries_back(shop: Workers) -> None:
    """Otherwise a job that failed for the old time is a dead letter at its first failure for the
    new one, a week later."""
    await freeze(shop.database, NOON)

    @shop.hf.job("t.asks", retry=RetryPolicy(retries=5, waits=(60,), within=3600.0))
    async def asks(ctx: Context) -> None: ...

    await shop.declare()
    await shop.fetch(SET, NOON + 6 * HOUR)
    job = await hang(shop, kind=asks)
    claim = "SELECT token FROM handfast_engine.claim(NULL, ARRAY['default'], 1, '5 minutes')"
    fail = "SELECT handfast_engine.fail($1, $2, 'transient', 'not yet')::text"
    assert await shop.fetch(fail, job, await shop.fetch(claim)) == "scheduled"
    for days in (7, 14):
        begins = NOON + timedelta(days=days)
        if days == 14:  # the second move comes while it runs
            token = await shop.fetch(claim)
        await shop.fetch(SET, begins + 6 * HOUR)
        if days == 14:
            assert await shop.fetch(fail, job, token) == "scheduled"
        await freeze(shop.database, begins)
        assert await shop.fetch("SELECT due_at FROM handfast_engine.live") == begins
        await shop.fetch("SELECT handfast_engine.promote(10)")
        assert await shop.fetch(fail, job, await shop.fetch(claim)) == "scheduled"
        await freeze(shop.database, begins + timedelta(minutes=1))
        await shop.fetch("SELECT handfast_engine.promote(10)")


@pytest.mark.parametrize("meanwhile", ["waits", "runs", "comes later"])
async def test_what_is_reinstated_after_its_history_is_gone_comes_back_with_its_payload(
    shop: Workers, meanwhile: str
) -> None:
    await freeze(shop.database, NOON)
    await shop.fetch(SET, NOON)
    if meanwhile == "comes later":
        await shop.fetch(CANCEL)
    job = await hang(shop, match=7)
    if meanwhile == "runs":
        claim = "SELECT token FROM handfast_engine.claim(NULL, ARRAY['default'], 1, '1 d')"
        token = await shop.fetch(claim)
        await shop.fetch(CANCEL)
        fail = "SELECT handfast_engine.fail($1, $2, 'transient', 'not yet')::text"
        await shop.fetch(fail, job, token)
    await shop.fetch(CANCEL)
    assert await shop.state(job) == "cancelled"

    now = await pass_days(shop, 20)
    assert await shop.fetch("SELECT count(*) FROM handfast_engine.attempts") == 0
    assert await shop.fetch(SET, now + 10 * HOUR) == 1
    async with shop.database.connection() as connection:
        row = await connection.fetchrow(
            "SELECT state::text, payload ->> 'match', due_at FROM handfast_engine.live"
        )
    assert row is not None
    assert tuple(row) == ("scheduled", "7", now + 4 * HOUR)


async def test_one_that_was_cancelled_before_payloads_were_kept_keeps_no_other_back(
    shop: Workers,
) -> None:
    await freeze(shop.database, NOON)
    await shop.fetch(SET, NOON + 10 * HOUR)
    old, new = await hang(shop, "a"), await hang(shop, "b")
    await shop.fetch(CANCEL)
    await shop.fetch(
        "UPDATE handfast_engine.anchored_ends SET payload = NULL WHERE job_id = $1", old
    )
    now = await pass_days(shop, 20)
    said: list[str] = []
    async with shop.database.connection() as connection:
        listen = lambda _, message: said.append(message.message)  # noqa: E731
        connection.add_log_listener(listen)
        assert await connection.fetchval(SET, now + 10 * HOUR) == 1
        connection.remove_log_listener(listen)
    assert [await shop.state(old), await shop.state(new)] == ["cancelled", "scheduled"]
    assert said == ["t.job a stays cancelled: its payload has been pruned"]


async def test_the_migration_keeps_what_the_history_still_has(shop: Workers) -> None:
    await freeze(shop.database, NOON)
    await shop.fetch(SET, NOON + 10 * HOUR)
    old, forgotten = await hang(shop, "a", match=7), await hang(shop, "b")
    await shop.fetch(CANCEL)
    await shop.fetch("UPDATE handfast_engine.anchored_ends SET payload = NULL")
    await shop.fetch("DELETE FROM handfast_engine.jobs WHERE id = $1", forgotten)
    async with shop.database.transaction() as tx:
        await tx.execute(FILL.read_text(encoding="utf-8"))
    assert await shop.column("SELECT job_id FROM handfast_engine.anchored_ends") == [old]
    now = await pass_days(shop, 20)
    assert await shop.fetch(SET, now) == 1
    assert await shop.fetch("SELECT payload ->> 'match' FROM handfast_engine.live") == "7"


async def test_a_payload_is_kept_for_no_longer_than_its_identity(shop: Workers) -> None:
    @shop.hf.job("t.kept_for_a_month", horizon=timedelta(days=30))
    async def kind(ctx: Context) -> None: ...

    await freeze(shop.database, NOON)
    await shop.declare()
    await shop.fetch(SET, NOON + 10 * HOUR)
    await hang(shop, kind=kind)
    stays = await hang(shop, "of a kind without a horizon")
    await shop.fetch(CANCEL)
    ends = "SELECT job_id FROM handfast_engine.anchored_ends ORDER BY 1"
    await pass_days(shop, 29)
    assert len(await shop.column(ends)) == 2
    await pass_days(shop, 31)
    assert await shop.column(ends) == [stays]
