"""Where to begin looking for work, and for which.

A claimed job leaves its entry at the front of the index of ready jobs until vacuum removes it, and
every claim from the front steps over all such entries of its kinds. So a worker that has taken as
many as it wanted goes on behind the last of them. It begins at the very front again after a moment,
for what has come in below: something urgent, a rescued job, a late commit.

That is not enough while somebody, anybody, holds a transaction open: then vacuum may remove nothing
and after some minutes a claim from the front steps over millions. A worker that notices (such a
claim has become slow) makes them only as often as it can afford, and begins the others a little
below what it has seen claimed.

The index has each version of a kind by itself. Which older ones there are is found from the front
only; in between, the worker asks for its own and for those that it has seen.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

import msgspec

from handfast.engine.jobs.kinds import KindVersion
from handfast.engine.work.lease import Claimed, instant

FRONT_SECONDS = 0.1  # how long something urgent may wait behind a backlog of other things
SLOW_SECONDS = 0.05  # a claim from the front that takes longer steps over too many dead entries
SHARE = 50  # and is then made at most this rarely: one part in fifty of the time
SLACK = timedelta(seconds=5)  # commits arrive out of order by about the length of a transaction


class ClaimLook(NamedTuple):
    """What to ask ``lease.claim`` for."""

    kinds: Sequence[KindVersion]
    floors: str | None  # None: from the very front


class ClaimCursor:
    """What one worker knows of the front of its lanes."""

    def __init__(self, kinds: Sequence[KindVersion]) -> None:
        self._kinds = kinds
        self._seen = dict.fromkeys(kinds)  # in order, and each once
        self._first: dict[int, Claimed] = {}
        self._last: Claimed | None = None
        self._front_at = 0.0
        self._front_took = 0.0

    def look(self, now: float) -> ClaimLook:
        """Where the next claim begins."""
        floors = self._floors(now)
        return (
            ClaimLook(self._kinds, None) if floors is None else ClaimLook(list(self._seen), floors)
        )

    def _floors(self, now: float) -> str | None:
        since = now - self._front_at
        if self._front_took >= SLOW_SECONDS:
            if self._first and since <= self._front_took * SHARE:
                below = [
                    [priority, instant(job.due - SLACK.total_seconds()).isoformat()]
                    for priority, job in sorted(self._first.items())
                ]
                return _as_data(below)
        elif self._last is not None and since <= FRONT_SECONDS:
            last = self._last
            return _as_data([[last.priority, last.due_at.isoformat(), last.id]])
        return None

    def note(
        self,
        jobs: Sequence[Claimed],
        *,
        wanted: int,
        from_front: bool,
        started: float,
        ended: float,
    ) -> None:
        """What a claim found; the jobs come in order."""
        if from_front:
            self._front_at, self._front_took = ended, ended - started
        for job in reversed(jobs):  # the first of each priority stays
            self._first[job.priority] = job
            self._seen[job.kind, job.version] = None
        self._last = jobs[-1] if len(jobs) == wanted > 0 else None


def _as_data(floors: Sequence[Sequence[object]]) -> str:
    return msgspec.json.encode(floors).decode()
