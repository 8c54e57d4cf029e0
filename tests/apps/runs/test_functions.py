"""The SQL functions, called as any client calls them."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import msgspec
import pytest

from handfast.db.pool import Database
from tests.support.clock import freeze
from tests.support.corpus_rows import acme, add_version, as_role, retire, switch
from tests.support.eventually import eventually_async
from tests.support.jobs import claim, die

pytestmark = pytest.mark.on_every_postgres

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Client:
    """A SQL client: every statement commits by itself."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def row(self, sql: str, *args: Any) -> Any:
        async with self.database.connection() as connection:
            return await connection.fetchrow(sql, *args)

    async def value(self, sql: str, *args: Any) -> Any:
        async with self.database.connection() as connection:
            return await connection.fetchval(sql, *args)

    async def start(self, url: str = "acme.com", *, fresh: bool = False) -> Any:
        return await self.row("SELECT * FROM handfast_runs.start_match_run($1, $2)", url, fresh)

    async def claim(self, worker: str = "w1", seconds: int = 300) -> Any:
        return await self.row(
            "SELECT * FROM handfast_runs.claim_next_match_run($1, $2)", worker, seconds
        )

    async def complete(self, claimed: Any, worker: str = "w1", count: int = 3) -> bool:
        done: bool = await self.value(
            "SELECT handfast_runs.complete_match_run($1, $2, $3, 'ready', $4)",
            claimed["run_id"],
            worker,
            claimed["token"],
            count,
        )
        return done

    async def fail(self, claimed: Any, code: str = "STARTUP_NOT_FOUND", worker: str = "w1") -> bool:
        done: bool = await self.value(
            "SELECT handfast_runs.complete_match_run($1, $2, $3, 'error', NULL, $4, 'why')",
            claimed["run_id"],
            worker,
            claimed["token"],
            code,
        )
        return done

    async def run(self, run_id: UUID) -> Any:
        return await self.row("SELECT * FROM handfast_runs.get_match_run($1)", run_id)

    async def work(self) -> Any:
        """One run, whole."""
        claimed = await self.claim()
        count = await self.value(
            "SELECT handfast_runs.count_matches($1, $2)",
            claimed["startup_id"],
            claimed["corpus_version"],
        )
        assert await self.complete(claimed, count=count)
        return claimed


@pytest.fixture
def sql(database: Database) -> Client:
    return Client(database)


async def test_a_run_from_start_to_end(database: Database, sql: Client) -> None:
    version = await acme(database)
    started = await sql.start("HTTPS://www.Acme.com/")
    assert (started["created"], started["status"], started["step"]) == (True, "queued", "resolve")
    assert started["canonical_url"] == "https://acme.com"
    assert started["input_url"] == "HTTPS://www.Acme.com/"
    again = await sql.start("acme.com")
    assert (again["created"], again["run_id"]) == (False, started["run_id"])

    claimed = await sql.claim()
    assert claimed["run_id"] == started["run_id"]
    assert (claimed["startup_id"], claimed["corpus_version"]) == ("acme", version)
    assert await sql.claim("w2") is None
    seen = await sql.run(started["run_id"])
    assert (seen["status"], seen["step"], seen["locked_by"]) == ("processing", "extract", "w1")
    assert seen["lock_expires_at"] == claimed["lock_expires_at"]
    assert seen["matches"] is None

    assert await sql.complete(claimed)
    seen = await sql.run(started["run_id"])
    assert (seen["status"], seen["step"], seen["match_count"]) == ("ready", "finalize", 3)
    assert (seen["locked_by"], seen["lock_expires_at"]) == (None, None)
    assert [m["investorId"] for m in msgspec.json.decode(seen["matches"])] == [
        "inv-000",
        "inv-001",
        "inv-002",
    ]
    assert not await sql.complete(claimed), "once is enough"
    told = await sql.row(
        "SELECT type, data ->> 'matchCount' AS n FROM handfast_engine.events WHERE aggregate = $1",
        f"run:{started['run_id']}",
    )
    assert tuple(told) == ("run.ready", "3")
    debug = msgspec.json.decode(
        await sql.value("SELECT handfast_runs.get_match_run_debug($1)", started["run_id"])
    )
    assert [s["step"] for s in debug["steps"]] == ["resolve", "extract", "finalize"]
    assert all(s["milliseconds"] >= 0 for s in debug["steps"])
    assert debug["job"]["state"] == "succeeded"
    assert [a["outcome"] for a in debug["attempts"]] == ["succeeded"]


async def test_the_view_has_the_columns_of_the_specification(sql: Client) -> None:
    columns = await sql.value(
        "SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute"
        " WHERE attrelid = 'handfast.match_runs'::regclass AND attnum > 0"
    )
    assert columns == [
        *("run_id", "startup_id", "input_url", "canonical_url", "status", "step", "match_count"),
        *("error_code", "error_message", "locked_by", "lock_expires_at", "created_at"),
        *("updated_at", "corpus_version"),
    ]


NAMED = {
    "start_match_run": "url => 'acme.com', fresh => false",
    "get_match_run": 'run_id => {run}, "limit" => 5',
    "get_match_run_debug": "run_id => {run}",
    "claim_next_match_run": "worker_id => 'w', lease_seconds => 300",
    "extend_match_run": "run_id => {run}, worker_id => 'w', token => 1",
    "complete_match_run": "run_id => {run}, worker_id => 'nobody', token => 1, status => 'error',"
    " match_count => NULL, error_code => 'CODE', error_message => 'why'",
    "release_expired_leases": "",
    "canonicalize_url": "text => 'acme.com'",
    "resolve_startup_by_url": "url => 'acme.com'",
    "count_matches": "startup_id => 'acme'",
    "get_top_matches": "startup_id => 'acme', \"limit\" => 2",
}


async def test_arguments_have_the_names_of_the_specification(
    database: Database, sql: Client
) -> None:
    """PostgREST and its clients call by name."""
    await acme(database)
    run = f"'{(await sql.start())['run_id']}'"
    for name, arguments in NAMED.items():
        assert await sql.row(f"SELECT * FROM handfast.{name}({arguments.format(run=run)})"), name


async def test_runs_of_a_startup_have_an_index(database: Database) -> None:
    async with database.transaction() as tx:
        await tx.execute("SET LOCAL enable_seqscan = off")
        plan = await tx.fetch(
            "EXPLAIN SELECT * FROM handfast_runs.match_runs WHERE startup_id = 'acme'"
            " ORDER BY created_at DESC"
        )
    assert any("runs_by_startup" in row[0] for row in plan)


# --- reuse ------------------------------------------------------------------------------------


async def test_a_ready_run_is_reused_for_a_day(database: Database, sql: Client) -> None:
    await acme(database)
    await freeze(database, NOON)
    first = await sql.start()
    await sql.work()
    await freeze(database, NOON + timedelta(hours=23, minutes=59))
    assert (await sql.start())["run_id"] == first["run_id"]
    assert (await sql.start())["status"] == "ready"
    await freeze(database, NOON + timedelta(hours=24))
    assert (await sql.start())["run_id"] != first["run_id"]


async def test_a_ready_run_is_not_reused_after_a_switch(database: Database, sql: Client) -> None:
    old = await acme(database)
    first = await sql.start()
    await sql.work()
    assert (await sql.start())["run_id"] == first["run_id"]
    new = await acme(database, matches=5)
    second = await sql.start()
    assert (second["created"], second["run_id"] != first["run_id"]) == (True, True)
    await sql.work()
    # Each answers from its own version, whatever is current.
    assert len(msgspec.json.decode((await sql.run(first["run_id"]))["matches"])) == 3
    assert len(msgspec.json.decode((await sql.run(second["run_id"]))["matches"])) == 5
    await switch(database, old)
    assert (await sql.start())["run_id"] == first["run_id"], "rolled back: the old answer is right"
    await switch(database, new)
    await retire(database, old)
    gone = await sql.run(first["run_id"])
    assert (gone["status"], gone["match_count"], gone["matches"]) == ("ready", 3, None)


async def test_fresh(database: Database, sql: Client) -> None:
    await acme(database)
    first = await sql.start()
    assert (await sql.start(fresh=True))["run_id"] == first["run_id"], "one is under way"
    await sql.work()
    second = await sql.start(fresh=True)
    assert (second["created"], second["run_id"] != first["run_id"]) == (True, True)
    assert (await sql.start())["run_id"] == first["run_id"], "the ready one answers meanwhile"
    await sql.work()
    assert (await sql.start())["run_id"] == second["run_id"], "the newest"


async def test_a_failed_run_never_blocks(database: Database, sql: Client) -> None:
    await acme(database)
    runs = []
    for _ in range(3):
        runs.append((await sql.start())["run_id"])
        assert await sql.fail(await sql.claim(), "NO_LUCK")
        assert (await sql.run(runs[-1]))["error_code"] == "NO_LUCK"
    assert len(set(runs)) == 3


async def test_that_nobody_has_this_address_is_an_answer(database: Database, sql: Client) -> None:
    """It does for as long as it is true, and nobody asks for another."""
    await acme(database)
    await freeze(database, NOON)
    first = await sql.start("nobody.com")
    await sql.fail(await sql.claim())
    await freeze(database, NOON + timedelta(days=3))
    again = await sql.start("https://www.nobody.com/")
    assert (again["created"], again["run_id"]) == (False, first["run_id"])
    assert (again["status"], again["error_code"]) == ("error", "STARTUP_NOT_FOUND")

    fresh = await sql.start("nobody.com", fresh=True)
    assert fresh["created"]
    await sql.fail(await sql.claim())
    assert (await sql.start("nobody.com"))["run_id"] == fresh["run_id"], "the newest"

    await sql.value(
        "INSERT INTO handfast_runs.aliases (canonical_url, target) VALUES ('a.com', 'acme.com')"
    )
    assert not (await sql.start("nobody.com"))["created"], "another's alias says nothing of it"
    await sql.value("INSERT INTO handfast_runs.aliases VALUES ('acme.com', 'nobody.com')")
    known = await sql.start("nobody.com")
    assert known["created"], "by now it is the new address of somebody"
    await sql.work()
    await sql.value("DELETE FROM handfast_runs.aliases")

    unknown = await sql.start("other.com")
    await sql.fail(await sql.claim())
    await acme(database)
    assert (await sql.start("other.com"))["run_id"] != unknown["run_id"], "another corpus"


@pytest.mark.parametrize("url", ["nobody.com", "acme.com"])
async def test_clicks_while_the_run_ends(
    database: Database, dsn: str, sql: Client, url: str
) -> None:
    """A run may begin and end between two looks of one who asks: still there is but one."""
    await acme(database)
    slow, quick = await asyncpg.connect(dsn), await asyncpg.connect(dsn)
    start = "SELECT run_id, created FROM handfast_runs.start_match_run($1)"
    try:
        # Somebody has the place and takes it back; the slow one waits there, having looked already.
        holding = quick.transaction()
        await holding.start()
        await quick.fetch(start, url)
        waits = asyncio.create_task(slow.fetchrow(start, url))

        async def waiting() -> bool:
            found: bool = await sql.value(
                "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pid = $1)",
                slow.get_server_pid(),
            )
            return found

        await eventually_async(waiting)
        # Its job, its end and the place of the next go free in one commit.
        [claimed] = await quick.fetch("SELECT * FROM handfast_runs.claim_next_match_run('w1')")
        ready = claimed["error_code"] is None
        assert await quick.fetchval(
            "SELECT handfast_runs.complete_match_run($1, 'w1', $2, $3, $4, $5)",
            claimed["run_id"],
            claimed["token"],
            "ready" if ready else "error",
            3 if ready else None,
            claimed["error_code"],
        )
        await holding.commit()
        late = await asyncio.wait_for(waits, 15)
        assert late is not None
        assert (late["created"], late["run_id"]) == (False, claimed["run_id"])
        assert await sql.value("SELECT count(*) FROM handfast_runs.records") == 1
        assert await sql.value("SELECT count(*) FROM handfast_engine.jobs") == 1, (
            "no job was left behind"
        )
    finally:
        await slow.close()
        await quick.close()


async def test_an_alias_is_the_same_run(database: Database, sql: Client) -> None:
    await acme(database)
    await sql.value(
        "INSERT INTO handfast_runs.aliases VALUES ('https://old.com', 'https://acme.com', now())"
    )
    first = await sql.start("https://acme.com")
    second = await sql.start("http://www.old.com/")
    assert first["run_id"] == second["run_id"]


# --- errors -----------------------------------------------------------------------------------


async def test_an_unknown_company(database: Database, sql: Client) -> None:
    await acme(database)
    started = await sql.start("nobody.com")
    claimed = await sql.claim()
    assert (claimed["startup_id"], claimed["error_code"]) == (None, "STARTUP_NOT_FOUND")
    with pytest.raises(asyncpg.CheckViolationError):
        await sql.complete(claimed)
    assert await sql.fail(claimed)
    seen = await sql.run(started["run_id"])
    assert (seen["status"], seen["error_code"], seen["step"]) == (
        "error",
        "STARTUP_NOT_FOUND",
        "resolve",
    )
    assert seen["matches"] is None
    event = await sql.value("SELECT type FROM handfast_engine.events WHERE type LIKE 'run.%'")
    assert event == "run.failed"


async def test_without_a_corpus(sql: Client) -> None:
    await sql.start()
    claimed = await sql.claim()
    assert (claimed["startup_id"], claimed["error_code"]) == (None, "NO_CORPUS")


async def test_a_company_without_matches(database: Database, sql: Client) -> None:
    await acme(database)
    started = await sql.start("lonely.com")
    await sql.work()
    seen = await sql.run(started["run_id"])
    assert (seen["status"], seen["match_count"], seen["matches"]) == ("ready", 0, "[]")


@pytest.mark.parametrize(
    "arguments",
    [
        "'queued', 3",
        "NULL, 3",
        "'ready', NULL",
        "'ready', -1",
        "'ready', 3, 'CODE'",
        "'error', NULL, NULL",
        "'error', NULL, ''",
        "'error', NULL, 'not a code'",
    ],
)
async def test_completions_that_make_no_sense(
    database: Database, sql: Client, arguments: str
) -> None:
    await acme(database)
    await sql.start()
    claimed = await sql.claim()
    with pytest.raises(asyncpg.InvalidParameterValueError):
        await sql.value(
            f"SELECT handfast_runs.complete_match_run($1, 'w1', $2, {arguments})",
            claimed["run_id"],
            claimed["token"],
        )
    assert await sql.complete(claimed), "nothing was lost by it"


@pytest.mark.parametrize("arguments", ["'w', 0", "'w', NULL", "'', 300", "NULL, 300", "'w', 86401"])
async def test_claims_that_make_no_sense(sql: Client, arguments: str) -> None:
    with pytest.raises(asyncpg.InvalidParameterValueError):
        await sql.row(f"SELECT * FROM handfast_runs.claim_next_match_run({arguments})")


async def test_what_is_not_there(sql: Client) -> None:
    nobody = uuid4()
    assert await sql.run(nobody) is None
    assert await sql.value("SELECT handfast_runs.get_match_run_debug($1)", nobody) is None
    assert not await sql.complete({"run_id": nobody, "token": 1})
    assert not await sql.value("SELECT handfast_runs.extend_match_run($1, 'w', 1)", nobody)
    assert await sql.claim() is None
    assert await sql.value("SELECT handfast_runs.count_matches('x')") == 0


# --- ended by the engine ----------------------------------------------------------------------


async def test_a_dead_letter_ends_the_run(database: Database, sql: Client) -> None:
    await acme(database)
    started = await sql.start()
    await die(database, lane="runs")
    seen = await sql.run(started["run_id"])
    assert (seen["status"], seen["error_code"]) == ("error", "RUN_FAILED")
    assert (
        await sql.value("SELECT count(*) FROM handfast_engine.events WHERE type = 'run.failed'")
        == 1
    )
    assert (await sql.start())["created"]
    # An operator requeues the letter: the run has ended and stays so, the job finds nothing to do.
    job = await sql.value("SELECT job_id FROM handfast_engine.dead")
    await sql.value("SELECT handfast_engine.requeue(ARRAY[$1::bigint])", job)
    for _ in range(2):
        claimed = await sql.claim()
        if claimed is not None:
            assert claimed["run_id"] != started["run_id"]
    assert (await sql.run(started["run_id"]))["error_code"] == "RUN_FAILED"
    assert (
        await sql.value("SELECT state::text FROM handfast_engine.jobs WHERE id = $1", job)
        == "succeeded"
    )


async def test_a_cancelled_job_ends_the_run(database: Database, sql: Client) -> None:
    await acme(database)
    started = await sql.start()
    job = await sql.value("SELECT id FROM handfast_engine.live")
    await sql.value("SELECT handfast_engine.cancel($1, 'no')", job)
    seen = await sql.run(started["run_id"])
    assert (seen["status"], seen["error_code"]) == ("error", "RUN_CANCELLED")
    assert (await sql.start())["created"]


async def test_other_kinds_end_no_runs(database: Database, sql: Client) -> None:
    await acme(database)
    started = await sql.start()
    await sql.value(
        "SELECT id FROM handfast_engine.enqueue('some.kind', $1)", str(started["run_id"])
    )
    await die(database)
    assert (await sql.run(started["run_id"]))["status"] == "queued"


async def test_a_run_whose_job_was_deleted_by_hand(database: Database, sql: Client) -> None:
    await acme(database)
    started = await sql.start()
    await sql.value("DELETE FROM handfast_engine.live")
    seen = await sql.run(started["run_id"])
    assert (seen["status"], seen["error_code"]) == ("error", "RUN_FAILED")
    again = await sql.start()
    assert (again["created"], again["run_id"] != started["run_id"]) == (True, True)
    assert (await sql.run(started["run_id"]))["error_code"] == "RUN_FAILED"


async def test_what_has_ended_stays_so(database: Database, sql: Client) -> None:
    await acme(database)
    started = await sql.start()
    await sql.work()
    for change in ("ended = NULL, ended_at = NULL", "match_count = 4", "step = 'match'"):
        with pytest.raises(asyncpg.CheckViolationError, match="stays so"):
            await sql.value(
                f"UPDATE handfast_runs.records SET {change} WHERE run_id = $1", started["run_id"]
            )


# --- leases -----------------------------------------------------------------------------------


async def test_a_lease_that_ends(database: Database, sql: Client) -> None:
    await acme(database)
    await freeze(database, NOON)
    started = await sql.start()
    late = await sql.claim("slow", 60)
    assert late["lock_expires_at"] == NOON + timedelta(seconds=60)
    await freeze(database, NOON + timedelta(seconds=50))
    assert await sql.value(
        "SELECT handfast_runs.extend_match_run($1, 'slow', $2, 60)", late["run_id"], late["token"]
    )
    await freeze(database, NOON + timedelta(seconds=109))
    assert await sql.value("SELECT handfast_runs.release_expired_leases()") == 0
    assert (await sql.run(started["run_id"]))["locked_by"] == "slow"
    await freeze(database, NOON + timedelta(seconds=111))
    assert await sql.value("SELECT handfast_runs.release_expired_leases()") == 1
    seen = await sql.run(started["run_id"])
    assert (seen["status"], seen["step"], seen["locked_by"]) == ("queued", "resolve", None)

    other = await sql.claim("quick")
    assert other["token"] > late["token"]
    assert other["attempt"] == 2
    assert not await sql.complete(late, "slow")
    assert not await sql.complete(late, "quick"), "the old token is nobody's"
    assert not await sql.complete(other, "slow"), "nor is the new one the old worker's"
    assert not await sql.value(
        "SELECT handfast_runs.extend_match_run($1, 'slow', $2)", late["run_id"], late["token"]
    )
    assert (await sql.run(started["run_id"]))["status"] == "processing"
    assert await sql.complete(other, "quick")
    assert not await sql.complete(late, "slow")
    assert (await sql.run(started["run_id"]))["status"] == "ready"
    assert (
        await sql.value("SELECT count(*) FROM handfast_engine.events WHERE type LIKE 'run.%'") == 1
    )


async def test_a_late_worker_notes_nothing(database: Database, sql: Client) -> None:
    """The same worker again, even: it is the token that counts."""
    await acme(database)
    await freeze(database, NOON)
    await sql.start()
    late = await sql.claim("w1", 60)
    await freeze(database, NOON + timedelta(minutes=2))
    await sql.value("SELECT handfast_runs.release_expired_leases()")
    await sql.claim("w1")
    mine = (late["run_id"], "w1", late["token"])
    assert not await sql.value("SELECT handfast_runs.advance_match_run($1, $2, $3, 'rank')", *mine)
    assert not await sql.value("SELECT held FROM handfast_runs.begin_match_run($1, $2, $3)", *mine)
    assert (await sql.run(late["run_id"]))["step"] == "extract"
    assert await sql.value("SELECT count(*) FROM handfast_runs.steps WHERE step = 'rank'") == 0


async def test_the_version_is_pinned_when_the_run_begins(database: Database, sql: Client) -> None:
    await acme(database)
    started = await sql.start()
    assert started["corpus_version"] is None
    newer = await acme(database, matches=4)
    await freeze(database, NOON)
    claimed = await sql.claim("w1", 60)
    assert claimed["corpus_version"] == newer
    newest = await acme(database, matches=5)
    await freeze(database, NOON + timedelta(minutes=5))
    await sql.value("SELECT handfast_runs.release_expired_leases()")
    again = await sql.claim("w2")
    assert again["corpus_version"] == newer, "also for the attempt that follows"
    assert newest != newer


async def test_a_step_that_was_noted_already(database: Database, sql: Client) -> None:
    """A SQL client may note every step, and may ask again when an answer got lost."""
    await acme(database)
    await sql.start()
    claimed = await sql.claim()
    mine = (claimed["run_id"], "w1", claimed["token"])
    for _ in range(2):
        begun = await sql.row("SELECT * FROM handfast_runs.begin_match_run($1, $2, $3)", *mine)
        assert (begun["held"], begun["startup_id"]) == (True, "acme")
    for _ in range(2):
        assert await sql.value(
            "SELECT handfast_runs.advance_match_run($1, $2, $3, 'finalize')", *mine
        )
    assert await sql.complete(claimed)
    assert (await sql.run(claimed["run_id"]))["status"] == "ready"


async def test_what_was_requeued_for_nothing_hides_nobody(database: Database, sql: Client) -> None:
    """No row means that nobody waits."""
    await acme(database)
    ended = [await sql.start(url) for url in ("acme.com", "other.com")]
    for _ in ended:
        await sql.fail(await sql.claim())
    for run in ended:
        assert await sql.value(
            "SELECT handfast_engine.revive(job_id) FROM handfast_runs.records WHERE run_id = $1",
            run["run_id"],
        )
    waiting = await sql.start("lonely.com")
    assert (await sql.claim())["run_id"] == waiting["run_id"]
    assert await sql.value("SELECT count(*) FROM handfast_engine.live") == 1


async def test_another_kind_in_our_lane_is_left_alone(database: Database, sql: Client) -> None:
    job = await sql.value(
        "SELECT id FROM handfast_engine.enqueue('some.kind', 'k', '{}', NULL, '{\"lane\":"
        ' "runs"}\')'
    )
    assert await sql.claim() is None
    assert list(await claim(database, "runs")) == [job]


async def test_another_kind_in_our_lane_hides_nobody(database: Database, sql: Client) -> None:
    """Its own worker may be away for days, and runs do not wait for it."""
    await acme(database)
    await sql.value(
        "SELECT id FROM handfast_engine.enqueue('some.kind', 'k', '{}', NULL, '{\"lane\":"
        ' "runs", "priority": 1}\')'
    )
    run = await sql.start()
    claimed = await sql.claim()
    assert claimed is not None, "the run is behind a job that nobody here can work on"
    assert claimed["run_id"] == run["run_id"]
    assert await sql.complete(claimed)
    assert await sql.value("SELECT attempt FROM handfast_engine.live WHERE kind = 'some.kind'") == 0


# --- many -------------------------------------------------------------------------------------

SPELLINGS = [
    "acme.com",
    "ACME.com",
    "http://acme.com",
    "https://acme.com/",
    "https://www.acme.com",
    "HTTP://WWW.ACME.COM:80/",
    "https://acme.com:443",
    "https://acme.com/#team",
    "https://acme.com/?utm_source=x",
    " https://Acme.Com/// ",
]


@pytest.mark.parametrize("clicks", [20, 500])
async def test_clicks(database: Database, dsn: str, sql: Client, clicks: int) -> None:
    """From many connections at once, in many spellings: one row, one run, the same matches."""
    await acme(database, matches=250)
    connections = await asyncio.gather(*(asyncpg.connect(dsn) for _ in range(min(clicks, 50))))
    together = asyncio.Event()

    async def click(connection: asyncpg.Connection, urls: list[str]) -> list[Any]:
        await together.wait()
        return [
            await connection.fetchrow("SELECT * FROM handfast_runs.start_match_run($1)", u)
            for u in urls
        ]

    try:
        urls = [SPELLINGS[n % len(SPELLINGS)] for n in range(clicks)]
        tasks = [
            asyncio.create_task(click(c, urls[n :: len(connections)]))
            for n, c in enumerate(connections)
        ]
        await asyncio.sleep(0)
        together.set()
        answers = [row for rows in await asyncio.gather(*tasks) for row in rows]
        assert len(answers) == clicks
        assert len({row["run_id"] for row in answers}) == 1
        assert sum(row["created"] for row in answers) == 1
        assert await sql.value("SELECT count(*) FROM handfast_runs.records") == 1
        assert await sql.value("SELECT count(*) FROM handfast_engine.jobs") == 1, (
            "no job was left behind"
        )
        await sql.work()
        run_id = answers[0]["run_id"]
        seen = await asyncio.gather(
            *(
                c.fetchval("SELECT matches FROM handfast_runs.get_match_run($1)", run_id)
                for c in connections
            )
        )
        assert len(set(seen)) == 1
        assert len(msgspec.json.decode(seen[0])) == 200
    finally:
        await asyncio.gather(*(c.close() for c in connections))


async def test_space_around_is_not_kept(sql: Client) -> None:
    made = await sql.start(" \n\t" * 50_000 + "acme.com/?b" + " " * 50_000)
    assert made["input_url"] == "acme.com/?b"


async def test_a_transaction_that_cannot_see_the_others(database: Database, dsn: str) -> None:
    """It is told to try again, and does not spin."""
    await acme(database)
    blind, other = await asyncpg.connect(dsn), await asyncpg.connect(dsn)
    try:
        async with blind.transaction(isolation="repeatable_read"):
            await blind.fetchval("SELECT count(*) FROM handfast_runs.records")
            await other.fetch("SELECT * FROM handfast_runs.start_match_run('acme.com')")
            with pytest.raises(asyncpg.SerializationError):
                await blind.fetch("SELECT * FROM handfast_runs.start_match_run('acme.com')")
    finally:
        await blind.close()
        await other.close()


# --- the top ----------------------------------------------------------------------------------


async def test_pages_of_the_top_are_stable_and_whole(database: Database, sql: Client) -> None:
    scores = [(f"i{n:04d}", 500 if n % 3 else 499 - n // 10) for n in range(450)]
    version = await add_version(database, {"acme": "https://acme.com"}, {"acme": scores})
    expected = [who for who, score in sorted(scores, key=lambda pair: (-pair[1], pair[0]))]
    seen: list[str] = []
    after: tuple[int | None, str | None] = (None, None)
    while True:
        async with database.connection() as connection:
            page = await connection.fetch(
                "SELECT * FROM handfast_runs.get_top_matches('acme', 70, $1, $2, $3)",
                version,
                *after,
            )
        seen += [row["investor_id"] for row in page]
        if len(page) < 70:
            break
        after = (page[-1]["score"], page[-1]["investor_id"])
        await acme(database)  # the current version is another one by now
    assert seen == expected
    top = (
        "SELECT array_agg(investor_id)"
        " FROM handfast_runs.get_top_matches('acme', corpus_version => $1)"
    )
    assert await sql.value(top, version) == expected[:200]


async def test_count_and_top_read_the_index_alone(database: Database, dsn: str) -> None:
    scores = [(f"i{n:05d}", n % 1000) for n in range(3000)]
    version = await add_version(database, {"acme": "https://acme.com"}, {"acme": scores})
    table = f"startup_investor_matches_{version}"
    reader, watcher = await asyncpg.connect(dsn), await asyncpg.connect(dsn)
    counted = "SELECT idx_tup_fetch, seq_scan, idx_scan FROM pg_stat_user_tables WHERE relname = $1"

    async def counters() -> tuple[int, int, int]:
        await reader.execute("SELECT pg_stat_force_next_flush()")
        await reader.execute("SELECT 1")
        [found] = await watcher.fetch(counted, table)
        return found[0], found[1], found[2]

    async def all_visible() -> bool:
        """Somebody's snapshot (autovacuum's) may stand in the way of one VACUUM."""
        await watcher.execute(f"VACUUM ANALYZE handfast_runs.{table}")
        seen: bool = await watcher.fetchval(
            "SELECT relallvisible = relpages FROM pg_class WHERE oid = $1::text::regclass",
            f"handfast_runs.{table}",
        )
        return seen

    try:
        await eventually_async(all_visible)
        for _ in range(8):  # also once the plan is the generic one
            before = await counters()
            assert await reader.fetchval("SELECT handfast_runs.count_matches('acme')") == 3000
            rows = await reader.fetch("SELECT * FROM handfast_runs.get_top_matches('acme')")
            assert len(rows) == 200
            after = await counters()
            assert after == (before[0], before[1], before[2] + 2), "no row of the table itself"
    finally:
        await reader.close()
        await watcher.close()


# --- rights -----------------------------------------------------------------------------------


async def test_public_may_execute_nothing(sql: Client) -> None:
    open_to_all = await sql.value(
        "SELECT array_agg(p.oid::regprocedure::text) FROM pg_proc AS p,"
        " aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a"
        " WHERE p.pronamespace = 'handfast_runs'::regnamespace AND a.grantee = 0"
    )
    assert open_to_all is None
    assert await sql.value(
        "SELECT count(*) > 15 FROM pg_proc WHERE pronamespace = 'handfast_runs'::regnamespace"
    )


async def test_every_definer_has_a_fixed_search_path(sql: Client) -> None:
    loose = await sql.value(
        "SELECT array_agg(p.proname) FROM pg_proc AS p"
        " WHERE p.pronamespace = 'handfast_runs'::regnamespace AND p.proname <> 'refuse_move'"
        " AND NOT coalesce(p.proconfig, '{}') @> ARRAY['search_path=pg_catalog, pg_temp']"
    )
    assert loose is None


WRITES = [
    "INSERT INTO handfast_runs.startup_investor_matches VALUES (1, 1, 1, 1, 1, 1, 1, 'a', 'b')",
    "UPDATE handfast_runs.startup_investor_matches SET score = 1000",
    "DELETE FROM handfast_runs.startup_investor_matches",
    "TRUNCATE handfast_runs.startup_investor_matches",
    "UPDATE handfast_runs.startup_investor_matches_1 SET score = 1000",
    "UPDATE handfast_runs.startup_uploads SET name = ''",
    "UPDATE handfast_runs.investors SET name = ''",
    "UPDATE handfast_runs.corpus_versions SET state = 'current'",
    "INSERT INTO handfast_runs.aliases VALUES ('a', 'b', now())",
    "DROP TABLE handfast_runs.startup_investor_matches_1",
    "CREATE TABLE handfast_runs.mine (a int)",
    "CREATE TABLE public.mine (a int)",
    "UPDATE handfast_runs.records SET match_count = 0",
    "SELECT * FROM handfast_runs.records",
    "SELECT * FROM handfast_runs.match_runs",
    "SELECT * FROM handfast_engine.jobs",
    "SELECT handfast_engine.rescue(1)",
    "SELECT handfast_runs.after_migrate()",
    "SELECT * FROM handfast_runs.start_canonical_run('a', 'b')",
]


async def test_the_role_reads_and_calls_and_nothing_else(
    database: Database, dsn: str, sql: Client
) -> None:
    assert await acme(database) == 1
    role = await asyncpg.connect(as_role(dsn))
    try:
        assert await role.fetchval("SELECT current_user") == "handfast_runs"
        assert (
            await role.fetchval("SELECT count(*) FROM handfast_runs.startup_investor_matches") == 3
        )
        assert await role.fetchval("SELECT count(*) FROM handfast_runs.investors") == 3
        for write in WRITES:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await role.execute(write)
        # The whole flow, through the functions.
        [run] = await role.fetch("SELECT * FROM handfast_runs.start_match_run('acme.com')")
        [claimed] = await role.fetch("SELECT * FROM handfast_runs.claim_next_match_run('r')")
        assert claimed["run_id"] == run["run_id"]
        assert (
            await role.fetchval("SELECT handfast_runs.count_matches($1)", claimed["startup_id"])
            == 3
        )
        assert (
            await role.fetchval("SELECT count(*) FROM handfast_runs.get_top_matches('acme')") == 3
        )
        assert await role.fetchval(
            "SELECT count(*) FROM handfast_runs.resolve_startup_by_url('acme.com')"
        )
        assert await role.fetchval(
            "SELECT handfast_runs.extend_match_run($1, 'r', $2)", run["run_id"], claimed["token"]
        )
        assert await role.fetchval("SELECT handfast_runs.release_expired_leases()") == 0
        assert await role.fetchval(
            "SELECT handfast_runs.complete_match_run($1, 'r', $2, 'ready', 3)",
            run["run_id"],
            claimed["token"],
        )
        [seen] = await role.fetch("SELECT * FROM handfast_runs.get_match_run($1)", run["run_id"])
        assert seen["status"] == "ready"
        assert await role.fetchval("SELECT handfast_runs.get_match_run_debug($1)", run["run_id"])
    finally:
        await role.close()
    assert await sql.value("SELECT sum(score) FROM handfast_runs.startup_investor_matches") == 2699


async def test_the_role_cannot_move_the_clock(database: Database, dsn: str, sql: Client) -> None:
    """Any session may set handfast.now for itself. With the owner's rights behind it, that would
    end every lease of the engine."""
    await acme(database)
    await sql.start()
    claimed = await sql.claim()
    role = await asyncpg.connect(as_role(dsn))
    try:
        await role.execute("SET handfast.now = '2099-01-01'")
        assert await role.fetchval("SELECT handfast_runs.release_expired_leases()") == 0
        [made] = await role.fetch("SELECT * FROM handfast_runs.start_match_run('lonely.com')")
        assert made["created_at"].year < 2099
    finally:
        await role.close()
    assert await sql.complete(claimed), "nobody took it away"
