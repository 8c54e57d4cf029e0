"""How often somebody may do something: so many times a second in the long run, a few at once."""

import asyncio
import time


class Allowance:
    def __init__(self, per_second: float, burst: int) -> None:
        self._per_second = per_second
        self._burst = burst
        self._left = float(burst)
        self._counted_at = time.monotonic()

    async def take(self) -> None:
        """Returns when it is time."""
        self._count()
        if self._left < 1.0:
            await asyncio.sleep((1.0 - self._left) / self._per_second)
            self._count()
        self._left -= 1.0

    def _count(self) -> None:
        now = time.monotonic()
        grown = (now - self._counted_at) * self._per_second
        self._left = min(float(self._burst), self._left + grown)
        self._counted_at = now
