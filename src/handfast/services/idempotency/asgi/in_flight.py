"""Requests under way in this process, so that duplicates wait here and not on the database.

For each request (``Call.name``: scope, key and fingerprint) one *leader* talks to the store;
whoever comes with the same request meanwhile waits for the leader's flight to end, without a
connection.
"""

import asyncio

from handfast.services.idempotency.answers import KeptAnswer


class InFlightRequest:
    """Ends once: with the answer that everybody gets, or with None: then somebody else leads."""

    __slots__ = ("_end", "_waiters", "name", "over")

    def __init__(self, name: bytes) -> None:
        self.name = name
        self.over = False
        self._end: KeptAnswer | None = None
        self._waiters: asyncio.Future[None] | None = None

    def ended(self, answer: KeptAnswer | None) -> None:
        self.over = True
        self._end = answer
        if self._waiters is not None and not self._waiters.done():
            self._waiters.set_result(None)

    async def wait(self, seconds: float) -> tuple[bool, KeptAnswer | None]:
        """Whether it ended in time, and with what."""
        if self._waiters is None:  # most requests have no duplicates: made when one comes
            self._waiters = asyncio.get_running_loop().create_future()
        await asyncio.wait([self._waiters], timeout=seconds)
        return self._waiters.done(), self._end


class InFlight:
    def __init__(self) -> None:
        self._flights: dict[bytes, InFlightRequest] = {}

    def of(self, name: bytes) -> InFlightRequest | None:
        return self._flights.get(name)

    def lead(self, name: bytes) -> InFlightRequest:
        """Only when ``of`` answered None, with no await between, and ``land`` in the end."""
        flight = self._flights[name] = InFlightRequest(name)
        return flight

    def land(self, flight: InFlightRequest, answer: KeptAnswer | None) -> None:
        """The flight ends here; a second time means nothing."""
        if not flight.over:
            flight.ended(answer)
            del self._flights[flight.name]
