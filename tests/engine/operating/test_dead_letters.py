"""Dead letters: listed, found, put back, let go."""

from datetime import UTC, datetime, timedelta

import pytest

from handfast.base.errors import InvalidRequest
from handfast.db.pool import Database
from handfast.engine.operating import dead_letters
from handfast.engine.operating.dead_letters import DeadFilter, discard, list_dead, requeue
from handfast.engine.operating.jobs_view import get_job
from tests.support.clock import freeze
from tests.support.jobs import claim, die, enqueue, succeed

pytestmark = pytest.mark.on_every_postgres


async def keys(database: Database, where: DeadFilter, limit: int = 100) -> list[str]:
    found: list[str] = []
    after: str | None = None
    while True:
        async with database.connection() as connection:
            page = await list_dead(connection, where, after=after, limit=limit)
        found += [letter.key for letter in page.letters]
        if page.next is None:
            return found
        after = page.next


@pytest.fixture
async def letters(database: Database) -> dict[str, int]:
    ids = {}
    start = datetime(2026, 3, 1, tzinfo=UTC)
    for number, (kind, key, failure, error) in enumerate(
        [
            ("mail.a", "one", "logic", "KeyError: 'x'"),
            ("mail.a", "two", "data", "Two balances"),
            ("mail.b", "three", "transient", "Connection refused"),
            ("mail.b", "four", "timeout", "took too long"),
        ]
    ):
        await freeze(database, start + timedelta(hours=number))
        ids[key] = await enqueue(database, kind, key)
        await die(database, failure, error)
    return ids


@pytest.mark.parametrize("limit", [1, 3, 100])
async def test_lists_and_filters(database: Database, letters: dict[str, int], limit: int) -> None:
    async def found(where: DeadFilter) -> list[str]:
        return await keys(database, where, limit)

    assert await found(DeadFilter()) == ["four", "three", "two", "one"]
    assert await found(DeadFilter(kind="mail.a")) == ["two", "one"]
    assert await found(DeadFilter(error_class="data")) == ["two"]
    assert await found(DeadFilter(text="CONNECTION")) == ["three"]
    assert await found(DeadFilter(text="t")) == ["four", "three", "two"]
    assert await found(DeadFilter(lane="elsewhere")) == []
    since = datetime(2026, 3, 1, 2, tzinfo=UTC)
    assert await found(DeadFilter(since=since)) == ["four", "three"]
    assert await found(DeadFilter(text="%")) == []


async def test_a_requeue_is_the_same_job_again(database: Database, letters: dict[str, int]) -> None:
    async with database.transaction() as tx:
        assert await requeue(tx, [letters["one"], letters["one"], 999]) == [letters["one"]]
        assert await requeue(tx, [letters["one"]]) == []
    await succeed(database)
    async with database.connection() as connection:
        job = await get_job(connection, letters["one"])
    assert job.state == "succeeded"
    assert [a.outcome for a in job.attempts] == ["failed", "succeeded"]
    first, second = (a.token for a in job.attempts)
    assert first < second


async def test_discarding_needs_a_reason_and_keeps_it(
    database: Database, letters: dict[str, int]
) -> None:
    async with database.transaction() as tx:
        with pytest.raises(InvalidRequest, match="needs a reason"):
            await discard(tx, [letters["one"]], "  ")
        assert await discard(tx, [letters["one"]], "the user is gone") == [letters["one"]]
        assert await discard(tx, [letters["one"]], "again") == []
        assert await requeue(tx, [letters["one"]]) == []
    assert "one" not in await keys(database, DeadFilter())
    async with database.connection() as connection:
        job = await get_job(connection, letters["one"])
    assert (job.state, job.discard_reason) == ("dead", "the user is gone")


async def test_all_that_match_in_pages(database: Database, letters: dict[str, int]) -> None:
    for number in range(25):
        await enqueue(database, "mail.c", str(number))
    await die(database, error="the same")
    pages = [
        count
        async for count in dead_letters.requeue_matching(
            database, DeadFilter(text="the same"), page=10
        )
    ]
    assert pages == [10, 10, 5]
    assert len(await claim(database)) == 25
    pages = [
        count
        async for count in dead_letters.discard_matching(
            database, DeadFilter(kind="mail.a"), "old", page=1
        )
    ]
    assert pages == [1, 1]
    assert await keys(database, DeadFilter()) == ["four", "three"]


async def test_a_letter_raises_an_event(database: Database, letters: dict[str, int]) -> None:
    async with database.connection() as connection:
        rows = await connection.fetch(
            "SELECT data ->> 'key' AS key FROM handfast_engine.events ORDER BY at"
        )
    assert [row["key"] for row in rows] == ["one", "two", "three", "four"]


async def test_a_letter_outlives_its_group(database: Database) -> None:
    """Groups of removed endpoints are forgotten while some of their deliveries are dead."""
    one = await enqueue(database, "t.grouped", "one", group="gone:7")
    await die(database)
    async with database.transaction() as tx:
        await tx.execute("SELECT handfast_engine.forget_groups('gone:', '{}')")
        assert await requeue(tx, [one]) == [one]
    assert list(await claim(database)) == [one]


async def test_what_comes_back_with_its_anchor_outlives_its_group(database: Database) -> None:
    async with database.transaction() as tx:
        await tx.execute("SELECT handfast_engine.set_anchor('kickoff', handfast_db.now())")
    one = await enqueue(database, "t.grouped", "one", group="gone:7", anchor="kickoff", offset="0")
    async with database.transaction() as tx:
        await tx.execute("SELECT handfast_engine.cancel_anchor('kickoff', 'rain')")
        await tx.execute("SELECT handfast_engine.forget_groups('gone:', '{}')")
        await tx.execute("SELECT handfast_engine.set_anchor('kickoff', handfast_db.now())")
    assert list(await claim(database)) == [one]


@pytest.mark.parametrize("cursor", ["", "x", "1~", "~1", "1~2~3", "-1~1", "1~99999999999999999999"])
async def test_a_wrong_place(database: Database, cursor: str) -> None:
    async with database.connection() as connection:
        with pytest.raises(InvalidRequest, match="not a place"):
            await list_dead(connection, after=cursor)
