"""A claim takes what its caller knows, in the order of all jobs, and touches nothing else."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence, Sized
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from handfast.engine.operating.stats import read_stats
from handfast.engine.work import wakeups
from handfast.engine.work.context import Context
from tests.support.eventually import eventually_async
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_every_postgres

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
CLAIM = """
SELECT key FROM handfast_engine.claim(NULL, $1::text[], $2, '1 hour', $3::jsonb, $4::text[],
$5::smallint[])
ORDER BY priority, due_at, id
"""
UNTOUCHED = (
    "SELECT state = 'ready' AND attempt = 0 AND token = 0 FROM handfast_engine.live WHERE key = $1"
)


async def claimed(
    shop: Workers,
    *kinds: tuple[str, int],
    limit: int = 100,
    lanes: Sequence[str] = ("default",),
    floors: str | None = None,
) -> list[str]:
    names, versions = [name for name, _ in kinds], [version for _, version in kinds]
    found: list[str] = await shop.column(CLAIM, lanes, limit, floors, names, versions)
    return found


async def put(shop: Workers, kind: str, key: str, version: int = 1, **given: Any) -> None:
    """As another program would, which has declared nothing here."""
    job = await shop.enqueue(kind, key, **given)
    await shop.fetch("UPDATE handfast_engine.live SET version = $2 WHERE id = $1", job, version)


@asynccontextmanager
async def open_claim(
    shop: Workers, kind: str, limit: int = 1
) -> AsyncIterator[list[asyncpg.Record]]:
    """A claim of somebody else that has not committed, and then does not."""
    async with shop.database.connection() as connection:
        transaction = connection.transaction()
        await transaction.start()
        try:
            yield await connection.fetch(CLAIM, ["default"], limit, None, [kind], [1])
        finally:
            await transaction.rollback()


async def test_a_kind_that_nobody_knows_stays_ready_and_is_seen(shop: Workers) -> None:
    @shop.hf.job("t.known")
    async def known(ctx: Context) -> None: ...

    await put(shop, "t.future", "future", due=datetime.now(UTC) - timedelta(hours=1))
    async with shop.working():
        await shop.reaches(await shop.enqueue(known), "succeeded")
        assert await shop.fetch(UNTOUCHED, "future")
        stats = await read_stats(shop.database)
        assert stats.oldest_ready_seconds > 3500
        assert (stats.ready, stats.overdue) == (1, 1)

    newer = Workers(shop.database)

    @newer.hf.job("t.future")
    async def future(ctx: Context) -> None: ...

    async with newer.working():
        await shop.drained()


async def test_a_newer_version_waits_for_a_newer_program(shop: Workers) -> None:
    def upgraded(payload: dict[str, Any], version: int) -> dict[str, Any]:
        return payload | {"n": payload["n"] + version}

    seen: list[int] = []

    @shop.hf.job("t.kind", version=3, upgrade=upgraded)
    async def kind(ctx: Context, n: int) -> None:
        seen.append(n)

    for version in (1, 2, 3, 4):
        await put(shop, "t.kind", str(version), version, n=10)
    async with shop.working():
        await eventually_async(lambda: _has(seen, 3))
        assert await shop.fetch(UNTOUCHED, "4")
    assert sorted(seen) == [10, 11, 12]
    assert (
        await shop.fetch(
            "SELECT count(*) FROM handfast_engine.attempts WHERE outcome <> 'succeeded'"
        )
        == 0
    )


async def _has(seen: Sized, count: int) -> bool:
    return len(seen) >= count


async def test_two_programs_on_one_lane_do_each_their_own(shop: Workers) -> None:
    other = Workers(shop.database)

    @shop.hf.job("t.ours")
    async def ours(ctx: Context) -> None: ...

    @other.hf.job("t.theirs")
    async def theirs(ctx: Context) -> None: ...

    for number in range(50):
        await shop.enqueue("t.ours", str(number))
        await shop.enqueue("t.theirs", str(number))
    async with shop.working(), other.working():
        await shop.drained()
    assert await shop.column(
        "SELECT count(*) FROM handfast_engine.attempts GROUP BY kind, worker"
    ) == [
        50,
        50,
    ]
    assert await shop.fetch("SELECT max(attempt) FROM handfast_engine.attempts") == 1


async def test_without_kinds_everything_is_claimed(shop: Workers) -> None:
    for kind in ("t.a", "t.b"):
        for version in (1, 7):
            await put(shop, kind, f"{kind}{version}", version)
    everything = "SELECT count(*) FROM handfast_engine.claim(NULL, '{default}', 1, '1 hour')"
    of_a_kind = (
        "SELECT key FROM handfast_engine.claim(NULL, '{default}', 9, '1 h', p_kinds => '{t.b}')"
    )
    assert await shop.column(of_a_kind) == ["t.b1", "t.b7"], "of any version"
    assert [await shop.fetch(everything) for _ in range(3)] == [1, 1, 0]


@pytest.mark.parametrize("limit", [1, 2, 7, 25, 100, 2000])
async def test_all_kinds_versions_and_lanes_come_in_one_order(shop: Workers, limit: int) -> None:
    chance = random.Random(limit)  # noqa: S311 - chosen, and the same every time
    kinds, lanes = ["t.a", "t.b", "t.c", "t.d"], ["default", "other"]
    await shop.fetch(
        """
        WITH made AS (
            INSERT INTO handfast_engine.jobs (kind, key, enqueued_at)
            SELECT g.kind, g.key, now() FROM unnest($1::text[], $2::text[]) AS g(kind, key)
            RETURNING id, kind, key
        )
        INSERT INTO handfast_engine.live
            (id, token, due_at, first_due_at, state, kind, key, version, priority, lane)
        SELECT m.id, 0, g.due, g.due, 'ready', m.kind, m.key, g.version, g.priority, g.lane
        FROM made AS m JOIN unnest($1, $2, $3::timestamptz[], $4::smallint[], $5::smallint[],
            $6::text[]) AS g(kind, key, due, version, priority, lane) ON g.key = m.key
        """,
        # Many of the first kind before the others, then all of them mixed.
        ["t.a"] * 40 + chance.choices([*kinds, "t.stranger"], k=260),
        [str(n) for n in range(300)],
        [NOON] * 40 + [NOON + timedelta(seconds=chance.randrange(90)) for _ in range(260)],
        [1] * 40 + chance.choices([1, 2, 3], k=260),
        [5] * 40 + chance.choices([5, 10], k=260),
        ["default"] * 40 + chance.choices([*lanes, "third"], k=260),
    )
    expected = await shop.column(
        "SELECT key FROM handfast_engine.live WHERE kind = ANY ($1) AND lane = ANY ($2) AND"
        " version <= 2 "
        "ORDER BY priority, due_at, id",
        kinds,
        lanes,
    )
    found: list[str] = []
    while more := await claimed(shop, *((k, 2) for k in kinds), limit=limit, lanes=lanes):
        assert len(more) == min(limit, len(expected) - len(found))
        found += more
    assert found == expected


async def test_what_others_hold_is_passed_over_in_every_kind(shop: Workers) -> None:
    for number in range(40):
        await shop.enqueue(("t.a", "t.b")[number % 2], str(number), due=NOON)
    async with open_claim(shop, "t.a", 15), open_claim(shop, "t.b", 15):
        mine = await claimed(shop, ("t.a", 1), ("t.b", 1), limit=8)
    assert mine == [str(number) for number in range(30, 38)]


async def test_behind_a_floor_exactly_the_versions_that_are_named(shop: Workers) -> None:
    for version in (1, 2, 3):
        await put(shop, "t.a", f"old{version}", version, due=NOON)
        await put(shop, "t.a", f"new{version}", version, due=NOON + timedelta(hours=version))
    floors = f'[[10, "{(NOON + timedelta(minutes=1)).isoformat()}"]]'
    assert await claimed(shop, ("t.a", 2), floors=floors) == ["new2"]
    assert await claimed(shop, ("t.a", 2), ("t.a", 1), floors=floors) == ["new1"]
    assert await claimed(shop, ("t.a", 2)) == ["old1", "old2"]


async def test_a_group_gives_its_places_to_what_is_known(shop: Workers) -> None:
    shop.hf.group("g", max_running=2)
    await shop.declare()
    for number in range(4):
        await shop.enqueue("t.theirs", f"theirs{number}", group="g", priority=1)
        await put(shop, "t.ours", f"newer{number}", 2, group="g", priority=2)
        await shop.enqueue("t.ours", f"ours{number}", group="g")
    assert await claimed(shop, ("t.ours", 1)) == ["ours0", "ours1"]
    assert await claimed(shop, ("t.theirs", 1)) == [], "the group is full, whoever filled it"


async def test_a_group_without_work_for_us_is_not_held(shop: Workers) -> None:
    await shop.enqueue("t.theirs", "theirs", group="g")
    await shop.enqueue("t.more", "more", group="g")
    async with open_claim(shop, "t.ours"):
        assert await claimed(shop, ("t.theirs", 1)) == ["theirs"]


async def test_a_worker_is_woken_for_what_it_knows(shop: Workers) -> None:
    heard: list[str] = []
    ours, anyone = '["default","t.ours"]', '["default"]'
    bulk = "SELECT id FROM handfast_engine.enqueue_many($1, '{many}', ARRAY['{}'::jsonb])"
    async with shop.database.connection() as connection:
        register = "SELECT handfast_engine.register_worker('w', '{default}', '1 minute', $1)"
        worker = await connection.fetchval(register, ["t.ours"])
        await connection.execute(
            "UPDATE handfast_engine.workers SET idle = true WHERE id = $1", worker
        )
    listening = await asyncpg.connect(str(shop.direct.dsn))
    try:
        await listening.add_listener("handfast_ready", lambda *told: heard.append(told[-1]))
        for kind in ("t.theirs", "t.ours"):
            await shop.enqueue(kind, "one")
            await shop.enqueue(kind, "grouped", group="g")
            await shop.fetch("SELECT id FROM handfast_engine.enqueue($1, 'sql')", kind)
            await shop.fetch(bulk, kind)
        await shop.fetch("SELECT handfast_engine.wake('{default}')")
        # Two enqueues are ours to commit: they are told of afterwards, perhaps together.
        await eventually_async(lambda: asyncio.sleep(0, heard.count(ours) >= 3 and anyone in heard))
    finally:
        await listening.close()
    assert set(heard) == {ours, anyone}
    assert heard.count(ours) <= 4


@pytest.mark.parametrize(
    ("told", "is_ours"),
    [
        ('["mail", "t.ours"]', True),
        ('["mail", "t.theirs", "t.ours"]', True),
        ('["mail"]', True),
        ("", True),
        ("mail", True),
        ("[]", True),
        ('["mail", "t.theirs"]', False),
        ('["other", "t.ours"]', False),
    ],
)
def test_whom_a_notification_concerns(told: str, is_ours: bool) -> None:
    assert wakeups.concerns(told, ("mail",), {"t.ours"}) is is_ours
