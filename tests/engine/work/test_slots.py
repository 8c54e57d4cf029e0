"""How the slots of a worker share its jobs: those that wait beside each other, those that do not
one after the other, and nobody keeps the loop to himself."""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from typing import Any

import pytest

from handfast import Context
from handfast.engine.work.slots import BREATH, resume
from tests.support.workers_here import Workers

SLOTS = 20


async def test_jobs_that_wait_run_side_by_side_and_never_more_than_there_are_slots(
    shop: Workers,
) -> None:
    inside, most = 0, 0
    full = asyncio.Event()

    @shop.hf.job("t.waits")
    async def waits(ctx: Context, n: int) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        if inside == SLOTS:
            full.set()
        await asyncio.wait_for(full.wait(), 60)
        await asyncio.sleep(0)
        inside -= 1

    for n in range(3 * SLOTS):
        await shop.enqueue(waits, str(n), n=n)
    async with shop.working(concurrency=SLOTS):
        await shop.drained()
    assert most == SLOTS


async def test_some_wait_and_some_do_not(shop: Workers) -> None:
    ran: Counter[int] = Counter()

    @shop.hf.job("t.mixed")
    async def mixed(ctx: Context, n: int) -> None:
        if n % 3 == 0:
            await asyncio.sleep(0.001 * (n % 7))
        elif n % 3 == 1:
            await asyncio.sleep(0)
        ran[n] += 1

    async with shop.database.transaction() as tx:
        jobs = [(str(n), {"n": n}) for n in range(2000)]
        await shop.hf.enqueue_many(tx, mixed, jobs)
    async with shop.working(concurrency=SLOTS):
        await shop.drained()
    assert ran == Counter(range(2000))


async def test_jobs_that_never_wait_let_the_loop_turn(shop: Workers) -> None:
    turns, jobs, longest = 0, 0, 0

    @shop.hf.job("t.busy")
    async def busy(ctx: Context, n: int) -> None:
        nonlocal jobs
        jobs += 1

    async def turn() -> None:
        nonlocal turns, jobs, longest
        while True:
            jobs, longest = 0, max(longest, jobs)
            turns += 1
            await asyncio.sleep(0)

    async with shop.database.transaction() as tx:
        await shop.hf.enqueue_many(tx, busy, [(str(n), {"n": n}) for n in range(50 * BREATH)])
    turning = asyncio.create_task(turn())
    async with shop.working(concurrency=SLOTS):
        await shop.drained()
    turning.cancel()
    assert turns >= 25
    assert 0 < longest <= 2 * BREATH, "so many ran without a turn of the loop"


# --- going on by hand -----------------------------------------------------------------------------


async def by_hand(running: Coroutine[Any, Any, None]) -> str:
    """Run it as a slot does; answers whether it had to wait."""
    try:
        waits_for = running.send(None)
    except StopIteration:
        return "at once"
    await resume(running, waits_for)
    return "waited"


async def test_answers_and_errors_reach_the_coroutine() -> None:
    loop = asyncio.get_running_loop()
    good, bad = loop.create_future(), loop.create_future()
    seen: list[object] = []

    async def running() -> None:
        seen.append(await good)
        with pytest.raises(ValueError, match="no good"):
            await bad
        async with asyncio.timeout(0.01) as bound:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("too long")
                raise
        seen.append(bound.expired())

    loop.call_soon(good.set_result, 7)
    loop.call_later(0.01, bad.set_exception, ValueError("no good"))
    with pytest.raises(TimeoutError):
        await by_hand(running())
    assert seen == [7, "too long"]


async def test_a_cancellation_arrives_where_it_waits() -> None:
    arrived = asyncio.Event()

    async def running() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            arrived.set()
            await asyncio.sleep(0)  # and it may still wait for something
            raise

    task = asyncio.create_task(by_hand(running()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert arrived.is_set()


async def test_what_does_not_wait_is_done_at_once() -> None:
    async def running() -> None:
        pass

    assert await by_hand(running()) == "at once"
