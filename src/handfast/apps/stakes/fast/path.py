"""Pairs from what Redis proposes. Falls back to the database when Redis does not do its part, and
returns when it does again; each of these is one line in the log.

Before Redis is used (at the start, and after each time that it failed) it is compared with the
database: whatever happened to it meanwhile is mended by then.
"""

import asyncio
import time

from handfast.apps.stakes import metrics
from handfast.apps.stakes.fast.lines import Proposal, RedisLines, Taken, ticket_id
from handfast.apps.stakes.fast.mirror import compare
from handfast.apps.stakes.matching.pairing import PAIRS_MAX, pair_proposed
from handfast.apps.stakes.queue.tickets import TICKETS
from handfast.apps.stakes.terms import StakeTerms
from handfast.base.logs import get_logger
from handfast.db.errors import RedisAway
from handfast.db.pool import Database

# A stake tells the matchmaker at its commit, and Redis a moment later: so who was told and finds
# nothing there looks again for some milliseconds, and then asks the database.
PATIENCE = (0.001, 0.001, 0.002, 0.004, 0.008, 0.016)
BUSY_SECONDS = 0.02  # somebody else is at a line; it is theirs for two seconds at most
ROUNDS_MAX = 100  # then the database is asked, whatever Redis says
REST_SECONDS = 0.5  # before Redis is tried again; doubled each time
REST_SECONDS_MAX = 10.0

log = get_logger(__name__)


class FastPath:
    """Of one process. ``rehydrate``: compare with the database before Redis is used at first."""

    def __init__(
        self,
        database: Database,
        lines: RedisLines,
        terms: StakeTerms,
        *,
        rehydrate: bool = True,
        rest_seconds: float = REST_SECONDS,
    ) -> None:
        self._database = database
        self._lines = lines
        self._terms = terms
        self._in_use = not rehydrate
        self._said_away = False
        self._first_rest = self._rest = rest_seconds
        self._again_at = 0.0

    @property
    def in_use(self) -> bool:
        return self._in_use

    async def pair(self, worker: str, *, told: bool = False, pairs: int = PAIRS_MAX) -> int | None:
        """How many pairs were made; None if there were none to be made here, so that the database
        is to be asked. ``told``: somebody has staked in this moment."""
        if not await self._ready():
            return None
        made, patience = 0, iter(PATIENCE if told else ())
        for _ in range(ROUNDS_MAX):
            try:
                taken = await self._lines.take(2 * pairs)
            except RedisAway as away:
                self._lost(away)
                break
            if taken.proposals:
                paired, over = await self._claim(worker, taken, pairs)
                made += paired
                if not (paired or over) or not self._in_use:  # the same would be proposed again
                    break
                continue
            pause = BUSY_SECONDS if taken.busy else None if made else next(patience, None)
            if pause is None:
                break
            await asyncio.sleep(pause)
        return made or None

    async def sweep(self) -> None:
        """Compare, now and then: what was missed is mended before anybody has to wait for it."""
        if not self._in_use:
            return  # whoever pairs compares before it is used again
        try:
            await compare(self._database, self._lines)
        except RedisAway as away:
            self._lost(away)

    async def _claim(self, worker: str, taken: Taken, pairs: int) -> tuple[int, int]:
        """How many pairs, and how many of the proposed are over."""
        tickets = [
            (one.stake, number)
            for one in taken.proposals
            for member in one.members
            if (number := ticket_id(member)) is not None
        ]
        try:
            async with self._database.connection() as connection:
                done = await pair_proposed(connection, worker, tickets, self._terms, pairs=pairs)
        except Exception:
            await self._settle(taken, {one.stake: [] for one in taken.proposals})
            raise
        waiting = set(done.waiting)
        over = {one.stake: _over(one, waiting) for one in taken.proposals}
        await self._settle(taken, over)
        # Redis did not know of them; it may have heard by now, and must hear that they are gone.
        self._database.tell_here(TICKETS, [*{*done.tickets}.difference(one for _, one in tickets)])
        return done.pairs, sum(map(len, over.values()))

    async def _settle(self, taken: Taken, over: dict[int, list[bytes]]) -> None:
        try:
            await self._lines.settle(taken.token, over)
        except RedisAway as away:
            self._lost(away)

    async def _ready(self) -> bool:
        if self._in_use:
            return True
        if time.monotonic() < self._again_at:
            return False
        try:
            drift = await compare(self._database, self._lines)
        except RedisAway as away:
            self._lost(away)
            return False
        self._in_use, self._said_away, self._rest = True, False, self._first_rest
        metrics.WITHOUT_REDIS.set(0)
        log.info("stakes_with_redis", added=drift.added, removed=drift.removed)
        return True

    def _lost(self, away: RedisAway) -> None:
        if not self._said_away:
            log.warning("stakes_without_redis", reason=away.detail)
            metrics.FALLBACKS.inc()
            metrics.WITHOUT_REDIS.set(1)
        self._in_use, self._said_away = False, True
        self._again_at = time.monotonic() + self._rest
        self._rest = min(self._rest * 2, REST_SECONDS_MAX)


def _over(proposal: Proposal, waiting: set[int]) -> list[bytes]:
    return [one for one in proposal.members if ticket_id(one) not in waiting]
