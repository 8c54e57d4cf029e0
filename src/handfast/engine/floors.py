"""Where to begin looking for work, in bad times.

A claimed job leaves its entry at the front of the index of ready jobs until vacuum may remove it.
While somebody, anybody, holds a transaction open, vacuum may not, and after some minutes a claim
steps over millions of dead entries before it finds a live one. A worker that notices (its claims
have become slow) begins behind what it has already seen claimed, and looks from the very front only
as often as it can afford: what was put back below (a rescued job) waits until then.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from handfast.engine.lease import Claimed

SLOW_SECONDS = 0.05  # a claim from the front that takes longer steps over too many dead entries
SHARE = 50  # and is then made at most this rarely: one part in fifty of the time
SLACK = timedelta(seconds=5)  # commits arrive out of order by about the length of a transaction


class Floors:
    """What one worker knows of the front of its lanes."""

    def __init__(self) -> None:
        self._due: dict[int, datetime] = {}
        self._front_at = 0.0
        self._front_took = 0.0

    def hint(self, now: float) -> str | None:
        """Where the next claim begins; None for the very front, which is the rule."""
        if not self._due or self._front_took < SLOW_SECONDS:
            return None
        if now - self._front_at > self._front_took * SHARE:
            return None
        floors = [[p, (due - SLACK).isoformat()] for p, due in sorted(self._due.items())]
        return msgspec.json.encode(floors).decode()

    def note(
        self, jobs: Sequence[Claimed], *, from_front: bool, started: float, ended: float
    ) -> None:
        if from_front:
            self._front_at, self._front_took = ended, ended - started
        for job in reversed(jobs):  # they come in order: the first of each priority stays
            self._due[job.priority] = job.due_at
