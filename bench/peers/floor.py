"""The floor: what PostgreSQL and asyncpg alone can do with a durable SKIP LOCKED queue.

A narrow table with one partial index. A worker claims 500 jobs in one statement (a materialised
CTE picks and locks them, an UPDATE takes them) on one connection, while the batch before is
handled, one call for each job, and finished by one statement on another connection; both
statements are durable commits of their own. There are no attempts, leases, retries, results,
priorities or identities: an engine that has them is measured by how near it comes.

Enqueueing is one COPY in bulk, one INSERT with its NOTIFY for a single job; an idle worker LISTENs.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import asyncpg

from bench.peers.common import Gate, Mark, main, tuned

SETTINGS = tuned({"batch": 500, "finish": "update", "uvloop": True})

TABLE = """
    CREATE TABLE floor_job (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        number integer NOT NULL,
        state smallint NOT NULL DEFAULT 0
    );
    CREATE INDEX floor_ready ON floor_job (id) WHERE state = 0;
"""

CLAIM = """
    WITH ready AS MATERIALIZED (
        SELECT id FROM floor_job WHERE state = 0 ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
    )
    UPDATE floor_job SET state = 1 FROM ready WHERE floor_job.id = ready.id
    RETURNING floor_job.id, floor_job.number
"""

FINISH = {
    "update": "UPDATE floor_job SET state = 2 WHERE id = ANY($1::bigint[])",
    "delete": "DELETE FROM floor_job WHERE id = ANY($1::bigint[])",
}

ENQUEUE = """
    WITH job AS (INSERT INTO floor_job (number) VALUES ($1))
    SELECT pg_notify('floor', '')
"""


class FloorProducer:
    """One connection."""

    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        self._connection = connection

    async def bulk(self, numbers: range) -> None:
        await self._connection.copy_records_to_table(
            "floor_job", records=((n,) for n in numbers), columns=["number"]
        )
        await self._connection.execute("NOTIFY floor")

    async def single(self, number: int) -> None:
        await self._connection.fetchval(ENQUEUE, number)


class Floor:
    """The raw loop."""

    packages = ("asyncpg", "uvloop")
    settings: Mapping[str, Any] = SETTINGS
    share = 1.0
    open_sql = "SELECT count(*) FROM floor_job WHERE state < 2"
    done_sql = "SELECT count(*) FROM floor_job WHERE state = 2"

    async def prepare(self, dsn: str) -> None:
        connection = await asyncpg.connect(dsn)
        await connection.execute(TABLE)
        await connection.close()

    async def producer(self, dsn: str) -> FloorProducer:
        return FloorProducer(await asyncpg.connect(dsn))

    async def work(self, dsn: str, mark: Mark, gate: Gate) -> None:
        async def handle(number: int) -> None:
            mark(number)

        claiming, finishing, listening = [await asyncpg.connect(dsn) for _ in range(3)]
        claim = await claiming.prepare(CLAIM)
        finish = await finishing.prepare(FINISH[SETTINGS["finish"]])
        woken = asyncio.Event()
        await listening.add_listener("floor", lambda *_: woken.set())
        await gate()
        finished: asyncio.Task[Any] | None = None
        while True:
            woken.clear()
            jobs = await claim.fetch(SETTINGS["batch"])
            while jobs:
                claimed = asyncio.create_task(claim.fetch(SETTINGS["batch"]))
                await asyncio.sleep(0)  # the claim is on its way while the handlers run
                for job in jobs:
                    await handle(job["number"])
                if finished is not None:
                    await finished
                finished = asyncio.create_task(finish.fetch([job["id"] for job in jobs]))
                jobs = await claimed
            await woken.wait()


if __name__ == "__main__":
    main(Floor())
