"""Installing the functions and views that changed, in the files or in the database, and no others.

A replaced function is compiled again by every session that calls it, so what is as it should be is
left alone. Only the schemas that are wanted are looked at. Nothing of ours is for PUBLIC: what
PostgreSQL grants to everybody by itself is taken back in the same transaction.
"""

from types import NoneType

import msgspec

from handfast import __version__
from handfast.base.logs import get_logger
from handfast.db.migrations.errors import MigrationsInvalid
from handfast.db.migrations.files import FACE, Function, Shipped, in_database
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
    schema: str
    name: str
    mark: str


class _Defined(msgspec.Struct, frozen=True):
    name: str
    definition: str


_RECORDED = statement("db.recorded_functions", row=_Recorded)
_DEFINED = statement("db.function_definitions", row=_Defined)
_RECORD = statement("db.record_functions", row=NoneType)
_OVERLOADED = statement("db.overloaded_functions", row=str)
_FOR_EVERYBODY = statement("db.functions_for_everybody", row=str)
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
        recorded = await _RECORDED.all(tx, list(files.schemas))
        defined = await _replace(tx, files, {row.name: row.mark for row in recorded})
        await _refuse_overloaded(tx, files)
        await _revoke_from_everybody(tx, files)
        left = await _call_after(tx, files)
        for schema in files.schemas:
            ours = Installed(schema, files.functions_checksum(schema), __version__)
            before = {row.name: row.mark for row in recorded if row.schema == schema}
            marks = _marks(files, schema, defined, before)
            if installed.get(schema) != ours or before != marks:
                await _record(tx, ours, marks)
    return left


async def _replace(tx: Transaction, files: Shipped, recorded: dict[str, str]) -> dict[str, str]:
    """Install what is not as it was recorded; the definitions of all that are there then."""
    defined = await _definitions(tx, files)
    stale = [f for f in files.functions if recorded.get(f.full_name, "") != _mark(f, defined)]
    if not stale:
        return defined
    # Views look at once for what they mention: functions, private views, views of the face.
    for function in sorted(stale, key=lambda f: (f.view, f.public)):
        with failures_explained(function.full_name):
            await tx.execute(function.sql)
    log.info("functions_replaced", functions=len(stale))
    return await _definitions(tx, files)


async def _definitions(tx: Transaction, files: Shipped) -> dict[str, str]:
    return {row.name: row.definition for row in await _DEFINED.all(tx, _names(files))}


def _mark(function: Function, defined: dict[str, str]) -> str | None:
    """What says of one that is there that it is made from this file, and not altered."""
    definition = defined.get(function.full_name)
    return None if definition is None else f"{function.checksum} {definition}"


def _marks(
    files: Shipped, schema: str, defined: dict[str, str], before: dict[str, str]
) -> dict[str, str]:
    """Those of a room. What an older version has left there stays on record as ours."""
    shipped = {f.full_name: _mark(f, defined) for f in files.functions if f.schema == schema}
    left = {name: mark for name, mark in before.items() if name in defined}
    return left | {name: mark for name, mark in shipped.items() if mark is not None}


async def _revoke_from_everybody(tx: Transaction, files: Shipped) -> None:
    for revoke in await _FOR_EVERYBODY.all(tx, _names(files)):
        await tx.execute(revoke)


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
    return [*map(in_database, files.schemas), FACE]


async def _record(tx: Transaction, ours: Installed, marks: dict[str, str]) -> None:
    names, values = list(marks), list(marks.values())
    await _RECORD.run(tx, ours.schema, ours.checksum, ours.version, names, values)
