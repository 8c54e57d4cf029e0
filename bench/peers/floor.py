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

SETTINGS = tuned({"batch": 500, "uvloop": True})

TABLE = """
    CREATE TABLE floor_job (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        number integer NOT NULL,
        state smallint NOT NULL DEFAULT 0
    );
    CREATE INDEX floor_ready ON floor_job (id) WHERE state = 0;
"""

# The rows are found through an array: with `UPDATE ... FROM ready` the planner hashes the claimed
# ids and reads the whole table for every claim (seen by EXPLAIN with 50,000 jobs; drained 39,000 to
# 46,000 jobs a second against 64,000 to 68,000). A batch of 1000 was faster still (90,000).
CLAIM = f"""
    WITH ready AS MATERIALIZED (
        SELECT id FROM floor_job WHERE state = 0 ORDER BY id
        LIMIT {SETTINGS["batch"]:d} FOR UPDATE SKIP LOCKED
    )
    UPDATE floor_job SET state = 1 WHERE id = ANY (ARRAY(SELECT id FROM ready))
    RETURNING id, number
"""

FINISH = "UPDATE floor_job SET state = 2 WHERE id = ANY ($1::bigint[])"

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

    packages: tuple[str, ...] = ("asyncpg", "uvloop")
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
        finish = await finishing.prepare(FINISH)
        woken = asyncio.Event()
        await listening.add_listener("floor", lambda *_: woken.set())
        await gate()
        finished: asyncio.Task[Any] | None = None
        while True:
            woken.clear()
            jobs = await claim.fetch()
            while jobs:
                claimed = asyncio.create_task(claim.fetch())
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
