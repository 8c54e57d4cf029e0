"""Many requests, one statement: while one batch is on its way, the next is being gathered.

A request alone is a batch of one and waits for nobody; under load, when it matters, the round trip
and the commit are shared. The task that asks lives as long as there is something to ask, so a
batcher needs no start, and an idle one costs nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from handfast.db.errors import DatabaseUnreachable

Request = TypeVar("Request")
Answer = TypeVar("Answer")

BATCH_MAX = 200  # of one statement, which may hold locks on all of them


class Batcher(Generic[Request, Answer]):
    """``answer`` takes the requests that came meanwhile, and gives as many answers in their order.

    ``order`` sorts each batch, so that two of them take their locks one after the other.
    ``abandoned`` is given an answer for which nobody waits any more.
    """

    def __init__(
        self,
        answer: Callable[[list[Request]], Awaitable[Sequence[Answer]]],
        *,
        batch_max: int = BATCH_MAX,
        order: Callable[[Request], Any] | None = None,
        abandoned: Callable[[Request, Answer], None] | None = None,
    ) -> None:
        self._answer = answer
        self._batch_max = batch_max
        self._order = order
        self._abandoned = abandoned
        self._waiting: list[tuple[Request, asyncio.Future[Answer]]] = []
        self._asking: asyncio.Task[None] | None = None

    async def ask(self, request: Request) -> Answer:
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Answer] = loop.create_future()
        self._waiting.append((request, answered))
        if self._asking is None or self._asking.done():
            self._asking = loop.create_task(self._ask_for_all(), name="handfast-batcher")
        try:
            return await answered
        except asyncio.CancelledError:
            # The answer may be here already, and nobody will take it.
            if answered.done() and not answered.cancelled() and answered.exception() is None:
                self._abandon(request, answered.result())
            raise

    async def close(self, grace: float = 0.0) -> None:
        """Refuse those who wait. What is on its way may come back within ``grace`` seconds: else
        nobody would know what was done."""
        _refuse(self._waiting, _stopped())
        self._waiting = []
        if self._asking is None or self._asking.done():
            return
        await asyncio.wait({self._asking}, timeout=grace)
        self._asking.cancel()
        await asyncio.wait({self._asking})

    async def _ask_for_all(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[: self._batch_max]
                self._waiting = self._waiting[self._batch_max :]
                await self._ask_for(batch)
        finally:  # only if we were stopped is anyone left
            _refuse(self._waiting, _stopped())
            self._waiting = []

    async def _ask_for(self, batch: list[tuple[Request, asyncio.Future[Answer]]]) -> None:
        if (order := self._order) is not None:
            batch.sort(key=lambda waiting: order(waiting[0]))
        try:
            answers = await self._answer([request for request, _ in batch])
            for (request, answered), answer in zip(batch, answers, strict=True):
                if answered.done():
                    self._abandon(request, answer)
                else:
                    answered.set_result(answer)
        except Exception as error:
            _refuse(batch, error)
        finally:  # only if we were stopped is anyone left
            _refuse(batch, _stopped())

    def _abandon(self, request: Request, answer: Answer) -> None:
        if self._abandoned is not None:
            self._abandoned(request, answer)


def _stopped() -> DatabaseUnreachable:
    return DatabaseUnreachable("This process is being stopped.")


def _refuse(waiting: Iterable[tuple[Any, asyncio.Future[Any]]], error: Exception) -> None:
    for _, answered in waiting:
        if not answered.done():
            answered.set_exception(error)
