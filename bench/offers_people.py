"""People of the benches of offers in the database, and days that they have behind them: by COPY,
so that a million are there in minutes.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np
import numpy.typing as npt

from bench.offers_pools import generated_pool
from handfast.apps.offers.rounds.pool import Pool
from handfast.db.pool import Database

PER_PLACE = 5_000
FIRST_DAY = date(2026, 3, 3)
ZONES = ("Europe/Berlin", "Europe/Madrid", "Europe/Paris", "Europe/Rome")
MAN, WOMAN = 1, 2
GENDERS = {MAN: "male", WOMAN: "female"}
PER_DAY = 3
MADE_BY = ("v1", "mutual")
# Users, and whom each of them is shown.
Shown: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

# Indexes are made when the rows are there.
INDEXES = """
SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
FROM pg_index AS i
WHERE i.indrelid = 'handfast_offers.match_offers'::regclass
  AND NOT EXISTS (SELECT 1 FROM pg_constraint AS c WHERE c.conindid = i.indexrelid)"""
DAYS = """
INSERT INTO handfast_offers.days (zone, day, due_at, ends_at, expires_at, fanned_out_at, closed_at)
SELECT z, $1::date - $2::integer + d, now() - make_interval(days => $2::integer - d),
       now() - make_interval(days => $2::integer - d - 1), now() + make_interval(days => d + 1),
       now(), now()
FROM unnest($3::text[]) AS z CROSS JOIN generate_series(0, $2::integer - 1) AS d"""


async def move_in(database: Database, people: int) -> None:
    """All of them active and verified, with answers and a place; nobody has a name or a phone that
    could be anybody's."""
    pool, ids = _pool(people), _random_ids(people, seed=7)
    now = datetime.now(UTC)
    answers = [row.tobytes() for row in pool.answers]

    def users() -> Iterator[tuple[Any, ...]]:
        columns = (pool.age, pool.gender, pool.seeking, pool.place)
        for at, (age, gender, seeking, place) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        ):
            yield (
                *(ids[at], now, now, now, date(FIRST_DAY.year - age, 1, 1), *place, 0.0, 0.0),
                *(True, GENDERS[gender], [GENDERS[seeking]]),
                *(_zone(at), f"Person {at}"),
            )

    async with database.transaction() as tx:
        copy = tx.connection.copy_records_to_table
        await copy(
            "accounts",
            schema_name="handfast_identity",
            columns=("id", "created_at", "last_active_at", "phone"),
            records=((one, now, now, f"+999001{at:08d}") for at, one in enumerate(ids)),
        )
        await copy(
            "users",
            schema_name="handfast_people",
            columns=(
                *("id", "created_at", "updated_at", "verified_at", "birth_date", "place_x"),
                *("place_y", "place_z", "latitude", "longitude", "questionnaire_done", "gender"),
                *("seeking", "timezone", "display_name"),
            ),
            records=users(),
        )
        await copy(
            "answers",
            schema_name="handfast_people",
            columns=("user_id", "version", "answers"),
            records=((one, 1, answers[at]) for at, one in enumerate(ids)),
        )
    async with database.connection() as connection:
        await connection.execute("VACUUM ANALYZE")


def _pool(people: int) -> Pool:
    return generated_pool(people, PER_PLACE, seed=1)


def _zone(at: int) -> str:
    return ZONES[at // PER_PLACE % len(ZONES)]


def _random_ids(count: int, *, seed: int) -> list[UUID]:
    drawn = np.random.default_rng(seed).integers(0, 256, (count, 16), np.uint8)
    drawn[:, 6] = drawn[:, 6] & 0x0F | 0x40
    drawn[:, 8] = drawn[:, 8] & 0x3F | 0x80
    return [UUID(bytes=row.tobytes()) for row in drawn]


async def past_days(database: Database, people: int, days: int) -> None:
    """As many with three live offers for each person, before the first that is measured."""
    ids, genders = _random_ids(people, seed=7), _pool(people).gender
    now = datetime.now(UTC)
    async with database.transaction() as tx:
        connection = tx.connection
        await connection.execute("SET LOCAL maintenance_work_mem = '1GB'")
        dropped = await connection.fetch(INDEXES)
        for index in dropped:
            await connection.execute(f"DROP INDEX {index['name']}")
        for number in range(days):
            day = FIRST_DAY - timedelta(days=days - number)
            made_at = now - timedelta(days=days - number)
            expires_at = now + timedelta(days=number + 1)
            shown = [_shown(genders, number * PER_DAY + place) for place in range(PER_DAY)]
            await connection.copy_records_to_table(
                "match_offers",
                schema_name="handfast_offers",
                columns=(
                    *("id", "user_id", "candidate_id", "place", "day", "offered_at", "expires_at"),
                    *("score", "kind", "themes"),
                ),
                records=(
                    (*row, day, made_at, expires_at, 7000, 1, ["values"])
                    for row in _offers(ids, shown, seed=1_000 + number)
                ),
                timeout=3600,
            )
            await connection.copy_records_to_table(
                "sets",
                schema_name="handfast_offers",
                columns=(
                    *("id", "user_id", "zone", "offers", "day", "made_at", "due_at"),
                    *("question_version", "removed", "type", "status", "score", "selection"),
                ),
                records=(
                    (*row, day, made_at, made_at, 1, [], "daily_offers", "completed", *MADE_BY)
                    for row in _sets(ids, shown, seed=2_000 + number)
                ),
                timeout=3600,
            )
        for index in dropped:
            await connection.execute(index["definition"], timeout=3600)
        await connection.execute(DAYS, FIRST_DAY, days, list(ZONES))
    async with database.connection() as connection:
        await connection.execute("VACUUM ANALYZE", timeout=3600)


def _offers(ids: list[UUID], shown: list[Shown], *, seed: int) -> Iterator[tuple[Any, ...]]:
    own = iter(_random_ids(sum(len(users) for users, _ in shown), seed=seed))
    for place, (users, others) in enumerate(shown, 1):
        for user, other in zip(users.tolist(), others.tolist(), strict=True):
            yield next(own), ids[user], ids[other], place


def _sets(ids: list[UUID], shown: list[Shown], *, seed: int) -> Iterator[tuple[Any, ...]]:
    offers = np.bincount(np.concatenate([users for users, _ in shown]), minlength=len(ids)).tolist()
    for at, own in enumerate(_random_ids(len(ids), seed=seed)):
        if offers[at]:
            yield own, ids[at], _zone(at), offers[at]


def _shown(genders: npt.NDArray[Any], step: int) -> Shown:
    """Each man and the woman that stands so many steps after him in his place, and they the other
    way round: as many of a place as it has of both."""
    men, women = [], []
    for first in range(0, len(genders), PER_PLACE):
        town = genders[first : first + PER_PLACE]
        hers = first + np.flatnonzero(town == WOMAN)
        his = (first + np.flatnonzero(town == MAN))[: len(hers)]
        men.append(his)
        women.append(hers[(np.arange(len(his)) + step) % max(len(hers), 1)])
    his, hers = np.concatenate(men), np.concatenate(women)
    return np.concatenate([his, hers]), np.concatenate([hers, his])
