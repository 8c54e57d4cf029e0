"""People of the benches of offers in the database, and days that they have behind them: by COPY and
by statements for all of them at once, so that a million are there in minutes.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import numpy as np

from bench.offers_pools import generated_pool
from handfast.db.pool import Database

PER_PLACE = 5_000
FIRST_DAY = date(2026, 3, 3)
ZONES = ("Europe/Berlin", "Europe/Madrid", "Europe/Paris", "Europe/Rome")
GENDERS = {1: "male", 2: "female"}
PER_DAY = 3

# Indexes are made when the rows are there.
INDEXES = """
SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
FROM pg_index AS i
WHERE i.indrelid = 'handfast_offers.match_offers'::regclass
  AND NOT EXISTS (SELECT 1 FROM pg_constraint AS c WHERE c.conindid = i.indexrelid)"""
# Places lie 200 km apart, so who lives in one follows from the coordinates. Each man is shown to
# the next women of his place, three a day, and they to him.
COUPLES = """
WITH ranked AS (
    SELECT u.id, u.gender, (u.place_x + 500000) / 20000 AS x, (u.place_y + 500000) / 20000 AS y,
           (u.place_z + 500000) / 20000 AS z
    FROM handfast_people.users AS u
), numbered AS MATERIALIZED (
    SELECT r.*, row_number() OVER (PARTITION BY r.x, r.y, r.z, r.gender ORDER BY r.id) - 1 AS at
    FROM ranked AS r
), towns AS (
    SELECT n.x, n.y, n.z, count(*) AS women FROM numbered AS n WHERE n.gender = 'female'
    GROUP BY n.x, n.y, n.z
), wanted AS (
    SELECT m.id, m.x, m.y, m.z, k, (m.at + k) % t.women AS at
    FROM numbered AS m
    JOIN towns AS t ON (t.x, t.y, t.z) = (m.x, m.y, m.z) AND m.at < t.women
    CROSS JOIN generate_series(0, $1::integer * $2::integer - 1) AS k
    WHERE m.gender = 'male'
)
INSERT INTO couples (man, woman, day, place)
SELECT m.id, w.id, m.k / $2::integer, m.k % $2::integer + 1
FROM wanted AS m
JOIN numbered AS w ON (w.x, w.y, w.z, w.at) = (m.x, m.y, m.z, m.at) AND w.gender = 'female'"""
OFFERS = """
INSERT INTO handfast_offers.match_offers
    (id, user_id, candidate_id, offered_at, expires_at, day, place, score, kind, themes)
SELECT gen_random_uuid(), n.user_id, n.candidate_id,
       now() - make_interval(days => $2::integer - c.day),
       now() + make_interval(days => c.day + 1),
       $1::date - $2::integer + c.day, c.place, 7000, 1, '{values}'
FROM couples AS c
CROSS JOIN LATERAL (VALUES (c.man, c.woman), (c.woman, c.man)) AS n (user_id, candidate_id)"""
SETS = """
INSERT INTO handfast_offers.sets
    (id, user_id, day, question_version, made_at, due_at, offers, removed, type, zone, status,
     score, selection)
SELECT gen_random_uuid(), o.user_id, o.day, 1, min(o.offered_at), min(o.offered_at), count(*), '{}',
       'daily_offers', u.timezone, 'completed', 'v1', 'mutual'
FROM handfast_offers.match_offers AS o JOIN handfast_people.users AS u ON u.id = o.user_id
GROUP BY o.user_id, o.day, u.timezone"""
DAYS = """
INSERT INTO handfast_offers.days (zone, day, due_at, ends_at, expires_at, fanned_out_at, closed_at)
SELECT z, $1::date - $2::integer + d, now() - make_interval(days => $2::integer - d),
       now() - make_interval(days => $2::integer - d - 1), now() + make_interval(days => d + 1),
       now(), now()
FROM unnest($3::text[]) AS z CROSS JOIN generate_series(0, $2::integer - 1) AS d"""


async def move_in(database: Database, people: int) -> None:
    """All of them active and verified, with answers and a place; nobody has a name or a phone that
    could be anybody's."""
    pool = generated_pool(people, PER_PLACE, seed=1)
    ids = [UUID(bytes=one) for one in _random_ids(people)]
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
                *(ZONES[at // PER_PLACE % len(ZONES)], f"Person {at}"),
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


def _random_ids(count: int) -> Iterator[bytes]:
    drawn = np.random.default_rng(7).integers(0, 256, (count, 16), np.uint8)
    drawn[:, 6] = drawn[:, 6] & 0x0F | 0x40
    drawn[:, 8] = drawn[:, 8] & 0x3F | 0x80
    return (row.tobytes() for row in drawn)


async def past_days(database: Database, days: int) -> None:
    """As many with three live offers for each person, before the first that is measured."""
    async with database.transaction() as tx:
        connection = tx.connection
        await connection.execute(
            "SET LOCAL work_mem = '512MB'; SET LOCAL maintenance_work_mem = '1GB';"
            "SET LOCAL enable_nestloop = off"  # of what is numbered here nothing is known
        )
        dropped = await connection.fetch(INDEXES)
        for index in dropped:
            await connection.execute(f"DROP INDEX {index['name']}")
        await connection.execute(
            "CREATE TEMP TABLE couples (man uuid, woman uuid, day integer, place smallint)"
            " ON COMMIT DROP"
        )
        await connection.execute(COUPLES, days, PER_DAY, timeout=3600)
        await connection.execute(OFFERS, FIRST_DAY, days, timeout=3600)
        for index in dropped:
            await connection.execute(index["definition"], timeout=3600)
        await connection.execute(SETS, timeout=3600)
        await connection.execute(DAYS, FIRST_DAY, days, list(ZONES))
    async with database.connection() as connection:
        await connection.execute("VACUUM ANALYZE", timeout=3600)
