"""What somebody holds who uses ``Handfast`` in a way that was not meant: he is told what is."""

import asyncio
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.ext.asyncio import AsyncSession
from structlog.testing import capture_logs

from handfast import Context, Handfast, HandfastError
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.errors import JobInvalid
from handfast.services.ledger import rules
from handfast.services.ledger.values import CASH, wallet
from handfast.wiring import load_settings
from tests.support.eventually import eventually_async
from tests.support.jobs import program
from tests.support.systems import whole_system
from tests.support.workers_here import Workers


@pytest.fixture
def shop(database: Database) -> Workers:
    return Workers(database)


MISTAKES = """
from handfast import BatchJob, Context, Handfast
import msgspec

hf = Handfast()

class Mail(msgspec.Struct):
    to: str

@hf.job("shop.mail")
async def mail(ctx: Context, to: str, times: int = 1) -> None: ...

@hf.batch_job("shop.mails", payload=Mail)
async def mails(jobs: list[BatchJob]) -> None: ...

async def right() -> None:
    async with hf.transaction() as tx:
        await hf.enqueue(tx, mail, key="1", to="you", lane="mail")
        await hf.enqueue(tx, "shop.mail", key="1", anything="goes")
        await hf.enqueue(tx, mails, key="1", to="you")
    await hf.enqueue_now(mail, key="1", to="you", times=2)

async def wrong() -> None:
    async with hf.transaction() as tx:
        await hf.enqueue(tx, mail, key="1", too="you")
        await hf.enqueue(tx, mail, key="1", to=7)
        await hf.enqueue(tx, mail, to="you")
    await hf.enqueue_now(mail, key="1", too="you")
"""


def test_a_type_checker_compares_the_payload_with_the_handler(tmp_path: Path) -> None:
    file = tmp_path / "shop.py"
    file.write_text(MISTAKES)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--hide-error-context", str(file)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    told = [int(line.split(":")[1]) for line in lines if "shop.py" in line]
    first = (
        MISTAKES[: MISTAKES.index('        await hf.enqueue(tx, mail, key="1", too')].count("\n")
        + 1
    )
    assert told == [first, first + 1, first + 2, first + 3], done.stdout


def not_transactions() -> list[tuple[object, str]]:
    return [
        (None, "hf.enqueue_now"),
        (AsyncSession(), "driver_connection"),
        (
            psycopg.AsyncConnection.__new__(psycopg.AsyncConnection),
            "SELECT * FROM handfast_engine.enqueue(%s",
        ),
        (object(), "async with hf.transaction() as tx"),
    ]


@pytest.mark.parametrize(("tx", "advice"), not_transactions())
async def test_what_is_no_transaction_is_named_with_what_to_do(tx: object, advice: str) -> None:
    hf = Handfast()
    with pytest.raises(JobInvalid, match="cannot be joined") as refused:
        await hf.enqueue(tx, "shop.mail", key="1")  # type: ignore[call-overload]
    assert advice in (refused.value.hint or "")


async def test_a_connection_of_asyncpg_with_a_transaction_is_joined(
    database: Database, dsn: str
) -> None:
    hf = program(database, dsn)
    async with database.connection() as connection, connection.transaction():
        assert (await hf.enqueue(connection, "shop.mail", key="1")).created


def test_a_second_asyncio_run_opens_anew(dsn: str, caplog: pytest.LogCaptureFixture) -> None:
    hf = Handfast(database_url=dsn)

    async def ask(key: str) -> bool:
        async with hf.transaction() as tx:
            return (await hf.enqueue(tx, "shop.mail", key=key)).created

    assert asyncio.run(ask("one"))
    assert asyncio.run(ask("two"))
    assert not asyncio.run(ask("one"))
    complaints = [record for record in caplog.records if record.name == "asyncio"]
    assert complaints == [], "a loop that ends has nothing to complain of"


def test_a_loop_that_still_runs_keeps_what_it_opened(dsn: str) -> None:
    hf = Handfast(database_url=dsn)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(hf.open(), loop).result(60)
        with pytest.raises(HandfastError, match="another event loop, which still runs"):
            asyncio.run(hf.enqueue_now("shop.mail", key="1"))
        asyncio.run_coroutine_threadsafe(hf.close(), loop).result(60)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def test_log_lines_of_failures_have_the_id_of_the_job(shop: Workers) -> None:
    @shop.hf.job("t.fails")
    async def fails(ctx: Context) -> None:
        raise ConnectionError("no answer")

    job = await shop.enqueue(fails)

    async def told() -> list[tuple[int, int]]:
        failed = [one for one in logs if one["event"] == "attempt_failed"]
        return [(one["job_id"], one["attempt"]) for one in failed]

    with capture_logs() as logs:
        async with shop.working():
            assert await eventually_async(told, within=60) == [(job, 1)]


async def test_the_platforms_money_is_in_the_currency_of_the_settings(
    database: Database, dsn: str
) -> None:
    hf = Handfast()
    hf.use(whole_system(load_settings(currency="SEK"), database, Target(dsn)))
    ledger = await hf.ledger()
    await ledger.transfer(rules.deposit("d", "nils", 500, "SEK"))
    deposited = datetime.now(UTC) + timedelta(minutes=1)
    assert await ledger.balance(wallet("nils")) == 500
    assert await ledger.balance(CASH) == -500
    assert await ledger.balance(CASH, at=deposited) == -500
    assert [line.amount for line in (await ledger.statement(CASH)).lines] == [-500]
    await ledger.close()
