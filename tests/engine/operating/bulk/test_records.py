"""Asking for a bulk action, undoing it, and what is refused."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from handfast.base.errors import Conflict, InvalidRequest, NotFound
from handfast.db.pool import Database
from handfast.engine.gaps.expectation import Expectation, Expectations
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.audit import Actor
from handfast.engine.operating.bulk.records import (
    UNDO,
    BulkState,
    BulkView,
    Preview,
    ask,
    get_bulk,
    list_bulk,
    preview,
    state_of,
    undo,
)
from handfast.engine.operating.bulk.request import FIELDS, BulkAction, BulkFilter, BulkRequest
from tests.support.clock import freeze
from tests.support.jobs import claim, enqueue
from tests.support.letters import make_dead

pytestmark = pytest.mark.on_every_postgres

ANNA, BERT = Actor("anna"), Actor("bert")
NOW = datetime(2026, 2, 19, 9, tzinfo=UTC)


def wanted(action: BulkAction, **where: Any) -> BulkRequest:
    return BulkRequest(action, BulkFilter(**where))


async def counted(database: Database, request: BulkRequest, rows: int = 20_000) -> Preview:
    return await preview(database, request, Expectations(), rows=rows)


async def asked(
    database: Database, request: BulkRequest, by: Actor = ANNA, *, everything: bool = False
) -> BulkView:
    found = await counted(database, request)
    async with database.transaction() as tx:
        return await ask(tx, request, found, by=by, reason="because", everything=everything)


async def undone(database: Database, bulk: int, by: Actor = BERT) -> BulkView:
    async with database.transaction() as tx:
        return await undo(tx, bulk, by=by)


REQUEUE = wanted(BulkAction.REQUEUE, kind="b.a")


async def test_counted_up_to_a_bound(database: Database) -> None:
    await make_dead(database, "b.a", 30)
    await make_dead(database, "b.b", 10)
    for request, least in (
        (REQUEUE, 30),
        (wanted(BulkAction.DISCARD, text="boom"), 40),
        (wanted(BulkAction.REQUEUE, text="b.a-1"), 0),
        (wanted(BulkAction.REQUEUE, kind="b.b", text="1"), 2),  # begins the key
        (wanted(BulkAction.REQUEUE, kind="b.a", since=4e9), 0),
        (wanted(BulkAction.REQUEUE, lane="other"), 0),
        (wanted(BulkAction.REQUEUE, error_class="logic"), 40),
    ):
        assert await counted(database, request) == Preview(least, at_least=False), request
    assert await counted(database, REQUEUE, rows=7) == Preview(7, at_least=True)


async def test_it_waits_and_can_be_undone(database: Database) -> None:
    await freeze(database, NOW)
    await make_dead(database, "b.a", 3)
    made = await asked(database, REQUEUE)
    assert (made.state, made.undoable, made.matched) == (BulkState.WAITING, True, 3)
    assert (made.asked_by, made.reason, made.filter) == ("anna", "because", {"kind": "b.a"})
    assert made.undo_until == NOW + UNDO == NOW + timedelta(seconds=30)
    for _ in range(2):
        found = await undone(database, made.id)
        assert (found.state, found.undone_by, found.undoable) == (BulkState.UNDONE, "bert", False)
    async with database.connection() as connection:
        assert (await list_bulk(connection)).actions == [found]
        state = "SELECT state::text FROM handfast_engine.jobs WHERE id = $1"
        assert await connection.fetchval(state, made.job_id) == "cancelled"


async def test_undone_too_late(database: Database) -> None:
    await make_dead(database, "b.a", 3)
    made = await asked(database, REQUEUE)
    async with database.connection() as connection:
        await connection.fetchrow("SELECT * FROM handfast_engine.retry($1)", made.job_id)
    assert list(await claim(database, "operating")) == [made.job_id]
    with pytest.raises(Conflict, match="too late"):
        await undone(database, made.id)
    async with database.connection() as connection:
        assert (await get_bulk(connection, made.id)).state is BulkState.RUNNING


async def test_refused(database: Database) -> None:
    with pytest.raises(Conflict, match="Nothing matches"):
        await asked(database, REQUEUE)
    await make_dead(database, "b.a", 1)
    with pytest.raises(InvalidRequest, match="everything"):
        await asked(database, wanted(BulkAction.REQUEUE))
    assert (await asked(database, wanted(BulkAction.REQUEUE), everything=True)).matched == 1
    with pytest.raises(InvalidRequest, match="text: empty"):
        await asked(database, wanted(BulkAction.REQUEUE, text=""))
    with pytest.raises(InvalidRequest, match="lane, key: empty"):
        await asked(database, wanted(BulkAction.CANCEL, lane="", key=""))
    with pytest.raises(InvalidRequest, match="key"):
        await counted(database, wanted(BulkAction.REQUEUE, key="1"))
    with pytest.raises(InvalidRequest, match="succeeded"):
        await counted(database, wanted(BulkAction.CANCEL, state=JobState.SUCCEEDED))
    with pytest.raises(InvalidRequest, match="running"):
        await counted(database, wanted(BulkAction.REVIVE, state=JobState.RUNNING))
    with pytest.raises(NotFound):
        await undone(database, 4711)


async def test_what_only_a_person_repairs_is_not_asked_for(database: Database) -> None:
    """Named, it is refused; among others, its gaps are not counted."""
    expectations = Expectations()
    for name, by_hand in (("holds", True), ("jobs", False)):
        sql = (
            f"SELECT '{name}' AS key, '{{}}'::jsonb AS payload, $1::timestamptz AS due_at,"
            " $2::timestamptz IS NULL AS result_exists"
        )
        window = timedelta(hours=1)
        expectations.add(Expectation(name, "b.a", sql, window, by_hand=by_hand))
    with pytest.raises(InvalidRequest, match="a person has to look"):
        await preview(database, wanted(BulkAction.REPAIR, expectation="holds"), expectations)
    for request in (wanted(BulkAction.REPAIR), wanted(BulkAction.REPAIR, expectation="jobs")):
        assert await preview(database, request, expectations) == Preview(1, at_least=False)
    with pytest.raises(NotFound):
        await preview(database, wanted(BulkAction.REPAIR, expectation="none"), expectations)


def test_every_action_says_what_narrows_it_down() -> None:
    assert set(FIELDS) == set(BulkAction)
    assert set().union(*FIELDS.values()) == set(BulkFilter.__struct_fields__)


async def test_no_bulk_action_matches_another(database: Database) -> None:
    await enqueue(database, "b.a", "1")
    everything = wanted(BulkAction.CANCEL)
    first = await asked(database, everything, everything=True)
    second = await asked(database, everything, everything=True)
    assert (first.matched, second.matched) == (1, 1)
    assert await counted(database, wanted(BulkAction.CANCEL, kind="engine.bulk")) == Preview(
        0, at_least=False
    )


@pytest.mark.parametrize(
    ("job", "begun", "undone", "state"),
    [
        ("scheduled", False, False, "waiting"),
        ("ready", False, False, "waiting"),
        ("scheduled", True, False, "running"),
        ("running", False, False, "running"),
        ("succeeded", True, False, "done"),
        ("cancelled", False, True, "undone"),
        ("cancelled", True, False, "stopped"),
        ("dead", True, False, "failed"),
        (None, False, False, "failed"),
    ],
)
def test_states(job: str | None, state: str, *, begun: bool, undone: bool) -> None:
    assert state_of(job, begun=begun, undone=undone) == state
