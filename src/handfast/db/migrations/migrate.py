"""Bringing a database to the schema that this code needs.

Each file is one transaction: it takes the lock, looks again whether the file is still to do, runs
it and records it. So any number of processes may start at once, and a process killed at any point
leaves either the whole file applied and recorded, or nothing.

Before anything is changed it is made sure that nobody else has the names that we need
(``collisions``), and that nobody would find ours unasked (``search_path``).

Whoever calls says which schemas are wanted. One that is wanted for the first time is made by its
baseline, after everything of the schemas before it; the others are neither made nor asked for.

An index on a busy table is built CONCURRENTLY, which PostgreSQL allows only outside a transaction.
Such a build can be cut off half-way; what it leaves is marked invalid, and the next run drops it
and builds again. Its lock is held by a second connection meanwhile.
"""

from collections.abc import Iterable

import msgspec

from handfast import __version__
from handfast.base.logs import get_logger
from handfast.db.migrations.collisions import refuse_collisions
from handfast.db.migrations.errors import MigrationsPending
from handfast.db.migrations.files import Migration, Shipped, shipped
from handfast.db.migrations.functions import install_functions
from handfast.db.migrations.lock import failures_explained, give_way, locked
from handfast.db.migrations.record import (
    applied_migrations,
    checked_migrations,
    functions_behind,
    installed_functions,
    record_migration,
    refuse_newer_functions,
)
from handfast.db.migrations.search_path import refuse_reaching_paths
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction

log = get_logger(__name__)


class Report(msgspec.Struct, frozen=True):
    """What a migrate did, or what it would have to do."""

    applied: list[str]
    pending: list[str]
    functions: int
    for_administrator: list[str] = []  # statements that this user has no right to


_INDEX_STATE = statement("db.index_state", row=bool)


async def migrate(
    database: Database, files: Shipped | None = None, *, schemas: Iterable[str] | None = None
) -> Report:
    """Apply what is missing of these schemas (of all, by default), and the functions that changed.
    Safe to run twice and from many processes."""
    files = (files or shipped()).only(schemas)
    done = []
    for migration in await _missing(database, files):
        # Whoever else applies it is looked at again, under the lock.
        apply = _apply_concurrently if migration.concurrent_index else _apply
        if await apply(database, migration, files):
            log.info("migration_applied", migration=migration.full_name)
            done.append(migration.full_name)
    left = await install_functions(database, files)
    return Report(applied=done, pending=[], functions=len(files.functions), for_administrator=left)


async def status(
    database: Database, files: Shipped | None = None, *, schemas: Iterable[str] | None = None
) -> Report:
    """What ``migrate`` would do now; refuses what it would refuse, but for the search path."""
    files = (files or shipped()).only(schemas)
    async with database.connection() as connection:
        applied = await checked_migrations(connection, files)
        await refuse_collisions(connection, files)
    names = [record.full_name for record in applied]
    return Report(
        applied=names,
        pending=[m.full_name for m in files.migrations if m.full_name not in names],
        functions=len(files.functions),
    )


async def require_migrated(
    database: Database,
    files: Shipped | None = None,
    *,
    schemas: Iterable[str] | None = None,
    functions: bool = False,
) -> None:
    """Refuse to work on a database that lacks something this code needs. Newer is fine here: an
    old worker may go on while a new version migrates. With ``functions``, also refuse one whose
    functions are not ours, nor those of a newer version."""
    files = (files or shipped()).only(schemas)
    async with database.connection() as connection:
        missing = await _lacking(connection, files)
        behind = functions and not missing and await _behind(connection, files)
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


async def _missing(database: Database, files: Shipped) -> list[Migration]:
    """What is to be applied, unless the database is newer than the files, or not ours alone."""
    async with database.connection() as connection:
        applied = await checked_migrations(connection, files)
        await refuse_collisions(connection, files)
        await refuse_reaching_paths(connection)
        if applied:
            refuse_newer_functions(await installed_functions(connection, files))
    done = {(record.schema, record.number) for record in applied}
    return [m for m in files.migrations if (m.schema, m.number) not in done]


async def _lacking(on: Queryable, files: Shipped) -> list[str]:
    applied = {(one.schema, one.number) for one in await applied_migrations(on, files)}
    return [m.full_name for m in files.migrations if (m.schema, m.number) not in applied]


async def _behind(on: Queryable, files: Shipped) -> bool:
    return bool(functions_behind(await installed_functions(on, files), files))


async def _is_applied(tx: Transaction, migration: Migration, files: Shipped) -> bool:
    applied = await checked_migrations(tx, files)
    return (migration.schema, migration.number) in {(one.schema, one.number) for one in applied}


async def _apply(database: Database, migration: Migration, files: Shipped) -> bool:
    async with locked(database) as tx:
        if await _is_applied(tx, migration, files):
            return False
        await give_way(tx)
        with failures_explained(migration.full_name):
            await tx.execute(migration.sql)
        await record_migration(tx, migration)
    return True


async def _apply_concurrently(database: Database, migration: Migration, files: Shipped) -> bool:
    async with locked(database) as tx:
        if await _is_applied(tx, migration, files):
            return False
        # The build waits for every snapshot in the database, and the last result read on this
        # connection keeps one until the next simple statement. Without this it waits for us.
        await tx.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        await _build_index(database, migration)
        await record_migration(tx, migration)
    return True


async def _build_index(database: Database, migration: Migration) -> None:
    """On a connection beside the pool, which may be of one, and that one holds the lock."""
    async with (
        await Database.open(database.target, pool_size=1) as beside,
        beside.connection() as connection,
    ):
        with failures_explained(migration.full_name):
            valid = await _INDEX_STATE.maybe(connection, migration.concurrent_index)
            if valid is False:
                log.warning("unfinished_index_dropped", index=migration.concurrent_index)
                await connection.execute(f"DROP INDEX CONCURRENTLY {migration.concurrent_index}")
            if not valid:
                await connection.execute(migration.sql)
