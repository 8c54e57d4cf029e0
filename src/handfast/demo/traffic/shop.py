"""The demo's own jobs: an order is packed, then shipped by a courier that is not always there.

Now and then an order cannot be shipped: a dead letter, which a requeue mends. Now and then nobody
makes an invoice: a gap, which a repair closes.
"""

import asyncio
from datetime import timedelta

from handfast.demo.stage import Stage
from handfast.demo.traffic.pacing import CHANCE, about_every, one_in
from handfast.engine.events import emit
from handfast.engine.jobs.retry import DataInconsistent, RetryPolicy
from handfast.engine.work.context import Context
from handfast.facade import Handfast

LANE = "shop"
APART_SECONDS = 2.5
KEPT = timedelta(hours=6)
LETTERS_MAX, GAPS_MAX = 6, 3  # that wait for a person at one time

TABLE = """
CREATE TABLE IF NOT EXISTS public.demo_sales (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    placed_at timestamptz NOT NULL DEFAULT handfast_db.now(),
    invoiced  boolean NOT NULL DEFAULT false
)"""
# What was ordered is invoiced within ten seconds, whoever was to think of it.
EXPECTED_INVOICES = """
SELECT s.number::text AS key, jsonb_build_object('number', s.number) AS payload,
       s.placed_at AS due_at, s.invoiced AS result_exists
FROM public.demo_sales AS s
WHERE s.placed_at >= $1 AND s.placed_at < least($2, handfast_db.now() - interval '10 seconds')"""

_PLACE = "INSERT INTO public.demo_sales DEFAULT VALUES RETURNING number"
_FORGOTTEN = """
SELECT count(*) FROM public.demo_sales
WHERE NOT invoiced AND placed_at < handfast_db.now() - interval '10 seconds'"""
_OLD = "DELETE FROM public.demo_sales WHERE placed_at < handfast_db.now() - $1::interval"
_INVOICED = "UPDATE public.demo_sales SET invoiced = true WHERE number = $1"
_TRIED_BEFORE = "SELECT count(*) FROM handfast.attempts WHERE job_id = $1"
_LETTERS = "SELECT count(*) FROM handfast.dead_letters WHERE kind = 'shop.ship'"

_COURIER = RetryPolicy(retries=4, waits=(2.0, 4.0, 8.0, 15.0))


def declare(hf: Handfast) -> None:
    hf.job("shop.pack", lane=LANE)(pack)
    hf.job("shop.ship", lane=LANE, retry=_COURIER)(ship)
    hf.job("shop.invoice", lane=LANE)(invoice)
    hf.expect("shop.invoices", kind="shop.invoice", sql=EXPECTED_INVOICES, past=KEPT)


async def pack(ctx: Context, number: int) -> str:
    """Takes some seconds, and says how far it is."""
    parts = CHANCE.randint(2, 5)
    for part in range(parts):
        await ctx.progress(part / parts, f"{part} of {parts} things in the box")
        await asyncio.sleep(CHANCE.uniform(0.2, 0.8))
    return f"{parts} things in one box"


async def ship(ctx: Context, number: int) -> None:
    async with ctx.database.connection() as connection:
        tried = await connection.fetchval(_TRIED_BEFORE, ctx.job_id)
        letters = await connection.fetchval(_LETTERS)
    if not tried and letters < LETTERS_MAX and number % 25 == 3:
        raise DataInconsistent(f"the address of order {number} has no street")
    if one_in(6):
        raise ConnectionError("the courier does not answer")
    async with ctx.completing("on its way") as tx:
        await emit(tx, "shop.shipped", f"order:{number}", {"orderId": number})


async def invoice(ctx: Context, number: int) -> None:
    async with ctx.completing() as tx:
        await tx.execute(_INVOICED, number)


async def orders(stage: Stage) -> None:
    """Somebody orders something, again and again."""
    async for _ in about_every(APART_SECONDS):
        waiting = await stage.ask(_FORGOTTEN)
        async with stage.hf.transaction() as tx:
            number = await tx.fetchval(_PLACE)
            key, forgotten = str(number), number % 20 == 2 and waiting < GAPS_MAX
            await stage.hf.enqueue(tx, "shop.pack", key=key, number=number)
            packed = [("shop.pack", key)]
            await stage.hf.enqueue(tx, "shop.ship", key=key, requires=packed, number=number)
            if not forgotten:
                await stage.hf.enqueue(tx, "shop.invoice", key=key, number=number)
            await tx.execute(_OLD, KEPT)
