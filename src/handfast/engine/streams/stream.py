"""One who watches: what waits to be read.

A stream holds a page or two and no more: while that is not read the hub looks for nothing further,
and the database keeps it. Who does not come back for more at all, because nobody reads what is sent
or because the reader was forgotten, is dropped.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from enum import StrEnum

import msgspec

from handfast.base.logs import get_logger
from handfast.engine.event_envelope import StoredEvent
from handfast.engine.streams import metrics

PAGE = 500  # events of one look: a second of a busy system
UNREAD_SECONDS_MAX = 30.0  # a reader comes back every 15 s to say that it is still there

RESET = "reset"
HELD = "held"

log = get_logger(__name__)


class Dropped(StrEnum):
    """How it was noticed that nobody reads."""

    UNASKED = "unasked"  # who took the stream did not come back for more
    UNREAD = "unread"  # the connection took no more of what was sent


class StreamMessage(msgspec.Struct, frozen=True):
    """What a reader is told: an event, by its type; ``reset``, when events were missed that are no
    longer kept; ``held``, when a running transaction keeps the operators' stream back. ``id`` is
    what a reader sends back to go on after it."""

    name: str
    id: str | None
    event: StoredEvent | None = None
    about: str = "{}"  # JSON, of what is no event

    @property
    def data(self) -> str:
        return self.about if self.event is None else self.event.envelope().decode()


class EventStream:
    """Read it with ``messages``; ``close`` it when nobody reads any more."""

    __slots__ = ("_asked_at", "_leave", "_reading", "_unread", "_waiter", "ended")

    def __init__(self, leave: Callable[["EventStream"], None]) -> None:
        self._leave = leave
        self._unread: list[StreamMessage] = []
        self._waiter: asyncio.Future[None] | None = None
        self._reading = False
        self._asked_at = time.monotonic()
        self.ended = False

    # --- for the reader -----------------------------------------------------------------------

    async def messages(self, *, silence: float = 15.0) -> AsyncIterator[StreamMessage | None]:
        """What comes, until the stream ends; None after each ``silence`` in which nothing came."""
        async for batch in self.batches(silence=silence):
            for message in batch or (None,):
                yield message

    async def batches(self, *, silence: float = 15.0) -> AsyncIterator[Sequence[StreamMessage]]:
        """The same, all that has come meanwhile at once; an empty one for silence."""
        try:
            while True:
                batch = await self._next(silence)
                if self.ended:
                    return
                yield batch
        finally:
            self.close()

    def drop(self, why: Dropped) -> None:
        """Nobody reads it. One that has ended already is not dropped."""
        if not self.ended:
            log.warning("stream_dropped", reason=why.value)
            metrics.DROPPED.labels(why.value).inc()
            self.close()

    def close(self) -> None:
        """What is unread is forgotten."""
        if not self.ended:
            self.ended = True
            self._unread.clear()
            self._wake()
            self._leave(self)

    async def _next(self, silence: float) -> Sequence[StreamMessage]:
        self._reading = True
        try:
            if not self._unread and not self.ended:
                self._waiter = asyncio.get_running_loop().create_future()
                try:
                    async with asyncio.timeout(silence):
                        await self._waiter
                except TimeoutError:
                    return ()
                finally:
                    self._waiter = None
            batch, self._unread = self._unread, []
            return batch
        finally:
            self._reading = False
            self._asked_at = time.monotonic()

    # --- for the hub --------------------------------------------------------------------------

    @property
    def has_room(self) -> bool:
        return len(self._unread) < PAGE

    def neglected(self, seconds: float = UNREAD_SECONDS_MAX) -> bool:
        """Nobody has asked for more in all that time."""
        return not self._reading and time.monotonic() - self._asked_at > seconds

    def put(self, message: StreamMessage) -> None:
        self._unread.append(message)
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
