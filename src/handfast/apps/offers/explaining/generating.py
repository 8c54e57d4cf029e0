"""Sets made by hand: the jobs that make them anyway, enqueued now and waited for.

A set that is there stays as it is, and two who ask at the same time make one. Without a worker
anywhere nothing would happen, so the command works the jobs off itself, too.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import date
from uuid import UUID

import msgspec

from handfast.apps.offers.daily import planning, publishing
from handfast.apps.offers.daily.fan_out import (
    LANE_ONLY,
    SLICE,
    ZoneDay,
    enqueue_sets,
    users_due,
    zones_of,
)
from handfast.apps.offers.errors import RoundDead
from handfast.apps.offers.settings import OfferRules
from handfast.apps.offers.work import offers_crew
from handfast.base.errors import InvalidRequest, NotFound
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.crew import Crew
from handfast.engine.host import Host, HostOptions
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.operating.audit import Actor, record

FAR = 2  # days: further away nothing is known, or all of it is over
POLL_SECONDS = 0.2
MADE_HERE = (planning.KIND, publishing.KIND)

Progress = Callable[[int, int], None]  # how many of how many


class LackingSets(msgspec.Struct, frozen=True, rename="camel"):
    """What a command by hand is about to make: in which zones, for how many users."""

    day: date
    zones: list[str]
    users: int
    has_round: bool


_LEFT = statement("offers.sets_left", row=int)
_PLAN_JOB = statement("offers.plan_state", row=str)


async def zones_due(on: Queryable, day: date, zone: str | None) -> list[ZoneDay]:
    now = await publishing.clock(on)
    if abs((day - now.date()).days) > FAR:
        raise InvalidRequest(
            f"{day} is too far away: sets are made on their own local day.",
            hint="Give a date that is today somewhere.",
        )
    zones = [one for one in await zones_of(on, day, zone) if one.due_at <= now]
    if not zones:
        raise NotFound(
            f"No sets of {day} are due" + (f" in {zone} now." if zone else " anywhere now."),
            hint="They are due at 09:00, where users are and a worker of offers has looked.",
        )
    return zones


async def lacking(
    database: Database, day: date, zone: str | None, users: Sequence[UUID] | None
) -> tuple[LackingSets, dict[ZoneDay, list[UUID]]]:
    """Who lacks a set, by zone. Reads, and changes nothing."""
    async with database.connection() as connection:
        zones = await zones_due(connection, day, zone)
        plan = await planning.find_plan(connection, day)
        found: dict[ZoneDay, list[UUID]] = {}
        for one in zones:
            found[one] = await _all_due(connection, one, users)
    total = sum(len(ids) for ids in found.values())
    chosen = plan is not None and plan.chosen_at is not None
    names = [one.zone for one in zones if found[one]]
    return LackingSets(day, names, total, chosen), found


async def _all_due(on: Queryable, one: ZoneDay, users: Sequence[UUID] | None) -> list[UUID]:
    found: list[UUID] = []
    while part := await users_due(on, one, found[-1] if found else None):
        found += part
    return found if users is None else [user for user in found if user in set(users)]


async def generate(
    database: Database,
    rules: OfferRules,
    day: date,
    by_zone: dict[ZoneDay, list[UUID]],
    progress: Progress,
    *,
    actor: Actor,
) -> int:
    """The round of that date if it lacks, then these users' sets; answers how many have one now.
    Two who do so at the same time, or a worker beside, make each of them once. The audit has the
    zones, because what comes by hand comes at another time than by the clock."""
    by_zone = {one: ids for one, ids in by_zone.items() if ids}
    users = [user for ids in by_zone.values() for user in ids]
    async with working(database, rules):
        async with database.transaction() as tx:
            await record(tx, actor, "offers.generate", [f"offers:{one.key}" for one in by_zone])
            await enqueue(tx, planning.KIND, str(day), {"day": day}, options=LANE_ONLY)
        await _until(database, lambda on: _has_round(on, day))
        for one, ids in by_zone.items():
            for part in batched(ids, SLICE):
                async with database.transaction() as tx:
                    await enqueue_sets(tx, one, part)

        async def all_there(on: Queryable) -> bool:
            left = await _LEFT.one(on, day, users)
            progress(len(users) - left, len(users))
            return left == 0

        await _until(database, all_there)
    return len(users)


@asynccontextmanager
async def working(database: Database, rules: OfferRules) -> AsyncIterator[None]:
    """A worker of offers in this process: there may be no other. It makes what was asked for, and
    fans nothing out."""
    crew, kinds = offers_crew(database, rules), Kinds()
    for kind in crew.kinds:
        if kind.name in MADE_HERE:
            kinds.add(kind)
    host = Host(
        database, database.target, [Crew(kinds, crew.options)], HostOptions(poll=POLL_SECONDS)
    )
    task = asyncio.create_task(host.run())
    try:
        yield
    finally:
        host.stop()
        await task


async def _until(database: Database, done: Callable[[Queryable], Awaitable[bool]]) -> None:
    while True:
        async with database.connection() as connection:
            if await done(connection):
                return
        await asyncio.sleep(POLL_SECONDS)


async def _has_round(on: Queryable, day: date) -> bool:
    job = await _PLAN_JOB.maybe(on, str(day))
    if job == "dead":
        raise RoundDead(
            f"The round of {day} has failed.",
            hint=f"handfast dead list --kind {planning.KIND} says why; requeue it.",
        )
    plan = await planning.find_plan(on, day)
    return plan is not None and plan.chosen_at is not None


def batched(ids: Sequence[UUID], size: int) -> Iterator[Sequence[UUID]]:
    for first in range(0, len(ids), size):
        yield ids[first : first + size]
