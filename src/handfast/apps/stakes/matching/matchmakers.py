"""Who pairs, and how they are told that somebody staked.

A matchmaker that has nothing to do marks itself asleep, looks once more, and waits; who stakes
notifies only if somebody sleeps, since a NOTIFY takes a lock on the whole server at commit. Who
asked just before the mark, and commits after the look, tells nobody: so looks go on, rarer and
rarer (as in ``engine/sleeper.py``, which has a row of its own for each of those who wait for
events).
"""

import time
from datetime import datetime, timedelta
from uuid import uuid4

import msgspec

from handfast.db.statements import statement
from handfast.db.transaction import Queryable

CHANNEL = "handfast_stakes"
MARKED = timedelta(seconds=120)  # how long the mark of one who was killed costs others a NOTIFY
RENEW_SECONDS = 50.0


class PresentMatchmaker(msgspec.Struct, frozen=True, rename="camel"):
    worker: str
    seen_at: datetime


_MARK = statement("stakes.mark_matchmaker", row=type(None))
_LEAVE = statement("stakes.leave_matchmakers", row=type(None))
_PRESENT = statement("stakes.matchmakers", row=PresentMatchmaker)


async def present_matchmakers(on: Queryable) -> list[PresentMatchmaker]:
    """Those who were heard of lately."""
    return await _PRESENT.all(on)


class MatchmakerMark:
    """The row of one matchmaker."""

    def __init__(self, worker: str) -> None:
        self._id = uuid4()
        self._worker = worker
        self.asleep = False
        self._marked_at: float | None = None

    @property
    def stale(self) -> bool:
        return self._marked_at is None or time.monotonic() - self._marked_at > RENEW_SECONDS

    async def sleep(self, on: Queryable) -> None:
        """To be followed by a look: only what comes after it is told."""
        await self._mark(on, MARKED)
        self.asleep = True

    async def wake(self, on: Queryable) -> None:
        """We look often now, and nobody need tell us."""
        self.asleep = False
        await self._mark(on, None)

    async def leave(self, on: Queryable) -> None:
        self.asleep, self._marked_at = False, None
        await _LEAVE.run(on, self._id)

    async def _mark(self, on: Queryable, asleep: timedelta | None) -> None:
        await _MARK.run(on, self._id, self._worker, asleep)
        self._marked_at = time.monotonic()
