"""dbos 3.3 at its best documented settings.

A queue polled every 10 ms (documented: "smaller values reduce dequeue latency"; the default is a
second), `worker_concurrency` so that a poll claims what can run, an asynchronous workflow without
steps. dbos has no bulk enqueue: in bulk, 1000 `enqueue_in_transaction` calls share a commit.
It keeps its own event loop and threads, so uvloop would not serve it.

A worker launches before the gate, with a queue that has no room; at the gate it is given room, so
that the launch is not measured. Its executor id is unique, as documented for several processes.

Tried, jobs a second with one and two processes, on two cores shared with other work. One after the
other: polling every 50 ms: 260 and 450 synchronous, 270 and 360 asynchronous; every 10 ms: 320 and
450 synchronous, 330 and 450 asynchronous. Alternating, twice, every 10 ms: synchronous 460 and 440,
asynchronous 410 and 390, asynchronous with room for 500: 430 and 410. The differences between the
handlers and the rooms are within the noise.
"""

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import sqlalchemy
from dbos import DBOS, DBOSClient

from bench.peers.common import Gate, Mark, chunks, main, tuned

SETTINGS = tuned(
    {
        "polling_interval_sec": 0.01,
        "worker_concurrency": 100,
        "handler": "async",
        "sys_db_pool_size": 20,
        "chunk": 1000,
        "uvloop": False,
    }
)

QUEUE = "bench"
VERSION = "bench"


def _url(dsn: str) -> str:
    return dsn.replace("postgresql://", "postgresql+psycopg://", 1)


def _launch(dsn: str) -> None:
    DBOS(
        config={
            "name": "bench",
            "system_database_url": dsn,
            "sys_db_pool_size": SETTINGS["sys_db_pool_size"],
            "application_version": VERSION,
            "executor_id": uuid4().hex,
            "log_level": "WARNING",
        }
    )
    DBOS.launch()


class DbosProducer:
    """The client for programs outside the application; its calls are synchronous ones."""

    def __init__(self, dsn: str) -> None:
        self._client = DBOSClient(system_database_url=dsn, system_database_pool_size=1)
        self._engine = sqlalchemy.create_engine(_url(dsn))
        self._options = {"queue_name": QUEUE, "workflow_name": "noop"}

    async def bulk(self, numbers: range) -> None:
        for part in chunks(numbers, SETTINGS["chunk"]):
            with self._engine.begin() as connection:
                for number in part:
                    self._client.enqueue_in_transaction(connection, self._options, number)

    async def single(self, number: int) -> None:
        self._client.enqueue(self._options, number)


class Dbos:
    """A durable workflow without steps on a DBOS queue."""

    packages: tuple[str, ...] = ("dbos", "psycopg", "sqlalchemy")
    settings: Mapping[str, Any] = SETTINGS
    share = 0.1
    open_sql = "SELECT count(*) FROM dbos.workflow_status WHERE status IN ('ENQUEUED', 'PENDING')"
    done_sql = "SELECT count(*) FROM dbos.workflow_status WHERE status = 'SUCCESS'"

    async def prepare(self, dsn: str) -> None:
        _launch(dsn)
        # With no room in it the queue is polled and left alone; `work` opens it at the gate.
        DBOSClient(system_database_url=dsn).register_queue(
            QUEUE,
            worker_concurrency=0,
            polling_interval_sec=SETTINGS["polling_interval_sec"],
        )

    async def producer(self, dsn: str) -> DbosProducer:
        return DbosProducer(dsn)

    async def work(self, dsn: str, mark: Mark, gate: Gate) -> None:
        if SETTINGS["handler"] == "sync":

            def noop(number: int) -> None:
                mark(number)

            DBOS.workflow(name="noop")(noop)
        else:

            async def anoop(number: int) -> None:
                mark(number)

            DBOS.workflow(name="noop")(anoop)
        _launch(dsn)
        await asyncio.sleep(2)  # the queue's thread is running
        client = DBOSClient(system_database_url=dsn)
        queue = client.retrieve_queue(QUEUE)
        await gate()
        queue.set_worker_concurrency(SETTINGS["worker_concurrency"])
        await asyncio.Event().wait()


if __name__ == "__main__":
    main(Dbos())
