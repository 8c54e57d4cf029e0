"""The gate: whoever needs a contended account waits here, before BEGIN, and not inside PostgreSQL
with a connection and a snapshot in hand.

Requests for one account go one statement after the other; all that came meanwhile go together in
the next one, with a verdict for each. So a hot account costs a process one connection, and the
round trip and the commit are shared when it matters. Requests whose accounts are free do not wait
for the others. How many may be on their way at once, and how many may wait, is bounded: beyond
that a request is refused at once, with nothing done. A statement that the database refuses for what
is in it is taken apart: its requests go one by one, so that one of them fails and not all.

Nothing here is about the ledger: whoever combines other work with a transfer in one statement
brings a statement of its own.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import asyncpg

from handfast.db.errors import ConstraintViolated, DatabaseUnreachable
from handfast.services.ledger.errors import LedgerBusy
from handfast.services.ledger.metrics import COMBINED, WAITING

# Statements on their way: one at work while another waits for the disk. With more of them lists are
# shorter, and a statement costs the server as much as five of its requests (decision 52).
FLIGHTS_MAX = 2
BATCH_MAX = 200  # requests of one statement
WAITING_MAX = 2000  # for one account: some seconds' worth; who comes later is better told at once

# The database finds fault with what it was given: nothing of it is stored, and nothing is broken.
_REFUSED = (asyncpg.DataError, ConstraintViolated)

GateRequest = TypeVar("GateRequest")
GateAnswer = TypeVar("GateAnswer")


@dataclass(eq=False)
class _AtGate(Generic[GateRequest, GateAnswer]):
    request: GateRequest
    keys: Collection[Hashable]
    alone: Collection[Hashable]
    answered: "asyncio.Future[GateAnswer]" = field(repr=False)


class Gate(Generic[GateRequest, GateAnswer]):
    """``answer`` carries out requests in one statement of its own transaction, and gives as many
    answers in their order. ``keys`` are what a request contends for. Of ``alone`` (a reference) no
    two with the same are ever in one statement."""

    def __init__(
        self,
        answer: Callable[[list[GateRequest]], Awaitable[Sequence[GateAnswer]]],
        *,
        keys: Callable[[GateRequest], Collection[Hashable]],
        alone: Callable[[GateRequest], Collection[Hashable]] = lambda _: (),
        flights_max: int = FLIGHTS_MAX,
        batch_max: int = BATCH_MAX,
        waiting_max: int = WAITING_MAX,
    ) -> None:
        self._answer = answer
        self._keys = keys
        self._alone = alone
        self._flights_max = flights_max
        self._batch_max = batch_max
        self._waiting_max = waiting_max
        self._waiting: list[_AtGate[GateRequest, GateAnswer]] = []
        self._wanted: Counter[Hashable] = Counter()  # by how many of those that wait
        self._taken: set[Hashable] = set()  # by statements that are on their way
        self._flights: set[asyncio.Task[None]] = set()
        self._closed = False

    async def ask(self, request: GateRequest) -> GateAnswer:
        """Its answer, whether it went alone or with others."""
        if self._closed:
            raise _stopped()
        keys = self._keys(request)
        for key in keys:
            if self._wanted[key] >= self._waiting_max:
                raise LedgerBusy(
                    f"{self._waiting_max:,} requests wait for one account here already.",
                    hint="Nothing was done. Try again in a moment.",
                )
        answered: asyncio.Future[GateAnswer] = asyncio.get_running_loop().create_future()
        self._waiting.append(_AtGate(request, keys, self._alone(request), answered))
        self._wanted.update(keys)
        WAITING.inc()
        self._let_through()
        return await answered

    async def close(self) -> None:
        """Refuse those who wait, and let what is on its way come back."""
        self._closed = True
        for one in self._forget(self._waiting):
            if not one.answered.done():
                one.answered.set_exception(_stopped())
        if self._flights:
            await asyncio.wait(self._flights)

    def _let_through(self) -> None:
        while len(self._flights) < self._flights_max and (batch := self._next_batch()):
            keys = {key for one in batch for key in one.keys}
            self._taken |= keys
            flight = asyncio.get_running_loop().create_task(self._fly(batch), name="ledger-gate")
            self._flights.add(flight)
            flight.add_done_callback(self._landed(keys))

    def _next_batch(self) -> list[_AtGate[GateRequest, GateAnswer]]:
        """Those whose keys are free, in order: nobody overtakes one who waits for the same. Whoever
        was cancelled before anything was sent is left out."""
        self._forget([one for one in self._waiting if one.answered.done()])
        batch: list[_AtGate[GateRequest, GateAnswer]] = []
        blocked, named = set(self._taken), set[Hashable]()
        for one in self._waiting:
            if len(batch) >= self._batch_max:
                break
            if blocked.isdisjoint(one.keys) and named.isdisjoint(one.alone):
                batch.append(one)
                named.update(one.alone)
            else:
                blocked.update(one.keys)
        return self._forget(batch)

    def _forget(
        self, some: list[_AtGate[GateRequest, GateAnswer]]
    ) -> list[_AtGate[GateRequest, GateAnswer]]:
        gone = set(some)
        self._waiting = [one for one in self._waiting if one not in gone]
        for one in some:
            self._wanted.subtract(one.keys)
            for key in one.keys:
                if not self._wanted[key]:
                    del self._wanted[key]
        WAITING.dec(len(some))
        return some

    async def _fly(self, batch: list[_AtGate[GateRequest, GateAnswer]]) -> None:
        try:
            await self._carry_out(batch)
        except Exception as error:
            for one in batch:  # as a whole: all who have no answer yet are told alike
                if not one.answered.done():
                    one.answered.set_exception(error)
        finally:  # only if we were stopped is anyone left
            for one in batch:
                if not one.answered.done():
                    one.answered.set_exception(_stopped())

    async def _carry_out(self, batch: list[_AtGate[GateRequest, GateAnswer]]) -> None:
        COMBINED.observe(len(batch))
        try:
            answers = await self._answer([one.request for one in batch])
        except _REFUSED as refused:
            if len(batch) > 1:
                for one in batch:
                    if not one.answered.done():
                        await self._carry_out([one])
            elif not batch[0].answered.done():
                batch[0].answered.set_exception(refused)
            return
        for one, answer in zip(batch, answers, strict=True):
            if not one.answered.done():
                one.answered.set_result(answer)

    def _landed(self, keys: set[Hashable]) -> "Callable[[asyncio.Task[None]], None]":
        def landed(flight: "asyncio.Task[None]") -> None:
            self._flights.discard(flight)
            self._taken -= keys
            if not self._closed:
                self._let_through()

        return landed


def _stopped() -> DatabaseUnreachable:
    return DatabaseUnreachable("This process is being stopped.")
