"""Each function of the engine's part of the face does what the reference says, by its own names."""

import json
from typing import Any

import asyncpg
import pytest

from handfast.db.pool import Database

pytestmark = pytest.mark.on_every_postgres


class Face:
    """One connection, and short ways to ask."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    async def one(self, sql: str, *given: object) -> Any:
        return await self.connection.fetchval(f"SELECT {sql}", *given)

    async def row(self, sql: str, *given: object) -> dict[str, Any]:
        found = await self.connection.fetchrow(f"SELECT * FROM {sql}", *given)
        assert found is not None
        return dict(found)

    async def job(self, job: int) -> dict[str, Any]:
        return await self.row("handfast.jobs WHERE id = $1", job)


@pytest.fixture
async def face(database: Database) -> Any:
    async with database.connection() as connection:
        yield Face(connection)


async def test_every_option_of_enqueue(face: Face) -> None:
    await face.one("handfast.set_anchor('kickoff', '2100-01-01 12:00+00')")
    first = await face.row("handfast.enqueue('t.first', 'a')")
    made = await face.row(
        "handfast.enqueue(kind => 't.all', key => 'k', payload => '{\"a\": 1}', lane => 'side',"
        " priority => 3, deadline => '2100-01-01 12:00+00', group_name => 'g',"
        " anchor => 'kickoff', anchor_offset => '-6 hours', requires => '[[\"t.first\", \"a\"]]',"
        " version => 2)"
    )
    assert (made["created"], made["state"]) == (True, "blocked")
    job = await face.job(made["id"])
    assert (job["kind"], job["key"], job["lane"], job["priority"]) == ("t.all", "k", "side", 3)
    assert (job["group_name"], job["anchor"], job["version"]) == ("g", "kickoff", 2)
    assert (job["due_at"].hour, job["deadline_at"].hour) == (6, 12)
    assert json.loads(job["payload"]) == {"a": 1}
    again = await face.row("handfast.enqueue('t.all', 'k', NULL)")
    assert (again["id"], again["created"]) == (made["id"], False)
    assert (await face.row("handfast.enqueue('t.on', 'o', anchor => 'kickoff')"))["created"]
    assert await face.one("handfast.cancel_anchor('kickoff')") == 2
    assert (await face.job(first["id"]))["state"] == "ready"


async def test_a_prerequisite_must_exist(face: Face) -> None:
    with pytest.raises(asyncpg.ForeignKeyViolationError, match="does not exist"):
        await face.row("handfast.enqueue('t.all', 'k', requires => '[[\"t.no\", \"x\"]]')")


async def test_work_of_a_plain_client(face: Face) -> None:
    job = (await face.row("handfast.enqueue('t.work', 'w')"))["id"]
    held = await face.row(
        "handfast.claim(lease => '1 minute', kinds => '{t.work}', versions => '{1}')"
    )
    assert (held["id"], held["attempt"], held["lane"]) == (job, 1, "default")
    proof = (job, held["token"])
    assert await face.one("handfast.extend($1, $2)", *proof)
    assert await face.one("handfast.report_progress($1, $2, 0.5, 'half')", *proof)
    shown = await face.job(job)
    assert (shown["state"], shown["progress"], shown["message"]) == ("running", 0.5, "half")
    assert await face.one("handfast.hand_back($1, $2)", *proof)
    assert not await face.one("handfast.hand_back($1, $2)", *proof)
    assert not await face.one("handfast.extend($1, $2, '1 minute')", *proof)
    held = await face.row("handfast.claim()")
    proof = (job, held["token"])
    assert await face.one("handfast.fail($1, $2, 'the van is away')", *proof) == "scheduled"
    assert await face.one("handfast.fail($1, $2, 'again')", *proof) is None
    assert await face.one("handfast.retry($1)", job) == "ready"
    held = await face.row("handfast.claim()")
    wish = "handfast.fail($1, $2, 'later', retry_at => '2100-01-01')"
    assert await face.one(wish, job, held["token"]) == "scheduled"
    assert await face.one("handfast.cancel($1, 'enough')", job) == "cancelled"
    ended = await face.job(job)
    assert (ended["state"], ended["reason"], ended["pruned"]) == ("cancelled", "enough", False)
    assert await face.one("handfast.revive($1)", job)
    held = await face.row("handfast.claim()")
    done = "handfast.finish_many($1, $2, $3)"
    assert await face.one(done, [job], [held["token"]], ['{"ok": true}']) == [job]
    assert json.loads((await face.job(job))["result"]) == {"ok": True}
    outcomes = "array_agg(outcome ORDER BY finished_at) FROM handfast.attempts WHERE job_id = $1"
    assert await face.one(outcomes, job) == [
        *("handed_back", "failed", "snoozed", "cancelled", "succeeded")
    ]


async def test_a_class_that_nobody_knows(face: Face) -> None:
    with pytest.raises(asyncpg.InvalidParameterValueError, match="transient, timeout"):
        await face.one("handfast.fail(1, 1, 'x', class => 'lost')")


async def test_work_of_a_registered_worker(face: Face) -> None:
    job = (await face.row("handfast.enqueue('t.work', 'w', lane => 'side')"))["id"]
    worker = await face.one("handfast.register_worker('far away', '{side}')")
    held = await face.row("handfast.claim('{side}', worker => $1)", worker)
    assert held["id"] == job
    shown = await face.job(job)
    assert (shown["worker"], shown["lease_until"] is not None) == ("far away", True)
    assert await face.one("handfast.beat($1)", worker) == []
    assert await face.one("handfast.cancel($1, 'stop')", job) == "running"
    assert (await face.job(job))["cancelling"]
    assert await face.one("handfast.beat($1)", worker) == [job]
    assert await face.one("handfast.acknowledge_cancel($1, $2)", job, held["token"])
    assert (await face.job(job))["state"] == "cancelled"
    await face.one("handfast.end_worker($1)", worker)
    assert await face.one("handfast.beat($1)", worker) is None


async def test_dead_letters(face: Face) -> None:
    jobs = []
    for n in range(2):
        made = await face.row("handfast.enqueue('t.die', $1, $2)", f"d{n}", json.dumps({"n": n}))
        held = await face.row("handfast.claim()")
        died = "handfast.fail($1, $2, 'it cannot be', class => 'logic')"
        assert await face.one(died, made["id"], held["token"]) == "dead"
        jobs.append(made["id"])
    letters = await face.connection.fetch("SELECT * FROM handfast.dead_letters ORDER BY id")
    assert [row["id"] for row in letters] == jobs
    assert json.loads(letters[0]["payload"]) == {"n": 0}
    assert (await face.job(jobs[0]))["reason"] == letters[0]["error"]
    assert await face.one("handfast.requeue($1)", jobs[:1]) == jobs[:1]
    assert await face.one("handfast.discard($1, 'no use')", jobs) == jobs[1:]
    assert await face.one("count(*) FROM handfast.dead_letters") == 0


async def test_keeping_house(face: Face) -> None:
    assert await face.one("handfast.promote()") == 0
    await face.row("handfast.enqueue('t.soon', 's')")
    await face.row("handfast.claim(lease => '1 millisecond')")
    await face.one("pg_sleep(0.01)")
    assert await face.one("handfast.rescue()") == 1


async def test_events(face: Face) -> None:
    event = await face.one("handfast.emit('order.placed', 'order:1', '{\"n\": 1}')")
    assert await face.one("type FROM handfast_engine.events WHERE id = $1", event) == "order.placed"


async def test_a_job_is_looked_up_by_its_identity(face: Face) -> None:
    """Straight through the view: nothing is scanned, and what is not asked for is not read."""
    async with face.connection.transaction():
        await face.connection.execute("SET LOCAL enable_seqscan = off")
        for where in ("kind = 'a' AND key = 'b'", "kind = 'a' AND key ^@ 'b'", "id = 1"):
            plan = await face.connection.fetch(
                f"EXPLAIN SELECT state FROM handfast.jobs WHERE {where}"
            )
            told = "\n".join(row[0] for row in plan)
            assert "Seq Scan" not in told
            assert "job_identity" in told or "jobs_pkey" in told
            for table in ("attempts", "dead", "workers", "progress"):
                assert table not in told


async def test_a_corpus_is_read_in_its_current_version(face: Face) -> None:
    """No other version is even opened."""
    plan = await face.connection.fetch(
        "EXPLAIN (ANALYZE, COSTS OFF) SELECT * FROM handfast.startup_investor_matches"
        " WHERE startup_id = 'acme'"
    )
    assert "InitPlan" in "\n".join(row[0] for row in plan)


async def test_a_claim_without_a_number_is_for_one(face: Face) -> None:
    for key in "abc":
        await face.one("handfast.enqueue('t.null', $1)", key)
    claim = "count(*) FROM handfast.claim(max_jobs => $1, kinds => '{t.null}')"
    assert await face.one(claim, None) == 1
    assert await face.one(claim, 5) == 2
