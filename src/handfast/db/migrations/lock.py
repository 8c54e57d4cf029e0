"""One process migrates a database at a time, and what PostgreSQL refuses is said with its file.

The lock is an advisory one of the transaction: released by the commit, so that it also works behind
a transaction pooler, and gone with a process that dies. Whoever finds it taken ends its
transaction, pauses and tries again. It must not wait inside one: a waiting statement holds a
snapshot, a concurrent index build waits for every snapshot, and the builder holds the lock.
PostgreSQL would not see that circle.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import asyncpg

from handfast.db.migrations.errors import MigrationFailed
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Transaction

LOCK = 0x68616E6466617374  # "handfast": one lock for all our migrations in a database
LOCK_SECONDS_MAX = 600.0  # others may be busy with a long file or a large index
LOCK_PAUSE_SECONDS = 0.05  # between two looks at the lock; jittered, so that many do not march
TABLE_TIMEOUT = "5s"  # a migration waits this long for a busy table, then gives way and says so

_TRY_LOCK = statement("db.try_lock_migrations", row=bool)


@asynccontextmanager
async def locked(database: Database) -> AsyncIterator[Transaction]:
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


async def give_way(tx: Transaction) -> None:
    """From here on, wait for a busy table no longer than those who use it can bear."""
    await tx.execute(f"SET LOCAL lock_timeout = '{TABLE_TIMEOUT}'")


@contextmanager
def failures_explained(name: str) -> Iterator[None]:
    """Turn what PostgreSQL says about one of our files into an error that names the file."""
    try:
        yield
    except asyncpg.LockNotAvailableError as busy:
        raise MigrationFailed(
            f"{name} could not get a lock within {TABLE_TIMEOUT}, because another session is using "
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
