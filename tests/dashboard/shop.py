"""The program that the pages' tasks are done on: everything switched on, and a few kinds."""

from datetime import timedelta

from handfast.engine.work.context import Context
from handfast.facade import Handfast
from handfast.wiring import CAPABILITIES

EXPECTED = """
SELECT o.number::text AS key, jsonb_build_object('number', o.number) AS payload,
       o.placed_at AS due_at,
       EXISTS (SELECT 1 FROM public.shop_receipts AS r WHERE r.number = o.number) AS result_exists
FROM public.shop_orders AS o WHERE o.placed_at >= $1 AND o.placed_at < $2"""

hf = Handfast(capabilities=[one.name for one in CAPABILITIES])


@hf.job("shop.invoice", lane="shop")
async def invoice(ctx: Context) -> str:
    return "written"


@hf.job("shop.receipt", lane="shop")
async def receipt(ctx: Context, number: int) -> None:
    async with ctx.completing() as tx:
        await tx.execute("INSERT INTO public.shop_receipts VALUES ($1)", number)


@hf.job("shop.later", lane="shop")
async def later(ctx: Context) -> str:
    return "done"


hf.cron("shop.nightly", later, "0 3 * * *")
hf.expect(
    "shop.receipts",
    kind="shop.receipt",
    sql=EXPECTED,
    past=timedelta(days=3650),
    window=timedelta(hours=1),
)
