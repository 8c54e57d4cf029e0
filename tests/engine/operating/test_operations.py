"""What operators do, and what they are told when it cannot be done."""

from datetime import UTC, datetime, timedelta

import pytest

from handfast.base.errors import Conflict, NotFound
from handfast.db.pool import Database
from handfast.engine.errors import JobInvalid, PayloadInvalid
from handfast.engine.work.context import Context
from handfast.facade import Handfast
from tests.support.jobs import claim, die, enqueue, program, succeed

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
async def hf(database: Database, dsn: str) -> Handfast:
    hf = program(database, dsn)

    @hf.job("op.one")
    async def one(ctx: Context, n: int = 0) -> None: ...

    return hf


async def state(hf: Handfast, key: str) -> str:
    found = await hf.find("op.one", key)
    assert found is not None
    return found.state


async def test_cancel(hf: Handfast, database: Database) -> None:
    await enqueue(database, "op.one", "1")
    async with hf.transaction() as tx:
        assert await hf.cancel(tx, "op.one", "1", reason="not wanted") == "cancelled"
        assert await hf.cancel(tx, "op.one", "1") == "cancelled"
    assert await state(hf, "1") == "cancelled"
    await enqueue(database, "op.one", "2")
    await claim(database)
    async with hf.transaction() as tx:
        assert await hf.cancel(tx, "op.one", "2") == "running"
    found = await hf.find("op.one", "2")
    assert found is not None
    assert found.cancelling


async def test_cancel_what_has_ended(hf: Handfast, database: Database) -> None:
    await enqueue(database, "op.one", "1")
    await succeed(database)
    await enqueue(database, "op.one", "2")
    await die(database)
    async with hf.transaction() as tx:
        with pytest.raises(Conflict, match="succeeded: there is nothing left to cancel"):
            await hf.cancel(tx, "op.one", "1")
        with pytest.raises(Conflict, match="dead letter is discarded"):
            await hf.cancel(tx, "op.one", "2")
        with pytest.raises(NotFound, match=r"no job op\.one 3"):
            await hf.cancel(tx, "op.one", "3")


async def test_retry(hf: Handfast, database: Database) -> None:
    await enqueue(database, "op.one", "later", due="1 day")
    await enqueue(database, "op.one", "blocked", requires=[["op.one", "later"]])
    async with hf.transaction() as tx:
        assert await hf.retry(tx, "op.one", "later") == "ready"
        assert await hf.retry(tx, "op.one", "later") == "ready"
        with pytest.raises(Conflict, match="waits for other jobs"):
            await hf.retry(tx, "op.one", "blocked")
    await claim(database)
    async with hf.transaction() as tx:
        with pytest.raises(Conflict, match="runs at this moment"):
            await hf.retry(tx, "op.one", "later")
    await enqueue(database, "op.one", "dead")
    await die(database)
    async with hf.transaction() as tx:
        assert await hf.retry(tx, "op.one", "dead") == "ready"
    await succeed(database)
    async with hf.transaction() as tx:
        with pytest.raises(Conflict, match="revive"):
            await hf.retry(tx, "op.one", "dead")


async def test_revive(hf: Handfast, database: Database) -> None:
    first = await enqueue(database, "op.one", "1", payload={"n": 4})
    async with hf.transaction() as tx:
        assert not await hf.revive(tx, "op.one", "1")
    await succeed(database)
    async with hf.transaction() as tx:
        assert await hf.revive(tx, "op.one", "1")
    found = await hf.find("op.one", "1")
    assert found is not None
    assert (found.id, found.state, found.payload) == (first, "ready", {"n": 4})
    await succeed(database)
    async with database.connection() as connection:
        await connection.execute("DELETE FROM handfast_engine.attempts")
    with pytest.raises(PayloadInvalid, match="has been dropped"):
        async with hf.transaction() as tx:
            await hf.revive(tx, "op.one", "1")
    async with hf.transaction() as tx:
        with pytest.raises(PayloadInvalid, match="does not fit"):
            await hf.revive(tx, "op.one", "1", payload={"n": "x"})
        assert await hf.revive(tx, "op.one", "1", payload={"n": 5})


async def test_requeue_and_discard_by_key(hf: Handfast, database: Database) -> None:
    ids = [await enqueue(database, "op.one", key) for key in ("1", "2")]
    await die(database)
    async with hf.transaction() as tx:
        assert await hf.requeue(tx, "op.one", ["1"]) == [ids[0]]
        assert await hf.discard(tx, "op.one", ["1", "2"], reason="gone") == [ids[1]]


async def test_anchors(hf: Handfast) -> None:
    kickoff = datetime.now(UTC) + timedelta(days=2)
    async with hf.transaction() as tx:
        assert await hf.set_anchor(tx, "fixture:7", kickoff) == 0
        await hf.enqueue(tx, "op.one", key="1", anchor="fixture:7", offset=timedelta(hours=-6), n=1)
    moved = kickoff + timedelta(days=1)
    async with hf.transaction() as tx:
        assert await hf.set_anchor(tx, "fixture:7", moved) == 1
    found = await hf.find("op.one", "1")
    assert found is not None
    assert found.due_at == moved - timedelta(hours=6)
    assert found.anchor_offset_seconds == -6 * 3600
    async with hf.transaction() as tx:
        assert await hf.cancel_anchor(tx, "fixture:7") == 1
    assert await state(hf, "1") == "cancelled"
    async with hf.transaction() as tx:
        await hf.set_anchor(tx, "fixture:7", moved)
    assert await state(hf, "1") == "scheduled"
    async with hf.transaction() as tx:
        with pytest.raises(JobInvalid, match="without a time zone"):
            await hf.set_anchor(tx, "x", datetime(2026, 1, 1))  # noqa: DTZ001
        with pytest.raises(JobInvalid, match="needs a name"):
            await hf.set_anchor(tx, "", kickoff)


async def test_what_is_undone_with_the_transaction(hf: Handfast, database: Database) -> None:
    await enqueue(database, "op.one", "1")
    with pytest.raises(RuntimeError):
        async with hf.transaction() as tx:
            await hf.cancel(tx, "op.one", "1")
            raise RuntimeError
    assert await state(hf, "1") == "ready"
