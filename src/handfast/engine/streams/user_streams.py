"""What concerns one user, by numbers of its own.

Numbers are taken under the lock of a row that is held until the commit, and a transaction that is
rolled back takes none. So whoever sees a number sees all before it: nothing comes late, nobody
else's transaction holds anything back, and a number that is missing means events that are no longer
kept. Then the reader is told to start over, once.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from uuid import UUID

from handfast.engine.event_envelope import StoredEvent
from handfast.engine.streams.stream import RESET, EventStream, StreamMessage

NUMBER_MAX = 2**63 - 1

Numbered = tuple[int, StoredEvent]


class UserStream(EventStream):
    """``number`` is that of the last event that was handed on; None before the first look, for who
    begins now."""

    __slots__ = ("lost", "number", "opened", "user_id")

    def __init__(
        self, leave: Callable[[EventStream], None], user_id: UUID, after: str | None
    ) -> None:
        super().__init__(leave)
        self.user_id = user_id
        self.number = None if after is None else _number(after)
        self.lost = after is not None and self.number is None  # what it names was never a number
        self.opened: asyncio.Future[None] | None = asyncio.get_running_loop().create_future()

    def begin(self, last: int, rows: Sequence[Numbered]) -> None:
        """The first look has found the stream's ``last`` number, and what comes after ours."""
        asked = self.number
        reached = rows[0][0] - 1 if rows else last
        if self.lost or (asked is not None and asked != reached):
            self._reset(last)
        elif asked is None:
            self.number = last
        else:
            self.hand_on(rows)
        if self.opened is not None and not self.opened.done():
            self.opened.set_result(None)
        self.opened = None
        self._asked_at = time.monotonic()  # nobody could ask before

    def close(self) -> None:
        super().close()
        if self.opened is not None and not self.opened.done():
            self.opened.set_result(None)

    def hand_on(self, rows: Sequence[Numbered]) -> None:
        for number, event in rows:
            if number - 1 != self.number:
                self._reset(number - 1)
            self.number = number
            self.put(StreamMessage(event.type, str(number), event))

    def _reset(self, number: int) -> None:
        self.number = number
        self.put(StreamMessage(RESET, str(number)))


def _number(after: str) -> int | None:
    if not (after.isascii() and after.isdigit()):
        return None
    number = int(after[:20])
    return number if number <= NUMBER_MAX else None
