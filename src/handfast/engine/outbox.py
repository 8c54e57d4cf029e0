"""Passing events on, outside the transaction that emits them.

Whoever emits writes a narrow row to the outbox for each consumer that is active. A relay takes such
rows, does with them what its consumer wants, and deletes them, in one transaction: killed anywhere,
each event is passed on once. Any number of relays may run; each skips the rows that another holds.

While events come it looks often and nobody has to tell it. When there are none it marks itself
asleep (``engine/sleeper.py``), looks once more, and waits to be told.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass

from handfast.base.logs import get_logger
from handfast.db.listen import Listener
from handfast.db.pool import Database
from handfast.db.transaction import Queryable
from handfast.engine.jobs.faults import PASSING, put_off
from handfast.engine.maintenance.pace import SLEEP_SECONDS
from handfast.engine.sleeper import Sleeper

BATCH = 1000  # rows in one transaction at most: short enough for those who wait for its locks
SLOW_SECONDS = 2.0  # of one transaction: then the next takes half as many, down to one
SOON_SECONDS = 0.02  # after a batch that was not full: what comes meanwhile goes together
RETRY_SECONDS = 0.5

log = get_logger(__name__)


@dataclass(frozen=True)
class Relay:
    """``take`` passes on up to so many rows of the outbox, in one statement, and answers how many
    it took."""

    consumer: str
    take: Callable[[Queryable, int], Awaitable[int]]


class RelayLoop:
    """Runs a relay until it is cancelled. Looks after ``poll`` seconds at the latest, and rarely
    once all has been quiet for a while and notifications are known to arrive."""

    def __init__(
        self, database: Database, relay: Relay, listener: Listener | None, poll: float
    ) -> None:
        self._database = database
        self._relay = relay
        self._listener = listener
        self._poll = poll
        self._sleeper = Sleeper("outbox")
        self._told = asyncio.Event()
        self._wait = SOON_SECONDS
        self._batch = BATCH
        self._busy = False  # the last two looks have found something

    async def run(self) -> None:
        with ExitStack() as stack:
            if self._listener is not None:
                hear = self._listener.subscribe(self._sleeper.channel, lambda _: self._told.set())
                stack.callback(hear)
            try:
                while True:
                    await self._once()
            finally:
                await self._leave()

    async def _once(self) -> None:
        self._told.clear()
        began = time.monotonic()
        try:
            taken = await self._look()
        except PASSING as away:
            put_off(log, "relay_failed", away, consumer=self._relay.consumer)
            self._adapt(time.monotonic() - began)
            await asyncio.sleep(RETRY_SECONDS)
            return
        asked = self._batch
        self._adapt(time.monotonic() - began)
        if taken == asked:
            return
        # Behind a transaction that is held open a look steps over what was deleted since it began:
        # then we rest as long as it took, at least.
        await self._rest(max(self._next_wait(taken), time.monotonic() - began))

    async def _look(self) -> int:
        async with self._database.connection() as connection:
            taken = await self._relay.take(connection, self._batch)
            if taken:
                if self._busy and self._sleeper.asleep:
                    await self._sleeper.mark_awake(connection)
                self._busy = True
                return taken
            self._busy = False
            if self._listener is None or not self._sleeper.stale:
                return 0
            anew = not self._sleeper.asleep
            await self._sleeper.mark_asleep(connection)
            return await self._relay.take(connection, self._batch) if anew else 0

    def _adapt(self, took: float) -> None:
        """An event may mean work for hundreds: what takes too long would be cut off, and tried
        again, for ever."""
        if took > SLOW_SECONDS:
            self._batch = max(1, self._batch // 2)
        elif took < SLOW_SECONDS / 4:
            self._batch = min(BATCH, self._batch * 2)

    def _next_wait(self, taken: int) -> float:
        hears = self._listener is not None and self._listener.hears
        most = SLEEP_SECONDS if hears else self._poll
        self._wait = SOON_SECONDS if taken else min(self._wait * 2, most)
        return self._wait

    async def _rest(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._told.wait()

    async def _leave(self) -> None:
        if self._sleeper.asleep:
            with contextlib.suppress(*PASSING):
                async with self._database.connection() as connection:
                    await self._sleeper.leave(connection)
