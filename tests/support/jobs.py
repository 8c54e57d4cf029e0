"""Jobs brought into the states that a test needs, through the engine's own functions."""

from typing import Any

import msgspec

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.work.context import Context
from handfast.engine.work.lease import Claimed
from handfast.facade import Handfast
from handfast.wiring import load_settings
from tests.support.systems import whole_system


def program(database: Database, dsn: str) -> Handfast:
    """A program on the test's own database."""
    hf = Handfast()
    hf.use(whole_system(load_settings(), database, Target(dsn)))
    return hf


async def enqueue(database: Database, kind: str, key: str, **options: Any) -> int:
    """A job, with options of ``handfast_engine.enqueue``; ``due`` is an interval from now."""
    due = options.pop("due", "0 seconds")
    payload = options.pop("payload", {})
    async with database.connection() as connection:
        found: int = await connection.fetchval(
            "SELECT id FROM handfast_engine.enqueue($1, $2, $3::jsonb, handfast_db.now() +"
            " $4::text::interval,"
            " $5::jsonb)",
            kind,
            key,
            msgspec.json.encode(payload).decode(),
            due,
            msgspec.json.encode(options).decode(),
        )
    return found


async def claim(database: Database, lane: str = "default") -> dict[int, int]:
    """Everything that is ready: id to token."""
    async with database.connection() as connection:
        rows = await connection.fetch(
            "SELECT id, token FROM handfast_engine.claim(NULL, ARRAY[$1], 1000000, interval '5"
            " minutes')",
            lane,
        )
    return {row["id"]: row["token"] for row in rows}


def running_attempt(
    database: Database, job: int, token: int, *, kind: str = "t.job", attempt: int = 1
) -> Context:
    """What a handler would hold that runs this job by this token."""
    return Context(
        database, Claimed(job, token, attempt, kind, "one", "{}", 1, 0.0, False, "default", 10)
    )


async def succeed(database: Database, lane: str = "default", result: str | None = None) -> None:
    held = await claim(database, lane)
    async with database.connection() as connection:
        await connection.execute(
            "SELECT handfast_engine.finish($1::bigint[], $2::bigint[], $3::jsonb[])",
            list(held),
            list(held.values()),
            None if result is None else [result] * len(held),
        )


async def die(
    database: Database, failure: str = "logic", error: str = "boom", lane: str = "default"
) -> None:
    """All that is ready dies, at the first attempt (a transient failure: after its retries)."""
    held = await claim(database, lane)
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_engine.live SET failures = 99 WHERE id = ANY ($1)", list(held)
        )
        for job, token in held.items():
            state = await tx.fetchval(
                "SELECT handfast_engine.fail($1, $2, $3, $4)::text", job, token, failure, error
            )
            assert state == "dead"
