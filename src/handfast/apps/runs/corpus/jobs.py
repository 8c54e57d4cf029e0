"""The nightly rebuild, and retention, as jobs of the engine: once each, whoever runs them.

They have a lane of their own, and run one at a time: a rebuild takes minutes of a processor, and
nothing else should wait for it.
"""

from pathlib import Path

from handfast.apps.runs.corpus.scores.weights import DEFAULT_WEIGHTS, Weights
from handfast.apps.runs.corpus.versions.publish import ATTEMPTS_MAX, check, conclude
from handfast.apps.runs.corpus.versions.retention import retire
from handfast.apps.runs.corpus.versions.versions import current_version
from handfast.apps.runs.errors import CorpusMoved
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.crew import Crew, WorkerOptions, cron_schedule, scheduled_kind
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.schedules.declared import DeclaredSchedules
from handfast.engine.work.context import Context
from handfast.engine.work.worker import default_name

LANE = "corpus"
REBUILD = "runs.rebuild"
RETENTION = "runs.retention"
REBUILD_SECONDS_MAX = 4 * 3600.0  # 4.1 M pairs take minutes; a hundred times as many, hours
RETENTION_SECONDS_MAX = 600.0
RETENTION_CRON = "23 * * * *"


def corpus_crew(
    database: Database,
    direct: Target,
    *,
    rebuild_at: str | None = None,
    schema: str | None = None,
    weights: Weights = DEFAULT_WEIGHTS,
    rejects: Path | None = None,
    options: WorkerOptions | None = None,
) -> Crew:
    """Who keeps the corpus: rebuilds it when it is due, retires what is old. ``rejects`` is a
    folder for rows of the user's tables that are bad."""
    jobs = CorpusJobs(database, direct, schema=schema, weights=weights, rejects=rejects)
    rebuild = scheduled_kind(REBUILD, LANE, jobs.rebuild, timeout=REBUILD_SECONDS_MAX)
    retention = scheduled_kind(RETENTION, LANE, jobs.retire, timeout=RETENTION_SECONDS_MAX)
    kinds, schedules = Kinds(), DeclaredSchedules()
    kinds.add(rebuild)
    kinds.add(retention)
    if rebuild_at is not None:
        schedules.add(cron_schedule("corpus.rebuild", rebuild, rebuild_at))
    schedules.add(cron_schedule("corpus.retention", retention, RETENTION_CRON))
    usual = WorkerOptions(lanes=(LANE,), concurrency=1, name=f"{default_name()}:{LANE}")
    return Crew(kinds, options or usual, schedules=schedules)


class CorpusJobs:
    """The handlers, and what they work with."""

    def __init__(
        self,
        database: Database,
        direct: Target,
        *,
        schema: str | None,
        weights: Weights,
        rejects: Path | None,
    ) -> None:
        self._database = database
        self._direct = direct
        self._schema = schema
        self._weights = weights
        self._rejects = rejects

    async def rebuild(self, ctx: Context) -> None:
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

    async def retire(self, ctx: Context) -> dict[str, list[int]]:
        return {"retired": await retire(self._direct)}
