"""How long a process may sleep before it looks for itself.

Notifications are hints. Some are never sent: who enqueues asks whether anybody sleeps, and may have
asked just before somebody did, in a transaction that ends later. So a process looks often for a
while after something has happened, until such transactions are over; then, as long as it hears
notifications, rarely.
"""

import time
from collections.abc import Callable

CALM_SECONDS = 60.0  # since anything happened here; transactions that enqueue are shorter
SLEEP_SECONDS = 10.0  # when all is calm. the trigger live_soon tells of what comes before


class Pace:
    def __init__(self, poll: float, hears: Callable[[], bool]) -> None:
        self.poll = poll
        self._hears = hears
        self._noticed_at = time.monotonic()

    def noticed(self) -> None:
        """Something happened: a job was found, or somebody here has just become idle."""
        self._noticed_at = time.monotonic()

    @property
    def calm(self) -> bool:
        return self._hears() and long_ago(self._noticed_at)


def long_ago(at: float) -> bool:
    """What was under way then is over."""
    return time.monotonic() - at > CALM_SECONDS
