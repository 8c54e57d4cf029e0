"""Requests under way in this process, so that duplicates wait here and not on the database.

For each request (scope, key and fingerprint) one *leader* talks to the store; whoever comes with
the same request meanwhile waits for the leader's flight to end, without a connection.
"""

import asyncio

from handfast.services.idempotency.answers import Answer
from handfast.services.idempotency.store import Call


class Flight:
    """Ends once: with the answer that everybody gets, or with None: then somebody else leads."""

    __slots__ = ("_end", "_waiters", "over")

    def __init__(self) -> None:
        self.over = False
        self._end: Answer | None = None
        self._waiters: asyncio.Future[None] | None = None

    def ended(self, answer: Answer | None) -> None:
        self.over = True
        self._end = answer
        if self._waiters is not None and not self._waiters.done():
            self._waiters.set_result(None)

    async def wait(self, seconds: float) -> tuple[bool, Answer | None]:
        """Whether it ended in time, and with what."""
        if self._waiters is None:  # most requests have no duplicates: made when one comes
            self._waiters = asyncio.get_running_loop().create_future()
        await asyncio.wait([self._waiters], timeout=seconds)
        return self._waiters.done(), self._end


class Flights:
    def __init__(self) -> None:
        self._flights: dict[tuple[bytes, bytes, bytes], Flight] = {}

    def of(self, call: Call) -> Flight | None:
        return self._flights.get(_name(call))

    def lead(self, call: Call) -> Flight:
        """Call only when ``of`` answered None, with no await between, and ``land`` in the end."""
        flight = self._flights[_name(call)] = Flight()
        return flight

    def land(self, call: Call, flight: Flight, answer: Answer | None) -> None:
        """The flight ends here; a second time means nothing."""
        if flight.over:
            return
        flight.ended(answer)
        del self._flights[_name(call)]


def _name(call: Call) -> tuple[bytes, bytes, bytes]:
    return call.scope, call.key.bytes, call.fingerprint
