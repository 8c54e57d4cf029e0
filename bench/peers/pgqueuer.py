"""PgQueuer 1.6 at its best documented settings."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import asyncpg
from pgqueuer.core.qm import QueueManager
from pgqueuer.db import AsyncpgDriver, AsyncpgPoolDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries

from bench.peers.common import Gate, Mark, chunks, main, tuned

SETTINGS = tuned({"driver": "single", "managers": 1, "batch_size": 10, "chunk": 1000, "uvloop": True})


class PgQueuerProducer:
    """One connection, as the guide recommends for a producer that enqueues one after another."""

    def __init__(self, queries: Any) -> None:
        self._queries = queries

    async def bulk(self, numbers: range) -> None:
        for part in chunks(numbers, SETTINGS["chunk"]):
            await self._queries.enqueue(
                ["noop"] * len(part), [b"%d" % n for n in part], [0] * len(part)
            )

    async def single(self, number: int) -> None:
        await self._queries.enqueue("noop", b"%d" % number)


class PgQueuerPeer:
    """The queue manager of PgQueuer."""

    packages = ("pgqueuer", "asyncpg", "uvloop")
    settings: Mapping[str, Any] = SETTINGS
    share = 1.0
    open_sql = "SELECT count(*) FROM pgqueuer"
    done_sql = "SELECT count(*) FROM pgqueuer_log WHERE status = 'successful'"

    async def prepare(self, dsn: str) -> None:
        queries = Queries(AsyncpgDriver(await asyncpg.connect(dsn)))
        await queries.install()
        await queries.optimize_autovacuum()

    async def producer(self, dsn: str) -> PgQueuerProducer:
        return PgQueuerProducer(Queries(AsyncpgDriver(await asyncpg.connect(dsn))))

    async def work(self, dsn: str, mark: Mark, gate: Gate) -> None:
        import asyncio

        async def noop(job: Job) -> None:
            mark(int(job.payload))

        managers = []
        for _ in range(SETTINGS["managers"]):
            if SETTINGS["driver"] == "pool":
                pool = await asyncpg.create_pool(dsn, min_size=5, max_size=20)
                driver = AsyncpgPoolDriver(pool)
            else:
                driver = AsyncpgDriver(await asyncpg.connect(dsn))
            manager = QueueManager(Queries(driver))
            manager.entrypoint("noop")(noop)
            managers.append(manager)
        await gate()
        await asyncio.gather(
            *(
                m.run(batch_size=SETTINGS["batch_size"], dequeue_timeout=timedelta(seconds=30))
                for m in managers
            )
        )


if __name__ == "__main__":
    main(PgQueuerPeer())
