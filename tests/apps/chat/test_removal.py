"""The chats of closed matches go, exactly when their time is over."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from handfast.apps.chat.removal import Removing, chat_crew, enqueue_due
from handfast.db.pool import Database
from handfast.engine.crew import scheduled_kind
from handfast.engine.host import Host, HostOptions
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.hosts import running

pytestmark = pytest.mark.on_every_postgres

KEPT = timedelta(days=30)
CLOSED_AT = datetime(2026, 3, 2, 8, tzinfo=UTC)


async def written_match(database: Database, closed_at: datetime | None) -> UUID:
    match, low, high = uuid4(), *sorted((uuid4(), uuid4()))
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO handfast_offers.matches (id, low_id, high_id, created_at)"
            " VALUES ($1, $2, $3, handfast_db.now())",
            *(match, low, high),
        )
        await tx.execute(
            "SELECT handfast_chat.send_message($1, $2, $3, 'hi', NULL)", uuid4(), match, low
        )
        if closed_at is not None:
            await tx.execute(
                "UPDATE handfast_offers.matches SET closed_at = $2, closed_reason = 'unmatched'"
                " WHERE id = $1",
                *(match, closed_at),
            )
    return match


async def chats(database: Database) -> set[UUID]:
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT DISTINCT match_id FROM handfast_chat.messages")
    return {row[0] for row in rows}


async def sweep(database: Database) -> int:
    """As the chore and the job do it; answers how many matches were looked through."""
    async with database.transaction() as tx:
        found: int = await tx.fetchval("SELECT handfast_chat.remove_chats($1, 1)", KEPT)
    return found


async def test_after_thirty_days_and_not_before(database: Database) -> None:
    await freeze(database, CLOSED_AT)
    active = await written_match(database, None)
    old = await written_match(database, CLOSED_AT)
    same = await written_match(database, CLOSED_AT)  # at the same instant
    late = await written_match(database, CLOSED_AT + timedelta(hours=1))
    await freeze(database, CLOSED_AT + KEPT - timedelta(seconds=1))
    assert await sweep(database) == 0
    await freeze(database, CLOSED_AT + KEPT)
    assert await sweep(database) == 2, "those of one instant go together"
    assert await chats(database) == {active, late}
    assert {old, same} & await chats(database) == set()
    assert await sweep(database) == 0
    await freeze(database, CLOSED_AT + KEPT + timedelta(hours=2))
    assert await sweep(database) == 1
    assert await chats(database) == {active}


async def test_there_is_a_job_only_when_there_is_something_to_remove(database: Database) -> None:
    kind = scheduled_kind("chat.remove", "chat", Removing(KEPT).remove, timeout=60.0)
    jobs = "SELECT count(*) FROM handfast_engine.live WHERE kind = 'chat.remove'"

    async def look() -> int:
        async with database.transaction() as tx:
            await enqueue_due(tx, kind, KEPT)
            found: int = await tx.fetchval(jobs)
            return found

    await freeze(database, CLOSED_AT)
    await written_match(database, CLOSED_AT)
    assert await look() == 0
    await freeze(database, CLOSED_AT + KEPT)
    assert await look() == 1
    assert await look() == 1, "one for the hour"
    host = Host(
        database, database.target, [chat_crew(database, KEPT)], HostOptions(poll=0.1, grace=5.0)
    )
    async with running(host):

        async def gone() -> bool:
            return await chats(database) == set()

        await eventually_async(gone)
    assert await look() == 0
