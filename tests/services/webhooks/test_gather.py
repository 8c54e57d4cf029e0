"""Many askers, one statement."""

import asyncio

import pytest

from handfast.services.webhooks.gather import Gatherer


async def test_a_wrong_answer_fails_its_askers_and_not_those_after() -> None:
    short = [True]

    async def answer(asked: list[int]) -> list[int]:
        return asked[1:] if short.pop() else [one * 2 for one in asked]

    gatherer = Gatherer(answer)
    gatherer.start()
    async with asyncio.timeout(5):
        with pytest.raises(ValueError, match="shorter"):
            await gatherer.ask(1)
        short.append(False)
        assert await gatherer.ask(2) == 4
    await gatherer.stop()


async def test_stopping_leaves_nobody_waiting() -> None:
    async def answer(asked: list[int]) -> list[int]:
        await asyncio.sleep(3600)
        return asked

    gatherer = Gatherer(answer)
    gatherer.start()
    being_answered = asyncio.create_task(gatherer.ask(1))
    await asyncio.sleep(0.01)
    waiting = asyncio.create_task(gatherer.ask(2))
    await asyncio.sleep(0.01)
    await gatherer.stop()
    ended = await asyncio.wait_for(
        asyncio.gather(being_answered, waiting, return_exceptions=True), 5
    )
    assert [type(one) for one in ended] == [asyncio.CancelledError] * 2
