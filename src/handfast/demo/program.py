"""The kinds that the demo declares."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date, timedelta

from handfast.base.settings import Settings
from handfast.demo.traffic import shop
from handfast.engine.jobs.retry import DataInconsistent, RetryPolicy
from handfast.engine.schedules.catch_up import CatchUp
from handfast.engine.work.context import Context
from handfast.facade import Handfast
from handfast.wiring import CAPABILITIES

LANE = "demo"
CRASH_LANE = "demo-crash"  # nobody listens to it but the worker that is going to be killed
HANG_SECONDS = 60.0

ORDERS = 5
# Of a country code that no country has. The first two sign up in the story; the third is yours.
TEST_COUNTRY, TEST_NUMBERS, TEST_CODE = "999", ("5550001", "5550002", "5550003"), "246810"
DECLARED_NUMBERS = ",".join(f"+{TEST_COUNTRY}{number}={TEST_CODE}" for number in TEST_NUMBERS)
TABLES = """
CREATE TABLE IF NOT EXISTS public.demo_payments (job text NOT NULL, amount int NOT NULL);
CREATE TABLE IF NOT EXISTS public.demo_orders (number int PRIMARY KEY, placed_at timestamptz);
CREATE TABLE IF NOT EXISTS public.demo_reports (number int NOT NULL)"""

# Every order calls for a report, whoever was to enqueue it.
EXPECTED_REPORTS = """
SELECT o.number::text AS key, jsonb_build_object('number', o.number) AS payload,
       o.placed_at AS due_at,
       EXISTS (SELECT 1 FROM public.demo_reports AS r WHERE r.number = o.number) AS result_exists
FROM public.demo_orders AS o WHERE o.placed_at >= $1 AND o.placed_at < $2"""

_QUICK = RetryPolicy(retries=3, waits=(0.3, 0.6, 1.0))


def program(settings: Settings) -> Handfast:
    hf = Handfast(settings, capabilities=[one.name for one in CAPABILITIES])
    hf.job("demo.welcome", lane=LANE)(welcome)
    for kind in ("demo.extract", "demo.transform", "demo.load"):
        hf.job(kind, lane=LANE)(_step())
    hf.job("demo.flaky", lane=LANE, retry=_QUICK)(flaky)
    hf.job("demo.invoice", lane=LANE)(invoice)
    hf.job("demo.payment", lane=CRASH_LANE)(payment)
    hf.job("demo.digest", lane=LANE)(digest)
    hf.cron("demo.nightly", digest, "0 0 * * *", catch_up=CatchUp.all)
    hf.job("demo.report", lane=LANE)(report)
    hf.expect(
        "demo.reports",
        kind="demo.report",
        sql=EXPECTED_REPORTS,
        past=timedelta(days=3650),
        window=timedelta(hours=1),
    )
    shop.declare(hf)
    return hf


async def welcome(ctx: Context, name: str) -> str:
    return f"welcome, {name}"


def _step() -> Callable[[Context, str], Awaitable[str]]:
    """A handler of its own for each kind."""

    async def step(ctx: Context, day: str) -> str:
        await asyncio.sleep(0.1)
        return f"{ctx.kind} of {day}"

    return step


async def flaky(ctx: Context) -> str:
    if ctx.attempt <= 2:
        raise ConnectionError("the provider does not answer")
    return "answered"


async def invoice(ctx: Context, number: int) -> None:
    raise DataInconsistent(f"invoice {number} has two totals")


async def digest(ctx: Context, day: date) -> str:
    return f"digest of {day}"


async def report(ctx: Context, number: int) -> None:
    async with ctx.completing() as tx:
        await tx.execute("INSERT INTO public.demo_reports VALUES ($1)", number)


async def payment(ctx: Context, amount: int) -> None:
    """One row, in the transaction that finishes the job. There is no unique constraint on it."""
    async with ctx.completing() as tx:
        await tx.execute("INSERT INTO public.demo_payments VALUES ($1, $2)", ctx.key, amount)
        if ctx.attempt == 1:
            await ctx.progress(0.5, "written, not committed")
            await asyncio.sleep(HANG_SECONDS)  # here it is killed
