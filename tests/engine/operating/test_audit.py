"""The audit: written with the change, listed newest first, and never changed."""

import asyncpg
import pytest

from handfast.db.pool import Database
from handfast.engine.operating.audit import (
    EVERYTHING,
    Actor,
    AuditEntry,
    AuditFilter,
    Change,
    list_audit,
    record,
    recorded,
)
from handfast.engine.operating.dead_letters import DeadFilter, discard_matching, requeue_matching
from tests.support.jobs import die, enqueue

pytestmark = pytest.mark.on_every_postgres

ANNA = Actor("anna", "request-1")


async def entries(database: Database, where: AuditFilter = EVERYTHING) -> list[AuditEntry]:
    async with database.connection() as connection:
        return (await list_audit(connection, where)).entries


async def test_a_row_for_each_subject(database: Database) -> None:
    async with database.transaction() as tx:
        await record(tx, ANNA, "job.cancel", ["job:1", "job:2"], "not wanted")
        await record(tx, Actor("cli:bob"), "job.retry", ["job:1"])
        await record(tx, ANNA, "job.retry", [])
    found = await entries(database)
    assert [(one.actor, one.action, one.subject, one.reason, one.request_id) for one in found] == [
        ("cli:bob", "job.retry", "job:1", None, None),
        ("anna", "job.cancel", "job:2", "not wanted", "request-1"),
        ("anna", "job.cancel", "job:1", "not wanted", "request-1"),
    ]
    assert [one.action for one in await entries(database, AuditFilter(subject="job:1"))] == [
        "job.retry",
        "job.cancel",
    ]
    assert len(await entries(database, AuditFilter(actor="anna"))) == 2
    assert await entries(database, AuditFilter(actor="anna", action="job.retry")) == []


async def test_pages(database: Database) -> None:
    async with database.transaction() as tx:
        await record(tx, ANNA, "job.cancel", [f"job:{number}" for number in range(5)])
    async with database.connection() as connection:
        first = await list_audit(connection, limit=3)
        rest = await list_audit(connection, after=first.next, limit=3)
    assert [one.subject for one in first.entries] == ["job:4", "job:3", "job:2"]
    assert [one.subject for one in rest.entries] == ["job:1", "job:0"]
    assert rest.next is None


async def test_it_is_in_the_transaction_of_the_change(database: Database) -> None:
    async def fail(change: Change) -> None:
        change.about("job:2")
        raise LookupError

    with pytest.raises(LookupError):
        async with (
            database.transaction() as tx,
            recorded(tx, ANNA, "job.cancel", "job:1") as change,
        ):
            await fail(change)
    assert await entries(database) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE handfast_engine.audit SET actor = 'somebody else'",
        "DELETE FROM handfast_engine.audit",
        "TRUNCATE handfast_engine.audit",
    ],
)
async def test_it_is_only_ever_added_to(database: Database, statement: str) -> None:
    async with database.transaction() as tx:
        await record(tx, ANNA, "job.cancel", ["job:1"])
    async with database.connection() as connection:
        with pytest.raises(asyncpg.CheckViolationError, match="only ever added to"):
            await connection.execute(statement)
    assert len(await entries(database)) == 1


async def test_texts_that_could_not_be_stored(database: Database) -> None:
    async with database.transaction() as tx:
        await record(tx, ANNA, "job.cancel", ["job:\x00" + "x" * 1000], "no\x00pe\udce4")
    [entry] = await entries(database)
    assert entry.subject.startswith("job:\\0xxx")
    assert entry.reason == "no\\0pe?"


async def test_what_is_done_in_pages_has_its_rows_in_each(database: Database) -> None:
    ids = [await enqueue(database, "t.job", str(number)) for number in range(5)]
    await die(database)
    where = DeadFilter(kind="t.job")
    assert [n async for n in requeue_matching(database, where, by=ANNA, page=2)] == [2, 2, 1]
    await die(database)
    assert [n async for n in discard_matching(database, where, "no", by=ANNA)] == [5]
    await die(database)
    assert [n async for n in requeue_matching(database, where)] == []
    subjects = {f"job:{one}" for one in ids}
    for action, reason in (("dead.requeue", None), ("dead.discard", "no")):
        found = await entries(database, AuditFilter(action=action))
        assert {one.subject for one in found} == subjects
        assert len(found) == len(ids)
        assert {one.reason for one in found} == {reason}
