"""The nightly rebuild, and retention, as jobs of the engine: once each, whoever runs them.

They are worked on by a worker of their own, on a lane of their own, one at a time: a rebuild takes
minutes of a processor, and nothing else should wait for it.
"""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

from handfast.apps.runs.corpus.publish import ATTEMPTS_MAX, check, conclude
from handfast.apps.runs.corpus.retention import retire
from handfast.apps.runs.corpus.versions import current_version
from handfast.base.errors import CorpusMoved
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.catch_up import CatchUp
from handfast.engine.context import Context
from handfast.engine.kinds import Kind, Kinds, payload_of
from handfast.engine.retry import Retry
from handfast.engine.schedule import Schedule, Schedules, cron_spec
from handfast.engine.scheduler import Scheduler
from handfast.engine.worker import Worker, WorkerOptions, default_name

LANE = "corpus"
REBUILD = "runs.rebuild"
RETENTION = "runs.retention"
REBUILD_SECONDS_MAX = 4 * 3600.0  # 4.1 M pairs take minutes; a hundred times as many, hours
RETENTION_CRON = "23 * * * *"
HORIZON = timedelta(days=90)  # as long as ticks are kept: no older one can come again


class Keeper:
    """Keeps the corpus: rebuilds it when it is due, retires what is old. Until it is stopped."""

    def __init__(
        self,
        database: Database,
        direct: Target,
        *,
        rebuild_at: str | None = None,
        schema: str | None = None,
        rejects: Path | None = None,
        options: WorkerOptions | None = None,
    ) -> None:
        self._database = database
        self._direct = direct
        self._schema = schema
        self._rejects = rejects  # a folder for rows of the user's tables that are bad
        self.kinds, self.schedules = Kinds(), Schedules()
        rebuild = self._declare(REBUILD, self._rebuild, REBUILD_SECONDS_MAX)
        retention = self._declare(RETENTION, self._retire, 600.0)
        if rebuild_at is not None:
            self._schedule("corpus.rebuild", rebuild, rebuild_at)
        self._schedule("corpus.retention", retention, RETENTION_CRON)
        self.worker = Worker(
            database,
            direct,
            self.kinds,
            options or WorkerOptions(lanes=(LANE,), concurrency=1, name=f"{default_name()}:corpus"),
        )
        self.scheduler = Scheduler(database, direct, self.kinds, self.schedules)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.worker.run())
            tasks.create_task(self.scheduler.run())

    def stop(self) -> None:
        """Let what is under way finish, and leave. Safe to call from a signal."""
        self.scheduler.stop()
        self.worker.stop()

    def _declare(self, name: str, handler: Any, timeout: float) -> Kind:
        kind = Kind(
            name=name,
            handler=handler,
            payload=payload_of(handler),
            lane=LANE,
            retry=Retry.default,
            timeout=timeout,
            horizon=HORIZON,
        )
        self.kinds.add(kind)
        return kind

    def _schedule(self, name: str, kind: Kind, cron: str) -> None:
        # Of nights that were missed only the last: a corpus is rebuilt from what there is now.
        self.schedules.add(Schedule(name, kind, cron_spec(cron, "UTC", CatchUp.latest)))

    async def _rebuild(self, ctx: Context) -> None:
        # Brings numpy along, which no other process needs.
        from handfast.apps.runs.corpus import rebuild  # noqa: PLC0415

        async with self._database.connection() as connection:
            current = await current_version(connection)
        if self._schema is not None:
            if self._rejects is not None:
                self._rejects.mkdir(parents=True, exist_ok=True)
            built = await rebuild.rebuild_from_tables(
                self._direct, self._schema, rejects=self._rejects
            )
        elif current is not None:
            built = await rebuild.rebuild(self._direct)
        else:
            async with ctx.completing({"skipped": "there is no corpus yet"}):
                return
        for left in reversed(range(ATTEMPTS_MAX)):
            verdict = await check(self._database, built.version)
            said = {"version": built.version, "passed": verdict.passed, "says": verdict.summary}
            try:
                # Verdict, switch and the end of the job are one: a worker that lost its lease
                # while it scored switches nobody.
                async with ctx.completing(said) as tx:
                    await conclude(tx, verdict)
            except CorpusMoved:
                if not left:
                    raise
            else:
                return

    async def _retire(self, ctx: Context) -> dict[str, list[int]]:
        return {"retired": await retire(self._direct)}
