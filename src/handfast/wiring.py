"""The composition root: settings in, a running system out.

The only place that knows which parts make up a process. Everything below receives what it needs;
everything above (the edge) asks for a ``System``.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from handfast import __version__
from handfast.apps.chat.capability import CHAT
from handfast.apps.fixtures.capability import FIXTURES
from handfast.apps.offers.capability import OFFERS
from handfast.apps.people.capability import PEOPLE
from handfast.apps.runs.capability import RUNS
from handfast.apps.safety.capability import SAFETY
from handfast.apps.stakes.capability import STAKES
from handfast.base import settings as base_settings
from handfast.base import supervise
from handfast.base.errors import SettingsError
from handfast.base.logs import configure_logs
from handfast.base.settings import Mode, Settings
from handfast.base.telemetry import start_metrics, start_tracing
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate, require_migrated
from handfast.db.pool import Database
from handfast.db.redis import open_redis
from handfast.db.rights import RightsExplained
from handfast.engine.capability import (
    Capabilities,
    Capability,
    each,
    found,
    names_in,
    switched_on,
)
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.host import Host, HostOptions
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.kept_secrets import KeptSecret, kept_secret
from handfast.engine.system import System, Wanted
from handfast.services.idempotency.capability import IDEMPOTENCY
from handfast.services.identity.capability import IDENTITY
from handfast.services.ledger.capability import LEDGER
from handfast.services.limits.capability import LIMITS
from handfast.services.webhooks.capability import WEBHOOKS

# Everything that can be switched on, each after what it requires. The only list of them.
CAPABILITIES: tuple[Capability, ...] = (
    IDEMPOTENCY,
    LIMITS,
    WEBHOOKS,
    IDENTITY,
    LEDGER,
    RUNS,
    FIXTURES,
    PEOPLE,
    STAKES,
    OFFERS,
    CHAT,
    SAFETY,
)
API_REQUIRES = (IDEMPOTENCY.name, LIMITS.name)

ADMIN_TOKEN_FILE = "admin-token"  # noqa: S105  # a file name
IDEMPOTENCY_SECRET_FILE = "idempotency-secret"  # noqa: S105  # likewise


def prepare_process(settings: Settings) -> None:
    """What a process does once, before anything else: logs, traces, build information."""
    configure_logs(settings.log_level, settings.log_format)
    start_metrics(__version__)
    if settings.tracing:
        start_tracing("handfast", __version__)


def chosen(
    setting: str | None = None, program: Iterable[str] | None = None, *, serving: bool = False
) -> Capabilities:
    """What is switched on: what the setting names, else what the program chose, else everything.
    Who serves the API has what that requires."""
    names = program if setting is None else names_in(setting)
    if names is not None and serving:
        names = [*names, *API_REQUIRES]
    return switched_on(CAPABILITIES, names)


def load_settings(on: Capabilities | None = None, /, **overrides: Any) -> Settings:
    """Settings from the environment, with the sections of what is ``on``: by default of what the
    environment switches on."""
    if on is None:
        on = chosen(os.environ.get("HANDFAST_CAPABILITIES") or None)
    return base_settings.load_settings(sections_of(on.on), **overrides)


def sections_of(capabilities: Iterable[Capability]) -> list[type[base_settings.Section]]:
    return list(each(capabilities, "settings").values())


def every_setting() -> type[Settings]:
    """Also of what is switched off: for documentation, and to know a misspelled variable."""
    return base_settings.settings_class(tuple(sections_of(CAPABILITIES)))


@asynccontextmanager
async def open_system(
    settings: Settings,
    *,
    capabilities: Capabilities | None = None,
    migrated: bool = True,
    may_migrate: bool = False,
) -> AsyncIterator[System]:
    """Reach the database (starting the embedded one if there is no other), and hand it over.

    Unless ``migrated`` is false it has the schemas of what is switched on then. The embedded one is
    ours to migrate; the user's own is left as it is, and refused if it lacks anything, unless we
    were asked to.
    """
    on = capabilities if capabilities is not None else chosen(settings.capabilities)
    async with AsyncExitStack() as stack:
        target, direct = await _targets(settings, stack)
        database = await stack.enter_async_context(
            await Database.open(target, pool_size=settings.pool_size)
        )
        await stack.enter_async_context(RightsExplained(database))
        if migrated and not (settings.embedded or may_migrate):
            await require_migrated(database, functions=True, schemas=on.schemas)
        elif migrated and direct is target:
            await migrate(database, schemas=on.schemas)
        elif migrated:  # a pooler between us would cut long sessions short
            async with await Database.open(direct, pool_size=2) as unpooled:
                await migrate(unpooled, schemas=on.schemas)
        redis = open_redis(settings)
        if redis is not None:
            stack.push_async_callback(redis.close)
        system = System(settings, database, direct, on, redis)
        for beside in each(on.on, "beside").values():
            await stack.enter_async_context(beside(system))
        yield system


@asynccontextmanager
async def hosting(
    system: System, crews: Sequence[Crew] = (), options: HostOptions | None = None
) -> AsyncIterator[Host]:
    """What the crews do goes on beside whatever else this process does; stopped in good order."""
    host = Host(system.database, system.direct, crews, options)
    stopping = asyncio.Event()
    task = supervise.start("host", host.run, stopping=stopping)
    try:
        yield host
    finally:
        stopping.set()
        host.stop()
        await task


@asynccontextmanager
async def open_crews(
    system: System,
    declared: Mapping[str, Sequence[Any]],
    lanes: tuple[str, ...] | None = None,
    warn: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[list[Crew]]:
    """Who works on everything that is switched on, or on these lanes of it; ``declared`` is what a
    program has declared for each capability."""
    async with AsyncExitStack() as stack:
        crews: list[Crew] = []
        for one in system.capabilities.on:
            if one.work is None or (lanes is not None and not set(lanes) & set(one.lanes)):
                continue
            wanted = Wanted(lanes, declared.get(one.name, ()), warn)
            crews += await stack.enter_async_context(found(one.work)(system, wanted))
        yield [*crews, *housekeeping(system)]


def housekeeping(system: System) -> list[Crew]:
    """For capabilities that have work only now and then: a crew without lanes."""
    makes = each(system.capabilities.on, "chores").values()
    chores = [chore for make in makes for chore in make(system.database)]
    return [Crew(Kinds(), WorkerOptions(lanes=()), chores=chores)] if chores else []


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


def admin_token(settings: Settings) -> KeptSecret:
    """The operator's token: from the settings or, in development, made once and kept."""
    if settings.admin_token is not None:
        return KeptSecret(settings.admin_token.get_secret_value(), made_now=False)
    return kept_secret(settings.data_dir / ADMIN_TOKEN_FILE, "hf_admin", "HANDFAST_ADMIN_TOKEN")


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
    return kept_secret(file, "hf_seal", "HANDFAST_IDEMPOTENCY_SECRET").value
