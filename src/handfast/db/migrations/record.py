"""What a database says has been applied to it, and when that is refused.

Only the schemas that are wanted are looked at: one that is there and not wanted any more is left
alone, whoever made it.
"""

from datetime import datetime
from types import NoneType

import msgspec

from handfast import __version__
from handfast.db.migrations.errors import DatabaseNewer, DatabaseUnreleased, MigrationEdited
from handfast.db.migrations.files import Migration, Shipped
from handfast.db.migrations.versions import parsed
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction


class Applied(msgspec.Struct, frozen=True):
    schema: str
    number: int
    name: str
    checksum: str
    version: str
    applied_at: datetime

    @property
    def full_name(self) -> str:
        return f"{self.schema}/{self.name}"


class Installed(msgspec.Struct, frozen=True):
    """The functions of a schema, as a whole."""

    schema: str
    checksum: str
    version: str


class _Record(msgspec.Struct, frozen=True):
    kept: bool
    unreleased: bool


_KEPT = statement("db.record_of_migrations", row=_Record)
_APPLIED = statement("db.applied_migrations", row=Applied)
_RECORD = statement("db.record_migration", row=NoneType)
_INSTALLED = statement("db.installed_functions", row=Installed)


async def applied_migrations(on: Queryable, files: Shipped) -> list[Applied]:
    """Those of the schemas that are wanted; none in a database that we have never been in."""
    record = await _KEPT.one(on)
    if record.unreleased:
        raise DatabaseUnreleased(
            "The tables were made by a build of Handfast from before its first release, and there "
            "is no upgrade from those.",
            hint="Start with an empty database (DATABASE_URL) or another data folder (--data-dir, "
            "HANDFAST_DATA_DIR). Nothing was changed.",
        )
    return await _APPLIED.all(on, list(files.schemas)) if record.kept else []


async def record_migration(tx: Transaction, migration: Migration) -> None:
    """It has been applied, by this version, in this transaction."""
    await _RECORD.run(
        tx,
        migration.schema,
        migration.number,
        migration.name,
        migration.checksum,
        __version__,
    )


async def installed_functions(on: Queryable, files: Shipped) -> dict[str, Installed]:
    """By schema, of those that are wanted; needs the record to be there."""
    return {row.schema: row for row in await _INSTALLED.all(on, list(files.schemas))}


async def checked_migrations(on: Queryable, files: Shipped) -> list[Applied]:
    """What has been applied, after making sure that it is what the files say."""
    applied = await applied_migrations(on, files)
    ours = {(migration.schema, migration.number): migration for migration in files.migrations}
    for record in applied:
        _refuse_newer(record, ours.get((record.schema, record.number)))
    return applied


def _refuse_newer(record: Applied, ours: Migration | None) -> None:
    if ours is None:
        raise DatabaseNewer(
            f"The database has migration {record.full_name}, applied by Handfast "
            f"{record.version}; this is Handfast {__version__}, which does not know it.",
            hint=f"Upgrade to Handfast {record.version} or newer. Nothing was changed.",
        )
    if (ours.name, ours.checksum) != (record.name, record.checksum):
        raise MigrationEdited(
            f"Migration {record.full_name} was applied on {record.applied_at:%Y-%m-%d %H:%M} UTC, "
            f"but the file {ours.full_name} is not the one that was applied.",
            hint="Put the file back as it was and write what is new into a new migration. "
            "Nothing was changed.",
        )


def refuse_newer_functions(installed: dict[str, Installed]) -> None:
    for row in installed.values():
        if parsed(row.version) > parsed(__version__):
            raise DatabaseNewer(
                f"The functions of {row.schema} in the database are from Handfast {row.version}; "
                f"this is {__version__}, which would put older ones over them.",
                hint=f"Upgrade this process to Handfast {row.version} or newer.",
            )


def functions_behind(installed: dict[str, Installed], files: Shipped) -> list[str]:
    """The schemas whose functions are neither ours nor those of a newer version."""
    return [schema for schema in files.schemas if _is_behind(installed.get(schema), files)]


def _is_behind(row: Installed | None, files: Shipped) -> bool:
    if row is None or row.checksum == files.functions_checksum(row.schema):
        return row is None
    return parsed(row.version) <= parsed(__version__)
