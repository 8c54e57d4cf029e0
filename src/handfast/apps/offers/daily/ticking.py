"""What is due now, in every zone: days filled ahead, plans, sets, what is over, what has expired.

Each step commits by itself and can be taken again: identities of jobs and the marks on ``days``
keep a second one from doing anything.
"""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.offers.daily import planning, publishing
from handfast.apps.offers.daily.ids import job_key
from handfast.apps.offers.rules.due import LocalDay, local_day
from handfast.apps.offers.settings import OfferRules
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Transaction
from handfast.engine.jobs.enqueue import enqueue, enqueue_many
from handfast.engine.jobs.options import Options
from handfast.engine.schedules.zones import zone_names
from handfast.engine.work.context import Context

DAYS_KIND = "offers.days"
TICK_KIND = "offers.tick"
AHEAD = range(-1, 4)  # dates, from today in UTC: what is today somewhere, and two more
SLICE = 5000  # users whose jobs are enqueued in one transaction
EXPIRED_MAX = 10_000  # in one transaction

# Also where no worker of offers has declared its kinds yet.
_LANE = Options(lane=publishing.LANE)

log = get_logger(__name__)


class ZoneDay(msgspec.Struct, frozen=True):
    zone: str
    day: date
    due_at: datetime


_ZONES = statement("offers.zones_in_use", row=str, seconds=BULK_SECONDS_MAX)
_PUT_DAYS = statement("offers.put_days", row=NoneType)
_PLANS = statement("offers.plans_due", row=date)
_DUE = statement("offers.zones_due", row=ZoneDay)
_USERS = statement("offers.users_due", row=UUID, seconds=BULK_SECONDS_MAX)
_FANNED = statement("offers.mark_fanned_out", row=NoneType)
_OVER = statement("offers.zones_over", row=ZoneDay)
_MISSED = statement("offers.users_missed", row=UUID, seconds=BULK_SECONDS_MAX)
_CLOSED = statement("offers.mark_closed", row=NoneType)
_EXPIRE = statement("offers.expire", row=NoneType)


class Ticking:
    """The jobs ``offers.days`` and ``offers.tick``, which schedules enqueue."""

    def __init__(self, database: Database, rules: OfferRules) -> None:
        self._database = database
        self._rules = rules

    async def fill_days(self, ctx: Context) -> None:
        async with ctx.completing() as tx:
            await fill_days(tx, await _ZONES.all(tx), self._rules)

    async def tick(self, ctx: Context) -> None:
        await self.take_due_steps()

    async def take_due_steps(self) -> None:
        async with self._database.transaction() as tx:
            for day in await _PLANS.all(tx):
                await enqueue(tx, planning.KIND, str(day), {"day": day}, options=_LANE)
            due, over = await _DUE.all(tx), await _OVER.all(tx)
        for one in due:
            await self._fan_out(one)
        for one in over:
            await self._close(one)
        await self._expire()

    async def _fan_out(self, one: ZoneDay) -> None:
        """In slices, each after the last user of the one before."""
        last: UUID | None = None
        while True:
            async with self._database.transaction() as tx:
                users = await _USERS.all(tx, one.zone, one.day, last, SLICE)
                await enqueue_sets(tx, one, users)
                if len(users) < SLICE:
                    await _FANNED.run(tx, one.zone, one.day)
                    return
            last = users[-1]

    async def _close(self, one: ZoneDay) -> None:
        async with self._database.transaction() as tx:
            users = await _MISSED.all(tx, one.zone, one.day, one.due_at)
            if users:
                await publishing.skip_missed(tx, one.day, one.zone, one.due_at, users)
                log.warning("sets_missed", zone=one.zone, day=str(one.day), users=len(users))
            await _CLOSED.run(tx, one.zone, one.day)

    async def _expire(self) -> None:
        while True:
            async with self._database.transaction() as tx:
                if await _EXPIRE.count(tx, EXPIRED_MAX) < EXPIRED_MAX:
                    return


async def enqueue_sets(tx: Transaction, one: ZoneDay, users: Iterable[UUID]) -> None:
    jobs = [
        (job_key(one.day, user), {"day": one.day, "zone": one.zone, "user_id": user})
        for user in users
    ]
    await enqueue_many(tx, publishing.KIND, jobs, due=one.due_at, options=_LANE)


async def fill_days(tx: Transaction, zones: Iterable[str], rules: OfferRules) -> None:
    """A zone that the pinned tables do not know has no days, its users get no sets. Days that are
    over stay as they are known, so that nobody has missed what was before offers began."""
    now = await publishing.clock(tx)
    today = now.date()
    known = [zone for zone in zones if zone in zone_names()]
    found = [
        local_day(zone, today + timedelta(days=ahead), rules.expiry_days)
        for zone in known
        for ahead in AHEAD
    ]
    days = [one for one in found if one is not None and one.ends_at > now]
    columns = LocalDay.__dataclass_fields__
    await _PUT_DAYS.run(tx, *([getattr(one, name) for one in days] for name in columns))
