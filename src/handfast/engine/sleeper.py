"""Who waits for something says so in a row of its own, and is told only then.

A ``NOTIFY`` takes a lock on the whole server at commit, so whoever writes asks first whether
anybody sleeps (``emit`` for events and the outbox, ``wake_for`` for anything else). The order is
what makes it safe: mark, then look once more, then wait. What was written before the mark was seen
is found by that look; what was written later notifies.

A notification is a hint all the same. Whoever writes early in a long transaction has asked before
somebody fell asleep, so looks go on, rarer and rarer, as long as nothing comes.
"""

import time
from datetime import timedelta
from types import NoneType
from uuid import uuid4

from handfast.db.statements import statement
from handfast.db.transaction import Queryable

MARKED = timedelta(seconds=120)  # how long the mark of a process that was killed costs others
RENEW_SECONDS = 50.0

_ASLEEP = statement("engine.mark_asleep", row=NoneType)
_AWAKE = statement("engine.mark_awake", row=NoneType)
_LEAVE = statement("engine.leave_sleepers", row=NoneType)


class Sleeper:
    """The row of one who waits: for ``events`` (the hub), the ``outbox`` (a relay), or what an app
    calls by a name of its own. It is also the end of the channel's."""

    def __init__(self, waits_for: str) -> None:
        self.channel = f"handfast_{waits_for}"
        self._waits_for = waits_for
        self._id = uuid4()
        self._marked_at: float | None = None

    @property
    def asleep(self) -> bool:
        return self._marked_at is not None

    @property
    def stale(self) -> bool:
        """Not marked, or so long ago that it must be said again."""
        return self._marked_at is None or time.monotonic() - self._marked_at > RENEW_SECONDS

    async def mark_asleep(self, on: Queryable) -> None:
        """To be followed by a look: only what comes after it is told."""
        await _ASLEEP.run(on, self._id, self._waits_for, MARKED)
        self._marked_at = time.monotonic()

    async def mark_awake(self, on: Queryable) -> None:
        """We look often now, and nobody need tell us."""
        self._marked_at = None
        await _AWAKE.run(on, self._id)

    async def leave(self, on: Queryable) -> None:
        self._marked_at = None
        await _LEAVE.run(on, self._id)
