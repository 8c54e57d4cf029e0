"""A program as a user would write one, for the commands that are told --app."""

import asyncio
from datetime import timedelta

from handfast import Context, Handfast, Retry

hf = Handfast(capabilities=["webhooks", "runs", "fixtures"])
not_a_program = 7


@hf.job("shop.mail", lane="mail", retry=Retry.never)
async def mail(ctx: Context, to: str) -> str:
    if to == "nobody":
        raise TypeError("nobody has no address")
    await ctx.progress(0.5, "half way")
    return f"sent to {to}"


@hf.job("shop.slow")
async def slow(ctx: Context, seconds: float) -> None:
    await ctx.progress(0, "begun")
    await asyncio.sleep(seconds)


hf.expect(
    "greetings",
    kind=mail,
    window=timedelta(hours=1),
    sql="SELECT 'greet' AS key, '{\"to\": \"you\"}'::jsonb AS payload, $1::timestamptz AS due_at,"
    " $2::timestamptz IS NULL AS result_exists",
)
