"""A scene with daily offers: made-up people in many zones, and a morning that goes round the world
in seconds.

Nobody waits a day for a demo. When sets are due stands in a table, ``days``, and everything reads
it; so the scene writes a date of last week whose 09:00s come a moment after each other, and says
so. The rest is what happens anyway: the plan, the fan-outs, the sets. Then two who are offered each
other accept. A second telling finds all of it there.

The date is near enough that the plan of today does not clear its snapshot away (they are kept for
14 days), and far enough that no real plan is made for it.
"""

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from handfast.apps.offers.daily import planning
from handfast.apps.offers.daily.fan_out import LANE_ONLY, enqueue_fan_outs
from handfast.apps.offers.rules.actions import OfferAction
from handfast.apps.offers.rules.due import due_at
from handfast.apps.offers.settings import OfferRules
from handfast.apps.offers.users.acting import act
from handfast.apps.people.generator.loading import load_people
from handfast.db.pool import Database
from handfast.demo.stage import PATIENCE_SECONDS, ShownFact, Stage
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.schedules.zones import zone_names

PEOPLE = 2000
SEED = 18
FIRST = timedelta(days=10)  # before today: the first of the demo's mornings
LAST = timedelta(days=3)  # real dates begin after that
APART_SECONDS = 0.05  # between two zones, instead of up to an hour

_MADE_UP = "SELECT count(*) FROM handfast_identity.accounts WHERE phone LIKE '+999018%'"
# Ours are due days after their date; real ones on it.
_MORNINGS = """
SELECT array_agg(DISTINCT day ORDER BY day) FROM handfast_offers.days
WHERE due_at > day + interval '2 days'"""
_ZONES = """
SELECT array_agg(DISTINCT p.timezone) FROM handfast_people.pool AS p
WHERE NOT EXISTS (SELECT 1 FROM handfast_offers.days AS d
                  WHERE d.zone = p.timezone AND d.day = $1)"""
_PUT_DAY = """
INSERT INTO handfast_offers.days (zone, day, due_at, ends_at, expires_at)
SELECT $1, $2, n.at, n.at + interval '1 day', n.at + interval '6 days'
FROM handfast_db.now() AS n (at)"""
_LACKING = """
SELECT count(*) FROM handfast_offers.round_members AS m
WHERE m.day = $1 AND NOT EXISTS (
    SELECT 1 FROM handfast_offers.sets AS s
    WHERE s.day = m.day AND s.user_id = m.user_id AND s.type = 'daily_offers')"""
_CAME = """
SELECT count(*) AS sets, count(DISTINCT user_id) AS users, count(DISTINCT zone) AS zones,
       (SELECT count(*) FROM handfast_offers.matches) AS matches
FROM handfast_offers.sets WHERE day = $1 AND type = 'daily_offers'"""
_PAIR = """
SELECT o.id AS mine, t.id AS theirs, o.user_id AS one, t.user_id AS other
FROM handfast_offers.match_offers AS o
JOIN handfast_offers.match_offers AS t ON t.user_id = o.candidate_id AND t.candidate_id = o.user_id
WHERE o.day = $1 AND t.day = $1 AND o.status = 'offered' AND t.status = 'offered'
  AND o.user_id < t.user_id
ORDER BY o.score DESC, o.id LIMIT 1"""


class NinePassed(NamedTuple):
    day: date
    zone: str


async def morning(stage: Stage) -> ShownFact:
    if not await stage.ask(_MADE_UP):
        await load_people(stage.database, PEOPLE, seed=SEED, responses=False)
    told = await stage.ask(_MORNINGS)
    day = told[0] if told else _today() - FIRST
    async with asyncio.timeout(6 * PATIENCE_SECONDS):  # a round and some dozen zones
        while await nine_passes(stage.database, day):  # noqa: ASYNC110  # time, sped up
            await asyncio.sleep(APART_SECONDS)
        while not await _is_over(stage, day):  # noqa: ASYNC110  # others make the sets
            await asyncio.sleep(0.1)
    if not told:
        await _accept_each_other(stage, day)
    async with stage.database.connection() as connection:
        [came] = await connection.fetch(_CAME, day)
    how = "on an earlier run" if told else "a morning in seconds: time is sped up here"
    return ShownFact(
        "One set for each, at 09:00 in their own zone",
        f"{came['users']:,} people in {came['zones']} zones, {came['sets']:,} sets, {how}; "
        f"two accepted each other: {came['matches']} match",
        came["sets"] == came["users"] > 0 and came["zones"] > 1 and came["matches"] >= 1,
        hint=f"What each selection makes of them: handfast offers compare --date {day}{stage.where}"
        f"\n  Compute it again: handfast offers replay --date {day}{stage.where}",
    )


async def next_nine(database: Database) -> NinePassed | None:
    """It becomes 09:00 in one more zone of the demo, and whoever works on offers makes the sets
    there. After the last zone of a date the next date begins; None where real ones do."""
    async with database.connection() as connection:
        told = await connection.fetchval(_MORNINGS)
    day = told[-1] if told else _today() - FIRST
    for one in (day, day + timedelta(days=1)):
        if one > _today() - LAST:
            return None
        if zone := await nine_passes(database, one):
            return NinePassed(one, zone)
    return None


async def nine_passes(database: Database, day: date) -> str | None:
    """In the next zone of that date, in the order in which it is nine there. None after the last.

    The first of them brings the plan, the others only their fan-outs: as where somebody signs up in
    a zone that nobody lived in before."""
    async with database.transaction() as tx:
        await tx.execute("SELECT pg_advisory_xact_lock(hashtext('handfast demo morning'))")
        left = [one for one in await tx.fetchval(_ZONES, day) or () if one in zone_names()]
        if not left:
            return None
        zone: str = min(left, key=lambda one: _nine(one, day))
        await tx.execute(_PUT_DAY, zone, day)
        await enqueue(tx, planning.KIND, str(day), {"day": day}, options=LANE_ONLY)
        await enqueue_fan_outs(tx, day)
    return zone


def _nine(zone: str, day: date) -> tuple[datetime, str]:
    return due_at(zone, day) or datetime.max.replace(tzinfo=UTC), zone


def _today() -> date:
    return datetime.now(UTC).date()


async def _is_over(stage: Stage, day: date) -> bool:
    async with stage.database.connection() as connection:
        plan = await planning.find_plan(connection, day)
    return plan is not None and plan.chosen_at is not None and not await stage.ask(_LACKING, day)


async def _accept_each_other(stage: Stage, day: date) -> None:
    async with stage.hf.transaction() as tx:
        pair: Any = await tx.fetchrow(_PAIR, day)
        if pair is None:
            return
        for who, offer in ((pair["one"], pair["mine"]), (pair["other"], pair["theirs"])):
            await act(tx, OfferRules(), who, offer, OfferAction.ACCEPT)
