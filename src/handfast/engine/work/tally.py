"""What was done here since it was last written down: the figures of a process, kind by kind.

Completing a job writes nothing of this. The heartbeat, which says every few seconds that the
workers of the process live, takes what has come together and adds it to the minute's row, in a
statement of its own. So a job costs no round trip and no lock more, an idle process writes nothing,
and a process that is killed takes the figures of its last five seconds with it.
"""

import threading
from bisect import bisect_right
from collections.abc import Sequence
from types import NoneType

import msgspec

from handfast.db.statements import statement
from handfast.db.transaction import Queryable

# Seconds; attempts that took longer than the last are in one bucket more. Written to the database:
# a change begins with a new column.
BOUNDS = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 60.0, 300.0)
ALL_KINDS = ""


class KindTally(msgspec.Struct):
    """As ``handfast_engine.note_figures`` takes it."""

    kind: str
    succeeded: int = 0
    failed: int = 0
    died: int = 0
    seconds: float = 0.0
    buckets: list[int] = msgspec.field(default_factory=lambda: [0] * (len(BOUNDS) + 1))

    def add(self, other: "KindTally") -> None:
        self.succeeded += other.succeeded
        self.failed += other.failed
        self.died += other.died
        self.seconds += other.seconds
        self.buckets = [a + b for a, b in zip(self.buckets, other.buckets, strict=True)]


_NOTE = statement("engine.note_figures", row=NoneType)


class Tally:
    """Of one process. Two threads use it: the one that works, and the heartbeat."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kinds: dict[str, KindTally] = {}

    def succeeded(self, kind: str, seconds: Sequence[float]) -> None:
        """So many attempts, and how long each took. Sorted once, whatever their number."""
        ordered = sorted(seconds)
        ends = [bisect_right(ordered, bound) for bound in BOUNDS] + [len(ordered)]
        buckets = [end - before for before, end in zip([0, *ends], ends, strict=False)]
        noted = KindTally(kind, len(ordered), seconds=sum(ordered), buckets=buckets)
        with self._lock:
            self._of(kind).add(noted)

    def failed(self, kind: str, *, died: bool) -> None:
        with self._lock:
            own = self._of(kind)
            own.failed += 1
            own.died += died

    def _of(self, kind: str) -> KindTally:
        found = self._kinds.get(kind)
        if found is None:
            found = self._kinds[kind] = KindTally(kind)
        return found

    def take(self) -> list[KindTally]:
        """All of it: from now on it is counted anew."""
        with self._lock:
            taken, self._kinds = self._kinds, {}
        return list(taken.values())

    def put_back(self, taken: Sequence[KindTally]) -> None:
        """It could not be written."""
        with self._lock:
            for one in taken:
                self._of(one.kind).add(one)


async def note_figures(on: Queryable, taken: Sequence[KindTally]) -> None:
    """Added to the rows of this minute, and to the one of all kinds together."""
    together = KindTally(ALL_KINDS)
    for one in taken:
        together.add(one)
    await _NOTE.run(on, msgspec.json.encode([together, *taken]).decode())
