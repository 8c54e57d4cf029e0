"""A scene with daily offers: made-up people in many zones, and a morning that goes round the world
in seconds.

Nobody waits a day for a demo. When sets are due stands in a table, ``days``, and everything reads
it; so the scene writes a date whose 09:00s come a moment after each other, and says so. The rest is
what happens anyway: the plan, the fan-outs, the sets. Then two who are
offered each other accept. A second telling finds all of it there.
"""

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import Any

from handfast.apps.offers.daily import planning
from handfast.apps.offers.daily.fan_out import LANE_ONLY
from handfast.apps.offers.rules.actions import OfferAction
from handfast.apps.offers.rules.due import due_at
from handfast.apps.offers.settings import OfferRules
from handfast.apps.offers.users.acting import act
from handfast.apps.people.generator.loading import load_people
from handfast.demo.scenes import ShownFact, Stage
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.schedules.zones import zone_names

PEOPLE = 2000
PATIENCE_SECONDS = 180.0  # a round and some dozen zones, on a busy machine
SEED = 18
LONG_AGO = timedelta(days=30)  # a date that no real plan is made for
APART = timedelta(milliseconds=100)  # between two zones, instead of up to an hour

_KNOWN = "SELECT day FROM handfast_offers.plans WHERE day < current_date - 20 ORDER BY day LIMIT 1"
_MADE_UP = "SELECT count(*) FROM handfast_identity.accounts WHERE phone LIKE '+999018%'"
_ZONES = "SELECT array_agg(DISTINCT timezone) FROM handfast_people.pool"
_PUT_DAY = """
INSERT INTO handfast_offers.days (zone, day, due_at, ends_at, expires_at)
VALUES ($1, $2, $3::timestamptz, $3 + interval '1 day', $3 + interval '6 days')
ON CONFLICT (zone, day) DO NOTHING"""
_LACKING = """
SELECT count(*) FROM handfast_people.pool AS p
JOIN handfast_offers.days AS d ON d.zone = p.timezone AND d.day = $1
WHERE NOT EXISTS (SELECT 1 FROM handfast_offers.sets AS s
                  WHERE s.day = d.day AND s.user_id = p.id AND s.type = 'daily_offers')"""
_CAME = """
SELECT count(*) AS sets, count(DISTINCT user_id) AS users, count(DISTINCT zone) AS zones,
       sum(offers) AS offers
FROM handfast_offers.sets WHERE day = $1 AND type = 'daily_offers'"""
_PAIR = """
SELECT o.id AS mine, t.id AS theirs, o.user_id AS one, t.user_id AS other
FROM handfast_offers.match_offers AS o
JOIN handfast_offers.match_offers AS t ON t.user_id = o.candidate_id AND t.candidate_id = o.user_id
WHERE o.day = $1 AND t.day = $1 AND o.status = 'offered' AND t.status = 'offered'
  AND o.user_id < t.user_id
ORDER BY o.score DESC, o.id LIMIT 1"""
_MATCHES = "SELECT count(*) FROM handfast_offers.matches"


async def morning(stage: Stage) -> ShownFact:
    if not await stage.ask(_MADE_UP):
        await load_people(stage.database, PEOPLE, seed=SEED, responses=False)
    day: date | None = await stage.ask(_KNOWN)
    before = day is not None
    if day is None:
        day = datetime.now(UTC).date() - LONG_AGO
        await _let_it_dawn(stage, day)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await stage.ask(_LACKING, day):  # noqa: ASYNC110  # others do it
                await asyncio.sleep(0.2)
    async with stage.database.connection() as connection:
        (came,) = await connection.fetch(_CAME, day)
    if not before:
        await _accept_each_other(stage, day)
    matches = await stage.ask(_MATCHES)
    how = "by an earlier run" if before else "24 hours in seconds: 09:00 is sped up here"
    return ShownFact(
        "One set for each person at their own 09:00",
        f"{came['users']:,} people in {came['zones']} zones, {came['sets']:,} sets with "
        f"{came['offers']:,} offers ({how}); two accepted each other: {matches} match",
        came["sets"] == came["users"] > 0 and came["zones"] > 1 and matches >= 1,
        hint=f"What both selections make of it: handfast offers compare --date {day}{stage.where}\n"
        f"  Compute it again: handfast offers replay --date {day}{stage.where}",
    )


async def _let_it_dawn(stage: Stage, day: date) -> None:
    """Zones in the order in which it is nine there, a moment apart."""
    zones = [one for one in await stage.ask(_ZONES) if one in zone_names()]
    first = datetime.now(UTC) + 5 * APART
    async with stage.hf.transaction() as tx:
        for place, zone in enumerate(sorted(zones, key=lambda one: _nine(one, day))):
            await tx.execute(_PUT_DAY, zone, day, first + place * APART)
        await enqueue(tx, planning.KIND, str(day), {"day": day}, options=LANE_ONLY)


def _nine(zone: str, day: date) -> Any:
    return due_at(zone, day) or datetime.max.replace(tzinfo=UTC), zone


async def _accept_each_other(stage: Stage, day: date) -> None:
    async with stage.hf.transaction() as tx:
        pair = await tx.fetchrow(_PAIR, day)
        if pair is None:
            return
        for who, offer in ((pair["one"], pair["mine"]), (pair["other"], pair["theirs"])):
            await act(tx, OfferRules(), who, offer, OfferAction.ACCEPT)
