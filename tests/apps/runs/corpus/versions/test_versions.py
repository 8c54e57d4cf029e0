"""Switching, rolling back, retiring; and what readers see meanwhile: always one whole version."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import asyncpg
import pytest

from handfast.apps.runs.corpus.generated import generate_version
from handfast.apps.runs.corpus.rebuild import rebuild
from handfast.apps.runs.corpus.versions.build import building
from handfast.apps.runs.corpus.versions.builders_lock import builders_lock
from handfast.apps.runs.corpus.versions.guardian import GuardianVerdict
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.corpus.versions.publish import check, conclude, publish
from handfast.apps.runs.corpus.versions.retention import retire
from handfast.apps.runs.corpus.versions.versions import (
    current_version,
    get_version,
    list_versions,
    roll_back,
    switch,
)
from handfast.apps.runs.errors import CorpusBusy, CorpusMoved, CorpusVersionUnusable
from handfast.base.errors import HandfastError
from handfast.db.pool import Database
from tests.support.clock import freeze
from tests.support.corpus_files import tables
from tests.support.eventually import eventually_async

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


async def states(database: Database) -> dict[int, str]:
    async with database.connection() as connection:
        return {v.version: v.state for v in await list_versions(connection)}


async def built(database: Database, startups: int, **sizes: int) -> int:
    made = await generate_version(
        database.target, startups=startups, investors=20, keep=sizes.get("keep", 5)
    )
    return made.version


async def to(database: Database, version: int, **how: bool) -> int | None:
    async with database.transaction() as tx:
        return (await switch(tx, version, **how)).was


# --- readers ------------------------------------------------------------------------------------

# What a reader may rely on: a version's own row says how much there is of it.
WHOLE = """
SELECT v.version, v.startups, v.matches,
    (SELECT count(*) FROM handfast_runs.startup_uploads AS s WHERE s.version = v.version) AS
    startups_read,
    (SELECT count(*) FROM handfast_runs.startup_investor_matches AS m WHERE m.version =
    v.version) AS read
FROM handfast_runs.corpus_versions AS v WHERE v.state = 'current'"""
PAGE = """
SELECT score, investor_id, startup_id FROM handfast_runs.startup_investor_matches
WHERE version = $1 AND (startup_id, investor_id) > ($2, $3)
ORDER BY startup_id, investor_id LIMIT 40"""


async def read_at_once(connection: "asyncpg.Connection") -> int:
    [row] = await connection.fetch(WHOLE)
    assert row["startups"] == row["startups_read"] > 0
    assert row["matches"] == row["read"] > 0
    return int(row["version"])


async def read_in_pages(connection: "asyncpg.Connection") -> int:
    """Page by page, each a transaction of its own, as a caller of the API does."""
    [(version, matches)] = await connection.fetch(
        "SELECT version, matches FROM handfast_runs.corpus_versions WHERE state = 'current'"
    )
    seen: list[tuple[str, str]] = []
    after = ("", "")
    while page := await connection.fetch(PAGE, version, *after):
        seen += [(row["startup_id"], row["investor_id"]) for row in page]
        after = seen[-1]
    assert len(seen) == len(set(seen)) == matches
    return int(version)


class Readers:
    """Who reads without a pause: how often each of them has read which version, whole."""

    def __init__(self, many: int) -> None:
        self.read: list[Counter[int]] = [Counter() for _ in range(many)]

    @property
    def seen(self) -> Counter[int]:
        return sum(self.read, Counter[int]())

    async def all_have_read(self, version: int) -> None:
        """Wait until each of them has. What they read before the first time is over by then."""

        async def have() -> bool:
            return all(one[version] for one in self.read)

        await eventually_async(have)


@asynccontextmanager
async def reading(dsn: str, many: int = 4) -> AsyncIterator[Readers]:
    """Readers who never stop."""
    readers = Readers(many)
    over = asyncio.Event()

    async def reader(
        read: Callable[["asyncpg.Connection"], Awaitable[int]], counted: Counter[int]
    ) -> None:
        connection = await asyncpg.connect(dsn)
        try:
            while not over.is_set():
                # Nobody who reads may ever wait for a builder, a switch or retention.
                counted[await asyncio.wait_for(read(connection), 60)] += 1
        finally:
            await connection.close()

    async with asyncio.TaskGroup() as tasks:
        for number, counted in enumerate(readers.read):
            tasks.create_task(reader(read_in_pages if number % 2 else read_at_once, counted))
        try:
            yield readers
            await asyncio.sleep(0.2)
        finally:
            over.set()


async def test_readers_see_one_whole_version_through_switches(database: Database, dsn: str) -> None:
    first = await built(database, 30)
    await to(database, first)
    second = await built(database, 45)
    async with reading(dsn) as readers:
        await readers.all_have_read(first)  # they are connected: that may take seconds
        for _ in range(30):
            await to(database, second)
            await asyncio.sleep(0.02)
            await to(database, first)
            await asyncio.sleep(0.02)
        await to(database, second)
        await readers.all_have_read(second)
    assert readers.seen.keys() == {first, second}
    assert sum(readers.seen.values()) > 20


async def test_readers_see_one_whole_version_through_builds_and_retention(
    database: Database, dsn: str
) -> None:
    """A good rebuild, a refused one, a roll-back, and old versions dropped under their eyes."""
    first = await built(database, 30)
    await to(database, first)
    async with reading(dsn) as readers:
        good = await rebuild(database.target, keep=5)
        assert (await publish(database, good.version)).switched is not None
        bad = await rebuild(database.target, keep=1)
        assert (await publish(database, bad.version)).switched is None
        async with database.transaction() as tx:
            await roll_back(tx, "to see it")
        again = await rebuild(database.target, keep=5)
        await publish(database, again.version)
        # Without any grace: whoever is still at a page of one that was left would miss the next.
        await readers.all_have_read(again.version)
        zero = timedelta(0)
        gone = await retire(database.target, pinned=zero, aside=zero, grace=zero)
    assert gone == [good.version, bad.version]
    assert bad.version not in readers.seen
    assert readers.seen.keys() <= {first, good.version, again.version}


async def test_a_reader_in_the_middle_of_a_transaction_keeps_its_version(
    database: Database, dsn: str
) -> None:
    first = await built(database, 30)
    await to(database, first)
    second = await built(database, 45)
    connection = await asyncpg.connect(dsn)
    try:
        async with connection.transaction(isolation="repeatable_read"):
            before = await read_at_once(connection)
            await to(database, second)
            assert await read_at_once(connection) == before == first
            assert await read_in_pages(connection) == first
        assert await read_at_once(connection) == second
    finally:
        await connection.close()


# --- switching ----------------------------------------------------------------------------------


async def test_switch_and_roll_back(database: Database) -> None:
    one, two, three = [await built(database, 10 + n) for n in range(3)]
    assert await to(database, one) is None
    assert await to(database, two) == one
    assert await to(database, two) == two, "already there"
    assert await to(database, three) == two
    assert await states(database) == {three: "current", two: "previous", one: "previous"}
    async with database.transaction() as tx:
        back = await roll_back(tx, "wrong numbers")
    assert (back.version, back.was) == (two, three)
    assert await states(database) == {three: "refused", two: "current", one: "previous"}
    async with database.connection() as connection:
        left = await get_version(connection, three)
    assert left.verdict == '{"rolledBack": "wrong numbers"}'
    async with database.transaction() as tx:
        assert (await roll_back(tx, "further")).version == one
    with pytest.raises(CorpusVersionUnusable, match="no version before"):
        async with database.transaction() as tx:
            await roll_back(tx, "too far")
    assert (await states(database))[one] == "current"
    assert await to(database, three, force=True) == one


async def test_versions_that_cannot_be_read(database: Database) -> None:
    for version in (99, -1):
        with pytest.raises(CorpusVersionUnusable, match="There is no version"):
            await to(database, version)
    with pytest.raises(CorpusVersionUnusable, match="There is no corpus yet"):
        async with database.transaction() as tx:
            await roll_back(tx, "nothing")
    async with building(database.target, "never finished") as build:
        with pytest.raises(CorpusVersionUnusable, match="is building"):
            await to(database, build.version, force=True)
    with pytest.raises(CorpusVersionUnusable, match="is retired"):
        await to(database, build.version, force=True)


async def test_many_switches_at_once(database: Database) -> None:
    versions = [await built(database, 10 + n) for n in range(3)]

    async def often(version: int) -> None:
        for _ in range(10):
            await to(database, version)

    await asyncio.gather(*(often(version) for version in versions * 2))
    found = await states(database)
    assert sorted(found.values()) == ["current", "previous", "previous"]


async def test_verdicts_that_come_at_once_do_not_wait_for_each_other(database: Database) -> None:
    """Each writes its verdict down and then switches: both take the same lock, in one order."""
    await to(database, await built(database, 10))
    verdicts = [await check(database, await built(database, 10)) for _ in range(4)]

    async def publishing(verdict: GuardianVerdict) -> bool:
        try:
            async with database.transaction() as tx:
                await conclude(tx, verdict, force=True)
        except CorpusMoved:
            return False
        return True

    assert sum(await asyncio.gather(*map(publishing, verdicts))) == 1


async def test_a_verdict_counts_against_the_version_it_was_made_with(database: Database) -> None:
    one = await built(database, 10)
    await to(database, one)
    new, other = await built(database, 11), await built(database, 10)
    verdict = await check(database, new)
    await to(database, other)
    with pytest.raises(CorpusMoved):
        async with database.transaction() as tx:
            await conclude(tx, verdict)
    async with database.connection() as connection:
        assert await current_version(connection) == other
        assert (await get_version(connection, new)).verdict is None, "nothing of it was kept"
    assert (await publish(database, new)).verdict.against == other


async def test_one_builder_at_a_time(database: Database) -> None:
    async with building(database.target, "first"):
        with pytest.raises(CorpusBusy):
            async with building(database.target, "second"):
                pass
    async with building(database.target, "third") as build:
        assert build.version == 2, "the second one made nothing"


async def test_a_builder_waits_a_moment_for_retention(database: Database) -> None:
    async with await Database.open(database.target, pool_size=1) as other:
        async with builders_lock(other) as lock:
            assert lock.held
            waiting = asyncio.create_task(built(database, 10))
            await asyncio.sleep(0.5)
            assert not waiting.done()
        assert await asyncio.wait_for(waiting, 30) == 1


@pytest.mark.parametrize("fails", [True, False])
async def test_a_build_that_is_not_finished_leaves_nothing(database: Database, fails: bool) -> None:
    with pytest.raises((ZeroDivisionError, HandfastError)):
        async with building(database.target, "on the way") as build:
            await build.copy(CorpusPart.INVESTORS, [(build.version, None, None, "i", "I", *_REST)])
            if fails:
                raise ZeroDivisionError
            raise CorpusBusy("as any other")
    assert await tables(database) == []
    assert await states(database) == {build.version: "retired"}


_REST: tuple[None, list[str], list[str], list[str], str, None] = (None, [], [], [], "", None)


# --- retention ----------------------------------------------------------------------------------


async def run_of(database: Database, version: int, at: datetime, *, ended: bool) -> None:
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO handfast_runs.records (run_id, job_id, corpus_version, created_at,"
            " updated_at,"
            " input_url, canonical_url, ended, ended_at, startup_id, match_count)"
            " VALUES ($1, $2, $3, $4, $4, 'x', $5, $6::text::handfast.match_run_status,"
            " CASE WHEN $6::text IS NOT NULL THEN $4::timestamptz END, 's', 1)",
            uuid4(),
            version * 1000 + at.hour,
            version,
            at,
            f"https://{uuid4().hex}.com",
            "ready" if ended else None,
        )


async def test_what_is_kept_and_what_is_dropped(database: Database) -> None:
    await freeze(database, NOW - timedelta(days=10))
    old, pinned, active, before = [await built(database, 10 + n, keep=2) for n in range(4)]
    for version in (old, pinned, active, before):
        await to(database, version)
    current = await built(database, 15, keep=2)
    await to(database, current)
    stale_build = await built(database, 16, keep=2)
    await freeze(database, NOW)
    fresh_build = await built(database, 17, keep=2)
    await run_of(database, pinned, NOW - timedelta(hours=23), ended=True)
    await run_of(database, active, NOW - timedelta(days=3), ended=False)
    await run_of(database, old, NOW - timedelta(hours=26), ended=True)
    assert await retire(database.target) == [old, stale_build]
    assert await states(database) == {
        fresh_build: "built",
        stale_build: "retired",
        current: "current",
        before: "previous",
        active: "previous",
        pinned: "previous",
        old: "retired",
    }
    kept = {int(name.rpartition("_v")[2]) for name in await tables(database)}
    assert kept == {pinned, active, before, current, fresh_build}
    assert await retire(database.target) == []


async def test_a_version_that_was_just_left_is_kept_for_a_while(database: Database) -> None:
    versions = [await built(database, 10 + n, keep=2) for n in range(3)]
    for version in versions:
        await to(database, version)
    assert await retire(database.target, pinned=timedelta(0)) == []
    gone = await retire(database.target, pinned=timedelta(0), grace=timedelta(0))
    assert gone == versions[:1]


async def test_dropping_does_not_wait_for_readers_nor_they_for_it(
    database: Database, dsn: str
) -> None:
    """A reader that holds a transaction on the corpus open delays the dropping, not others."""
    versions = [await built(database, 10 + n, keep=2) for n in range(3)]
    for version in versions:
        await to(database, version)
    holder, other = await asyncpg.connect(dsn), await asyncpg.connect(dsn)
    try:
        async with holder.transaction():
            await holder.fetch(WHOLE)
            zero = timedelta(0)
            dropping = asyncio.create_task(retire(database.target, pinned=zero, grace=zero))
            await asyncio.sleep(0.3)
            assert not dropping.done()
            for _ in range(5):
                assert await asyncio.wait_for(read_at_once(other), 60) == versions[2]
        assert await asyncio.wait_for(dropping, 60) == versions[:1]
    finally:
        await holder.close()
        await other.close()
    assert not [name for name in await tables(database) if name.endswith(f"_v{versions[0]}")]


async def pending(database: Database) -> int:
    """How many tables somebody has begun to detach, so that all can see it."""
    async with database.connection() as connection:
        found: int = await connection.fetchval(
            "SELECT count(*) FROM pg_inherits WHERE inhdetachpending"
        )
    return found


async def test_a_drop_that_was_cut_off_is_finished_by_the_next(
    database: Database, dsn: str
) -> None:
    one, two, three = [await built(database, 10 + n, keep=2) for n in range(3)]
    for version in (one, two, three):
        await to(database, version)
    holder, cut = await asyncpg.connect(dsn), await asyncpg.connect(dsn)
    zero = timedelta(0)
    async with holder.transaction():
        await holder.fetch(WHOLE)
        await cut.execute(
            "UPDATE handfast_runs.corpus_versions SET state = 'retired' WHERE version = 1"
        )
        detach = asyncio.create_task(
            cut.execute(
                "ALTER TABLE handfast_runs.startup_uploads"
                " DETACH PARTITION handfast_runs.startup_uploads_v1 CONCURRENTLY"
            )
        )
        await eventually_async(lambda: pending(database))  # and now it waits for the holder
        pid = cut.get_server_pid()
        await holder.execute("SELECT pg_terminate_backend($1)", pid)
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
            await detach
    assert await pending(database) >= 1, "it was cut off half-way"
    await holder.close()
    await retire(database.target, pinned=zero, grace=zero)
    assert not [name for name in await tables(database) if name.endswith("_v1")]
    assert await pending(database) == 0
