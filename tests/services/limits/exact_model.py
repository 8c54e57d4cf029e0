"""What an exact limit should answer. Where the store moves what it kept, this moves its clock."""

from dataclasses import dataclass, field

from handfast.services.limits.limit import MICROSECOND, Limit
from tests.services.limits.model import Expected


@dataclass
class Window:
    """The units of one subject, each at a moment of a clock that never goes back: it runs with the
    other, and stands still while that one is behind the last unit."""

    limit: Limit
    ahead: int = 0
    at: int = 0
    taken: list[int] = field(default_factory=list)

    @property
    def period(self) -> int:
        return self.limit.period // MICROSECOND

    def advance(self, reading: int) -> None:
        if self.taken and reading + self.ahead < self.taken[-1]:
            self.ahead = self.taken[-1] - reading
        self.at = reading + self.ahead

    @property
    def live(self) -> list[int]:
        return [moment for moment in self.taken if self.at - moment < self.period]

    def wait(self, cost: int) -> int:
        over = len(self.live) + max(cost, 1) - self.limit.quota
        return self.live[over - 1] + self.period - self.at if over > 0 else 0

    def whole(self) -> int:
        return self.live[-1] + self.period - self.at if self.live else 0


def take_windows(windows: list[Window], costs: list[int], reading: int) -> list[Expected]:
    """Admitted, remaining, microseconds until whole, microseconds until it could be taken."""
    for window in windows:
        window.advance(reading)
    waits = [window.wait(cost) for window, cost in zip(windows, costs, strict=True)]
    if not any(waits):
        for window, cost in zip(windows, costs, strict=True):
            window.taken += [window.at] * cost
    return [
        (wait == 0, max(0, window.limit.quota - len(window.live)), window.whole(), wait)
        for window, wait in zip(windows, waits, strict=True)
    ]
