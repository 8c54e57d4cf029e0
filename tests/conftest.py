"""What every test may ask for: a real PostgreSQL, a database of its own, a Valkey.

All test processes share one embedded server, as Handfast's own processes do. The schema is built
once, in a template database; each test gets a clone of it.
"""

import asyncio
import fcntl
import gc
import os
import random
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from tests.support import chance as chances
from tests.support.folders import MEMORY, memory_has_room
from tests.support.order import long_first
from tests.support.programs import PACKAGES, find
from tests.support.valkey import Valkey

TEMPLATE = "handfast_template"
BINARIES = ("HANDFAST_POSTGRES_BIN", "HANDFAST_TEST_REDIS")


def pytest_configure(config: pytest.Config) -> None:
    # The caller's own settings must not leak into the tests; the choice of binaries may.
    for name in list(os.environ):
        if name.startswith("HANDFAST_") and name not in BINARIES:
            del os.environ[name]
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    if os.environ.get("CI") and config.getoption("--without"):
        raise pytest.UsageError("--without is for laptops: in CI every test runs")
    chances.configure(config)
    seasons = config.getoption("--seasons")
    if seasons is not None and not any(seasons.rglob("*.json")):
        raise pytest.UsageError(f"--seasons {seasons} is no folder with football.json files in it")
    if memory_has_room():  # the first process says it to the others
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


pytest_configure_node = pytest.hookimpl(optionalhook=True)(chances.tell_process)


def pytest_report_header(config: pytest.Config) -> str | None:
    return chances.describe(config)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if said := chances.describe(config):  # once more, where failures are looked for
        terminalreporter.write_line(said)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    without = set(config.getoption("--without"))
    elsewhere = {"as_user"} if os.geteuid() == 0 else {"as_root"}
    if sys.platform != "linux":
        elsewhere.add("on_linux")
    if config.getoption("--seasons") is None:
        elsewhere.add("seasons")
    left_out = [
        item
        for item in items
        if without & {mark.args[0] for mark in item.iter_markers("needs")}
        or elsewhere & {mark.name for mark in item.iter_markers()}
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    if process := getattr(config, "workerinput", None):
        items[:] = long_first(items, process["workercount"])


def pytest_collection_finish() -> None:
    """Whatever was imported and collected stays: no look for garbage need go through it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _programs_are_there(request: pytest.FixtureRequest) -> None:
    for mark in request.node.iter_markers("needs"):
        program = mark.args[0]
        if program in PACKAGES and find(program) is None:
            pytest.fail(
                f"{program} is missing. Install the package {PACKAGES[program]}, "
                f"or leave its tests out: ./run test --without {program}"
            )


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """For what a test leaves to chance: see tests/support/chance.py."""
    return chances.chance_of(request.config, request.node.name)


@pytest.fixture(scope="session")
def postgres_bin() -> Path | None:
    """The binaries that the whole suite runs on: the wheel's, unless told otherwise."""
    folder = os.environ.get("HANDFAST_POSTGRES_BIN")
    return Path(folder) if folder else None


@pytest.fixture(scope="session")
def seasons_folder(request: pytest.FixtureRequest) -> Path:
    """Real seasons, which nobody commits: for tests that are marked `seasons`."""
    return Path(request.config.getoption("--seasons")).resolve()


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all test processes of this run."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


@pytest.fixture(scope="session")
def server(shared_folder: Path, postgres_bin: Path | None) -> Iterator[EmbeddedServer]:
    """The server that the tests share, with the template database in it."""
    server = EmbeddedServer(
        shared_folder / "pg", bin_dir=postgres_bin, settings={"max_connections": "300"}
    )
    with server, (shared_folder / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        asyncio.run(_make_template(server))
        fcntl.flock(lock, fcntl.LOCK_UN)
        yield server


async def _make_template(server: EmbeddedServer) -> None:
    admin = await asyncpg.connect(server.dsn("postgres"))
    try:
        exists = await admin.fetchval("SELECT true FROM pg_database WHERE datname = $1", TEMPLATE)
        if not exists:
            await admin.execute(f"CREATE DATABASE {TEMPLATE}_new")
            async with await Database.open(Target(server.dsn(f"{TEMPLATE}_new"))) as database:
                await migrate(database)
            await admin.execute(f"ALTER DATABASE {TEMPLATE}_new RENAME TO {TEMPLATE}")
    finally:
        await admin.close()


@pytest.fixture
async def empty_dsn(server: EmbeddedServer) -> AsyncIterator[str]:
    """The address of a new database with nothing in it."""
    async for dsn in a_database(server, "template0"):
        yield dsn


@pytest.fixture
async def dsn(server: EmbeddedServer) -> AsyncIterator[str]:
    """The address of a new, migrated database."""
    async for dsn in a_database(server, TEMPLATE):
        yield dsn


@pytest.fixture(scope="session")
def shared_dsn(server: EmbeddedServer) -> Iterator[str]:
    """A migrated database that the tests of this process share: what they write is refused."""
    with asyncio.Runner() as runner:
        databases = asynccontextmanager(a_database)(server, TEMPLATE)
        dsn = runner.run(databases.__aenter__())
        runner.run(_refuse_writing(dsn))
        yield dsn
        runner.run(databases.__aexit__(None, None, None))


async def _refuse_writing(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    name = await connection.fetchval("SELECT current_database()")
    await connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    await connection.close()


@pytest.fixture
async def reader(shared_dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """For a test that only reads, or calls what only computes: nothing is cloned for it."""
    connection = await asyncpg.connect(shared_dsn)
    try:
        yield connection
    finally:
        await connection.close()


@pytest.fixture
async def undone(reader: asyncpg.Connection) -> AsyncIterator[asyncpg.Connection]:
    """For a test that writes in one transaction, which is rolled back at its end."""
    transaction = reader.transaction()
    await transaction.start()
    await reader.execute("SET TRANSACTION READ WRITE")
    yield reader
    await transaction.rollback()


@pytest.fixture
async def database(dsn: str) -> AsyncIterator[Database]:
    """A new, migrated database, with a pool on it."""
    async with await Database.open(Target(dsn)) as database:
        yield database


def make_database(name: str, template: str) -> tuple[str, ...]:
    """The statements for a database of a test's own.

    Nobody crashes the shared server; who does, has one of his own, as durable as shipped. Waiting
    for the disk here only made slow disks look like hung tests.
    """
    return (
        f"CREATE DATABASE {name} TEMPLATE {template}",
        f"ALTER DATABASE {name} SET synchronous_commit = off",
    )


async def a_database(server: EmbeddedServer, template: str) -> AsyncIterator[str]:
    name = f"test_{uuid4().hex[:12]}"
    admin = await asyncpg.connect(server.dsn("postgres"))
    try:
        for statement in make_database(name, template):
            await admin.execute(statement)
        yield server.dsn(name)
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await admin.close()


@pytest.fixture
def machine_dsn(server: EmbeddedServer) -> Iterator[str]:
    """A migrated database for a test that brings its own event loop."""
    with asyncio.Runner() as runner:
        databases = asynccontextmanager(a_database)(server, TEMPLATE)
        yield runner.run(databases.__aenter__())
        runner.run(databases.__aexit__(None, None, None))


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Valkey of this test process's own, from a wheel."""
    with Valkey(tmp_path_factory.mktemp("valkey")) as valkey:
        yield valkey.url
