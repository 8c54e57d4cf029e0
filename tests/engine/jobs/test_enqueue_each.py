"""Many jobs with options of their own: what one call each would have made, in a few statements."""

import asyncio
import json
import random
from typing import Any

import asyncpg
import pytest

from handfast.db.pool import Database
from tests.support.jobs import die, enqueue, succeed

pytestmark = pytest.mark.on_every_postgres

EACH = (
    "SELECT ordinal, id, created, state::text FROM handfast_engine.enqueue_each($1, $2::text[],"
    " (SELECT array_agg('{}'::jsonb) FROM unnest($2::text[])), $3::timestamptz[], $4::jsonb[])"
)
ROWS = """
SELECT l.key, l.due_at, l.first_due_at, l.deadline_at, l.state::text, l.waits_for, l.base_priority,
       l.version, l.lane, l.group_name, l.anchor, l.anchor_offset, l.reason,
       ARRAY(SELECT j.key || p.met::text FROM handfast_engine.prerequisites AS p
             JOIN handfast_engine.jobs AS j ON j.id = p.requires_id
             WHERE p.job_id = l.id ORDER BY 1) AS needs
FROM handfast_engine.live AS l WHERE l.kind = $1 ORDER BY l.key
"""


async def each(database: Database, kind: str, jobs: dict[str, dict[str, Any]]) -> list[Any]:
    async with database.connection() as connection:
        found = await connection.fetch(
            EACH, kind, list(jobs), None, [json.dumps(o) for o in jobs.values()]
        )
    return [tuple(row) for row in found]


async def fetch(database: Database, sql: str, *args: Any) -> list[tuple[Any, ...]]:
    async with database.connection() as connection:
        return [tuple(row) for row in await connection.fetch(sql, *args)]


async def ended_prerequisites(database: Database) -> list[str]:
    """One of each: succeeded, cancelled, dead, waiting."""
    keys = ["succeeded", "cancelled", "dead", "waiting"]
    await enqueue(database, "pre.job", "succeeded")
    await succeed(database)
    await enqueue(database, "pre.job", "dead")
    await die(database)
    cancelled = await enqueue(database, "pre.job", "cancelled")
    await fetch(database, "SELECT handfast_engine.cancel($1, 'no')", cancelled)
    await enqueue(database, "pre.job", "waiting", due="1 day")
    return keys


async def test_as_one_call_each_would_make_them(database: Database) -> None:
    required = await ended_prerequisites(database)
    chance = random.Random(6)  # noqa: S311
    await fetch(
        database, "SELECT handfast_engine.set_anchor('a' || n, now()) FROM generate_series(1,3) n"
    )
    await fetch(database, "SELECT handfast_engine.cancel_anchor('a3', 'rain')")
    jobs: dict[str, dict[str, Any]] = {}
    for n in range(200):
        options: dict[str, Any] = {}
        if chance.random() < 0.6:
            options["anchor"] = f"a{chance.randint(1, 3)}"
            options["offset"] = f"{chance.randint(-100, 100)} minutes"
        if chance.random() < 0.5:
            options["requires"] = [
                ["pre.job", key] for key in chance.sample(required, chance.randint(1, 3))
            ]
        others = {
            "priority": chance.randint(1, 50),
            "lane": "other",
            "version": 3,
            "group": chance.choice(["g", "h"]),
            "deadline": "2030-01-01T00:00:00Z",
        }
        options |= {name: value for name, value in others.items() if chance.random() < 0.4}
        jobs[f"k{n}"] = options
    for key, options in jobs.items():
        await fetch(
            database,
            "SELECT handfast_engine.enqueue('one.kind', $1, '{}', '2029-01-01Z', $2::jsonb)",
            key,
            json.dumps(options),
        )
    made = await fetch(
        database,
        EACH.replace("$3::timestamptz[]", "array_fill($3::timestamptz, ARRAY[200])"),
        "each.kind",
        list(jobs),
        (await fetch(database, "SELECT '2029-01-01Z'::timestamptz"))[0][0],
        [json.dumps(o) for o in jobs.values()],
    )
    assert [ordinal for ordinal, *_ in made] == list(range(1, 201))
    assert all(created for _, _, created, _ in made)
    assert await fetch(database, ROWS, "each.kind") == await fetch(database, ROWS, "one.kind")
    ended = (
        "SELECT j.key, j.state::text, e.anchor_offset, e.options FROM handfast_engine.jobs AS j"
        " LEFT JOIN handfast_engine.anchored_ends AS e ON e.job_id = j.id"
        " WHERE j.kind = $1 AND j.state IS NOT NULL ORDER BY 1"
    )
    assert await fetch(database, ended, "each.kind") == await fetch(database, ended, "one.kind")
    assert await fetch(database, ended, "each.kind"), "some hang on the cancelled anchor"
    states = dict(
        await fetch(
            database,
            "SELECT j.id, coalesce(j.state, l.state)::text FROM handfast_engine.jobs AS j"
            " LEFT JOIN handfast_engine.live AS l ON l.id = j.id WHERE j.kind = 'each.kind'",
        )
    )
    assert {job: state for _, job, _, state in made} == states, "it answers what is stored"


async def test_what_exists_is_answered_as_it_is(database: Database) -> None:
    first = await each(database, "each.kind", {"a": {}, "b": {"priority": 3}})
    await succeed(database)
    again = await each(database, "each.kind", {"c": {}, "b": {"priority": 9}, "a": {}})
    assert [(n, created, state) for n, _, created, state in again] == [
        (1, True, "ready"),
        (2, False, "succeeded"),
        (3, False, "succeeded"),
    ]
    assert {job for _, job, _, _ in first} == {job for n, job, _, _ in again if n > 1}


async def test_a_key_named_twice_is_one_job(database: Database) -> None:
    async with database.connection() as connection:
        rows = await connection.fetch(
            EACH, "each.kind", ["a", "a"], None, ['{"priority": 3}', '{"priority": 4}']
        )
    assert [row["created"] for row in rows] == [True, False]
    assert rows[0]["id"] == rows[1]["id"]
    assert await fetch(database, "SELECT priority FROM handfast_engine.live") == [(3,)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"requires": [["no.such", "x"]]}, "no.such x .* does not exist"),
        ({"anchor": "nowhere"}, "there is no anchor nowhere"),
    ],
)
async def test_what_must_exist_must_exist(
    database: Database, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(asyncpg.ForeignKeyViolationError, match=words):
        await each(database, "each.kind", {"a": {}, "b": options})
    assert await fetch(database, "SELECT 1 FROM handfast_engine.jobs") == []


async def test_it_begins_as_urgent_as_its_deadline_is_near(database: Database) -> None:
    now = (await fetch(database, "SELECT handfast_db.now()::text"))[0][0]
    await each(database, "each.kind", {"past": {"deadline": now}, "none": {}})
    found = dict(await fetch(database, "SELECT key, priority FROM handfast_engine.live"))
    assert found == {"past": 1, "none": 10}


async def test_overlapping_calls_at_once(database: Database) -> None:
    """Ten callers, overlapping keys in different orders, while the prerequisites succeed."""
    keys = [f"k{n:03}" for n in range(200)]
    await each(database, "pre.job", {key: {} for key in keys})
    await fetch(
        database, "SELECT handfast_engine.set_anchor('a', handfast_db.now() + interval '1 hour')"
    )
    chance = random.Random(1)  # noqa: S311

    async def call() -> int:
        mine = chance.sample(keys, 150)
        options = {
            key: {"requires": [["pre.job", key]], "anchor": "a", "offset": "-2 hours"}
            for key in mine
        }
        return sum(created for _, _, created, _ in await each(database, "each.kind", options))

    async def move() -> int:
        return int(
            (
                await fetch(
                    database,
                    "SELECT handfast_engine.set_anchor('a', handfast_db.now() + interval '2 h')",
                )
            )[0][0]
        )

    results = await asyncio.gather(*(call() for _ in range(10)), succeed(database), move())
    assert sum(r for r in results[:10] if r is not None) == 200
    assert await fetch(
        database,
        "SELECT count(*), count(*) FILTER (WHERE state = 'ready' AND waits_for = 0),"
        " count(*) FILTER (WHERE due_at = (SELECT at FROM handfast_engine.anchors) - interval"
        " '2 h')"
        " FROM handfast_engine.live WHERE kind = 'each.kind'",
    ) == [(200, 200, 200)], "none is left blocked, none keeps the old time"
