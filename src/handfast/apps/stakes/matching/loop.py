"""The matchmaker of a process: pairs who waits, and ends what is past its end.

It is told when somebody stakes (``engine/sleeper.py``) and knows when the next ticket or session
expires, so it looks when there is something to do, and otherwise hardly ever. Any number may run,
in as many processes: rows that another holds are skipped. Killed anywhere, nothing of its
transaction is left, and whoever comes next finds everybody in line where they were.

Where there is a Redis it is asked first (``fast``): it knows sooner which line has two. It is never
the only one asked: whoever finds nothing there, or has not for a while, looks in the database.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import TypeAlias

import asyncpg

from handfast.apps.stakes.fast.path import FastPath
from handfast.apps.stakes.matching.matchmakers import Presence
from handfast.apps.stakes.matching.pairing import log_failure, pair
from handfast.apps.stakes.queue.leaving import EXPIRED_MAX, expire_tickets
from handfast.apps.stakes.queue.tickets import TICKETS
from handfast.apps.stakes.sessions.moving import Refused
from handfast.apps.stakes.sessions.voiding import VOIDED_MAX, void_expired
from handfast.apps.stakes.terms import StakeTerms
from handfast.base.errors import HandfastError
from handfast.base.logs import get_logger
from handfast.db.listen import Listener
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.jobs.faults import PASSING, put_off
from handfast.engine.maintenance.pace import SLEEP_SECONDS
from handfast.engine.sleeper import Sleeper

WAITS_FOR = "stakes"  # as stake() names it
SOON_SECONDS = 0.02  # after a round that found something: what comes meanwhile goes together
RETRY_SECONDS = 0.5
LOOK_SECONDS = 2.0  # then the database is asked, too, also if Redis always has somebody
REFUSED_SECONDS = 60.0  # that what could not be ended is not tried again
FAILED_SECONDS = 5.0  # after one that the database refused: somebody has to look at it

log = get_logger(__name__)

_NEXT = statement("stakes.next_due", row=float)

Expire: TypeAlias = Callable[[Queryable, StakeTerms, Refused], Awaitable[int]]


class Matchmaker:
    """Runs until it is cancelled."""

    def __init__(
        self, database: Database, terms: StakeTerms, worker: str, fast: FastPath | None = None
    ) -> None:
        self._database = database
        self._terms = terms
        self._worker = worker
        self._fast = fast
        self._looked_at = 0.0
        self._presence = Presence(worker)
        self._sleeper = Sleeper(WAITS_FOR)
        self._told = asyncio.Event()
        self._wait = SOON_SECONDS
        self._tickets: Refused = {}
        self._sessions: Refused = {}
        self._set_aside_at = 0.0

    async def run(self, listener: Listener | None, poll: float) -> None:
        with ExitStack() as stack:
            if listener is not None:
                stack.callback(
                    listener.subscribe(self._sleeper.channel, lambda _: self._told.set())
                )
            try:
                while True:
                    await self._once(listener, poll)
            finally:
                await self._leave()

    async def round(self) -> int:
        """All that there is to do now: how many pairs were made, and tickets and sessions ended."""
        return await self._pair() + await self._expire()

    async def _once(self, listener: Listener | None, poll: float) -> None:
        told = self._told.is_set()
        self._told.clear()
        try:
            done = await self._pair(told=told)
            due, marked = await self._settle(done, marking=listener is not None)
            if due is not None and due <= 0:
                done += await self._expire()
                due = None
        except PASSING as away:
            put_off(log, "matchmaking_put_off", away)
            await asyncio.sleep(RETRY_SECONDS)
            return
        except (HandfastError, asyncpg.PostgresError) as refused:
            await self._note_failure(refused)
            await asyncio.sleep(FAILED_SECONDS)
            return
        most = SLEEP_SECONDS if listener is not None and listener.hears else poll
        # Two who are told at once may hold one ticket of a pair each: both find nobody, and nobody
        # tells them again. So whoever was told begins anew, with looks that are rarer and rarer.
        self._wait = SOON_SECONDS if done or told else min(self._wait * 2, most)
        if not marked:  # else one look more: who staked before the mark told nobody
            await self._rest(self._wait if due is None else min(self._wait, max(due, 0.0)))

    async def _settle(self, done: int, *, marking: bool) -> tuple[float | None, bool]:
        """Says whether we sleep; answers in how many seconds something is due, and whether it has
        just been said."""
        async with self._database.connection() as connection:
            await self._presence.renew(connection)
            if done and self._sleeper.asleep:
                await self._sleeper.mark_awake(connection)
            marked = not done and marking and self._sleeper.stale
            if marked:
                await self._sleeper.mark_asleep(connection)
            due = await _NEXT.maybe(connection, list(self._tickets), list(self._sessions))
            return due, marked

    async def _pair(self, *, told: bool = False) -> int:
        made = 0
        if self._fast is not None:
            made = await self._fast.pair(self._worker, told=told) or 0
            if made and time.monotonic() - self._looked_at < LOOK_SECONDS:
                return made
            self._looked_at = time.monotonic()
        while True:
            async with self._database.connection() as connection:
                done = await pair(connection, self._worker, self._terms)
            made += done.pairs
            self._database.tell_here(TICKETS, done.tickets)
            if not (done.more and done.pairs):
                return made

    async def _expire(self) -> int:
        """A batch at a time, each in a transaction of its own. What the ledger refuses is set aside
        for a while, and the others go on."""
        if time.monotonic() - self._set_aside_at > REFUSED_SECONDS:
            self._tickets.clear()
            self._sessions.clear()
            self._set_aside_at = time.monotonic()
        return await self._expire_all(
            expire_tickets, self._tickets, EXPIRED_MAX
        ) + await self._expire_all(void_expired, self._sessions, VOIDED_MAX)

    async def _expire_all(self, expire: Expire, refused: Refused, most: int) -> int:
        ended = 0
        while True:
            before = set(refused)
            async with self._database.transaction() as tx:
                done = await expire(tx, self._terms, refused)
            new = refused.keys() - before
            for one in new:
                await self._note_failure(refused[one])
            ended += done
            if done + len(new) < most:
                return ended

    async def _note_failure(self, refused: Exception) -> None:
        log.error("matchmaking_refused", reason=str(refused))
        with contextlib.suppress(*PASSING):
            async with self._database.connection() as connection:
                await log_failure(connection, self._worker)

    async def _rest(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._told.wait()

    async def _leave(self) -> None:
        with contextlib.suppress(*PASSING):
            async with self._database.connection() as connection:
                await self._sleeper.leave(connection)
                await self._presence.leave(connection)
