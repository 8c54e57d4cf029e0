"""Many requests, one statement; a request alone waits for nobody."""

import asyncio
from collections.abc import Callable

import pytest

from handfast.db.batcher import Batcher
from handfast.db.errors import DatabaseUnreachable


class Doubling:
    """Answers with twice the number, when it may. Keeps the batches that it was given."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.may = asyncio.Event()
        self.may.set()

    async def __call__(self, asked: list[int]) -> list[int]:
        self.batches.append(asked)
        await self.may.wait()
        return [number * 2 for number in asked]


async def asking(batcher: Batcher[int, int], *numbers: int) -> list[asyncio.Task[int]]:
    """Requests that wait, or are on their way."""
    tasks = [asyncio.create_task(batcher.ask(number)) for number in numbers]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_one_alone_is_asked_for_at_once() -> None:
    doubling = Doubling()
    batcher = Batcher(doubling)
    assert await asyncio.wait_for(batcher.ask(1), 60) == 2
    assert await asyncio.wait_for(batcher.ask(2), 60) == 4
    assert doubling.batches == [[1], [2]]


async def test_what_comes_meanwhile_is_one_batch_and_no_larger_than_allowed() -> None:
    doubling = Doubling()
    doubling.may.clear()
    batcher = Batcher(doubling, batch_max=3)
    first = await asking(batcher, 1)
    later = await asking(batcher, 2, 3, 4, 5)
    assert doubling.batches == [[1]]
    doubling.may.set()
    assert await asyncio.wait_for(asyncio.gather(*first, *later), 60) == [2, 4, 6, 8, 10]
    assert doubling.batches == [[1], [2, 3, 4], [5]]


async def test_a_batch_is_put_in_order_and_each_gets_its_own_answer() -> None:
    doubling = Doubling()
    batcher = Batcher(doubling, order=lambda number: -number)
    tasks = await asking(batcher, 2, 3, 1)
    assert await asyncio.wait_for(asyncio.gather(*tasks), 60) == [4, 6, 2]
    assert doubling.batches == [[3, 2, 1]]


async def test_a_failure_is_told_to_its_batch_and_not_to_those_after() -> None:
    async def answer(asked: list[int]) -> list[int]:
        if 1 in asked:
            raise OSError("no answer")
        return asked

    batcher = Batcher(answer, batch_max=2)
    tasks = await asking(batcher, 1, 2, 3)
    ended = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)
    assert [type(end) for end in ended] == [OSError, OSError, int]


async def test_a_wrong_answer_fails_its_askers_and_not_those_after() -> None:
    short = [True]

    async def answer(asked: list[int]) -> list[int]:
        return asked[1:] if short.pop() else [one * 2 for one in asked]

    batcher = Batcher(answer)
    async with asyncio.timeout(5):
        with pytest.raises(ValueError, match="shorter"):
            await batcher.ask(1)
        short.append(False)
        assert await batcher.ask(2) == 4


# --- askers that are gone -------------------------------------------------------------------------


async def test_an_answer_that_nobody_waits_for_is_abandoned() -> None:
    doubling, abandoned = Doubling(), list[tuple[int, int]]()
    doubling.may.clear()
    batcher = Batcher(doubling, abandoned=lambda *pair: abandoned.append(pair))
    gone, there = await asking(batcher, 1, 2)
    gone.cancel()
    doubling.may.set()
    assert await asyncio.wait_for(there, 60) == 4
    assert abandoned == [(1, 2)]


async def test_one_that_goes_when_its_answer_has_just_come() -> None:
    abandoned: list[tuple[int, int]] = []
    go: list[Callable[[], object]] = []

    async def answer(asked: list[int]) -> list[int]:
        asyncio.get_running_loop().call_soon(go[0])  # before anybody can take the answer
        return asked

    batcher = Batcher(answer, abandoned=lambda *pair: abandoned.append(pair))
    asker = asyncio.create_task(batcher.ask(7))
    go.append(asker.cancel)
    with pytest.raises(asyncio.CancelledError):
        await asker
    assert abandoned == [(7, 7)]


# --- the end --------------------------------------------------------------------------------------


async def test_closing_leaves_nobody_waiting() -> None:
    doubling = Doubling()
    doubling.may.clear()
    batcher = Batcher(doubling)
    on_its_way, waiting = await asking(batcher, 1), await asking(batcher, 2)
    await asyncio.wait_for(batcher.close(), 60)
    ended = await asyncio.wait_for(
        asyncio.gather(*on_its_way, *waiting, return_exceptions=True), 60
    )
    assert [type(end) for end in ended] == [DatabaseUnreachable] * 2
    assert doubling.batches == [[1]]


async def test_what_is_on_its_way_may_come_back() -> None:
    doubling = Doubling()
    doubling.may.clear()
    batcher = Batcher(doubling)
    on_its_way, waiting = await asking(batcher, 1), await asking(batcher, 2)
    closing = asyncio.create_task(batcher.close(grace=30))
    await asyncio.sleep(0)
    assert not closing.done()
    doubling.may.set()
    await asyncio.wait_for(closing, 60)
    assert [await task for task in on_its_way] == [2]
    for task in waiting:
        with pytest.raises(DatabaseUnreachable, match="being stopped"):
            await task


async def test_a_batcher_that_was_closed_can_be_asked_again() -> None:
    batcher = Batcher(Doubling())
    await batcher.ask(1)
    await batcher.close()
    assert await asyncio.wait_for(batcher.ask(2), 60) == 4
