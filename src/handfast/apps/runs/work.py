"""Who works on match runs and looks after their corpus, as the settings want it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from urllib.parse import urlsplit

from handfast.apps.runs.corpus import jobs
from handfast.apps.runs.corpus.scores.weights import weights_of
from handfast.apps.runs.login import ROLE, check_login
from handfast.apps.runs.settings import RunsSettings
from handfast.apps.runs.worker import LANE, runs_crew
from handfast.base.errors import SettingsError
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.crew import Crew
from handfast.engine.errors import ScheduleInvalid
from handfast.engine.system import System, Wanted

REJECTS_FOLDER = "corpus-rejects"  # in the data folder: rows that a nightly rebuild cannot use


@asynccontextmanager
async def open_work(system: System, wanted: Wanted) -> AsyncIterator[list[Crew]]:
    """Without a login for match runs, and unless they were asked for by name, that is told, and
    everything else goes on."""
    async with AsyncExitStack() as stack:
        crews = []
        if wanted.wants(LANE):
            try:
                crews.append(await stack.enter_async_context(open_runs_crew(system)))
            except SettingsError as missing:
                if wanted.asks_for(LANE):
                    raise
                wanted.warn(str(missing))
        if wanted.wants(jobs.LANE):
            crews.append(corpus_crew(system))
        yield crews


@asynccontextmanager
async def open_runs_crew(system: System) -> AsyncIterator[Crew]:
    """Who works on match runs, with the pool of its own login, which has been looked at."""
    async with await Database.open(
        runs_target(system), pool_size=system.settings.pool_size, application="handfast-runs"
    ) as reader:
        await check_login(reader)
        yield runs_crew(system.database, reader)


def corpus_crew(system: System) -> Crew:
    """Who rebuilds and retires the corpus."""
    settings = system.settings.of(RunsSettings)
    try:
        return jobs.corpus_crew(
            system.database,
            system.direct,
            rebuild_at=settings.corpus_rebuild,
            schema=settings.corpus_schema,
            weights=weights_of(settings.match_weights),
            rejects=system.settings.data_dir / REJECTS_FOLDER,
        )
    except ScheduleInvalid as wrong:
        raise SettingsError(
            f"HANDFAST_CORPUS_REBUILD is {settings.corpus_rebuild!r}. {wrong.detail}",
            hint=f"{wrong.hint or ''} Example: HANDFAST_CORPUS_REBUILD='30 2 * * *'".strip(),
        ) from wrong


def runs_target(system: System) -> Target:
    """Where match runs are worked on: the login of a role that only reads the corpus.

    Never the usual login instead: that one could write to the corpus.
    """
    settings, url = system.settings, system.settings.of(RunsSettings).runs_database_url
    if url is not None:
        return Target(
            url.get_secret_value(),
            connect_timeout=settings.connect_timeout,
            transaction_pooling=settings.transaction_pooling,
            setting="HANDFAST_RUNS_DATABASE_URL",
        )
    if settings.embedded:
        parts = urlsplit(system.direct.dsn)
        netloc = f"{ROLE}@{parts.netloc.rpartition('@')[2]}"
        return replace(system.direct, dsn=parts._replace(netloc=netloc).geturl())
    raise SettingsError(
        "HANDFAST_RUNS_DATABASE_URL is not set, so match runs are not worked on here.",
        hint=f"Give the role {ROLE} a password (ALTER ROLE {ROLE} PASSWORD '…') and set "
        f"HANDFAST_RUNS_DATABASE_URL to its address: postgresql://{ROLE}:…@host/database",
    )
