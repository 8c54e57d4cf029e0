"""Handfast itself, with its shipped defaults.

One-job handlers; each job has an identity that is checked, an attempt that is recorded with its
times, and metrics. The worker is the one that ``handfast worker`` runs: lease, heartbeat, rescue,
notifications. Nothing is set but the lanes and the database.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from bench.peers.common import Gate, Mark, main, tuned
from handfast import Context, Handfast
from handfast.db.connect import Target
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database

SETTINGS = tuned({"uvloop": True})


class HandfastProducer:
    def __init__(self, hf: Handfast) -> None:
        self._hf = hf

    async def bulk(self, numbers: range) -> None:
        async with self._hf.transaction() as tx:
            await self._hf.enqueue_many(tx, "bench.noop", [(str(n), {"n": n}) for n in numbers])

    async def single(self, number: int) -> None:
        await self._hf.enqueue_now("bench.noop", key=f"single-{number}", n=number)


class Peer:
    packages: tuple[str, ...] = ("handfast", "asyncpg", "uvloop")
    settings: Mapping[str, Any] = SETTINGS
    share = 1.0
    open_sql = "SELECT count(*) FROM handfast_engine.live"
    done_sql = "SELECT count(*) FROM handfast_engine.jobs WHERE state = 'succeeded'"

    async def prepare(self, dsn: str) -> None:
        async with await Database.open(Target(dsn)) as database:
            await migrate(database)

    async def producer(self, dsn: str) -> HandfastProducer:
        hf = Handfast(database_url=dsn)
        await hf.open()
        return HandfastProducer(hf)

    async def work(self, dsn: str, mark: Mark, gate: Gate) -> None:
        hf = Handfast(database_url=dsn)

        @hf.job("bench.noop")
        async def noop(_ctx: Context, n: int) -> None:
            mark(n)

        worker = await hf.worker()
        await worker.prepare()
        await gate()
        await worker.run()
        await asyncio.Event().wait()


if __name__ == "__main__":
    main(Peer())
