"""Redis is told what the database says: after each commit that changed a ticket, and by comparing.

What is told is never what somebody believes to have done, but what the database says at that
moment. So it does not matter who tells, how often, in which order, or how many at once: ten
processes that rebuild the lines together write the same ten times. What was missed (a process that
died after its commit, a Redis that was away) the next comparison finds.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from handfast.apps.stakes.fast.lines import RedisLines, TicketPlace, ticket_id
from handfast.apps.stakes.metrics import DRIFT
from handfast.apps.stakes.queue.standing import queue_lines
from handfast.apps.stakes.queue.tickets import TICKETS
from handfast.apps.stakes.settings import StakesSettings
from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.db.errors import RedisAway
from handfast.db.outage import PASSING, put_off
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.engine.system import System

PAGE = 1000  # tickets of one question: a few milliseconds of Redis, in which nobody else is served
PENDING_MAX = 10_000  # beyond it somebody is away, and the comparison will find them
CLOSE_SECONDS_MAX = 1.0

_PLACES = statement("stakes.places", row=TicketPlace)
_LINE_PAGE = statement("stakes.line_page", row=TicketPlace)

log = get_logger(__name__)


class Drift(msgspec.Struct, frozen=True):
    """What Redis had and should not have had, and the reverse."""

    removed: int
    added: int


class Mirror:
    """Tells Redis soon, and keeps nobody waiting: whoever stakes does not notice a slow Redis."""

    def __init__(self, database: Database, lines: RedisLines) -> None:
        self._database = database
        self._lines = lines
        self._pending: dict[int, None] = {}
        self._telling: asyncio.Task[None] | None = None

    def soon(self, tickets: Sequence[int]) -> None:
        """These have changed, and it is committed."""
        if self._lines.away or len(self._pending) > PENDING_MAX:
            return
        self._pending.update(dict.fromkeys(tickets))
        if self._pending and (self._telling is None or self._telling.done()):
            self._telling = supervise.start("stakes-mirror", self._tell)

    async def close(self) -> None:
        if self._telling is not None and not self._telling.done():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS_MAX):
                    await self._telling

    async def _tell(self) -> None:
        while self._pending:
            ids = list(self._pending)[:PAGE]
            for one in ids:
                del self._pending[one]
            try:
                async with self._database.connection() as connection:
                    places = await _PLACES.all(connection, ids)
                await self._lines.reflect(places)
            except RedisAway:
                self._pending.clear()  # whoever pairs notices by itself, and compares
            except PASSING as away:
                put_off(log, "stakes_not_mirrored", away, tickets=len(ids))


@asynccontextmanager
async def mirroring(system: System) -> AsyncIterator[None]:
    """As long as a process has this system open, Redis hears of the tickets that it changes."""
    lines = lines_of(system)
    if lines is None:
        yield
        return
    mirror = Mirror(system.database, lines)
    end = system.database.hear(TICKETS, mirror.soon)
    try:
        yield
    finally:
        end()
        await mirror.close()


def lines_of(system: System) -> RedisLines | None:
    """None without a Redis."""
    if system.redis is None:
        return None
    ours = system.settings.of(StakesSettings)
    return RedisLines(system.redis, ours.allowed_amounts, prefix=ours.redis_key_prefix)


async def compare(database: Database, lines: RedisLines) -> Drift:
    """Redis is made to have what the database has. Raises ``RedisAway``."""
    async with database.connection() as connection:
        waiting = await queue_lines(connection)
    stakes = sorted({*lines.stakes, *(line.amount for line in waiting)})
    removed, added = await lines.clean(stakes), 0
    for stake in stakes:
        removed += await _remove_strangers(database, lines, stake)
    for line in waiting:
        added += await _add_missing(database, lines, line.amount, line.currency)
    DRIFT.labels("removed").inc(removed)
    DRIFT.labels("added").inc(added)
    return Drift(removed, added)


async def _remove_strangers(database: Database, lines: RedisLines, stake: int) -> int:
    removed = offset = 0
    while True:
        members = await lines.page(stake, offset, PAGE)
        ids = {number: one for one in members if (number := ticket_id(one)) is not None}
        async with database.connection() as connection:
            places = await _PLACES.all(connection, list(ids))
        here = {ids[one.id] for one in places if one.stake == stake}
        strangers = [one for one in members if one not in here]
        if strangers:
            removed += await lines.remove(stake, strangers)
        if len(members) < PAGE:
            return removed
        offset += len(here)


async def _add_missing(database: Database, lines: RedisLines, stake: int, currency: str) -> int:
    """Lines of several currencies share a key: Redis says that a stake has two, and no more."""
    added = behind = 0
    while True:
        async with database.connection() as connection:
            page = await _LINE_PAGE.all(connection, stake, currency, behind, PAGE)
        if not page:
            return added
        added += await lines.reflect(page)
        behind = page[-1].place or 0
