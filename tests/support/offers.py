"""Made-up people as a snapshot has them, and the questions that they answered."""

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import msgspec
from litestar import Litestar

from handfast.apps.offers.daily.looking import look
from handfast.apps.offers.rules.person import Person, ScoredQuestion
from handfast.apps.offers.settings import OfferRules
from handfast.apps.offers.work import offers_crew
from handfast.apps.people.generator.loading import load_people
from handfast.apps.people.generator.people import made_up
from handfast.apps.people.questions.packed import pack
from handfast.apps.people.questions.responses import QUESTIONS
from handfast.db.pool import Database
from handfast.engine.crew import Crew
from handfast.engine.host import Host, HostOptions
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.hosts import running
from tests.support.people import Caller, somebody

DAY = date(2026, 3, 2)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLANNED_AT = datetime(2026, 3, 2, 7, tzinfo=UTC)  # an hour before it is nine in Berlin
DUE_AT = datetime(2026, 3, 2, 8, tzinfo=UTC)

SCORED: list[ScoredQuestion] = [
    ScoredQuestion(one.id, one.construct, one.type, one.steps or len(one.options))
    for one in QUESTIONS.scored
]


def people(count: int, *, seed: int = 1, places: int = 3, one_town: bool = True) -> list[Person]:
    """Some of them have answered a part only. In one town everybody may meet everybody."""
    return [
        Person(
            one.id,
            one.birth_date,
            one.gender,
            one.seeking,
            one.min_age,
            one.max_age,
            one.distance_km,
            one.intent,
            *((450_000, 450_000, number) if one_town else (one.place.x, one.place.y, one.place.z)),
            places,
            pack(QUESTIONS, one.packed()),
        )
        for number, one in enumerate(made_up(count, seed=seed, now=NOW))
    ]


def changed(one: Person, **fields: Any) -> Person:
    return msgspec.structs.replace(one, **fields)


class OffersDesk:
    """People in a database, time that is set by hand, workers that work while something is due."""

    def __init__(self, database: Database, rules: OfferRules | None = None) -> None:
        self.database = database
        self.rules = rules or OfferRules(anchor_day=7)  # DAY is a Monday

    async def at(self, when: datetime) -> None:
        await freeze(self.database, when)

    async def fetch(self, sql: str, *args: Any) -> Any:
        async with self.database.connection() as connection:
            return await connection.fetch(sql, *args)

    async def value(self, sql: str, *args: Any) -> Any:
        async with self.database.connection() as connection:
            return await connection.fetchval(sql, *args)

    async def move_in(self, count: int, *, seed: int = 1, zone: str = "Europe/Berlin") -> None:
        """Made-up people, all of one town and zone."""
        await load_people(self.database, count, seed=seed, responses=False)
        await self.value(
            "UPDATE handfast_people.users SET timezone = $1, place_x = 380000, place_y = 90000, "
            "place_z = 500000",
            zone,
        )

    async def look(self) -> None:
        """As the chore does, once a minute."""
        async with self.database.transaction() as tx:
            await look(tx, self.rules)

    async def work(self, batch: int = 500) -> None:
        """Until nothing is left that is due; without the schedules."""
        crew = offers_crew(self.database, self.rules, batch)
        host = Host(
            self.database,
            self.database.target,
            [Crew(crew.kinds, crew.options)],
            HostOptions(poll=0.1, grace=5.0),
        )

        async def nothing_due() -> bool:
            return not await self.value(
                "SELECT count(*) FROM handfast_engine.live WHERE due_at <= handfast_db.now()"
            )

        async with running(host):
            await eventually_async(nothing_due)

    async def day_passes(self, batch: int = 500) -> None:
        """DAY is planned, and its sets are made, in Berlin."""
        await self.plan()
        await self.at(DUE_AT)
        await self.work(batch)

    async def plan(self) -> None:
        """An hour before it is nine."""
        await self.at(PLANNED_AT)
        await self.look()
        await self.work()

    async def forget_everything(self) -> None:
        """Of offers, and every job; the people stay."""
        tables = "match_offers, sets, picked, returns, kept_apart, round_members, plans, days"
        for table in tables.split(", "):
            await self.value(f"DELETE FROM handfast_offers.{table}")
        await self.value("TRUNCATE handfast_engine.jobs, handfast_engine.live CASCADE")

    async def sets(self) -> list[tuple[Any, ...]]:
        rows = await self.fetch(
            "SELECT day, user_id, id, zone, due_at, status, reason, offers, removed, score, "
            "selection, question_version FROM handfast_offers.sets ORDER BY day, user_id"
        )
        return [tuple(row) for row in rows]

    async def offers(self) -> list[tuple[Any, ...]]:
        rows = await self.fetch(
            "SELECT id, user_id, candidate_id, day, place, score, themes, status, offered_at, "
            "expires_at FROM handfast_offers.match_offers ORDER BY day, user_id, place"
        )
        return [tuple(row) for row in rows]

    async def fit_for_each_other(self, count: int) -> list[UUID]:
        """That many who are eligible for each other, with the same answers: the first has no
        better fit than the others."""
        await self.move_in(count)
        await self.value(
            "UPDATE handfast_people.users SET gender = 'female', seeking = '{}', min_age = 18, "
            "max_age = 120, relationship_intent = 'serious', max_distance_km = 50, "
            "matching = true, "
            "verified_at = created_at, questionnaire_done = true"
        )
        await self.value("DELETE FROM handfast_people.answers")
        (one,) = made_up(1, seed=1, now=NOW)
        await self.value(
            "INSERT INTO handfast_people.answers SELECT id, $1, $2 FROM handfast_people.users",
            QUESTIONS.version,
            pack(QUESTIONS, one.packed()),
        )
        rows = await self.fetch("SELECT id FROM handfast_people.users ORDER BY id")
        return [row[0] for row in rows]

    async def signed_in(self, api: Litestar, user_id: UUID) -> Caller:
        sql = "SELECT phone FROM handfast_identity.accounts WHERE id = $1"
        return await somebody(api, await self.value(sql, user_id))

    async def events(self, user_id: UUID) -> list[str]:
        """On a user's stream, those about matches, in their order."""
        rows = await self.fetch(
            "SELECT e.type FROM handfast_engine.user_events AS t "
            "JOIN handfast_engine.events AS e ON e.id = t.event_id "
            "WHERE t.user_id = $1 ORDER BY t.number",
            user_id,
        )
        return [row[0] for row in rows if row[0].startswith("match.")]
