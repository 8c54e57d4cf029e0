"""procrastinate 3.10 at its best documented settings.

Its asynchronous psycopg connector, an asynchronous task, `concurrency` above 1 and
`batch_defer_async` in bulk; LISTEN/NOTIFY stays on and jobs are kept, as by default. One worker
fetches one job at a time, so four workers share one process and its pool. Its log is at WARNING.

Tried, jobs a second with one and two processes, on two cores shared with other work. One after the
other: one worker of concurrency 5, 20 and 50: 340 and 490, 250 and 230, 350 and 420; four workers
of concurrency 10: 540 to 570 and 640; eight: 540 and 500. Alternating, twice, on a busier machine:
one, four and eight workers: 420 and 360, 350 and 350, 420 and 390. So four workers are the best of
the first series and within the noise of the second. Bulk in lists of 100 or 1000: no difference.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import procrastinate

from bench.peers.common import Gate, Mark, chunks, main, tuned

SETTINGS = tuned({"concurrency": 10, "pool": 20, "workers": 4, "chunk": 1000, "uvloop": True})


def _app(dsn: str, pool: int) -> Any:
    return procrastinate.App(
        connector=procrastinate.PsycopgConnector(conninfo=dsn, min_size=pool, max_size=pool)
    )


class ProcrastinateProducer:
    """An open app with a pool of one connection."""

    def __init__(self, task: Any) -> None:
        self._task = task

    async def bulk(self, numbers: range) -> None:
        for part in chunks(numbers, SETTINGS["chunk"]):
            await self._task.batch_defer_async(*({"number": n} for n in part))

    async def single(self, number: int) -> None:
        await self._task.defer_async(number=number)


class Procrastinate:
    """procrastinate's asynchronous worker."""

    packages: tuple[str, ...] = ("procrastinate", "psycopg", "uvloop")
    settings: Mapping[str, Any] = SETTINGS
    share = 0.1
    open_sql = "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"
    done_sql = "SELECT count(*) FROM procrastinate_jobs WHERE status = 'succeeded'"

    async def prepare(self, dsn: str) -> None:
        app = _app(dsn, 1)
        async with app.open_async():
            await app.schema_manager.apply_schema_async()

    async def producer(self, dsn: str) -> ProcrastinateProducer:
        app = _app(dsn, 1)
        await app.open_async()
        return ProcrastinateProducer(app.configure_task("noop"))

    async def work(self, dsn: str, mark: Mark, gate: Gate) -> None:
        logging.getLogger("procrastinate").setLevel(logging.WARNING)

        async def noop(number: int) -> None:
            mark(number)

        app = _app(dsn, SETTINGS["pool"])
        app.task(name="noop")(noop)
        await app.open_async()
        await gate()
        await asyncio.gather(
            *(
                app.run_worker_async(
                    concurrency=SETTINGS["concurrency"], install_signal_handlers=False
                )
                for _ in range(SETTINGS["workers"])
            )
        )


if __name__ == "__main__":
    main(Procrastinate())
