"""People all over the world, and those of one zone, where it is past nine, with their sets."""

from datetime import UTC, datetime

from handfast.apps.offers.daily.looking import look
from handfast.apps.offers.settings import OfferRules
from handfast.apps.offers.work import offers_crew
from handfast.db.pool import Database
from handfast.engine.crew import Crew
from handfast.engine.host import Host, HostOptions
from tests.support.eventually import eventually_async
from tests.support.hosts import running
from tests.support.offers import OffersDesk

PEOPLE = 24
ELSEWHERE = ("Asia/Tokyo", "Asia/Kolkata", "Australia/Sydney", "Pacific/Auckland")
AFTERNOON = 15  # the hour of the zone whose people have their sets


def zone_at(hour: int, now: datetime) -> str:
    """A zone in which it is that hour now. Their names have the sign the other way round."""
    offset = (hour - now.hour + 11) % 24 - 11
    return "Etc/GMT" if offset == 0 else f"Etc/GMT{-offset:+d}"


async def seed(database: Database) -> None:
    desk = OffersDesk(database, OfferRules())
    await desk.fit_for_each_other(PEOPLE)
    zones = [zone_at(AFTERNOON, datetime.now(UTC)), *ELSEWHERE]
    await desk.value(
        "UPDATE handfast_people.users AS u SET timezone = ($1::text[])[n.number % $2 + 1]"
        " FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM handfast_people.users)"
        " AS n WHERE n.id = u.id",
        zones,
        len(zones),
    )
    crew = offers_crew(database, desk.rules, 100)
    options = HostOptions(poll=0.1, grace=5.0)
    host = Host(database, database.target, [Crew(crew.kinds, crew.options)], options)

    async def made() -> bool:
        async with database.transaction() as tx:
            await look(tx, desk.rules)
        lacking = await desk.value(
            "SELECT count(*) FROM handfast_people.users AS u WHERE u.timezone = $1"
            " AND NOT EXISTS (SELECT 1 FROM handfast_offers.sets AS s WHERE s.user_id = u.id)",
            zones[0],
        )
        return bool(lacking == 0)

    async with running(host):
        await eventually_async(made)


async def day_of_sets(database: Database) -> str:
    """The date on which that zone's people have theirs: by its own clock, not by anybody else's."""
    async with database.connection() as connection:
        day = await connection.fetchval(
            "SELECT max(s.day) FROM handfast_offers.sets AS s"
            " WHERE s.zone LIKE 'Etc/%' AND s.status = 'completed'"
        )
    return str(day)
