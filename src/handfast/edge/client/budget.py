"""A budget for retries, shared by a whole process.

Without one, an outage multiplies the traffic that it is an outage of: three retries of everything
are four times the load on a server that cannot carry one. Every call puts a fraction of a token
into the bucket and every retry takes a whole one, so that in the long run retries are at most that
fraction of the calls; a trickle by time lets a quiet process retry too.
"""

import threading
import time
from collections.abc import Callable

PER_CALL = 0.2  # an outage costs the server a fifth more, not four times as much
PER_SECOND = 1.0
BURST = 50.0  # a short hiccup of a busy process is retried whole


class RetryBudget:
    """A token bucket. Safe to share between threads and event loops."""

    def __init__(
        self,
        *,
        per_call: float = PER_CALL,
        per_second: float = PER_SECOND,
        burst: float = BURST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if per_call < 0 or per_second < 0 or burst < 0:
            raise ValueError("A retry budget cannot be negative; burst=0 forbids every retry.")
        self._per_call = per_call
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens = burst
        self._filled_at = clock()

    def call(self) -> None:
        """A call begins: it pays in."""
        with self._lock:
            self._fill()
            self._tokens = min(self._burst, self._tokens + self._per_call)

    def take(self) -> bool:
        """True if there is a token for a retry; it is spent."""
        with self._lock:
            self._fill()
            if self._tokens < 1.0:
                return False
            self._tokens -= 1.0
            return True

    @property
    def tokens(self) -> float:
        with self._lock:
            self._fill()
            return self._tokens

    def _fill(self) -> None:
        now = self._clock()
        passed = max(0.0, now - self._filled_at)
        self._filled_at = now
        self._tokens = min(self._burst, self._tokens + passed * self._per_second)


PROCESS_BUDGET = RetryBudget()
