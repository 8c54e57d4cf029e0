"""A worker and a scheduler of one lane together: what looks after something as long as it runs."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from handfast.base import supervise
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.catch_up import CatchUp
from handfast.engine.kinds import Kind, Kinds, payload_of
from handfast.engine.retry import Retry
from handfast.engine.schedule import Schedule, Schedules, cron_spec
from handfast.engine.scheduler import Scheduler
from handfast.engine.worker import Worker, WorkerOptions, default_name

HORIZON = timedelta(days=90)  # as long as ticks are kept: no older one can come again


class Keeping:
    """For those who keep something: declare chores and their schedules first, then ``employ``."""

    worker: Worker
    scheduler: Scheduler

    def __init__(self, lane: str) -> None:
        self._lane = lane
        self._stopping = asyncio.Event()
        self.kinds, self.schedules = Kinds(), Schedules()

    def declare_chore(
        self, name: str, handler: Callable[..., Awaitable[Any]], timeout: float
    ) -> Kind:
        """A job that a schedule enqueues: each tick has its own, so identities may be forgotten."""
        kind = Kind(
            name=name,
            handler=handler,
            payload=payload_of(handler),
            lane=self._lane,
            retry=Retry.default,
            timeout=timeout,
            horizon=HORIZON,
        )
        self.kinds.add(kind)
        return kind

    def schedule(self, name: str, kind: Kind, cron: str) -> None:
        # Of those that were missed only the last: it does what there is to do now.
        self.schedules.add(Schedule(name, kind, cron_spec(cron, "UTC", CatchUp.latest)))

    def employ(
        self, database: Database, direct: Target, concurrency: int, options: WorkerOptions | None
    ) -> None:
        """A worker and a scheduler for what has been declared."""
        name = f"{default_name()}:{self._lane}"
        usual = WorkerOptions(lanes=(self._lane,), concurrency=concurrency, name=name)
        self.worker = Worker(database, direct, self.kinds, options or usual)
        self.scheduler = Scheduler(database, direct, self.kinds, self.schedules)

    async def run(self) -> None:
        """Until ``stop`` is called."""
        async with asyncio.TaskGroup() as tasks:
            for one in (self.worker.run, self.scheduler.run):
                tasks.create_task(supervise.keep(self._lane, one, stopping=self._stopping))

    def stop(self) -> None:
        """Let what is under way finish, and leave. Safe to call from a signal."""
        self._stopping.set()
        self.scheduler.stop()
        self.worker.stop()
