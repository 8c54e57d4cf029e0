"""Pauses hold for every claim from their commit on, and are seen by workers that claimed before."""

import asyncio
import random
import sys
from typing import Any

import pytest

from handfast.base.errors import InvalidRequest, NotFound
from handfast.db.pool import Database
from handfast.engine.operating.pauses import Pausable, list_pauses, pause, resume
from handfast.engine.schedules.store import declare_schedules
from handfast.engine.work.context import Context
from tests.support import schedules
from tests.support.eventually import eventually_async
from tests.support.jobs import claim, enqueue
from tests.support.worker_processes import open_worker_processes
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_every_postgres


async def hold(database: Database, what: Pausable, name: str, reason: str = "because") -> bool:
    async with database.transaction() as tx:
        return await pause(tx, what, name, by="anna", reason=reason)


async def let_go(database: Database, what: Pausable, name: str) -> bool:
    async with database.transaction() as tx:
        return await resume(tx, what, name)


@pytest.mark.parametrize("what", [Pausable.LANE, Pausable.KIND])
async def test_nothing_of_it_is_claimed(database: Database, what: Pausable) -> None:
    ids = {lane: await enqueue(database, f"p.{lane}", "1", lane=lane) for lane in ("a", "b")}
    name = "a" if what is Pausable.LANE else "p.a"
    assert await hold(database, what, name)
    assert await claim(database, "a") == {}
    assert list(await claim(database, "b")) == [ids["b"]]
    assert await let_go(database, what, name)
    assert list(await claim(database, "a")) == [ids["a"]]


async def test_kinds_on_one_lane(database: Database) -> None:
    """With and without groups, with kinds named and without, in any version."""
    for group in (None, "g"):
        for kind in ("p.a", "p.b"):
            options = {} if group is None else {"group": group}
            await enqueue(database, kind, f"{group}", **options)
    async with database.connection() as connection:
        await connection.execute("UPDATE handfast_engine.groups SET max_running = 9")
    await hold(database, Pausable.KIND, "p.a")
    claimed = (
        "SELECT kind FROM handfast_engine.claim(NULL, '{default}', 100, '5 minutes', NULL, $1)"
    )
    async with database.transaction() as tx:
        assert await tx.fetch(claimed, ["p.a"]) == []
        assert [row["kind"] for row in await tx.fetch(claimed, ["p.a", "p.b"])] == ["p.b", "p.b"]
    assert await claim(database) == {}
    await let_go(database, Pausable.KIND, "p.a")
    assert len(await claim(database)) == 2


async def test_nobody_is_kept_awake_by_what_is_paused(database: Database) -> None:
    await enqueue(database, "p.a", "1")
    look = "SELECT ready FROM handfast_engine.look('{default}', 10)"
    for what, name in ((Pausable.LANE, "default"), (Pausable.KIND, "p.a")):
        await hold(database, what, name)
        async with database.connection() as connection:
            assert await connection.fetchval(look) == []
        await let_go(database, what, name)
    await hold(database, Pausable.KIND, "p.other")
    async with database.connection() as connection:
        assert await connection.fetchval(look) == ["default"]


async def test_who_and_why(database: Database) -> None:
    hf = schedules.program()
    hf.cron("nightly", schedules.KIND, "0 3 * * *")
    async with database.connection() as connection:
        await declare_schedules(connection, hf.schedules)
    for what, name in (("lane", "mail"), ("kind", "mail.one"), ("schedule", "nightly")):
        assert await hold(database, Pausable(what), name)
        assert not await hold(database, Pausable(what), name, "another reason")
    async with database.connection() as connection:
        found = await list_pauses(connection)
    assert [(one.what, one.name) for one in found] == [
        ("kind", "mail.one"),
        ("lane", "mail"),
        ("schedule", "nightly"),
    ]
    assert {(one.paused_by, one.reason) for one in found} == {("anna", "because")}
    for one in found:
        assert await let_go(database, one.what, one.name)
        assert not await let_go(database, one.what, one.name)
    async with database.connection() as connection:
        assert await list_pauses(connection) == []


async def test_refused(database: Database) -> None:
    for what, name, reason in (
        (Pausable.LANE, "", "because"),
        (Pausable.LANE, "a" * 201, "because"),
        (Pausable.LANE, "a\x00", "because"),
        (Pausable.LANE, "a", "  "),
    ):
        with pytest.raises(InvalidRequest):
            await hold(database, what, name, reason)
    with pytest.raises(NotFound):
        await hold(database, Pausable.SCHEDULE, "none")
    with pytest.raises(NotFound):
        await let_go(database, Pausable.SCHEDULE, "none")


async def test_a_worker_gives_back_what_it_had_not_begun(database: Database) -> None:
    """One runs and holds the only place; others were claimed behind it, and wait."""
    here = Workers(database)
    begun: list[str] = []
    gate = asyncio.Event()

    @here.hf.job("p.slow")
    async def slow(ctx: Context) -> None:
        begun.append(ctx.key)
        await gate.wait()

    await here.declare()
    for number in range(20):
        await here.enqueue(slow, f"{number:02}")

    async def counted() -> dict[str, int]:
        rows = "SELECT state::text, count(*) FROM handfast_engine.live GROUP BY state"
        async with database.connection() as connection:
            return {row["state"]: row["count"] for row in await connection.fetch(rows)}

    async def has_claimed_ahead() -> bool:
        return (await counted()).get("running", 0) > 1

    async def has_given_back() -> bool:
        return await counted() == {"ready": 19, "running": 1}

    async def rests() -> bool:
        return await counted() == {"ready": 19}

    async with here.working(concurrency=1):
        await eventually_async(has_claimed_ahead)
        await hold(database, Pausable.LANE, "default")
        await eventually_async(has_given_back)
        gate.set()
        await eventually_async(rests)
        assert begun == ["00"]
        await let_go(database, Pausable.LANE, "default")
        await here.drained()
    assert sorted(begun) == [f"{number:02}" for number in range(20)]
    assert (
        await here.fetch("SELECT count(*) FROM handfast_engine.attempts WHERE outcome = 'failed'")
        == 0
    )


async def test_two_processes_see_it(database: Database, dsn: str, chance: random.Random) -> None:
    """Both work on a kind when it is paused, and go on with another: each has claimed after the
    pause, then, and took nothing of it. How long it took until nothing of it ran is printed (-s):
    two seconds are promised, on a machine that does nothing else."""
    async with database.connection() as connection:
        await connection.execute("CREATE TABLE effects (number int, pid int)")
        await connection.execute("CREATE TABLE refused (number int)")

    async def asked(sql: str, *args: Any) -> Any:
        async with database.connection() as connection:
            return await connection.fetchval(sql, *args)

    async def more(kind: str, count: int) -> None:
        await asked(
            "SELECT count(m) FROM (SELECT array_agg(gen_random_uuid()::text) AS keys,"
            " array_agg(jsonb_build_object('number', n)) AS payloads"
            " FROM generate_series(1, $2::int) AS n) AS g,"
            " handfast_engine.enqueue_many($1, g.keys, g.payloads) AS m",
            *(kind, count),
        )

    async def both_work() -> bool:
        return bool(await asked("SELECT count(DISTINCT worker) = 2 FROM handfast_engine.attempts"))

    async def nothing_runs() -> bool:
        running = "SELECT FROM handfast_engine.live WHERE kind = $1 AND state = 'running'"
        return not await asked(f"SELECT EXISTS ({running})", "chaos.plain")

    async def both_claim_again() -> bool:
        await more("chaos.effect", 20)  # also for whoever finds less to do
        return bool(await asked("SELECT count(DISTINCT pid) = 2 FROM effects"))

    await more("chaos.plain", 5000)
    with open_worker_processes(dsn, 2, chance) as fleet:
        fleet.fill()
        await eventually_async(both_work)
        await hold(database, Pausable.KIND, "chaos.plain")
        held_at = await asked("SELECT clock_timestamp()")
        await eventually_async(nothing_runs)
        rested_at = await asked("SELECT clock_timestamp()")
        await eventually_async(both_claim_again)
        begun = "SELECT count(*) FROM {} WHERE kind = 'chaos.plain' AND started_at > $1"
        for table in ("handfast_engine.attempts", "handfast_engine.live"):
            assert await asked(begun.format(table), rested_at) == 0
        last = await asked(
            "SELECT max(finished_at) FROM handfast_engine.attempts WHERE kind = 'chaos.plain'"
        )
        assert await asked("SELECT count(*) > 0 FROM handfast_engine.live WHERE state = 'ready'")
    took, last = rested_at - held_at, last - held_at
    sys.stdout.write(f"paused: nothing of it ran after {took}, the last ended after {last}\n")
