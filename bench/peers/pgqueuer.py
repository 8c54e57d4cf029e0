"""PgQueuer 1.6 at its best documented settings.

From its performance guide: the asyncpg driver; a larger `batch_size` for short jobs; `pgq autovac`
after the installation; uvloop as in its own benchmark. The durability stays `durable`, its default:
the faster levels leave tables out of the log. The guide recommends a pool "for high-throughput
deployments", and elsewhere one direct connection for a queue manager. In five pairs, alternating,
the pool drained 1.19 times as fast with one process (1.12 to 1.34) and 0.87 times as fast with two
(0.86 to 1.95), so each number of processes has the driver that was better for it.

Tried, jobs a second with one and two processes, on two cores shared with other work, one after the
other, all but one with a direct connection: batch_size 100: 7,700 and 13,000; 500: 9,300 and
14,800; 1000: 9,600 and 9,600; 500 with a pool: 9,500 and 12,700; five managers of batch 10, the
defaults of its own benchmark: 3,900 and 3,900. Alternating, three times, 300, 500 and 1000: 11,100
and 12,600, 9,700 and 15,800, 12,000 and 12,100, where the same setting varied by half. Bulk in
lists of 500, 1000, 2000 or 5000, alternating, five times: 40,600 to 42,700, no difference.
"""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import asyncpg
from pgqueuer.core.qm import QueueManager
from pgqueuer.db import AsyncpgDriver, AsyncpgPoolDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries

from bench.peers.common import Gate, Mark, chunks, crew, main, tuned

SETTINGS = tuned(
    {
        "driver": "pool",
        "driver_of_two": "single",
        "managers": 1,
        "batch_size": 500,
        "chunk": 1000,
        "uvloop": True,
    }
)


class PgQueuerProducer:
    """One connection."""

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

    packages: tuple[str, ...] = ("pgqueuer", "asyncpg", "uvloop")
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
        async def noop(job: Job) -> None:
            mark(int(job.payload))

        kind = SETTINGS["driver"] if crew() == 1 else SETTINGS["driver_of_two"]
        managers = []
        for _ in range(SETTINGS["managers"]):
            if kind == "pool":
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
