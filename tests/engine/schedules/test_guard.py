"""What is a schedule's own fails in every way there is; the one beside it fires all the same."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, time, timedelta
from typing import Any

import asyncpg
import pytest
from structlog.testing import capture_logs

from handfast import CatchUp, Handfast, Tick
from handfast.db.outage import AWAY
from handfast.db.pool import Database
from handfast.db.transaction import Queryable
from handfast.engine.jobs import metrics
from handfast.engine.schedules.store import zones_in_use
from handfast.engine.schedules.ticks import DailySpec
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.lock_waits import HOW_MANY_WAIT
from tests.support.schedules import KIND, program, rows, scheduler, ticks

pytestmark = pytest.mark.on_every_postgres

START = datetime(2026, 3, 20, 8, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)
SHORT = 0.2  # seconds for an answer that never comes


@pytest.fixture
async def frozen(database: Database) -> Database:
    await freeze(database, START)
    return database


def with_one_beside_it() -> Handfast:
    """Schedules are followed in the order of their names: "z" comes after whatever is bad."""
    hf = program()
    hf.cron("z", KIND, "0 * * * *")
    return hf


async def the_other_fires(database: Database, hf: Handfast, reason: str, **options: Any) -> None:
    """ "bad" is counted and said, and keeps its cursor; "z" fires."""
    one = scheduler(database, hf, **options)
    await one.run_once()
    counted = metrics.SCHEDULES_FAILED.labels("bad")._value.get()
    with capture_logs() as logs:
        done = await one.run_once(START + HOUR)
    assert (done.fired, done.failed) == (1, 1)
    assert metrics.SCHEDULES_FAILED.labels("bad")._value.get() == counted + 1
    said = [entry["reason"] for entry in logs if entry["event"] == "schedule_failed"]
    assert len(said) == 1
    assert reason in said[0]
    assert await ticks(database, "bad") == []
    assert await ticks(database, "z") == [START + HOUR / 2]


def raising(error: BaseException) -> Callable[..., Any]:
    def fails(_tick: Tick) -> Any:
        raise error

    return fails


ERRORS = [
    TimeoutError("the zone server is slow"),
    ConnectionRefusedError(111, "Connection refused"),
    asyncpg.ConnectionDoesNotExistError("of another database"),
    asyncpg.InterfaceError("of another database"),
    LookupError("no such customer"),
    StopIteration("nothing left"),
    asyncio.CancelledError("a task of the program's was cancelled"),
]


def by_type(error: BaseException) -> str:
    return type(error).__name__


# --- whatever it raises -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "error", [e for e in ERRORS if not isinstance(e, StopIteration)], ids=by_type
)
async def test_zones_that_raise(frozen: Database, error: BaseException) -> None:
    async def zones(_on: Queryable) -> list[str]:
        raise error

    hf = with_one_beside_it()
    hf.daily("bad", KIND, at=time(9), zones=zones)
    await the_other_fires(frozen, hf, type(error).__name__)


async def test_zones_that_raise_while_they_are_read(frozen: Database) -> None:
    async def zones(_on: Queryable) -> Iterator[str]:
        def one_by_one() -> Iterator[str]:
            yield "UTC"
            raise TimeoutError("the second page")

        return one_by_one()

    hf = with_one_beside_it()
    hf.daily("bad", KIND, at=time(9), zones=zones)
    await the_other_fires(frozen, hf, "TimeoutError: the second page")


@pytest.mark.parametrize("error", ERRORS, ids=by_type)
@pytest.mark.parametrize("what", ["key", "payload"])
async def test_a_key_or_a_payload_that_raises(
    frozen: Database, what: str, error: BaseException
) -> None:
    hf = with_one_beside_it()
    given: dict[str, Any] = {what: raising(error)}
    hf.cron("bad", KIND, "0 * * * *", catch_up=CatchUp.all, **given)
    one = scheduler(frozen, hf)
    await one.run_once()
    done = await one.run_once(START + HOUR)
    assert (done.fired, done.failed) == (1, 1)
    assert await ticks(frozen, "z") == [START + HOUR / 2]


async def test_a_query_whose_function_raises(frozen: Database) -> None:
    await rows(
        frozen,
        "CREATE FUNCTION zones() RETURNS SETOF text LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE 'the customers are being moved'; END $$",
    )
    hf = with_one_beside_it()
    hf.daily("bad", KIND, at=time(9), zones="SELECT zones()")
    await the_other_fires(frozen, hf, "RaiseError: the customers are being moved")


async def test_a_query_that_the_server_cancels(frozen: Database) -> None:
    await rows(
        frozen,
        "CREATE FUNCTION zones() RETURNS text LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE 'canceling statement due to statement timeout'"
        " USING ERRCODE = '57014'; END $$",
    )
    hf = with_one_beside_it()
    hf.daily("bad", KIND, at=time(9), zones="SELECT zones()")
    await the_other_fires(frozen, hf, "QueryCanceledError: canceling statement")


async def test_a_transaction_that_is_left_open(frozen: Database) -> None:
    """Spoilt, and never ended: the ticks of the others do not vanish in it."""

    async def zones(on: Queryable) -> list[str]:
        await on.execute("BEGIN")
        await on.execute("SELECT 1 / 0")
        return []

    hf = with_one_beside_it()
    hf.daily("bad", KIND, at=time(9), zones=zones)
    await the_other_fires(frozen, hf, "DivisionByZeroError")


async def test_a_key_that_the_database_refuses(frozen: Database) -> None:
    await rows(
        frozen, "ALTER TABLE handfast_engine.jobs ADD CONSTRAINT well CHECK (key <> 'unheard of')"
    )
    hf = with_one_beside_it()
    hf.cron("bad", KIND, "0 * * * *", key=lambda _tick: "unheard of")
    await the_other_fires(frozen, hf, "CheckViolationError")


# --- silence ----------------------------------------------------------------------------------


@asynccontextmanager
async def locked(dsn: str, table: str) -> AsyncIterator[None]:
    """As somebody's open migration leaves it."""
    elsewhere = await asyncpg.connect(dsn)
    try:
        async with elsewhere.transaction():
            await elsewhere.execute(f"LOCK TABLE {table}")
            yield
    finally:
        await elsewhere.close()


async def test_a_query_that_waits_for_a_lock(frozen: Database, dsn: str) -> None:
    await rows(frozen, "CREATE TABLE people AS SELECT 'UTC' AS zone")
    hf = with_one_beside_it()
    hf.daily("bad", KIND, at=time(9), zones="SELECT zone FROM people")
    async with locked(dsn, "people"), asyncio.timeout(60):
        await the_other_fires(frozen, hf, "TimeoutError: no answer in time", answer_within=SHORT)
        await eventually_async(lambda: _nobody_waits(frozen))
    done = await scheduler(frozen, hf).run_once(START + HOUR)
    assert (done.fired, done.failed) == (1, 0), "nothing was lost"


async def test_zones_that_never_answer(frozen: Database) -> None:
    async def zones(on: Queryable) -> list[str]:
        await on.execute("SELECT pg_sleep(3600)")
        return []

    hf = with_one_beside_it()
    hf.daily("bad", KIND, at=time(9), zones=zones)
    async with asyncio.timeout(60):
        await the_other_fires(frozen, hf, "TimeoutError: no answer in time", answer_within=SHORT)


async def test_whoever_looks_ahead_waits_no_longer(frozen: Database, dsn: str) -> None:
    await rows(frozen, "CREATE TABLE people AS SELECT 'UTC' AS zone")
    spec = DailySpec(time(9), CatchUp.latest, query="SELECT zone FROM people")
    async with locked(dsn, "people"), asyncio.timeout(60), frozen.connection() as connection:
        with pytest.raises(TimeoutError):
            await zones_in_use(connection, spec, seconds=SHORT)


async def _nobody_waits(database: Database) -> bool:
    return [tuple(row) for row in await rows(database, HOW_MANY_WAIT)] == [(0,)]


# --- what is not the schedule's ---------------------------------------------------------------


async def test_a_scheduler_that_is_cancelled_leaves(frozen: Database) -> None:
    asked = asyncio.Event()

    async def zones(_on: Queryable) -> list[str]:
        asked.set()
        await asyncio.Event().wait()
        return []

    hf = with_one_beside_it()
    hf.daily("bad", KIND, at=time(9), zones=zones)
    task = asyncio.create_task(scheduler(frozen, hf).run())
    async with asyncio.timeout(60):
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_lost_connection_is_nobodys_fault(frozen: Database) -> None:
    """The database may be away: the round ends, nothing is counted, and the next one looks."""
    away = True

    async def zones(on: Queryable) -> list[str]:
        if away:
            await on.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return ["UTC"]

    hf = with_one_beside_it()
    hf.daily("bad", KIND, at=time(9), zones=zones)
    one = scheduler(frozen, hf)
    counted = metrics.SCHEDULES_FAILED.labels("bad")._value.get()
    with pytest.raises(AWAY):
        await one.run_once()
    assert metrics.SCHEDULES_FAILED.labels("bad")._value.get() == counted
    away = False
    assert (await one.run_once(START + HOUR)).fired == 2


async def test_our_own_statements_end_the_round(frozen: Database) -> None:
    hf = with_one_beside_it()
    hf.cron("a", KIND, "0 * * * *")
    one = scheduler(frozen, hf)
    await one.run_once()
    await rows(frozen, "ALTER TABLE handfast_engine.ticks RENAME TO elsewhere")
    with pytest.raises(asyncpg.UndefinedTableError):
        await one.run_once(START + HOUR)
