"""What the clock brings, looked at once a minute by one of all processes.

Most of the day the look finds nothing, and then there is no job: days are filled ahead, a plan is
due an hour before the first 09:00 of its date, its fan-outs are enqueued with it for their own
time. What is found is a job with an identity, so that two looks make one.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.offers import metrics
from handfast.apps.offers.daily import planning, publishing
from handfast.apps.offers.daily.fan_out import LANE_ONLY, ZoneDay, enqueue_fan_outs
from handfast.apps.offers.rules.due import LocalDay, local_day
from handfast.apps.offers.settings import OfferRules
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Transaction
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.operating.alerts import raise_alert
from handfast.engine.schedules.zones import zone_names
from handfast.engine.work.context import Context

CHORE = "offers.look"
EVERY = timedelta(minutes=1)
CLOSE_KIND = "offers.close"
EXPIRE_KIND = "offers.expire"
AHEAD = range(-1, 4)  # dates, from today in UTC: what is today somewhere, and two more
AHEAD_MIN = timedelta(days=2)  # before more days are filled in
DUPLICATES = "offers_duplicates"  # an alert
EXPIRED_MAX = 10_000  # in one statement

log = get_logger(__name__)

_ZONES = statement("offers.zones_without_days", row=str, seconds=BULK_SECONDS_MAX)
_PUT_DAYS = statement("offers.put_days", row=NoneType)
_PLANS = statement("offers.plans_due", row=date)
_OVER = statement("offers.zones_over", row=ZoneDay)
_HAS_EXPIRED = statement("offers.has_expired", row=bool)
_MISSED = statement("offers.users_missed", row=UUID, seconds=BULK_SECONDS_MAX)
_CLOSED = statement("offers.mark_closed", row=NoneType)
_EXPIRE = statement("offers.expire", row=NoneType)
_SURPLUS = statement("offers.surplus", row=int, seconds=BULK_SECONDS_MAX)


async def look(tx: Transaction, rules: OfferRules) -> None:
    """Enqueue what is due and has no job."""
    now = await publishing.clock(tx)
    lacking = await _ZONES.all(tx, now.astimezone(UTC).date() + AHEAD_MIN)
    if lacking:
        await fill_days(tx, lacking, rules)
    for day in await _PLANS.all(tx):
        await enqueue(tx, planning.KIND, str(day), {"day": day}, options=LANE_ONLY)
    await enqueue_fan_outs(tx, None)
    for one in await _OVER.all(tx):
        await enqueue(tx, CLOSE_KIND, one.key, msgspec.to_builtins(one), options=LANE_ONLY)
    if await _HAS_EXPIRED.one(tx):
        await enqueue(tx, EXPIRE_KIND, f"{now:%Y-%m-%dT%H:%M}", {}, options=LANE_ONLY)


async def fill_days(tx: Transaction, zones: Iterable[str], rules: OfferRules) -> None:
    """A zone that the pinned tables do not know has no days, its users get no sets. Days that are
    over stay as they are known, so that nobody has missed what was before offers began."""
    now = await publishing.clock(tx)
    today = now.astimezone(UTC).date()
    known = [zone for zone in zones if zone in zone_names()]
    found = [
        local_day(zone, today + timedelta(days=ahead), rules.expiry_days)
        for zone in known
        for ahead in AHEAD
    ]
    days = [one for one in found if one is not None and one.ends_at > now]
    columns = LocalDay.__dataclass_fields__
    await _PUT_DAYS.run(tx, *([getattr(one, name) for one in days] for name in columns))


class AfterTheDay:
    """The jobs for what is over: ``offers.close``, key ``{date}:{zone}``, and ``offers.expire``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def close(self, ctx: Context, zone: str, day: date, due_at: datetime) -> None:
        """Whoever got no set on that day has a skipped one."""
        async with ctx.completing() as tx:
            users = await _MISSED.all(tx, zone, day, due_at)
            if users:
                await publishing.skip_missed(tx, day, zone, due_at, users)
            await _CLOSED.run(tx, zone, day)
            await _judge_surplus(tx, await _SURPLUS.one(tx, day, zone))
        if users:
            log.warning("sets_missed", zone=zone, day=str(day), users=len(users))

    async def expire(self, ctx: Context) -> None:
        while True:
            async with self._database.transaction() as tx:
                if await _EXPIRE.count(tx, EXPIRED_MAX) < EXPIRED_MAX:
                    return


async def _judge_surplus(tx: Transaction, users: int) -> None:
    """Constraints make it impossible. That is what one likes to have looked at."""
    metrics.DUPLICATES.set(users)
    if users:
        await raise_alert(
            tx,
            DUPLICATES,
            "Users have more offers of a date than their sets say.",
            value=float(users),
            threshold=0.0,
        )
