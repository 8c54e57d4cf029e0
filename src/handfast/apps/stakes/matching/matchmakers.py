"""Who pairs: each matchmaker says now and then that it is there, for operators and those who wait.

Whether it sleeps, and is to be told, is another matter (``engine/sleeper.py``).
"""

import time
from datetime import datetime
from types import NoneType
from uuid import uuid4

import msgspec

from handfast.db.statements import statement
from handfast.db.transaction import Queryable

RENEW_SECONDS = 50.0  # who was not heard of for three minutes is not there


class PresentMatchmaker(msgspec.Struct, frozen=True, rename="camel"):
    worker: str
    seen_at: datetime


_HERE = statement("stakes.matchmaker_is_here", row=NoneType)
_LEAVE = statement("stakes.leave_matchmakers", row=NoneType)
_PRESENT = statement("stakes.matchmakers", row=PresentMatchmaker)


async def present_matchmakers(on: Queryable) -> list[PresentMatchmaker]:
    """Those who were heard of lately."""
    return await _PRESENT.all(on)


class Presence:
    """The row of one matchmaker."""

    def __init__(self, worker: str) -> None:
        self._id = uuid4()
        self._worker = worker
        self._said_at: float | None = None

    async def renew(self, on: Queryable) -> None:
        """Sends something once in a while only."""
        if self._said_at is None or time.monotonic() - self._said_at > RENEW_SECONDS:
            await _HERE.run(on, self._id, self._worker)
            self._said_at = time.monotonic()

    async def leave(self, on: Queryable) -> None:
        self._said_at = None
        await _LEAVE.run(on, self._id)
