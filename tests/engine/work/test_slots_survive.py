"""What a handler leaves behind does not cost the worker a slot."""

import asyncio

from handfast import Context
from tests.support.workers_here import Workers


async def test_a_handler_that_cancels_its_own_task_and_returns(shop: Workers) -> None:
    ran: list[int] = []

    @shop.hf.job("t.self_cancelling")
    async def self_cancelling(ctx: Context, n: int) -> None:
        ran.append(n)
        task = asyncio.current_task()
        assert task is not None
        task.cancel()

    async with shop.working(concurrency=2):
        for n in range(6):
            await shop.enqueue(self_cancelling, str(n), n=n)
            await shop.drained(within=60)
    assert sorted(ran) == list(range(6))


async def test_a_cancellation_that_comes_after_the_handler_has_ended(shop: Workers) -> None:
    """Somebody kept the task, and cancels it when it is idle."""

    @shop.hf.job("t.late")
    async def late(ctx: Context) -> None:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().call_later(0.05, task.cancel)

    @shop.hf.job("t.after")
    async def after(ctx: Context) -> None:
        pass

    async with shop.working(concurrency=1):
        await shop.enqueue(late)
        await shop.drained()
        await asyncio.sleep(0.2)
        await shop.enqueue(after)
        await shop.drained(within=60)
