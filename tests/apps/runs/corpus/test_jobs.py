"""The nightly rebuild: once, by whoever; refused when it is bad; off unless it is asked for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from handfast.apps.runs import work
from handfast.apps.runs.corpus import jobs
from handfast.apps.runs.corpus.jobs import corpus_crew
from handfast.apps.runs.corpus.versions.publish import check
from handfast.apps.runs.corpus.versions.versions import current_version, list_versions
from handfast.base.errors import SettingsError
from handfast.db.pool import Database
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.errors import ScheduleInvalid
from handfast.engine.host import Host, HostOptions
from handfast.engine.operating.jobs_view import JobDetail, find_job
from handfast.wiring import load_settings
from tests.support.clock import freeze
from tests.support.corpus_files import generated, rejected
from tests.support.eventually import eventually_async
from tests.support.hosts import running
from tests.support.systems import whole_system

NIGHT = datetime(2026, 5, 2, 2, 30, tzinfo=UTC)
KEY = "corpus.rebuild:2026-05-02T02:30:00Z"


OPTIONS = WorkerOptions(lanes=("corpus",), concurrency=1)
HOST = HostOptions(poll=0.05, grace=0.1)


def crew(database: Database, *, at: str | None = "30 2 * * *", schema: str | None = None) -> Crew:
    return corpus_crew(database, database.target, rebuild_at=at, schema=schema, options=OPTIONS)


def keeper(database: Database) -> Host:
    return Host(database, database.target, [crew(database)], HOST)


@asynccontextmanager
async def working(*keepers: Host) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for one in keepers:
            await stack.enter_async_context(running(one))
        yield


async def ended(database: Database) -> JobDetail:
    async def look() -> JobDetail | None:
        async with database.connection() as connection:
            found = await find_job(connection, "runs.rebuild", KEY)
        return found if found is not None and found.state in ("succeeded", "dead") else None

    found = await eventually_async(look)
    assert found is not None
    return found


async def until_that_night(database: Database, *keepers: Host) -> None:
    """The schedules are declared in the evening; then it is two seconds after their hour."""
    await freeze(database, NIGHT - timedelta(hours=4))
    for one in keepers:
        await one.scheduler.run_once()
    await freeze(database, NIGHT + timedelta(seconds=2))


async def test_a_night_is_rebuilt_once(database: Database) -> None:
    first = await generated(database, keep=20)  # all, as the nightly rebuild will keep
    both = [keeper(database), keeper(database)]
    await until_that_night(database, *both)
    async with working(*both):
        await asyncio.gather(*(one.scheduler.run_once() for one in both))
        done = await ended(database)
    assert done.state == "succeeded"
    async with database.connection() as connection:
        versions = await list_versions(connection)
        assert [(v.version, v.state, v.source) for v in versions] == [
            (first + 1, "current", "rebuild"),
            (first, "previous", "generated, seed 1"),
        ]


async def test_a_bad_night_changes_nothing_for_readers(database: Database) -> None:
    first = await generated(database)
    async with database.connection() as connection:
        # As a source that was cut off would have it.
        await connection.execute(
            f"DELETE FROM handfast_runs.investors_v{first} WHERE investor_id > 'i000001'"
        )
    one = keeper(database)
    await until_that_night(database, one)
    async with working(one):
        await one.scheduler.run_once()
        done = await ended(database)
    assert done.state == "succeeded", "the rebuild did its work; what it made was refused"
    async with database.connection() as connection:
        assert await current_version(connection) == first
        raised = await connection.fetchval(
            "SELECT count(*) FROM handfast_engine.events WHERE type = 'corpus.refused'"
        )
    assert raised == 1


async def test_a_worker_that_lost_its_lease_switches_nobody(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await generated(database)
    one = keeper(database)
    await until_that_night(database, one)
    looked = asyncio.Event()

    async def slow_check(database: Database, version: int) -> object:
        verdict = await check(database, version)
        async with database.connection() as connection:
            # What a rescue does: the job goes to somebody with a higher token.
            await connection.execute("UPDATE handfast_engine.live SET token = token + 1")
        looked.set()
        return verdict

    monkeypatch.setattr(jobs, "check", slow_check)
    async with working(one):
        await one.scheduler.run_once()
        await asyncio.wait_for(looked.wait(), 30)
        await asyncio.sleep(0.5)
    async with database.connection() as connection:
        assert await current_version(connection) == first
        states = [v.state for v in await list_versions(connection)]
    assert states.count("built") >= 1


async def test_without_a_corpus_there_is_nothing_to_rebuild(database: Database) -> None:
    one = keeper(database)
    await until_that_night(database, one)
    async with working(one):
        await one.scheduler.run_once()
        done = await ended(database)
    assert done.state == "succeeded"
    async with database.connection() as connection:
        assert await list_versions(connection) == []


async def test_a_setting_that_is_no_cron_is_named(database: Database) -> None:
    settings = load_settings(corpus_rebuild="every night")
    system = whole_system(settings, database, database.target)
    with pytest.raises(SettingsError, match="HANDFAST_CORPUS_REBUILD is 'every night'"):
        work.corpus_crew(system)


async def test_bad_rows_of_the_users_tables_are_kept(database: Database, tmp_path: Path) -> None:
    async with database.connection() as connection:
        await connection.execute(
            "CREATE SCHEMA crm; CREATE TABLE crm.startup_uploads AS SELECT n AS startup_id,"
            " 'N' || n AS name, CASE n WHEN 7 THEN 'javascript:x' ELSE 'n' || n || '.com' END"
            " AS url FROM generate_series(1, 20) AS n;"
            "CREATE TABLE crm.investors AS SELECT n AS investor_id, 'I' || n AS name"
            " FROM generate_series(1, 5) AS n"
        )
    crew = corpus_crew(
        database,
        database.target,
        rebuild_at="30 2 * * *",
        schema="crm",
        rejects=tmp_path / "rejects",
        options=OPTIONS,
    )
    one = Host(database, database.target, [crew], HOST)
    await until_that_night(database, one)
    async with working(one):
        await one.scheduler.run_once()
        await ended(database)
    file = tmp_path / "rejects" / "crm.startup_uploads.rejects.csv"
    assert [line for line, _ in rejected(file)] == [7]


async def test_it_is_off_unless_it_is_asked_for(database: Database) -> None:
    assert [s.name for s in crew(database, at=None).schedules] == ["corpus.retention"]
    with pytest.raises(ScheduleInvalid):
        crew(database, at="every night")
    kinds = {kind.name: kind.lane for kind in crew(database).kinds}
    assert kinds == {"runs.rebuild": "corpus", "runs.retention": "corpus"}
