"""The nightly rebuild, and retention, as jobs of the engine: once each, whoever runs them.

They are worked on by a worker of their own, on a lane of their own, one at a time: a rebuild takes
minutes of a processor, and nothing else should wait for it.
"""

from pathlib import Path

from handfast.apps.runs.corpus.publish import ATTEMPTS_MAX, check, conclude
from handfast.apps.runs.corpus.retention import retire
from handfast.apps.runs.corpus.versions import current_version
from handfast.apps.runs.corpus.weights import DEFAULT_WEIGHTS, Weights
from handfast.base.errors import CorpusMoved
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.context import Context
from handfast.engine.keeping import Keeping
from handfast.engine.worker import WorkerOptions

LANE = "corpus"
REBUILD = "runs.rebuild"
RETENTION = "runs.retention"
REBUILD_SECONDS_MAX = 4 * 3600.0  # 4.1 M pairs take minutes; a hundred times as many, hours
RETENTION_CRON = "23 * * * *"


class Keeper(Keeping):
    """Keeps the corpus: rebuilds it when it is due, retires what is old. Until it is stopped."""

    def __init__(
        self,
        database: Database,
        direct: Target,
        *,
        rebuild_at: str | None = None,
        schema: str | None = None,
        weights: Weights = DEFAULT_WEIGHTS,
        rejects: Path | None = None,
        options: WorkerOptions | None = None,
    ) -> None:
        super().__init__(LANE)
        self._database = database
        self._direct = direct
        self._schema = schema
        self._weights = weights
        self._rejects = rejects  # a folder for rows of the user's tables that are bad
        rebuild = self.declare_chore(REBUILD, self._rebuild, REBUILD_SECONDS_MAX)
        retention = self.declare_chore(RETENTION, self._retire, 600.0)
        if rebuild_at is not None:
            self.schedule("corpus.rebuild", rebuild, rebuild_at)
        self.schedule("corpus.retention", retention, RETENTION_CRON)
        self.employ(database, direct, 1, options)

    async def _rebuild(self, ctx: Context) -> None:
        # Brings numpy along, which no other process needs.
        from handfast.apps.runs.corpus import rebuild  # noqa: PLC0415

        async with self._database.connection() as connection:
            current = await current_version(connection)
        if self._schema is not None:
            if self._rejects is not None:
                self._rejects.mkdir(parents=True, exist_ok=True)
            built = await rebuild.rebuild_from_tables(
                self._direct, self._schema, weights=self._weights, rejects=self._rejects
            )
        elif current is not None:
            built = await rebuild.rebuild(self._direct, weights=self._weights)
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
