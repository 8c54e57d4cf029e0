"""Bringing a database to the schema that this code needs.

Each file is one transaction: it takes an advisory lock (released by the commit, so it also works
behind a transaction pooler), looks again whether the file is still to do, runs it and records it.
Whoever finds the lock taken ends its transaction, pauses and tries again. It must not wait inside
one: a waiting statement holds a snapshot, a concurrent index build waits for every snapshot, and
the builder holds the lock. PostgreSQL would not see that circle. So any number of processes may
start at once, and a process killed at any point leaves either the whole file applied and recorded,
or nothing.

An index on a busy table is built CONCURRENTLY, which PostgreSQL allows only outside a transaction.
Such a build can be cut off half-way; what it leaves is marked invalid, and the next run drops it
and builds again. Its lock is held by a second connection meanwhile.
"""

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from types import NoneType

import asyncpg
import msgspec

from handfast import __version__
from handfast.base.errors import (
    DatabaseNewer,
    MigrationEdited,
    MigrationFailed,
    MigrationsInvalid,
    MigrationsPending,
)
from handfast.base.logs import get_logger
from handfast.db.migration_files import SCHEMAS, Migration, Shipped, shipped
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction

LOCK = 0x68616E6466617374  # "handfast": one lock for all our migrations in a database
LOCK_SECONDS_MAX = 600.0  # others may be busy with a long file or a large index
LOCK_PAUSE_SECONDS = 0.05  # between two looks at the lock; jittered, so that many do not march
AFTER = "after_migrate"  # the function that a schema may have, answering SETOF text
LOCK_TIMEOUT = "5s"  # a migration waits this long for a busy table, then gives way and says so

log = get_logger(__name__)


class Applied(msgspec.Struct, frozen=True):
    number: int
    name: str
    checksum: str
    version: str
    applied_at: datetime


class Installed(msgspec.Struct, frozen=True):
    checksum: str
    version: str


class _Recorded(msgspec.Struct, frozen=True):
    name: str
    mark: str


class _Defined(msgspec.Struct, frozen=True):
    name: str
    definition: str


class Report(msgspec.Struct, frozen=True):
    """What a migrate did, or what it would have to do."""

    applied: list[str]
    pending: list[str]
    functions: int
    for_administrator: list[str] = []  # statements that this user has no right to


_EXIST = statement("db.migrations_exist", row=bool)
_APPLIED = statement("db.applied_migrations", row=Applied)
_RECORD = statement("db.record_migration", row=NoneType)
_INSTALLED = statement("db.installed_functions", row=Installed)
_RECORDED = statement("db.recorded_functions", row=_Recorded)
_DEFINED = statement("db.function_definitions", row=_Defined)
_RECORD_FUNCTIONS = statement("db.record_functions", row=NoneType)
_TRY_LOCK = statement("db.try_lock_migrations", row=bool)
_INDEX_STATE = statement("db.index_state", row=bool)
_OVERLOADED = statement("db.overloaded_functions", row=str)


async def migrate(database: Database, files: Shipped | None = None) -> Report:
    """Apply what is missing, and the functions that changed. Safe to run twice and from many
    processes."""
    files = files or shipped()
    async with database.connection() as connection:
        applied = {migration.number for migration in await _checked(connection, files)}
    done = []
    for migration in files.migrations:
        if migration.number in applied:
            continue  # whoever else applies is looked at again, under the lock
        apply = _apply_concurrently if migration.concurrent_index else _apply
        if await apply(database, migration, files):
            log.info("migration_applied", migration=migration.name)
            done.append(migration.name)
    left = await _install_functions(database, files)
    return Report(applied=done, pending=[], functions=len(files.functions), for_administrator=left)


async def status(database: Database, files: Shipped | None = None) -> Report:
    """What ``migrate`` would do now; refuses what it would refuse."""
    files = files or shipped()
    async with database.connection() as connection:
        applied = await _checked(connection, files)
    names = {migration.name for migration in applied}
    return Report(
        applied=[migration.name for migration in applied],
        pending=[m.name for m in files.migrations if m.name not in names],
        functions=len(files.functions),
    )


async def require_migrated(
    database: Database, files: Shipped | None = None, *, functions: bool = False
) -> None:
    """Refuse to work on a database that lacks something this code needs. Newer is fine here: an
    old worker may go on while a new version migrates. With ``functions``, also refuse one whose
    functions are not ours, nor those of a newer version."""
    files = files or shipped()
    async with database.connection() as connection:
        applied = {migration.number for migration in await _applied(connection)}
        missing = [m.name for m in files.migrations if m.number not in applied]
        behind = functions and not missing and _behind(await _INSTALLED.maybe(connection), files)
    if missing:
        raise MigrationsPending(
            f"The database at {database.target.shown} lacks {len(missing)} "
            f"migration{'s' if len(missing) > 1 else ''}: {', '.join(missing[:5])}"
            f"{' …' if len(missing) > 5 else ''}.",
            hint="Run: handfast migrate",
        )
    if behind:
        raise MigrationsPending(
            f"The functions in the database at {database.target.shown} are not those of Handfast "
            f"{__version__}.",
            hint="Run: handfast migrate",
        )


def _behind(installed: Installed | None, files: Shipped) -> bool:
    if installed is None or installed.checksum == files.functions_checksum:
        return installed is None
    return _parsed(installed.version) <= _parsed(__version__)


async def _apply(database: Database, migration: Migration, files: Shipped) -> bool:
    async with _locked(database) as tx:
        if migration.number in {a.number for a in await _checked(tx, files)}:
            return False
        await tx.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
        with _failures_explained(migration.name):
            await tx.execute(migration.sql)
        await _record(tx, migration)
    return True


async def _apply_concurrently(database: Database, migration: Migration, files: Shipped) -> bool:
    assert migration.concurrent_index is not None  # noqa: S101
    async with _locked(database) as tx:
        if migration.number in {a.number for a in await _checked(tx, files)}:
            return False
        # The build waits for every snapshot in the database, and the last result read on this
        # connection keeps one until the next simple statement. Without this it waits for us.
        await tx.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        # A connection beside the pool, which may be of one, and that one holds the lock.
        async with (
            await Database.open(database.target, pool_size=1) as beside,
            beside.connection() as connection,
        ):
            with _failures_explained(migration.name):
                valid = await _INDEX_STATE.maybe(connection, migration.concurrent_index)
                if valid is False:
                    log.warning("unfinished_index_dropped", index=migration.concurrent_index)
                    await connection.execute(
                        f"DROP INDEX CONCURRENTLY {migration.concurrent_index}"
                    )
                if not valid:
                    await connection.execute(migration.sql)
        await _record(tx, migration)
    return True


async def _install_functions(database: Database, files: Shipped) -> list[str]:
    """Those that are not as they should be, and then what a schema has to do after each migrate:
    its ``after_migrate()``.

    Answers the statements that only an administrator may run.
    """
    async with _locked(database) as tx:
        installed = await _INSTALLED.maybe(tx)
        if installed is not None and _parsed(installed.version) > _parsed(__version__):
            raise DatabaseNewer(
                f"The functions in the database are from Handfast {installed.version}; this is "
                f"{__version__}, which would put older ones over them.",
                hint=f"Upgrade this process to Handfast {installed.version} or newer.",
            )
        # Bodies may mention each other in any order; they are checked when they are called. With
        # another search path PostgreSQL would write definitions differently.
        await tx.execute("SET LOCAL check_function_bodies = off")
        await tx.execute("SET LOCAL search_path = pg_catalog")
        await tx.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
        recorded = {row.name: row.mark for row in await _RECORDED.all(tx)}
        marks = await _marks(tx, files)
        # A replaced function is compiled again by every session that calls it.
        stale = [
            function
            for function in files.functions
            if recorded.get(function.full_name, "") != marks.get(function.full_name)
        ]
        for function in stale:
            with _failures_explained(function.full_name):
                await tx.execute(function.sql)
        if stale:
            log.info("functions_replaced", functions=len(stale))
            marks = await _marks(tx, files)
        overloaded = await _OVERLOADED.all(tx, list(SCHEMAS))
        if overloaded:
            raise MigrationsInvalid(
                f"{', '.join(overloaded)} would exist with two signatures.",
                hint="A function whose arguments change takes a new name; the old one stays for "
                "one release, because old workers still call it.",
            )
        left: list[str] = []
        for function in files.functions:
            if function.name == AFTER:
                with _failures_explained(function.full_name):
                    rows = await tx.fetch(f"SELECT {function.schema}.{AFTER}()")
                left += [row[0] for row in rows]
        ours = Installed(files.functions_checksum, __version__)
        if (installed, recorded) != (ours, marks):
            names, values = list(marks), list(marks.values())
            await _RECORD_FUNCTIONS.run(tx, ours.checksum, ours.version, names, values)
    return left


async def _marks(tx: Transaction, files: Shipped) -> dict[str, str]:
    """What says of each function that is there that it is made from this file, and not altered."""
    defined = {row.name: row.definition for row in await _DEFINED.all(tx, list(SCHEMAS))}
    return {
        function.full_name: f"{function.checksum} {defined[function.full_name]}"
        for function in files.functions
        if function.full_name in defined
    }


@asynccontextmanager
async def _locked(database: Database) -> AsyncIterator[Transaction]:
    """A transaction that holds the lock of all our migrations."""
    deadline = time.monotonic() + LOCK_SECONDS_MAX
    while True:
        async with database.transaction() as tx:
            if await _TRY_LOCK.one(tx, LOCK):
                await tx.execute("SET LOCAL statement_timeout = 0")  # a file may take its time
                yield tx
                return
        if time.monotonic() > deadline:
            raise MigrationFailed(
                f"Another process has been migrating {database.target.shown} for "
                f"{LOCK_SECONDS_MAX:g} seconds and has not finished.",
                hint="This one changed nothing. Run it again later; pg_stat_activity shows what "
                "the other one is doing.",
            )
        await asyncio.sleep(LOCK_PAUSE_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311


async def _record(tx: Transaction, migration: Migration) -> None:
    await _RECORD.run(tx, migration.number, migration.name, migration.checksum, __version__)


async def _applied(on: Queryable) -> list[Applied]:
    return await _APPLIED.all(on) if await _EXIST.one(on) else []


async def _checked(on: Queryable, files: Shipped) -> list[Applied]:
    """What has been applied, after making sure that it is what the files say."""
    applied = await _applied(on)
    by_number = {migration.number: migration for migration in files.migrations}
    for record in applied:
        ours = by_number.get(record.number)
        if ours is None:
            raise DatabaseNewer(
                f"The database has migration {record.name}, applied by Handfast {record.version}; "
                f"this is Handfast {__version__}, which does not know it.",
                hint=f"Upgrade to Handfast {record.version} or newer. Nothing was changed.",
            )
        if (ours.name, ours.checksum) != (record.name, record.checksum):
            raise MigrationEdited(
                f"Migration {record.name} was applied on {record.applied_at:%Y-%m-%d %H:%M} UTC, "
                f"but the file {ours.name} is not the one that was applied.",
                hint="Put the file back as it was and write what is new into a new migration. "
                "Nothing was changed.",
            )
    return applied


@contextmanager
def _failures_explained(name: str) -> Iterator[None]:
    """Turn what PostgreSQL says about one of our files into an error that names the file."""
    try:
        yield
    except asyncpg.LockNotAvailableError as busy:
        raise MigrationFailed(
            f"{name} could not get a lock within {LOCK_TIMEOUT}, because another session is using "
            "the same table.",
            hint="Nothing was changed. Run it again when that session has finished "
            "(pg_stat_activity shows it).",
        ) from busy
    except asyncpg.InsufficientPrivilegeError:
        raise  # whoever opened the database knows the GRANT
    except asyncpg.PostgresError as error:
        raise MigrationFailed(
            f"{name}: {error}.",
            hint="The file was rolled back as a whole; earlier files stay applied.",
        ) from error


_VERSION = re.compile(r"(\d+(?:\.\d+)*)[-._]?(dev|a|b|rc|post)?[-._]?(\d*)")
_STAGES = ("dev", "a", "b", "rc", None, "post")  # None: the release itself


def _parsed(version: str) -> tuple[tuple[int, ...], int, int]:
    """Something that compares as versions do: 0.2.0rc1 comes before 0.2.0, and 0.2 is 0.2.0."""
    found = _VERSION.match(version)
    if found is None:
        return (), 0, 0  # nobody's version of ours; older than all of them
    release = [int(part) for part in found[1].split(".")]
    while release and release[-1] == 0:
        release.pop()
    return tuple(release), _STAGES.index(found[2]), int(found[3] or 0)
