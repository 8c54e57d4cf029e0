"""A zone's users, each with a job for the set of their day: the job ``offers.fan_out``, key
``{date}:{zone}``, due at 09:00 there.

In slices, each a commit. Whoever takes over after a crash begins again: what is enqueued is there,
and an identity is enqueued once.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.offers.daily import publishing
from handfast.apps.offers.daily.ids import SetType, job_key
from handfast.apps.offers.settings import OfferRules
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.jobs.enqueue import Enqueued, enqueue, enqueue_many
from handfast.engine.jobs.options import Options
from handfast.engine.work.context import Context

KIND = "offers.fan_out"
SLICE = 5000  # users whose jobs are enqueued in one transaction

# Also where no worker of offers has declared its kinds yet.
LANE_ONLY = Options(lane=publishing.LANE)


class ZoneDay(msgspec.Struct, frozen=True):
    zone: str
    day: date
    due_at: datetime

    @property
    def key(self) -> str:
        return f"{self.day}:{self.zone}"


_TO_FAN_OUT = statement("offers.zones_to_fan_out", row=ZoneDay)
_KNOWN = statement("offers.day_known", row=ZoneDay)
_USERS = statement("offers.users_due", row=UUID, seconds=BULK_SECONDS_MAX)
_OF_THE_WEEK = statement("offers.users_of_the_week", row=UUID, seconds=BULK_SECONDS_MAX)
_FANNED = statement("offers.mark_fanned_out", row=NoneType)


class FanOut:
    def __init__(self, database: Database, rules: OfferRules) -> None:
        self._database = database
        self._rules = rules

    async def fan_out(self, ctx: Context, zone: str, day: date, due_at: datetime) -> None:
        one, last = ZoneDay(zone, day, due_at), None
        while True:
            async with self._database.transaction() as tx:
                users = await users_due(tx, one, last)
                await enqueue_sets(tx, one, users)
                if self._rules.is_anchor_day(day):
                    of_the_week = await _OF_THE_WEEK.all(tx, day, users)
                    await enqueue_sets(tx, one, of_the_week, SetType.WEEKLY)
            if len(users) < SLICE:
                break
            last = users[-1]
        async with ctx.completing() as tx:
            await _FANNED.run(tx, zone, day)


async def enqueue_fan_outs(tx: Transaction, day: date | None) -> None:
    """Of the zones of a date, or of all, whose round is there and that have none yet."""
    for one in await _TO_FAN_OUT.all(tx, day):
        payload = msgspec.to_builtins(one)
        await enqueue(tx, KIND, one.key, payload, due=one.due_at, options=LANE_ONLY)


async def zones_of(on: Queryable, day: date, zone: str | None) -> list[ZoneDay]:
    return await _KNOWN.all(on, day, zone)


async def users_due(on: Queryable, one: ZoneDay, last: UUID | None = None) -> list[UUID]:
    """A slice of those without a set, after the last of the slice before."""
    return await _USERS.all(on, one.zone, one.day, last, SLICE)


async def enqueue_sets(
    tx: Transaction, one: ZoneDay, users: Iterable[UUID], type_: SetType = SetType.DAILY
) -> Sequence[Enqueued]:
    kind = publishing.KIND if type_ is SetType.DAILY else publishing.WEEKLY_KIND
    jobs = [
        (job_key(one.day, user, type_), {"day": one.day, "zone": one.zone, "user_id": user})
        for user in users
    ]
    return await enqueue_many(tx, kind, jobs, due=one.due_at, options=LANE_ONLY)
