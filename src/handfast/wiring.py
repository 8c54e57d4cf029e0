"""The composition root: settings in, a running system out.

The only place that knows which parts make up a process. Everything below receives what it needs;
everything above (the edge) asks for a ``System``.
"""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from handfast import __version__
from handfast.apps.runs.login import ROLE as RUNS_ROLE
from handfast.apps.runs.login import check_login
from handfast.base import supervise
from handfast.base.errors import DataFolderUnusable, ScheduleInvalid, SettingsError
from handfast.base.ids import new_token
from handfast.base.logs import configure_logs
from handfast.base.settings import Mode, Settings
from handfast.base.telemetry import start_metrics, start_tracing
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrate import migrate, require_migrated
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis, open_redis
from handfast.db.rights import RightsExplained

if TYPE_CHECKING:
    from handfast.apps.fixtures.keeper import Keeper as FixturesKeeper
    from handfast.apps.fixtures.pipelines import Pipeline
    from handfast.apps.runs.corpus.jobs import Keeper
    from handfast.apps.runs.worker import RunsWorker
    from handfast.services.webhooks.deliverer import Deliverer

REJECTS_FOLDER = "corpus-rejects"  # in the data folder: rows that a nightly rebuild cannot use
ADMIN_TOKEN_FILE = "admin-token"  # noqa: S105  # a file name
IDEMPOTENCY_SECRET_FILE = "idempotency-secret"  # noqa: S105  # likewise


@dataclass(frozen=True)
class System:
    """What a process works with."""

    settings: Settings
    database: Database
    direct: Target
    redis: GuardedRedis | None = None  # a fast path, where REDIS_URL names one


@dataclass(frozen=True)
class Secret:
    value: str
    made_now: bool  # in development it is made once; a token is printed only then


def prepare_process(settings: Settings) -> None:
    """What a process does once, before anything else: logs, traces, build information."""
    configure_logs(settings.log_level, settings.log_format)
    start_metrics(__version__)
    if settings.tracing:
        start_tracing("handfast", __version__)


@asynccontextmanager
async def open_system(
    settings: Settings, *, migrated: bool = True, may_migrate: bool = False
) -> AsyncIterator[System]:
    """Reach the database (starting the embedded one if there is no other), and hand it over.

    Unless ``migrated`` is false it has our schema then. The embedded one is ours to migrate; the
    user's own is left as it is, and refused if it lacks anything, unless we were asked to.
    """
    async with AsyncExitStack() as stack:
        target, direct = await _targets(settings, stack)
        database = await stack.enter_async_context(
            await Database.open(target, pool_size=settings.pool_size)
        )
        await stack.enter_async_context(RightsExplained(database))
        if migrated and not (settings.embedded or may_migrate):
            await require_migrated(database, functions=True)
        elif migrated and direct is target:
            await migrate(database)
        elif migrated:  # a pooler between us would cut long sessions short
            async with await Database.open(direct, pool_size=2) as unpooled:
                await migrate(unpooled)
        redis = open_redis(settings)
        if redis is not None:
            stack.push_async_callback(redis.close)
        yield System(settings=settings, database=database, direct=direct, redis=redis)


def deliverer(system: System) -> "Deliverer":
    """What delivers the webhooks of this system, as the settings want it."""
    # Brings the HTTP client along: a third of a second that most commands need not pay.
    from handfast.services.webhooks.deliverer import Deliverer  # noqa: PLC0415

    settings = system.settings
    return Deliverer(
        system.database,
        system.direct,
        allow_private=settings.webhooks_allow_private,
        disable_after=timedelta(days=settings.webhooks_disable_days),
    )


class _Runs(Protocol):
    async def run(self) -> None: ...

    def stop(self) -> None: ...


@asynccontextmanager
async def beside(one: _Runs, name: str) -> AsyncIterator[asyncio.Task[None]]:
    """It runs beside whatever else this process does, and is stopped in good order."""
    stopping = asyncio.Event()
    task = supervise.start(name, one.run, stopping=stopping)
    try:
        yield task
    finally:
        stopping.set()
        one.stop()
        await task


@asynccontextmanager
async def delivering(system: System) -> AsyncIterator["Deliverer"]:
    """Webhooks are delivered beside whatever else this process does; stopped in good order."""
    one = deliverer(system)
    async with beside(one, "webhooks"):
        yield one


def runs_target(system: System) -> Target:
    """Where match runs are worked on: the login of a role that only reads the corpus.

    Never the usual login instead: that one could write to the corpus.
    """
    settings = system.settings
    if settings.runs_database_url is not None:
        return Target(
            settings.runs_database_url.get_secret_value(),
            connect_timeout=settings.connect_timeout,
            transaction_pooling=settings.transaction_pooling,
            setting="HANDFAST_RUNS_DATABASE_URL",
        )
    if settings.embedded:
        parts = urlsplit(system.direct.dsn)
        netloc = f"{RUNS_ROLE}@{parts.netloc.rpartition('@')[2]}"
        return replace(system.direct, dsn=parts._replace(netloc=netloc).geturl())
    raise SettingsError(
        "HANDFAST_RUNS_DATABASE_URL is not set, so match runs are not worked on here.",
        hint=f"Give the role {RUNS_ROLE} a password (ALTER ROLE {RUNS_ROLE} PASSWORD '…') and set "
        f"HANDFAST_RUNS_DATABASE_URL to its address: postgresql://{RUNS_ROLE}:…@host/database",
    )


@asynccontextmanager
async def working_runs(system: System) -> AsyncIterator["RunsWorker"]:
    """Match runs are worked on beside whatever else this process does; stopped in good order."""
    from handfast.apps.runs.worker import RunsWorker  # noqa: PLC0415

    target = runs_target(system)
    async with await Database.open(
        target, pool_size=system.settings.pool_size, application="handfast-runs"
    ) as reader:
        await check_login(reader)
        one = RunsWorker(system.database, system.direct, reader)
        async with beside(one, "runs"):
            yield one


@asynccontextmanager
async def keeping_corpus(system: System) -> AsyncIterator["Keeper"]:
    """The corpus is rebuilt and retired beside whatever else this process does."""
    from handfast.apps.runs.corpus.jobs import Keeper  # noqa: PLC0415
    from handfast.apps.runs.corpus.weights import weights_of  # noqa: PLC0415

    settings = system.settings
    try:
        one = Keeper(
            system.database,
            system.direct,
            rebuild_at=settings.corpus_rebuild,
            schema=settings.corpus_schema,
            weights=weights_of(settings.match_weights),
            rejects=settings.data_dir / REJECTS_FOLDER,
        )
    except ScheduleInvalid as wrong:
        raise SettingsError(
            f"HANDFAST_CORPUS_REBUILD is {settings.corpus_rebuild!r}. {wrong.detail}",
            hint=f"{wrong.hint or ''} Example: HANDFAST_CORPUS_REBUILD='30 2 * * *'".strip(),
        ) from wrong
    async with beside(one, "corpus"):
        yield one


@asynccontextmanager
async def keeping_fixtures(
    system: System, pipelines: Sequence["Pipeline"] = ()
) -> AsyncIterator["FixturesKeeper"]:
    """Fixtures are planned and the built-in steps made beside whatever else this process does.

    Begins when it has caught up: what is over by now is not worked on by anybody here.
    ``pipelines`` are the program's own; one of them may be called football, and is it then.
    """
    from handfast.apps.fixtures.configured import ingest_of  # noqa: PLC0415
    from handfast.apps.fixtures.fetching import fetching  # noqa: PLC0415
    from handfast.apps.fixtures.keeper import Keeper  # noqa: PLC0415
    from handfast.apps.fixtures.lineups import provider_of  # noqa: PLC0415
    from handfast.apps.fixtures.pipelines import with_built_in  # noqa: PLC0415
    from handfast.apps.fixtures.sources import specs_of  # noqa: PLC0415
    from handfast.apps.fixtures.steps import built_in_steps  # noqa: PLC0415

    settings = system.settings
    sources = specs_of(settings.fixtures_sources or "")
    async with fetching(allow_private=settings.fixtures_allow_private) as fetch:
        provider = settings.fixtures_lineups and provider_of(settings.fixtures_lineups, fetch)
        one = Keeper(
            system.database,
            system.direct,
            steps=built_in_steps(provider or None),
            pipelines=with_built_in(pipelines),
            ingest=ingest_of(system.database, sources, fetch) if sources else None,
        )
        async with beside(one, "fixtures") as task:
            ready = asyncio.create_task(one.caught_up.wait())
            await asyncio.wait((task, ready), return_when=asyncio.FIRST_COMPLETED)
            yield one


async def _targets(settings: Settings, stack: AsyncExitStack) -> tuple[Target, Target]:
    """Where to send statements, and where to go without a pooler between."""
    if settings.database_url is None:
        server = EmbeddedServer(
            settings.data_dir,
            bin_dir=settings.postgres_bin,
            socket_dir=settings.socket_dir,
            keep=settings.keep_server,
        )
        await asyncio.to_thread(server.start)
        stack.callback(server.stop)
        target = Target(
            server.app_dsn(),
            connect_timeout=settings.connect_timeout,
            setting=None,
            revive=server.ensure,
        )
        return target, target
    target = Target(
        settings.database_url.get_secret_value(),
        connect_timeout=settings.connect_timeout,
        transaction_pooling=settings.transaction_pooling,
    )
    if settings.direct_database_url is None:
        return target, target
    return target, Target(
        settings.direct_database_url.get_secret_value(),
        connect_timeout=settings.connect_timeout,
        setting="HANDFAST_DIRECT_DATABASE_URL",
    )


def admin_token(settings: Settings) -> Secret:
    """The operator's token: from the settings or, in development, made once and kept."""
    if settings.admin_token is not None:
        return Secret(settings.admin_token.get_secret_value(), made_now=False)
    return _kept(settings.data_dir / ADMIN_TOKEN_FILE, "hf_admin", "HANDFAST_ADMIN_TOKEN")


def require_idempotency_secret(settings: Settings) -> None:
    """In production the API does not start without: it keeps answers that hold secrets, and several
    processes have to read what one of them has kept."""
    if settings.mode is Mode.PRODUCTION and settings.idempotency_secret is None:
        raise SettingsError(
            "HANDFAST_IDEMPOTENCY_SECRET is not set, and HANDFAST_MODE is production. With it the "
            "API keeps the answers that show a webhook's secret, encrypted.",
            hint="Make one: python -c 'import secrets; print(secrets.token_urlsafe(32))'. Give the "
            "same to every process. Nothing was started.",
        )


def idempotency_secret(settings: Settings) -> str:
    """What kept answers are encrypted with: from the settings or, in development, made once and
    kept, as the operator's token is."""
    require_idempotency_secret(settings)
    if settings.idempotency_secret is not None:
        return settings.idempotency_secret.get_secret_value()
    file = settings.data_dir / IDEMPOTENCY_SECRET_FILE
    return _kept(file, "hf_seal", "HANDFAST_IDEMPOTENCY_SECRET").value


def _kept(file: Path, prefix: str, variable: str) -> Secret:
    try:
        return _made_once(file, prefix, variable)
    except OSError as error:
        raise DataFolderUnusable(
            f"What {variable} would be cannot be kept in {file}: {error.strerror}.",
            hint=f"Set {variable}, or name a folder that this user may write with --data-dir or "
            "HANDFAST_DATA_DIR.",
        ) from error


def _made_once(file: Path, prefix: str, variable: str) -> Secret:
    """Of many processes that start at once one makes the token, and all of them use it.

    It is written beside its place and linked into it when whole. A link does not replace, so the
    first one stays; and a crash half-way leaves no file that is there but empty.
    """
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        token = new_token(prefix)
        descriptor, fresh = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")  # mode 0600
        try:
            with os.fdopen(descriptor, "w") as handle:
                handle.write(token + "\n")
                handle.flush()
                os.fsync(handle.fileno())
            os.link(fresh, file)
            return Secret(token, made_now=True)
        except FileExistsError:
            pass  # another process was faster
        finally:
            Path(fresh).unlink()
    kept = file.read_text().strip()
    if not kept:
        raise DataFolderUnusable(
            f"The file {file} should hold what {variable} would be, and is empty.",
            hint=f"Remove it, and a new one is made; or set {variable}.",
        )
    return Secret(kept, made_now=False)
