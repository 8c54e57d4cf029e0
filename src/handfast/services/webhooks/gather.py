"""Many askers, one statement: while one batch is being answered, the next is being gathered."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from handfast.base import supervise

Asked = TypeVar("Asked")
Told = TypeVar("Told")

BATCH_MAX = 200  # of one statement, which may hold locks on all of them


class Gatherer(Generic[Asked, Told]):
    """``answer`` takes what was asked meanwhile, and tells as many, in the same order."""

    def __init__(self, answer: Callable[[list[Asked]], Awaitable[Sequence[Told]]]) -> None:
        self._answer = answer
        self._waiting: list[tuple[Asked, asyncio.Future[Told]]] = []
        self._more = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = supervise.start("webhooks-gatherer", self._run)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        for _, told in self._waiting:  # nobody will answer them any more
            told.cancel()
        self._waiting.clear()

    async def ask(self, asked: Asked) -> Told:
        told: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, told))
        self._more.set()
        return await told

    async def _run(self) -> None:
        while True:
            await self._more.wait()
            batch, self._waiting = self._waiting[:BATCH_MAX], self._waiting[BATCH_MAX:]
            if not batch:
                self._more.clear()
                continue
            try:
                answers = await self._answer([asked for asked, _ in batch])
                for (_, told), answer in zip(batch, answers, strict=True):
                    if not told.done():  # its asker may have been cancelled meanwhile
                        told.set_result(answer)
            except Exception as error:
                for _, told in batch:
                    if not told.done():
                        told.set_exception(error)
            finally:
                for _, told in batch:  # only if we were stopped is anyone left
                    told.cancel()
