"""Installing the functions that changed, in the files or in the database, and no others.

A replaced function is compiled again by every session that calls it, so what is as it should be is
left alone. Only the schemas that are wanted are looked at.
"""

from types import NoneType

import msgspec

from handfast import __version__
from handfast.base.logs import get_logger
from handfast.db.migrations.errors import MigrationsInvalid
from handfast.db.migrations.files import Function, Shipped, in_database
from handfast.db.migrations.lock import failures_explained, give_way, locked
from handfast.db.migrations.record import (
    Installed,
    installed_functions,
    refuse_newer_functions,
)
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.templates import Identifier, template
from handfast.db.transaction import Transaction

AFTER = "after_migrate"  # the function that a schema may have, answering SETOF text

log = get_logger(__name__)


class _Recorded(msgspec.Struct, frozen=True):
    name: str
    mark: str


class _Defined(msgspec.Struct, frozen=True):
    name: str
    definition: str


_RECORDED = statement("db.recorded_functions", row=_Recorded)
_DEFINED = statement("db.function_definitions", row=_Defined)
_RECORD = statement("db.record_functions", row=NoneType)
_OVERLOADED = statement("db.overloaded_functions", row=str)
_AFTER = template(
    "db.after_migrate",
    row=str,
    example={"function": Identifier("handfast_runs", AFTER)},
    seconds=BULK_SECONDS_MAX,
)


async def install_functions(database: Database, files: Shipped) -> list[str]:
    """Those that are not as they should be, and then what a schema has to do after each migrate:
    its ``after_migrate()``.

    Answers the statements that only an administrator may run.
    """
    async with locked(database) as tx:
        installed = await installed_functions(tx, files)
        refuse_newer_functions(installed)
        # Bodies may mention each other in any order; they are checked when they are called. With
        # another search path PostgreSQL would write definitions differently.
        await tx.execute("SET LOCAL check_function_bodies = off")
        await tx.execute("SET LOCAL search_path = pg_catalog")
        await give_way(tx)
        recorded = {row.name: row.mark for row in await _RECORDED.all(tx, list(files.schemas))}
        marks = await _replace(tx, files, recorded)
        await _refuse_overloaded(tx, files)
        left = await _call_after(tx, files)
        for schema in files.schemas:
            ours = Installed(schema, files.functions_checksum(schema), __version__)
            if installed.get(schema) != ours or _of(schema, recorded) != _of(schema, marks):
                await _record(tx, ours, _of(schema, marks))
    return left


async def _replace(tx: Transaction, files: Shipped, recorded: dict[str, str]) -> dict[str, str]:
    """Install what is not as it was recorded; the marks of all that are there then."""
    marks = await _marks(tx, files)
    stale = [f for f in files.functions if recorded.get(f.full_name, "") != marks.get(f.full_name)]
    if not stale:
        return marks
    for function in stale:
        with failures_explained(function.full_name):
            await tx.execute(function.sql)
    log.info("functions_replaced", functions=len(stale))
    return await _marks(tx, files)


async def _marks(tx: Transaction, files: Shipped) -> dict[str, str]:
    """What says of each function that is there that it is made from this file, and not altered."""
    defined = {row.name: row.definition for row in await _DEFINED.all(tx, _names(files))}
    return {
        function.full_name: f"{function.checksum} {defined[function.full_name]}"
        for function in files.functions
        if function.full_name in defined
    }


async def _refuse_overloaded(tx: Transaction, files: Shipped) -> None:
    overloaded = await _OVERLOADED.all(tx, _names(files))
    if overloaded:
        raise MigrationsInvalid(
            f"{', '.join(overloaded)} would exist with two signatures.",
            hint="A function whose arguments change takes a new name; the old one stays for "
            "one release, because old workers still call it.",
        )


async def _call_after(tx: Transaction, files: Shipped) -> list[str]:
    left: list[str] = []
    for function in files.functions:
        if function.name == AFTER:
            left += await _call(tx, function)
    return left


async def _call(tx: Transaction, function: Function) -> list[str]:
    with failures_explained(function.full_name):
        return await _AFTER.on(
            function=Identifier(in_database(function.schema), function.name)
        ).all(tx)


def _names(files: Shipped) -> list[str]:
    return [in_database(schema) for schema in files.schemas]


def _of(schema: str, marks: dict[str, str]) -> dict[str, str]:
    ours = in_database(schema)
    return {name: mark for name, mark in marks.items() if name.partition(".")[0] == ours}


async def _record(tx: Transaction, ours: Installed, marks: dict[str, str]) -> None:
    names, values = list(marks), list(marks.values())
    await _RECORD.run(tx, ours.schema, ours.checksum, ours.version, names, values)
